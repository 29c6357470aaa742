package verify

import (
	"context"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"ialgn/compiler/pipeline"
	"ialgn/internal/progress"
	"ialgn/netlist"
)

// said returns a context that keeps all that is said in it.
func said(t *testing.T) (ctx context.Context, lines func() []string) {
	var all []string
	b := progress.NewBoard(time.Millisecond, func(tasks []progress.Status) {
		for _, s := range tasks {
			all = append(all, s.Name+": "+strings.Join(s.Doing, ", "))
		}
	})
	return progress.With(t.Context(), b), func() []string { return slices.Compact(all) }
}

// saidAll looks for what was to be said, in this order.
func saidAll(t *testing.T, lines []string, want ...string) {
	t.Helper()
	rest := lines
	for _, w := range want {
		i := slices.IndexFunc(rest, regexp.MustCompile("^"+w+"$").MatchString)
		if i < 0 {
			t.Fatalf("%q was not said after what was to be before, but\n%s", w, strings.Join(lines, "\n"))
		}
		rest = rest[i+1:]
	}
}

// TestProgressOfSimulation: it says what it is at, and how many samples and parts are done.
func TestProgressOfSimulation(t *testing.T) {
	needs(t, "iverilog", "vvp")
	d := newDesign(t, small(41), netlist.Core, 2)
	ctx, lines := said(t)
	files := emit(t, d)
	for _, byClass := range []bool{false, true} {
		files.ByClass = byClass
		if _, err := d.RTL(ctx, randomSamples(d.Model, 5000), files, "iverilog", 5000); err != nil {
			t.Fatal(err)
		}
	}
	saidAll(t, lines(),
		"rtl: iverilog, building", `rtl: iverilog, running, \d+ of 5000 samples`,
		`rtl: 0 of \d+ parts, count_0, iverilog, building`,
		`rtl: 1 of \d+ parts, count_1, iverilog, running, \d+ of 5000 samples`,
		`rtl: \d+ of \d+ parts, class_index, iverilog, building`)
}

// TestProgressOfPipeline: a pipeline's testbench counts, too.
func TestProgressOfPipeline(t *testing.T) {
	needs(t, "iverilog", "vvp")
	d := pipelined(t, newDesign(t, small(41), netlist.Core, 2), pipeline.Options{Auto: true, MaxLevels: 2})
	ctx, lines := said(t)
	if _, err := d.RTL(ctx, randomSamples(d.Model, 5000), emit(t, d), "iverilog", 5000); err != nil {
		t.Fatal(err)
	}
	saidAll(t, lines(), `rtl: iverilog, running, \d+ of 5000 samples`)
}

// TestWithoutTelling: how far a simulation was is no part of what it found.
func TestWithoutTelling(t *testing.T) {
	if got := withoutTelling("at 64\nsample 70: at 128\r\nat 128\r\nat x\nFAIL: 1 of 140 vectors"); got != "sample 70: at 128\r\nat x\nFAIL: 1 of 140 vectors" {
		t.Errorf("left is %q", got)
	}
}

// TestProgressOfProof: a proof says what it proves.
func TestProgressOfProof(t *testing.T) {
	fake(t, "berkeley-abc", "PATH=/usr/bin:/bin; sleep 0.1; echo 'Networks are equivalent.'")
	d := newDesign(t, small(41), netlist.Core, 2)
	ctx, lines := said(t)
	if r, err := d.Formal(ctx); err != nil || !r.Proved {
		t.Fatalf("%+v, %v", r, err)
	}
	saidAll(t, lines(), "formal: proving 36 bits of the last layer")
}
