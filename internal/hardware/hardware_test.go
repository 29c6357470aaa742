package hardware

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"ialgn/compiler"
	"ialgn/internal/freeze"
	"ialgn/internal/hardware/lut"
	"ialgn/internal/hardware/pipeline"
	"ialgn/internal/netgen"
	"ialgn/internal/target"
	"ialgn/netlist"
	"ialgn/sim"
)

// optimised returns the netlist of a whole random classifier.
func optimised(t *testing.T) *netlist.Netlist {
	t.Helper()
	n, err := freeze.Network(netgen.Frozen(5, netgen.FrozenOptions{Width: 60, Depth: 8}), netlist.Full)
	if err != nil {
		t.Fatal(err)
	}
	n, _, err = compiler.Options{
		Level: compiler.LevelRepeat, Restructure: true, Thermometer: compiler.ThermometerDerived, Check: sameOn,
	}.Optimise(t.Context(), n)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// TestLower lowers for every target. The result must have only LUTs, carries and registers. No LUT may have more
// inputs than the target allows. The counts must be provable from the hint. The function must stay the same.
func TestLower(t *testing.T) {
	n := optimised(t)
	for _, family := range target.Families() {
		for _, stages := range []int{0, 3} {
			o := Options{Target: family, K: family.LUT.Most, Objective: lut.Balanced, Check: sameOn}
			o.Pipeline.Stages = stages
			d, err := o.Lower(t.Context(), n)
			if err != nil {
				t.Fatal(err)
			}
			if err := d.Netlist.Validate(); err != nil {
				t.Fatal(err)
			}
			kinds := []netlist.Kind{netlist.Function}
			if family.Carry {
				kinds = append(kinds, netlist.Carry)
			}
			if stages > 0 {
				kinds = append(kinds, netlist.Register)
			}
			for c := range netlist.Cell(d.Netlist.Cells()) {
				if k := d.Netlist.Kind(c); !slices.Contains(kinds, k) || k == netlist.Function &&
					len(d.Netlist.Inputs(c)) > family.LUT.Most {
					t.Fatalf("%s: cell %d is a %v of %d inputs", family.Name, c, k, len(d.Netlist.Inputs(c)))
				}
			}
			if (d.Stages != nil) != (stages > 0) || d.Stages != nil && d.Stages.Stages != stages {
				t.Errorf("%s: stages %+v, want %d", family.Name, d.Stages, stages)
			}
			if err := sameOn(t.Context(), n, d.Netlist); err != nil {
				t.Errorf("the design computes something else: %v", err)
			}
			if err := o.lowered(d.Netlist, d.Hint); err != nil {
				t.Error(err)
			}
		}
	}
}

// sameOn compares two netlists on random samples, with fixed settings.
func sameOn(ctx context.Context, before, after *netlist.Netlist) error {
	return sim.Same(ctx, before, after, sim.Random{Words: 20, Seed: 1})
}

// TestThreads checks that the result does not depend on the number of threads.
func TestThreads(t *testing.T) {
	n := optimised(t)
	var all []*netlist.Netlist
	for threads := range 4 {
		o := Options{K: 6, Threads: threads}
		d, err := o.Lower(t.Context(), n)
		if err != nil {
			t.Fatal(err)
		}
		if all = append(all, d.Netlist); !d.Netlist.Equal(all[0]) {
			t.Errorf("%d threads give another netlist", threads)
		}
	}
}

func TestLowerRefusesMisfits(t *testing.T) {
	n := optimised(t)
	for _, c := range []struct {
		o    Options
		want string
	}{
		{Options{Target: target.ICE40, K: 5}, "LUTs of 5 inputs: the target ice40 has such of 2 to 4"},
		{Options{K: 1}, "LUTs of 1 inputs"},
		{Options{Target: target.ICE40, K: 2, MaxDepth: 1}, "too few"},
		{Options{Target: target.ICE40, K: 4, Pipeline: pipeline.Options{Stages: -1}}, "stages"},
	} {
		if _, err := c.o.Lower(t.Context(), n); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: error %v, want %q", c.o, err, c.want)
		}
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := (Options{Target: target.ICE40, K: 4}).Lower(cancelled, n); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want the context's error", err)
	}
}
