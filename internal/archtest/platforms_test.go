package archtest

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"ialgn/internal/testkit"
)

// TestPlatforms checks that the program compiles for all systems for which it is distributed (lab/dist). The packages
// are type-checked as in the compiler, but no code is generated. So the test takes a tenth of the time of a
// compilation. The normal test covers each system and each processor at least once. The long tier covers all
// combinations.
func TestPlatforms(t *testing.T) {
	if testing.Short() {
		t.Skip("checks the types of all packages three times")
	}
	platforms := []platform{{"linux", "arm64"}, {"darwin", "arm64"}, {"windows", "amd64"}}
	if testkit.Whole() {
		platforms = append(platforms, platform{"darwin", "amd64"})
	}
	for _, p := range platforms {
		t.Run(p.os+"-"+p.arch, func(t *testing.T) {
			t.Parallel()
			wrong, err := p.check(filepath.Join("..", ".."), "./cmd/ialgn")
			if err != nil {
				t.Fatal(err)
			}
			for _, w := range wrong {
				t.Error(w)
			}
		})
	}
}

// TestPlatformErrors checks a module that does not compile on every platform. The check must find the errors that a
// compiler would find.
func TestPlatformErrors(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":  "module m\n\ngo 1.26.0\n",
		"main.go": "package main\n\nfunc main() { println(kill(1), add(1)) }\n",
		"kill_unix.go": "//go:build unix\n\npackage main\n\nimport \"syscall\"\n\nfunc kill(pid int) error { return syscall.Kill(pid, " +
			"syscall.SIGKILL) }\n",
		"add_amd64.go": "package main\n\nfunc add(int) int\n",
		"add_amd64.s":  "TEXT ·add(SB), 4, $0-16\n\tRET\n",
		"add_arm64.go": "package main\n\nfunc add(int) int\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for p, want := range map[platform]string{
		{"linux", "amd64"}:   "",
		{"linux", "arm64"}:   "add has no body, and there is no assembly",
		{"windows", "amd64"}: "undefined: kill",
		{"linux", "386"}:     "undefined: add",
	} {
		wrong, err := p.check(dir, ".")
		if err != nil {
			t.Fatal(err)
		}
		if all := strings.Join(wrong, "\n"); !strings.Contains(all, want) || want == "" && all != "" {
			t.Errorf("%v: %q, want %q", p, all, want)
		}
	}
}

// platform is a system and a processor, by Go's names.
type platform struct{ os, arch string }

// listed is a package as printed by `go list`.
type listed struct {
	ImportPath, Dir string
	GoFiles, SFiles []string
	ImportMap       map[string]string
	Standard        bool
	Module          *struct{ Main bool }
}

// own reports whether the package belongs to the module that is checked.
func (l *listed) own() bool { return l.Module != nil && l.Module.Main }

// check returns the errors that prevent a program from being compiled for the platform. The program belongs to the
// module in folder dir.
func (p platform) check(dir, program string) (wrong []string, err error) {
	cmd := exec.Command("go", "list", "-deps", "-json=ImportPath,Dir,GoFiles,SFiles,ImportMap,Standard,Module", program)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "CGO_ENABLED=0", "GOOS="+p.os, "GOARCH="+p.arch)
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list for %s/%s: %w", p.os, p.arch, err)
	}
	checked := packages{"unsafe": types.Unsafe}
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var l listed
		if err := d.Decode(&l); errors.Is(err, io.EOF) {
			return wrong, nil
		} else if err != nil {
			return nil, err
		}
		if l.ImportPath != "unsafe" {
			wrong = append(wrong, checked.add(p, &l)...)
		}
	}
}

// positions holds the positions in all files.
var positions = token.NewFileSet()

// For each file, parsed holds a function that parses the file once. Most files are built on several platforms.
var parsed sync.Map

// parse parses a file. In files of other modules it leaves out tables, because their elements take longer to check
// than everything else.
func parse(path string, own bool) (*ast.File, error) {
	once, _ := parsed.LoadOrStore(path, sync.OnceValues(func() (*ast.File, error) {
		f, err := parser.ParseFile(positions, path, nil, parser.SkipObjectResolution)
		if err == nil && !own {
			ast.Inspect(f, emptyTable)
		}
		return f, err
	}))
	return once.(func() (*ast.File, error))()
}

// emptyTable empties composite literals, except literals whose length is part of their type.
func emptyTable(n ast.Node) bool {
	table, ok := n.(*ast.CompositeLit)
	if !ok {
		_, function := n.(*ast.FuncDecl)
		return !function
	}
	if array, ok := table.Type.(*ast.ArrayType); ok {
		if _, counted := array.Len.(*ast.Ellipsis); counted {
			return false
		}
	}
	table.Elts = nil
	return false
}

// packages holds the checked packages by path.
type packages map[string]*types.Package

// add checks a package after all its imports are checked, and returns its errors. Packages of other modules are
// assumed to be correct, and their function bodies are left out.
func (all packages) add(p platform, l *listed) (wrong []string) {
	var files []*ast.File
	for _, name := range l.GoFiles {
		f, err := parse(filepath.Join(l.Dir, name), l.own())
		if err != nil {
			return []string{err.Error()}
		}
		files = append(files, f)
	}
	conf := types.Config{
		Importer: importer{all, l.ImportMap}, Sizes: types.SizesFor("gc", p.arch), IgnoreFuncBodies: !l.own(),
		Error: func(err error) {
			if l.own() {
				wrong = append(wrong, err.Error())
			}
		},
	}
	all[l.ImportPath], _ = conf.Check(l.ImportPath, positions, files, nil)
	if !l.own() || len(l.SFiles) > 0 {
		return wrong
	}
	for _, f := range files {
		for _, d := range f.Decls {
			if d, ok := d.(*ast.FuncDecl); ok && d.Body == nil {
				wrong = append(wrong, fmt.Sprintf("%v: %s has no body, and there is no assembly", positions.Position(d.Pos()), d.Name))
			}
		}
	}
	return wrong
}

// importer finds imported packages among the checked packages.
type importer struct {
	all     packages
	renamed map[string]string // imports of the standard library, which has copies of other modules
}

// Import implements [types.Importer].
func (i importer) Import(path string) (*types.Package, error) {
	if to := i.renamed[path]; to != "" {
		path = to
	}
	if p := i.all[path]; p != nil {
		return p, nil
	}
	return nil, fmt.Errorf("%s: not checked before", path)
}
