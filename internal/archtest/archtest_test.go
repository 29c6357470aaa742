package archtest

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// root is the module's folder.
var root = filepath.Join("..", "..")

// TestPolicy is the policy's check of this module.
func TestPolicy(t *testing.T) {
	violations, err := policy.Check(root)
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range violations {
		t.Error(v)
	}
}

// TestDocumented compares the rooms with the table of ARCHITECTURE.md, and has every package in a room or beside them.
func TestDocumented(t *testing.T) {
	b, err := os.ReadFile(filepath.Join(root, "ARCHITECTURE.md"))
	if err != nil {
		t.Fatal(err)
	}
	var documented, want []string
	for line := range strings.Lines(string(b)) {
		if name, ok := strings.CutPrefix(line, "| `"); ok {
			name, _, _ = strings.Cut(name, "`")
			documented = append(documented, name)
		}
	}
	for _, r := range Rooms {
		want = append(want, r.Name)
	}
	slices.Sort(documented)
	slices.Sort(want)
	if diff := cmp.Diff(want, documented); diff != "" {
		t.Errorf("rooms in the table of ARCHITECTURE.md (-rooms +table):\n%s", diff)
	}
	for _, r := range policy.Rules {
		beside := strings.HasPrefix(r.Package, "internal/") || strings.HasPrefix(r.Package, "tools/") ||
			r.Package == "docs"
		if beside == (RoomOf(r.Package) != "") {
			t.Errorf("%s is in the room %q", r.Package, RoomOf(r.Package))
		}
	}
}

// tree writes a module "m" with files that import what is listed, and returns its
// folder.
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
	Rules: []Rule{
		{Package: "a", Imports: []string{"b"}, External: []string{"x.org/one"}, Test: []string{"c/..."}},
		{Package: "b", Standard: []string{"os/exec"}},
		{Package: "c", Imports: []string{"..."}, TestExternal: []string{"x.org/two/v2"}, TestStandard: []string{"os/exec"}},
		{Package: "c/d"},
	},
	Test:         []string{"b"},
	TestExternal: []string{"x.org/cmp"},
	TestStandard: []string{"log"},
	Standard:     []string{"log", "os/exec"},
}

func TestCheck(t *testing.T) {
	for _, test := range []struct {
		name string
		file string
		in   []string
		want string
	}{
		{"allowed", "a/f.go", []string{"m/b"}, ""},
		{
			"the other way", "b/f.go",
			[]string{"fmt", "m/a"},
			"b/f.go:3: package of b may not import a: ask it of a package that may, or change the policy",
		},
		{
			"no rule for the sub-package", "a/f.go",
			[]string{"m/b/e"},
			"a/f.go:2: package of a may not import b/e: ask it of a package that may, or change the policy",
		},
		{"test list", "a/f_test.go", []string{"m/b", "m/c", "m/c/d", "m/a"}, ""},
		{
			"test list in code", "a/f.go",
			[]string{"m/c"},
			"a/f.go:2: package of a may not import c: ask it of a package that may, or change the policy",
		},
		{"list of all tests", "c/d/f_test.go", []string{"m/b"}, ""},
		{
			"not in the list of tests", "c/d/f_test.go",
			[]string{"m/a"},
			"c/d/f_test.go:2: test of c/d may not import a: ask it of a package that may, or change the policy",
		},
		{"everything", "c/f.go", []string{"m/a", "m/c/d", "m/zzz"}, ""},
		{
			"root package", "a/f.go",
			[]string{"m"},
			"a/f.go:2: package of a may not import .: ask it of a package that may, or change the policy",
		},
		{"module", "a/f.go", []string{"x.org/one", "x.org/one/sub"}, ""},
		{
			"module of similar name", "a/f.go",
			[]string{"x.org/oneself"},
			"a/f.go:2: package of a may not import the module of x.org/oneself: do without, or change the policy",
		},
		{
			"module without a rule", "c/f.go",
			[]string{"x.org/one"},
			"c/f.go:2: package of c may not import the module of x.org/one: do without, or change the policy",
		},
		{"module for tests", "c/f_test.go", []string{"x.org/two/v2/sub", "x.org/cmp/cmpopts"}, ""},
		{
			"module for tests in code", "c/f.go",
			[]string{"x.org/cmp"},
			"c/f.go:2: package of c may not import the module of x.org/cmp: do without, or change the policy",
		},
		{"standard library", "a/f.go", []string{"os", "encoding/json"}, ""},
		{
			"refused", "a/f.go",
			[]string{"os/exec"},
			"a/f.go:2: package of a may not import os/exec: do without, or change the policy",
		},
		{"refused but here", "b/f.go", []string{"os/exec"}, ""},
		{"refused but in tests", "c/f_test.go", []string{"os/exec"}, ""},
		{
			"for tests in code", "c/f.go",
			[]string{"os/exec"},
			"c/f.go:2: package of c may not import os/exec: do without, or change the policy",
		},
		{"for all tests", "a/f_test.go", []string{"log"}, ""},
		{
			"for all tests in code", "a/f.go",
			[]string{"log"},
			"a/f.go:2: package of a may not import log: do without, or change the policy",
		},
		{
			"any build constraint", "a/f_windows.go",
			[]string{"m/c"},
			"a/f_windows.go:2: package of a may not import c: ask it of a package that may, or change the policy",
		},
		{"not a part of the module", "a/testdata/f.go", []string{"m/c"}, ""},
		{"hidden", "a/_old/f.go", []string{"m/c"}, ""},
		{"unlisted package", "e/f.go", nil, "e: package is not in the policy: add it to internal/archtest"},
	} {
		t.Run(test.name, func(t *testing.T) {
			files := map[string][]string{"a/x.go": nil, "b/x.go": nil, "c/x.go": nil, "c/d/x.go": nil}
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

func TestCheckPackages(t *testing.T) {
	violations, err := fake.Check(tree(t, map[string][]string{
		"a/x.go": nil, "b/x.go": nil, "c/x.go": nil,
		"tools/go.mod": nil, "tools/x.go": nil,
	}))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"c/d: package of the policy does not exist: remove its row"}, violations); diff != "" {
		t.Errorf("violations (-want +got):\n%s", diff)
	}
	twice := Policy{Rules: []Rule{{Package: "a"}, {Package: "a"}}}
	violations, err = twice.Check(tree(t, map[string][]string{"a/x.go": nil}))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"a: package is in the policy twice: remove one row"}, violations); diff != "" {
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
