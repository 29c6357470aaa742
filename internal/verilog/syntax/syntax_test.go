package syntax_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ialgn/internal/verilog/syntax"
)

// TestGolden reads the golden files of the writer's tests.
func TestGolden(t *testing.T) {
	paths, err := filepath.Glob("../testdata/*.v")
	if err != nil || len(paths) < 10 {
		t.Fatal(paths, err)
	}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		switch {
		case strings.HasSuffix(path, "_tb.v"):
			if err := syntax.Check(text, "tiny"); err == nil {
				t.Errorf("%s: a testbench is read as a design", path)
			}
		case strings.HasSuffix(path, "_cells.v"):
			if err := syntax.CheckCells(text); err != nil {
				t.Errorf("%s: %v", path, err)
			}
		default:
			_, rest, _ := strings.Cut(string(text), "\nmodule ")
			module, _, _ := strings.Cut(rest, " ")
			if err := syntax.Check(text, module); err != nil {
				t.Errorf("%s: %v", path, err)
			}
		}
	}
}
