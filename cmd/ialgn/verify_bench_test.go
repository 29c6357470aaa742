package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ialgn/internal/testkit"
	"ialgn/internal/tool"
)

// TestBlindTestbench edits a testbench so that it counts no failures, and signs the folder again. verify must notice
// the change, although its simulations do not read this file.
func TestBlindTestbench(t *testing.T) {
	for _, program := range []string{"iverilog", "vvp", "abc"} {
		if _, err := tool.Find(program); err != nil {
			t.Skip(err)
		}
	}
	t.Chdir(t.TempDir())
	writeFile(t, "small.yaml", small)
	must(t, "train", "small.yaml", "-o", "m.st", "--quiet", "--set", "train.epochs=1")
	must(t, "compile", "m.st", "-o", "out", "--module", "net")
	must(t, "verify", "m.st", "out", "--level", "all", "--samples", "4")
	path := filepath.Join("out", "net_tb.v")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	blind := strings.Replace(string(text), "tb_failed = tb_failed + 1", "tb_failed = 0", 1)
	if blind == string(text) {
		t.Fatal("the testbench counts no failures")
	}
	writeFile(t, path, blind)
	if err := testkit.ResignFolder("out"); err != nil {
		t.Fatal(err)
	}
	code, stdout, stderr := runProgram(t, "verify", "m.st", "out", "--level", "all", "--samples", "4")
	if code != exitDifference || !strings.Contains(stdout,
		"folder: net_tb.v is not what ialgn 0.1.0 writes for the netlist and the options") {
		t.Errorf("exit status %d\n%s%s", code, stdout, stderr)
	}
}
