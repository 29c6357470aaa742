package spec

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestIndependence checks that this package uses only the reader of package model and the types that the reader
// returns. It must use none of the methods that interpret a model. The import policy cannot check which methods are
// used.
func TestIndependence(t *testing.T) {
	names := []string{"Model", "Section", "Pin", "Input", "Source", "Base", "Spine", "Visit", "Open"}
	methods := []string{
		"Arity", "At", "Blank", "Compact", "Depth", "Elements", "Freeze", "Frozen", "Info", "Inputs", "Label", "Levels",
		"Load", "Networks", "Outputs", "Pooled", "Positions", "Size", "Unroll",
	}
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		tree, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(tree, func(node ast.Node) bool {
			s, ok := node.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			if of, ok := s.X.(*ast.Ident); ok && of.Name == "model" {
				seen++
				if !slices.Contains(names, s.Sel.Name) {
					t.Errorf("%s: model.%s is used, only %v may be", file, s.Sel.Name, names)
				}
			}
			if slices.Contains(methods, s.Sel.Name) {
				t.Errorf("%s: %s is used, write it a second time", file, s.Sel.Name)
			}
			return true
		})
	}
	if seen == 0 {
		t.Error("package model is not used: the test shows nothing")
	}
}
