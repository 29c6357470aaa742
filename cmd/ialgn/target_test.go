package main

import (
	"io"
	"strings"
	"testing"

	"ialgn/backend/wrapper"
	"ialgn/internal/tooltest"
	"ialgn/target"
)

// TestTargetsInHelp holds the help of compile to name every family and every wrapper.
func TestTargetsInHelp(t *testing.T) {
	var help strings.Builder
	if code := run(t.Context(), []string{"ialgn", "compile", "--help"}, &help, io.Discard); code != exitDone {
		t.Errorf("compile --help: exit status %d", code)
	}
	for _, name := range target.Names() {
		if !strings.Contains(help.String(), name) {
			t.Errorf("%s: the help of compile does not name it", name)
		}
	}
	for _, kind := range wrapper.Kinds() {
		if !strings.Contains(help.String(), kind) {
			t.Errorf("%s: the help of compile does not name it", kind)
		}
	}
}

// TestTargets compiles a small network for every target in every style, and has it proved and
// simulated: whole, class by class, and as what yosys makes of it.
func TestTargets(t *testing.T) {
	for _, name := range []string{"iverilog", "yosys", "abc"} {
		tooltest.Find(t, name)
	}
	t.Chdir(t.TempDir())
	writeFile(t, "small.yaml", small)
	must(t, "train", "small.yaml", "-o", "m.st", "--quiet", "--set", "train.epochs=1", "--set", "model.width=20", "--set", "model.depth=2")
	for _, name := range target.Names() {
		for _, style := range []string{"gates", "lut"} {
			t.Run(name+" "+style, func(t *testing.T) {
				dir := name + "-" + style
				must(t, "compile", "m.st", "-o", dir, "--target", name, "--style", style, "--quiet")
				if style == "gates" { // its primitives are the same after synthesis
					must(t, "verify", "m.st", dir, "--level", "all", "--samples", "64")
				} else {
					must(t, "verify", "m.st", dir, "--level", "all", "--samples", "64", "--synthesized")
				}
				must(t, "verify", "m.st", dir, "--by-class", "--samples", "64", "--simulator", "iverilog")
			})
		}
	}
}
