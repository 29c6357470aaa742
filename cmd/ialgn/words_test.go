package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"ialgn/internal/message"
)

// texts calls fn with every string literal of the module, except those in tests.
func texts(t *testing.T, fn func(file, text string)) {
	t.Helper()
	root := filepath.Join("..", "..")
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		name := d.Name()
		if err != nil || d.IsDir() && (strings.HasPrefix(name, ".") && name != ".." ||
			slices.Contains([]string{"testdata", "runs"}, name)) {
			return fs.SkipDir
		}
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			return err
		}
		relative, _ := filepath.Rel(root, path)
		ast.Inspect(file, func(n ast.Node) bool {
			if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
				if text, err := strconv.Unquote(lit.Value); err == nil {
					fn(filepath.ToSlash(relative), text)
				}
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestOptionsAreFlags checks every option that is named in a text of the library. The option must be a flag of some
// command.
func TestOptionsAreFlags(t *testing.T) {
	var known []string
	for _, c := range newApp(os.Stdout, os.Stderr).Commands {
		for _, f := range c.Flags {
			for _, name := range f.Names() {
				known = append(known, strings.Repeat("-", min(2, len(name)))+name)
			}
		}
	}
	named := regexp.MustCompile(`\{([A-Z][A-Za-z]*)( [^{}]+)?\}`)
	seen := map[string]bool{}
	texts(t, func(file, text string) {
		if slices.ContainsFunc([]string{"backend/internal/gocode/", "internal/tool/", "lab/"},
			func(p string) bool { return strings.HasPrefix(file, p) }) {
			return // braces in formats of other packages
		}
		for _, m := range named.FindAllStringSubmatch(text, -1) {
			seen[m[1]] = true
			if flag := message.Flags(m[1], ""); !slices.Contains(known, flag) && m[1] != "Certify" {
				t.Errorf("%s: {%s} would be the flag %s, which no command has", file, m[1], flag)
			}
		}
	})
	if len(seen) < 20 {
		t.Errorf("only %d options are named", len(seen))
	}
}

// TestLibraryKnowsNoFlags checks that the texts of the library name options in the notation of package message and
// never as flags. It does not check texts for other programs, and texts that only commands use.
func TestLibraryKnowsNoFlags(t *testing.T) {
	flag := regexp.MustCompile(`(^|[ (])--[a-z]{2}`)
	others := []string{
		"cmd/", "lab/", "internal/experiment/", "internal/flow/", "internal/target/", "internal/doctest/",
		"internal/filekind/", "internal/manual/", "internal/message/", "internal/mpi/", "internal/tool/",
	}
	emitted := []string{
		"internal/handover/constraints.go", "internal/wrapper/pins.go", "internal/wrapper/bench.go",
		"internal/verilog/testbench.go", "internal/verify/rtl/simulator.go", "init.go", "init_neighbours.go",
		"internal/ccode/onetables.go",
	}
	texts(t, func(file, text string) {
		if slices.ContainsFunc(others, func(p string) bool { return strings.HasPrefix(file, p) }) ||
			slices.Contains(emitted, file) {
			return
		}
		if flag.MatchString(text) {
			t.Errorf("%s: %q", file, text)
		}
	})
}
