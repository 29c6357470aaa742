// Command house measures the structure of the module in the current folder and prints a Markdown table:
//
//	go run ./lab/house
package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// folder describes a package. It holds the number of hand-written lines without tests, the number of exported names,
// and the imports within the module.
type folder struct {
	lines   int
	names   int
	imports map[string]bool
	program bool
}

func main() {
	if err := run(os.Stdout, "."); err != nil {
		fmt.Fprintln(os.Stderr, "house:", err)
		os.Exit(1)
	}
}

func run(w io.Writer, root string) error {
	folders, err := measure(root)
	if err != nil {
		return err
	}
	var lines, lab, tests, public, names int
	used := inPrograms(folders)
	for name, f := range folders {
		lines += f.lines
		switch {
		case strings.HasPrefix(name, "lab/"):
			lab += f.lines
		case !used[name]:
			tests += f.lines
		}
		if isPublic(name, f) {
			public++
			names += f.names
		}
	}
	rows := []struct {
		what  string
		value any
	}{
		{"hand-written Go that is no test, lines", lines},
		{"the same without lab", lines - lab},
		{"the same without lab and packages that only tests import", lines - lab - tests},
		{"packages", len(folders)},
		{"public packages", public},
		{"exported names in public packages", names},
		{"own packages that cmd/ialgn imports", len(folders["cmd/ialgn"].imports)},
		{"own packages that the root imports", len(folders["."].imports)},
		{"packages in the longest import chain", longest(folders, ".", map[string]int{}, "cmd/ialgn")},
	}
	fmt.Fprintln(w, "| measure | value |\n|---|---:|")
	for _, r := range rows {
		fmt.Fprintf(w, "| %s | %d |\n", r.what, r.value)
	}
	return nil
}

// inPrograms returns the packages that are linked into a program of this repository, or into a user's program through
// a public package.
func inPrograms(folders map[string]*folder) map[string]bool {
	used := map[string]bool{}
	var add func(name string)
	add = func(name string) {
		if f := folders[name]; f != nil && !used[name] {
			used[name] = true
			for to := range f.imports {
				add(to)
			}
		}
	}
	for name, f := range folders {
		if f.program || isPublic(name, f) {
			add(name)
		}
	}
	return used
}

// isPublic reports whether users of the module can import a package.
func isPublic(name string, f *folder) bool {
	return !f.program && f.names > 0 && !slices.Contains(strings.Split(name, "/"), "internal")
}

// longest returns the number of packages in the longest chain of imports that starts at any of the given packages.
func longest(folders map[string]*folder, root string, known map[string]int, from ...string) int {
	best := 0
	for _, name := range append(from, root) {
		if _, ok := known[name]; !ok && folders[name] != nil {
			known[name] = 1
			for to := range folders[name].imports {
				known[name] = max(known[name], 1+longest(folders, to, known))
			}
		}
		best = max(best, known[name])
	}
	return best
}

// measure reads the Go files that git tracks.
func measure(root string) (map[string]*folder, error) {
	list := exec.Command("git", "ls-files", "*.go")
	list.Dir = root
	out, err := list.Output()
	if err != nil {
		return nil, fmt.Errorf("git ls-files: %w", err)
	}
	folders := map[string]*folder{}
	for file := range strings.FieldsSeq(string(out)) {
		if strings.Contains(file, "testdata/") {
			continue
		}
		f := folders[path.Dir(file)]
		if f == nil {
			f = &folder{imports: map[string]bool{}}
			folders[path.Dir(file)] = f
		}
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		if err := f.add(filepath.Join(root, filepath.FromSlash(file))); err != nil {
			return nil, err
		}
	}
	return folders, nil
}

// add adds the counts of one file.
func (f *folder) add(file string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	syntax, err := parser.ParseFile(token.NewFileSet(), file, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	f.program = f.program || syntax.Name.Name == "main"
	for _, i := range syntax.Imports {
		to, err := strconv.Unquote(i.Path.Value)
		if err != nil {
			return err
		}
		if to == "ialgn" {
			f.imports["."] = true
		} else if own, ok := strings.CutPrefix(to, "ialgn/"); ok {
			f.imports[own] = true
		}
	}
	if ast.IsGenerated(syntax) {
		return nil
	}
	f.lines += strings.Count(string(text), "\n")
	for _, d := range syntax.Decls {
		f.names += exported(d)
	}
	return nil
}

// exported returns the number of package-level names that a declaration exports.
func exported(d ast.Decl) (n int) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Recv == nil && d.Name.IsExported() {
			n++
		}
	case *ast.GenDecl:
		for _, s := range d.Specs {
			switch s := s.(type) {
			case *ast.TypeSpec:
				if s.Name.IsExported() {
					n++
				}
			case *ast.ValueSpec:
				for _, name := range s.Names {
					if name.IsExported() {
						n++
					}
				}
			}
		}
	}
	return n
}
