package rtl

import (
	"testing"

	"ialgn/internal/hardware/pipeline"
	"ialgn/internal/verify/verifytest"
	"ialgn/netlist"
)

// TestProgressOfSimulation checks that a simulation reports its current activity, and how many samples and parts are
// done.
func TestProgressOfSimulation(t *testing.T) {
	verifytest.Needs(t, "iverilog", "vvp")
	d := verifytest.NewDesign(t, verifytest.Small(41), netlist.Core, 2)
	ctx, lines := verifytest.Said(t)
	files := emit(t, d)
	for _, byClass := range []bool{false, true} {
		files.ByClass = byClass
		if _, err := Check(ctx, d, verifytest.RandomSamples(d.Model, 5000), files, "iverilog", 5000); err != nil {
			t.Fatal(err)
		}
	}
	verifytest.SaidAll(t, lines(),
		"rtl: iverilog, building", `rtl: iverilog, running, \d+ of 5000 samples`,
		`rtl: 0 of \d+ parts, count_0, iverilog, building`,
		`rtl: 1 of \d+ parts, count_1, iverilog, running, \d+ of 5000 samples`,
		`rtl: \d+ of \d+ parts, class_index, iverilog, building`)
}

// TestProgressOfPipeline checks that a pipeline's testbench also reports how many samples are done.
func TestProgressOfPipeline(t *testing.T) {
	verifytest.Needs(t, "iverilog", "vvp")
	d := verifytest.Pipelined(t, verifytest.NewDesign(t, verifytest.Small(41), netlist.Core, 2),
		pipeline.Options{Auto: true, MaxLevels: 2})
	ctx, lines := verifytest.Said(t)
	if _, err := Check(ctx, d, verifytest.RandomSamples(d.Model, 5000), emit(t, d), "iverilog", 5000); err != nil {
		t.Fatal(err)
	}
	verifytest.SaidAll(t, lines(), `rtl: iverilog, running, \d+ of 5000 samples`)
}

// TestWithoutTelling checks that lines about progress do not appear among the results of a simulation.
func TestWithoutTelling(t *testing.T) {
	if got := withoutTelling("at 64\nsample 70: at 128\r\nat 128\r\nat x\nFAIL: 1 of 140 vectors"); got != "sample 70: at 128\r\nat x\nFAIL: 1 of 140 vectors" {
		t.Errorf("left is %q", got)
	}
}
