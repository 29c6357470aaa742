package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ialgn/compiler/folder"
	"ialgn/internal/tool"
)

// TestBlindTestbench changes what a testbench expects, signs the folder for it, and wants
// it to be noticed: no simulation of verify reads that file.
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
	sign(t, "out")
	code, stdout, stderr := ialgn(t, "verify", "m.st", "out", "--level", "all", "--samples", "4")
	if code != exitDifference || !strings.Contains(stdout, "folder: net_tb.v is not what this ialgn writes for the netlist") {
		t.Errorf("exit status %d\n%s%s", code, stdout, stderr)
	}
}

// sign makes a folder's manifest one of the files as they are.
func sign(t *testing.T, dir string) {
	t.Helper()
	path := filepath.Join(dir, "manifest.json")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var m folder.Manifest
	if err := json.Unmarshal(text, &m); err != nil {
		t.Fatal(err)
	}
	for i, f := range m.Files {
		data, err := os.ReadFile(filepath.Join(dir, f.Name))
		if err != nil {
			t.Fatal(err)
		}
		sum := sha256.Sum256(data)
		m.Files[i].Size, m.Files[i].SHA256 = int64(len(data)), hex.EncodeToString(sum[:])
	}
	if text, err = json.Marshal(m); err != nil {
		t.Fatal(err)
	}
	writeFile(t, path, string(text))
}
