package main

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ialgn/internal/archtest"
)

var update = flag.Bool("update", false, "draw docs/architecture.svg anew")

// TestDrawing holds the drawing in the docs to the policy of today.
func TestDrawing(t *testing.T) {
	path := filepath.Join("..", "..", "docs", "architecture.svg")
	var b strings.Builder
	if err := draw(&b); err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(path, []byte(b.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	have, err := os.ReadFile(path)
	if err != nil || string(have) != b.String() {
		t.Errorf("%s is not what the policy says (%v): go test ./tools/architecture -update", path, err)
	}
}

// TestLayout has what imports above what it imports.
func TestLayout(t *testing.T) {
	doors := archtest.Doors()
	boxes, _ := layout(doors)
	level := map[string]int{}
	for _, b := range boxes {
		level[b.Name] = b.level
	}
	for from, list := range doors {
		for _, to := range list {
			if level[from] >= level[to] && !reaches(doors, to, from, map[string]bool{}) {
				t.Errorf("%s, which imports %s, does not stand above it", from, to)
			}
		}
	}
	if level["cmd/ialgn"] != 0 || level["ialgn"] >= level["netlist"] {
		t.Errorf("%v", level)
	}
}
