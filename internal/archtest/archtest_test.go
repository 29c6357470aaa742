package archtest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// root is the module's folder.
var root = filepath.Join("..", "..")

// TestPolicy checks the import policy of this module.
func TestPolicy(t *testing.T) {
	violations, err := policy.Check(root)
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range violations {
		t.Error(v)
	}
}

// tree writes a module "m" with files that import the listed packages, and returns its folder.
func tree(t *testing.T, files map[string][]string) string {
	t.Helper()
	root := t.TempDir()
	write := func(name, text string) {
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("go.mod", "module m\n\ngo 1.26\n")
	for name, imports := range files {
		text := "package p\n"
		if strings.HasSuffix(name, "go.mod") {
			text = "module other\n"
		}
		for _, i := range imports {
			text += "import _ \"" + i + "\"\n"
		}
		write(name, text)
	}
	return root
}

var fake = Policy{
	Public: []string{"a", "b"}, Programs: []string{"cmd/..."},
	Never: []Never{
		{From: []string{"a"}, To: []string{"..."}, Except: []string{"internal/e"}, Why: "a is at the bottom"},
		{From: []string{"internal/c/..."}, To: []string{"b"}, Why: "c is below b"},
	},
	External:     map[string][]string{"x.org/one": {"a"}},
	ExternalTest: []string{"x.org/cmp"},
	Standard:     map[string][]string{"log": {}, "os/exec": {"b"}},
}

func TestCheck(t *testing.T) {
	for _, test := range []struct {
		name string
		file string
		in   []string
		want string
	}{
		{"allowed", "b/f.go", []string{"m/a", "m/internal/c/d", "fmt"}, ""},
		{"forbidden", "a/f.go", []string{"fmt", "m/b"}, "a/f.go:3: a may not import b: a is at the bottom"},
		{"exception", "a/f.go", []string{"m/internal/e"}, ""},
		{"forbidden below", "internal/c/d/f.go", []string{"m/b"}, "internal/c/d/f.go:2: internal/c/d may not import b: c is below b"},
		{"within the room", "internal/c/f.go", []string{"m/internal/c/d"}, ""},
		{"forbidden, but in a test", "a/f_test.go", []string{"m/b"}, ""},
		{"module", "a/f.go", []string{"x.org/one", "x.org/one/sub"}, ""},
		{
			"module of similar name", "a/f.go",
			[]string{"x.org/oneself"},
			"a/f.go:2: a may not import x.org/oneself: do without, or change the policy",
		},
		{"module of another package", "b/f.go", []string{"x.org/one"}, "b/f.go:2: b may not import x.org/one: do without, or change the policy"},
		{"module for tests", "b/f_test.go", []string{"x.org/cmp/cmpopts", "x.org/one"}, ""},
		{"unknown module in a test", "b/f_test.go", []string{"x.org/two"}, "b/f_test.go:2: b may not import x.org/two: do without, or change the policy"},
		{"module for tests in code", "b/f.go", []string{"x.org/cmp"}, "b/f.go:2: b may not import x.org/cmp: do without, or change the policy"},
		{"standard library", "a/f.go", []string{"os", "encoding/json"}, ""},
		{"refused", "a/f.go", []string{"os/exec"}, "a/f.go:2: a may not import os/exec: do without, or change the policy"},
		{"refused but here", "b/f.go", []string{"os/exec"}, ""},
		{"refused but in tests", "a/f_test.go", []string{"os/exec", "log"}, ""},
		{"any build constraint", "a/f_windows.go", []string{"m/b"}, "a/f_windows.go:2: a may not import b: a is at the bottom"},
		{"not a part of the module", "a/testdata/f.go", []string{"m/b"}, ""},
		{"hidden", "a/_old/f.go", []string{"m/b"}, ""},
		{"program", "cmd/x/f.go", []string{"m/a"}, ""},
		{"public by accident", "f/f.go", nil, "f: package is public: move it below a folder named internal"},
		{"public below a public one", "a/g/f.go", nil, "a/g: package is public: move it below a folder named internal"},
		{"nested module", "f/go.mod", nil, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			files := map[string][]string{
				"a/x.go": nil, "b/x.go": nil, "internal/c/x.go": nil, "internal/c/d/x.go": nil, "internal/e/x.go": nil,
			}
			files[test.file] = test.in
			violations, err := fake.Check(tree(t, files))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, strings.Join(violations, "\n")); diff != "" {
				t.Errorf("violations (-want +got):\n%s", diff)
			}
		})
	}
}

func TestCheckFindsRulesAboutNothing(t *testing.T) {
	violations, err := fake.Check(tree(t, map[string][]string{"a/x.go": nil, "b/x.go": nil, "internal/c/x.go": nil}))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"internal/e: no such package: correct the rule that names it"}, violations); diff != "" {
		t.Errorf("violations (-want +got):\n%s", diff)
	}
}

func TestCheckErrors(t *testing.T) {
	if _, err := fake.Check(t.TempDir()); err == nil {
		t.Error("a folder without go.mod: no error")
	}
	broken := tree(t, nil)
	if err := os.WriteFile(filepath.Join(broken, "f.go"), []byte("package"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := fake.Check(broken); err == nil || !strings.Contains(err.Error(), "f.go:1") {
		t.Errorf("a broken file: error %v, want one with its place", err)
	}
}
