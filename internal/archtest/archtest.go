// Package archtest holds the import policy as data, and checks a source tree against it. The policy lists the public
// packages, the imports that the architecture forbids, and the packages that may use external modules. All other
// rules follow from Go's rule about folders named internal.
//
// All files are read, including files that build constraints exclude on this machine, so that the policy holds on
// every platform.
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

// Policy says what the packages of a module may import. A package is named by its folder. A name that ends in /...
// also includes all packages below it, and "..." includes all packages.
type Policy struct {
	Public   []string // packages for users of the module; all others are programs or below a folder named internal
	Programs []string
	Never    []Never

	External     map[string][]string // external modules, and the packages that may import each
	ExternalTest []string            // external modules that every test file may import
	Standard     map[string][]string // standard packages that only the listed packages, and tests, may import
}

// Never forbids imports in files other than tests.
type Never struct {
	From, To []string
	Except   []string // packages of To that may be imported nevertheless
	Why      string
}

// Import is an import declaration.
type Import struct {
	Package string // folder of the importing package
	Path    string // path of the imported package
	File    string // base name of the file
	Line    int
}

// isTest reports whether the import is in a test file.
func (i Import) isTest() bool { return strings.HasSuffix(i.File, "_test.go") }

// Check returns the violations of the policy in the Go module in folder root, one line each, in the order of the
// files. A line has the form `FILE:LINE: what: why`. Check skips nested modules and folders that the go command
// ignores. It returns an error if the folder cannot be read as a module.
func (p *Policy) Check(root string) ([]string, error) {
	module, err := moduleName(root)
	if err != nil {
		return nil, err
	}
	packages, imports, err := scan(root)
	if err != nil {
		return nil, err
	}
	violations := p.checkPlaces(packages)
	for _, i := range imports {
		if what := p.refuse(module, i); what != "" {
			file := filepath.ToSlash(filepath.Join(i.Package, i.File))
			violations = append(violations, fmt.Sprintf("%s:%d: %s", file, i.Line, what))
		}
	}
	return violations, nil
}

// checkPlaces returns one violation for each package that users could import although it is not public, and one for
// each rule about a package that does not exist.
func (p *Policy) checkPlaces(packages []string) (violations []string) {
	for _, folder := range packages {
		if !matches(p.Public, folder) && !matches(p.Programs, folder) &&
			!slices.Contains(strings.Split(folder, "/"), "internal") {
			violations = append(violations, folder+": package is public: move it below a folder named internal")
		}
	}
	for _, n := range p.Never {
		for _, pattern := range slices.Concat(n.From, n.To, n.Except) {
			if !slices.ContainsFunc(packages, func(folder string) bool { return matches([]string{pattern}, folder) }) {
				violations = append(violations, pattern+": no such package: correct the rule that names it")
			}
		}
	}
	return violations
}

// refuse returns the reason why an import is refused, or "".
func (p *Policy) refuse(module string, i Import) string {
	own, ok := strings.CutPrefix(i.Path, module+"/")
	if i.Path == module {
		own, ok = ".", true
	}
	if ok {
		return p.refuseOwn(own, i)
	}
	allowed, known := p.Standard[i.Path]
	if first, _, _ := strings.Cut(i.Path, "/"); strings.Contains(first, ".") {
		allowed, known = p.external(i.Path), true
		if i.isTest() && inModule(p.ExternalTest, i.Path) {
			return ""
		}
	}
	if !known || matches(allowed, i.Package) || i.isTest() && (allowed != nil) {
		return ""
	}
	return fmt.Sprintf("%s may not import %s: do without, or change the policy", i.Package, i.Path)
}

func (p *Policy) refuseOwn(own string, i Import) string {
	for _, n := range p.Never {
		if !i.isTest() && own != i.Package && matches(n.From, i.Package) && !matches(n.From, own) && matches(n.To, own) &&
			!matches(n.Except, own) {
			return fmt.Sprintf("%s may not import %s: %s", i.Package, own, n.Why)
		}
	}
	return ""
}

// external returns the packages that may import a package of an external module.
func (p *Policy) external(path string) []string {
	for module, packages := range p.External {
		if inModule([]string{module}, path) {
			return packages
		}
	}
	return nil
}

// matches reports whether a pattern of the list includes the package.
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

// inModule reports whether the path belongs to a module of the list.
func inModule(modules []string, path string) bool {
	return slices.ContainsFunc(modules, func(m string) bool { return path == m || strings.HasPrefix(path, m+"/") })
}

// moduleName returns the module's name from go.mod.
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

// scan returns the folders that contain Go files, and all imports, both sorted.
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

// ignored reports whether the go command excludes a folder from the module.
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
