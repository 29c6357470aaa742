package main

import (
	"encoding/json"
	"strings"
	"testing"

	"ialgn/artifact"
	"ialgn/backend/wrapper"
	"ialgn/compiler/lut"
	"ialgn/compiler/pipeline"
	"ialgn/flow/synth"
	"ialgn/netlist"
	"ialgn/target"
)

// TestTimingHint has a hint for each kind of folder that is too slow by a half, in the order of
// what it brings.
func TestTimingHint(t *testing.T) {
	hx8k, err := target.FindDevice("ice40-hx8k")
	if err != nil {
		t.Fatal(err)
	}
	r := &synth.Report{Device: hx8k, MHz: 100, Most: 50.9}
	for _, c := range []struct {
		name   string
		o      compileOptions
		report artifact.Report
		want   string
	}{
		{"gates", compileOptions{}, artifact.Report{}, "compile with --target ice40 --pipeline auto --max-levels 3"},
		{"mapped", compileOptions{Target: "ice40"}, artifact.Report{Mapping: &lut.Report{}, Levels: netlist.Sizes{Total: 12}}, "compile with --pipeline auto --max-levels 6"},
		{
			"a pipeline",
			compileOptions{Target: "ice40", Pipeline: "auto"},
			artifact.Report{Mapping: &lut.Report{}, Pipeline: &pipeline.Report{LevelsPerStage: 4}},
			"compile with --pipeline auto --max-levels 2, where it has stages of 4 levels",
		},
		{
			"a level a stage, in gates",
			compileOptions{Target: "ice40", Pipeline: "auto", Style: "gates"},
			artifact.Report{Mapping: &lut.Report{}, Pipeline: &pipeline.Report{LevelsPerStage: 1}},
			"compile with --style lut, try more seeds with --seeds 5, or aim lower with --freq 50",
		},
		{
			"a level a stage",
			compileOptions{Target: "ice40", Pipeline: "auto", Style: "lut"},
			artifact.Report{Mapping: &lut.Report{}, Pipeline: &pipeline.Report{LevelsPerStage: 1}},
			"try more seeds with --seeds 5, or aim lower with --freq 50",
		},
		{"an engine", compileOptions{Fold: 1}, artifact.Report{}, "try more seeds with --seeds 5, or aim lower with --freq 50"},
	} {
		c.o.Scope, c.o.Optimise = "full", 2
		text, err := json.Marshal(c.o)
		if err != nil {
			t.Fatal(err)
		}
		out := &artifact.Output{Manifest: artifact.Manifest{Options: text, Scope: "full"}, Report: c.report}
		if got := timingHint(out, r); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// TestPlanDevice has the device that is synthesised for where --target is left out.
func TestPlanDevice(t *testing.T) {
	for want, o := range map[string]compileOptions{
		"ice40-hx8k":   {Target: "ice40"},
		"ice40-up5k":   {Target: "ice40", Wrap: "uart", Board: "icebreaker"},
		"ecp5-25k":     {Target: "ecp5", Style: "lut"},
		"gowin-gw1n9":  {Target: "gowin"},
		"xilinx7-a35t": {Target: "xilinx7", Style: "lut"},
		"generic-lut4": {LUT: 3, Style: "lut"},
		"generic-lut6": {LUT: 5, Style: "lut"},
	} {
		checkDevice(t, o, want)
	}
	checkDevice(t, compileOptions{}, usualDevice)
	checkDevice(t, compileOptions{LUT: 6, Style: "gates"}, usualDevice)
	if b, err := wrapper.ParseBoard("hx8k-breakout"); err != nil || boardTarget(b) != "--target ice40-hx8k" {
		t.Errorf("%v", err)
	}
}

func checkDevice(t *testing.T, o compileOptions, want string) {
	t.Helper()
	o.Scope, o.Optimise = "full", 2
	p, err := o.plan()
	if err != nil {
		t.Fatal(err)
	}
	if d, err := p.device(); err != nil || d.Name != want {
		t.Errorf("%+v: %s, want %s (%v)", o, d.Name, want, err)
	}
}

// TestStyleOfTarget has each target's style, and what was asked for.
func TestStyleOfTarget(t *testing.T) {
	for target, want := range map[string]string{"": "gates", "generic": "gates", "ice40": "gates", "ecp5": "lut", "gowin": "lut", "xilinx7": "lut"} {
		for given, want := range map[string]string{"auto": want, "gates": "gates", "lut": "lut"} {
			o := compileOptions{Target: target, Style: given}
			if err := o.resolveStyle(); err != nil || o.Style != want {
				t.Errorf("--target %s --style %s: %s, want %s (%v)", target, given, o.Style, want, err)
			}
		}
	}
	o := compileOptions{Target: "asic", Style: "auto"}
	if err := o.resolveStyle(); err == nil || !strings.HasPrefix(err.Error(), "--target: ") {
		t.Errorf("%v", err)
	}
}
