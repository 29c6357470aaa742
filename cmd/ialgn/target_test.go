package main

import (
	"io"
	"slices"
	"strings"
	"testing"

	"ialgn/backend/verilog"
	"ialgn/backend/wrapper"
	"ialgn/compiler/hardware"
	"ialgn/flow/device"
	"ialgn/flow/yosys"
	"ialgn/internal/tooltest"
)

// TestTargetTables holds all tables of families to that of package verilog: what can be lowered to can be
// synthesised for, some device has it, and the help names it.
func TestTargetTables(t *testing.T) {
	names := verilog.TargetNames()
	if !slices.Equal(names, yosys.Targets()) {
		t.Errorf("the targets of yosys are %q, those of the Verilog %q", yosys.Targets(), names)
	}
	var help strings.Builder
	if code := run(t.Context(), []string{"ialgn", "compile", "--help"}, &help, io.Discard); code != exitDone {
		t.Errorf("compile --help: exit status %d", code)
	}
	families := map[string]bool{}
	for _, name := range device.Names() {
		d, err := device.Find(name)
		if err != nil {
			t.Fatal(err)
		}
		families[d.Family] = true
	}
	for _, target := range hardware.Targets() {
		name := string(target.Name)
		if _, err := hardware.ParseTarget(name); err != nil || !slices.Contains(names, name) {
			t.Errorf("%s: not found: %v", name, err)
		}
		if !families[name] {
			t.Errorf("%s: no device is of that family", name)
		}
		if !strings.Contains(help.String(), name) {
			t.Errorf("%s: the help of compile does not name it", name)
		}
	}
	for _, kind := range wrapper.Kinds() {
		if o := (compileOptions{Wrap: kind}); !strings.Contains(help.String(), kind) {
			t.Errorf("%s: the help of compile does not name it", kind)
		} else if got, err := o.wrapper(); got != kind || err != nil {
			t.Errorf("--wrap %s is taken as %q: %v", kind, got, err)
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
	for _, target := range verilog.TargetNames() {
		for _, style := range []string{"gates", "lut"} {
			t.Run(target+" "+style, func(t *testing.T) {
				dir := target + "-" + style
				must(t, "compile", "m.st", "-o", dir, "--target", target, "--style", style, "--quiet")
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
