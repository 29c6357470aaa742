// Package archtest holds the import policy as data and checks a source tree against it; ARCHITECTURE.md has a drawing
// of it ([Rooms], [Doors]).
//
// The policy is closed: what it does not allow is an error, be it an import, a package
// or a row without a package. Files are read whatever their build constraints, so that
// the policy holds on every platform.
package archtest

import (
	"cmp"
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Rule says what a package may import. Packages of the module are named by their folder
// in it; a name that ends in /... stands for all below too, and "..." for all. A module
// outside stands for all of its packages.
type Rule struct {
	Package  string
	Imports  []string // packages of the module
	External []string // modules outside
	Standard []string // packages of the standard library that are otherwise refused

	// What test files may import beyond that.
	Test, TestExternal, TestStandard []string
}

// Policy is the rules of all packages.
type Policy struct {
	Rules []Rule

	// What every package may import.
	Common []string

	// What the test files of every package may import.
	Test, TestExternal, TestStandard []string

	// Standard names the packages of the standard library that are refused.
	Standard []string
}

// Import is an import declaration.
type Import struct {
	Package string // folder of the importing package
	Path    string // path of the imported package
	File    string // base name of the file
	Line    int
}

// isTest reports whether the import stands in a test file.
func (i Import) isTest() bool { return strings.HasSuffix(i.File, "_test.go") }

// Check returns what in the Go module at the folder is against the policy, one line
// each, in the order of the files: `FILE:LINE: what: how to mend`. Nested modules and
// the folders that the go command ignores are left out. It returns an error if the
// folder cannot be read as a module.
func (p *Policy) Check(root string) ([]string, error) {
	module, err := moduleName(root)
	if err != nil {
		return nil, err
	}
	packages, imports, err := scan(root)
	if err != nil {
		return nil, err
	}
	violations := p.checkPackages(packages)
	for _, i := range imports {
		rule, ok := p.rule(i.Package)
		if !ok {
			continue
		}
		if what := p.refuse(rule, module, i); what != "" {
			file := filepath.ToSlash(filepath.Join(i.Package, i.File))
			violations = append(violations, fmt.Sprintf("%s:%d: %s", file, i.Line, what))
		}
	}
	return violations, nil
}

func (p *Policy) rule(folder string) (Rule, bool) {
	i := slices.IndexFunc(p.Rules, func(r Rule) bool { return r.Package == folder })
	if i < 0 {
		return Rule{}, false
	}
	return p.Rules[i], true
}

// checkPackages compares the packages that exist with those of the policy.
func (p *Policy) checkPackages(packages []string) []string {
	var violations []string
	for _, folder := range packages {
		if _, ok := p.rule(folder); !ok {
			violations = append(violations, fmt.Sprintf("%s: package is not in the policy: add it to internal/archtest", folder))
		}
	}
	seen := map[string]bool{}
	for _, r := range p.Rules {
		switch {
		case seen[r.Package]:
			violations = append(violations, fmt.Sprintf("%s: package is in the policy twice: remove one row", r.Package))
		case !slices.Contains(packages, r.Package):
			violations = append(violations, fmt.Sprintf("%s: package of the policy does not exist: remove its row", r.Package))
		}
		seen[r.Package] = true
	}
	return violations
}

// refuse returns why a package with the rule may not import this, "" if it may.
func (p *Policy) refuse(r Rule, module string, i Import) string {
	kind := "package"
	if i.isTest() {
		kind = "test"
	}
	if own, ok := strings.CutPrefix(i.Path, module+"/"); ok || i.Path == module {
		if !ok {
			own = "."
		}
		if own == i.Package || matches(p.Common, own) || matches(r.Imports, own) || i.isTest() &&
			(matches(r.Test, own) || matches(p.Test, own)) {
			return ""
		}
		return fmt.Sprintf("%s of %s may not import %s: ask it of a package that may, or change the policy", kind, r.Package,
			own)
	}
	if first, _, _ := strings.Cut(i.Path, "/"); strings.Contains(first, ".") {
		if inModule(r.External, i.Path) || i.isTest() && (inModule(r.TestExternal, i.Path) ||
			inModule(p.TestExternal, i.Path)) {
			return ""
		}
		return fmt.Sprintf("%s of %s may not import the module of %s: do without, or change the policy", kind, r.Package,
			i.Path)
	}
	if p.allowsStandard(r, i) {
		return ""
	}
	return fmt.Sprintf("%s of %s may not import %s: do without, or change the policy", kind, r.Package, i.Path)
}

func (p *Policy) allowsStandard(r Rule, i Import) bool {
	if !slices.Contains(p.Standard, i.Path) || slices.Contains(r.Standard, i.Path) {
		return true
	}
	return i.isTest() && (slices.Contains(r.TestStandard, i.Path) || slices.Contains(p.TestStandard, i.Path))
}

// matches reports whether a pattern of the list stands for the package.
func matches(patterns []string, folder string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool {
		if p == "..." {
			return true
		}
		if base, ok := strings.CutSuffix(p, "/..."); ok {
			return folder == base || strings.HasPrefix(folder, base+"/")
		}
		return p == folder
	})
}

// inModule reports whether the path is of a module of the list.
func inModule(modules []string, path string) bool {
	return slices.ContainsFunc(modules, func(m string) bool { return path == m || strings.HasPrefix(path, m+"/") })
}

// moduleName reads the module line of go.mod.
func moduleName(root string) (string, error) {
	b, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		return "", err
	}
	for line := range strings.Lines(string(b)) {
		if f := strings.Fields(line); len(f) == 2 && f[0] == "module" {
			return f[1], nil
		}
	}
	return "", fmt.Errorf("%s: no module line", filepath.Join(root, "go.mod"))
}

// scan returns the folders that hold Go files and all imports, both sorted.
func scan(root string) (packages []string, imports []Import, err error) {
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != root && ignored(path, d.Name()):
			return filepath.SkipDir
		case d.IsDir() || filepath.Ext(path) != ".go" || strings.HasPrefix(d.Name(), ".") || strings.HasPrefix(d.Name(), "_"):
			return nil
		}
		folder, err := filepath.Rel(root, filepath.Dir(path))
		if err != nil {
			return err
		}
		found, err := readImports(path, filepath.ToSlash(folder))
		packages, imports = append(packages, filepath.ToSlash(folder)), append(imports, found...)
		return err
	})
	slices.Sort(packages)
	slices.SortFunc(imports, func(a, b Import) int {
		return cmp.Or(cmp.Compare(a.Package, b.Package), cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line))
	})
	return slices.Compact(packages), imports, err
}

// ignored reports whether the go command leaves a folder out of the module.
func ignored(path, name string) bool {
	if name == "testdata" || name == "vendor" || strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_") {
		return true
	}
	_, err := os.Stat(filepath.Join(path, "go.mod"))
	return err == nil
}

// readImports returns the imports of a file.
func readImports(path, folder string) ([]Import, error) {
	files := token.NewFileSet()
	f, err := parser.ParseFile(files, path, nil, parser.ImportsOnly)
	if err != nil {
		return nil, err
	}
	var imports []Import
	for _, s := range f.Imports {
		to, err := strconv.Unquote(s.Path.Value)
		if err != nil {
			return nil, fmt.Errorf("%s: import %s: %w", path, s.Path.Value, err)
		}
		imports = append(imports, Import{
			Package: folder, Path: to, File: filepath.Base(path), Line: files.Position(s.Pos()).Line,
		})
	}
	return imports, nil
}
