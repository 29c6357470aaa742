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
	"testing"
)

// TestPlatforms holds the program to what it is handed on for (lab/dist): for each of these systems it compiles. The
// packages are checked as the compiler does it, without making code, which takes a tenth of the time.
func TestPlatforms(t *testing.T) {
	if testing.Short() {
		t.Skip("checks the types of all packages four times")
	}
	for _, p := range []platform{
		{"linux", "arm64"}, {"darwin", "amd64"}, {"darwin", "arm64"}, {"windows", "amd64"},
	} {
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

// TestPlatformErrors checks a module that does not compile everywhere: the check finds what a compiler would.
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

// listed is a package as `go list` has it.
type listed struct {
	ImportPath, Dir string
	GoFiles, SFiles []string
	ImportMap       map[string]string
	Standard        bool
	Module          *struct{ Main bool }
}

// own reports whether the package is of the module that is checked.
func (l *listed) own() bool { return l.Module != nil && l.Module.Main }

// check returns what keeps a program of the module in a folder from being compiled for the platform.
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

// packages are those that were checked, by their paths.
type packages map[string]*types.Package

// add checks a package all of whose imports are there, and returns what is wrong with it. Bodies of functions are left
// out where they are not ours.
func (all packages) add(p platform, l *listed) (wrong []string) {
	set := token.NewFileSet()
	var files []*ast.File
	for _, name := range l.GoFiles {
		f, err := parser.ParseFile(set, filepath.Join(l.Dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			return []string{err.Error()}
		}
		files = append(files, f)
	}
	conf := types.Config{
		Importer: importer{all, l.ImportMap}, Sizes: types.SizesFor("gc", p.arch), IgnoreFuncBodies: !l.own(),
		Error: func(err error) { wrong = append(wrong, err.Error()) },
	}
	all[l.ImportPath], _ = conf.Check(l.ImportPath, set, files, nil)
	if !l.own() || len(l.SFiles) > 0 {
		return wrong
	}
	for _, f := range files {
		for _, d := range f.Decls {
			if d, ok := d.(*ast.FuncDecl); ok && d.Body == nil {
				wrong = append(wrong, fmt.Sprintf("%v: %s has no body, and there is no assembly", set.Position(d.Pos()), d.Name))
			}
		}
	}
	return wrong
}

// importer finds what a package imports among those that were checked.
type importer struct {
	all     packages
	renamed map[string]string // of the standard library, which has copies of other modules
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
