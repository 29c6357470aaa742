package main

import (
	"strings"
	"testing"

	"ialgn/internal/target"
	"ialgn/internal/testkit"
)

// madeUp is a family that no vendor makes. Its look-up tables have up to five inputs. This file shows everything that
// has to be written for a new family.
var madeUp = &target.Family{
	Name: "madeup",
	LUT: target.LUT{
		Name: "TABLE%d", Least: 2, Most: 5, Parameter: "WORD",
		Inputs: []string{"P", "Q", "R", "S", "T"}, Output: "Y",
	},
	Primitives: true,
	Modelled:   true,

	Constraints: target.Constraints{Language: target.SDC, Suffix: ".sdc"},
	Synthesis:   target.Synthesis{Command: "synth -flatten"},
	Takes:       target.Generic.Takes,
	Devices:     []target.Device{{Name: "madeup-lut5", Family: "madeup", LUTInputs: 5, Source: "nothing"}},
}

// TestMadeUpFamily runs every command for a family that is defined only in this file. The designs are compiled in
// both styles, proved, simulated and synthesised.
func TestMadeUpFamily(t *testing.T) {
	testkit.Long(t, "verifies a made-up family")
	for _, name := range []string{"iverilog", "yosys", "abc"} {
		testkit.FindTool(t, name)
	}
	remove, err := target.Register(madeUp)
	if err != nil {
		t.Fatal(err)
	}
	defer remove()
	t.Chdir(t.TempDir())
	writeFile(t, "small.yaml", small)
	must(t, "train", "small.yaml", "-o", "m.st", "--quiet", "--set", "train.epochs=1", "--set", "model.width=20", "--set",
		"model.depth=2")
	if help := must(t, "compile", "--help"); !strings.Contains(help, "madeup") {
		t.Error("the help of compile does not name the family")
	}
	must(t, "compile", "m.st", "-o", "out", "--target", "madeup", "--pipeline", "1", "--freq", "50", "--wrap", "stream")
	for file, want := range map[string]string{
		"out/tiny.v": "TABLE5 #(.WORD(32'h", "out/tiny_cells.v": "module TABLE5", "out/tiny_stream.sdc": "create_clock",
	} {
		if text := readFile(t, file); !strings.Contains(text, want) {
			t.Errorf("%s: without %s", file, want)
		}
	}
	must(t, "verify", "m.st", "out", "--level", "all", "--samples", "64", "--synthesized")
	must(t, "verify", "m.st", "out", "--by-class", "--samples", "64", "--simulator", "iverilog")
	if text := must(t, "synth", "out"); !strings.Contains(text, "there is no device to place it on") {
		t.Errorf("synth: %s", text)
	}
	must(t, "compile", "m.st", "-o", "gates", "--target", "madeup", "--style", "gates")
	must(t, "verify", "m.st", "gates", "--level", "all", "--samples", "64")
}
