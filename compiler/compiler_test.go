package compiler

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"ialgn/internal/freeze"
	"ialgn/internal/netgen"
	"ialgn/netlist"
	"ialgn/sim"
)

func TestPassTable(t *testing.T) {
	if err := (Table{Package: "compiler", Passes: Passes(), Constraints: constraints}).CheckOrder(); err != nil {
		t.Error(err)
	}
	for _, p := range Passes() {
		if p.Name == "" || p.Contract == "" || p.Why == "" || p.Run == nil {
			t.Errorf("pass %q lacks something: %+v", p.Name, p)
		}
	}
}

func TestCheckOrder(t *testing.T) {
	table := func(names ...string) (passes []Pass) {
		for _, name := range names {
			passes = append(passes, Pass{Name: name})
		}
		return passes
	}
	first := []Constraint{{"a", "b", "b needs it"}, {Every, "z", "z is last"}}
	for _, c := range []struct {
		name   string
		passes []Pass
		want   string
	}{
		{"kept", table("a", "c", "b", "z"), ""},
		{"broken", table("b", "a", "z"), `pass "a" must come before "b": b needs it`},
		{"twice", table("a", "b", "a"), `pass "a" occurs twice in the table`},
		{"missing", table("a", "z"), `the passes "a" and "b", not both`},
		{"not last", table("a", "b", "z", "c"), `pass "every other" must come before "z": z is last`},
	} {
		got := ""
		if err := (Table{Package: "compiler", Passes: c.passes, Constraints: first}).CheckOrder(); err != nil {
			got = err.Error()
		}
		if (c.want == "") != (got == "") || !strings.Contains(got, c.want) {
			t.Errorf("%s: error %q, want %q", c.name, got, c.want)
		}
	}
}

// needsTwo is a netlist that needs two sweeps. Only the second sweep finds that two inverters have the same input and
// are therefore equal.
func needsTwo(b *netlist.Builder, x nets) nets {
	one := b.Function(tableNot, none, x[0])
	two := b.Function(tableNot, none, x[0])
	same := b.Function(tableXnor, none, one, two)
	return nets{b.Function(tableAnd, none, same, b.Function(tableXor, none, one, x[1]))}
}

func TestOptimiseLevels(t *testing.T) {
	for _, c := range []struct {
		name   string
		level  int
		want   build
		sweeps int
	}{
		{"none", LevelNone, needsTwo, 0},
		{"one sweep", LevelSweep, func(b *netlist.Builder, x nets) nets {
			same := b.Function(tableXnor, none, x[0], x[0])
			return nets{b.Function(tableAnd, none, same, b.Function(tableXnor, none, x[0], x[1]))}
		}, 1},
		{"until nothing shrinks", LevelRepeat, func(b *netlist.Builder, x nets) nets {
			return nets{b.Function(tableXnor, none, x[0], x[1])}
		}, 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			old := build(needsTwo).make(t, 2)
			got, reports, err := Options{Level: c.level, Check: sameOn}.Optimise(t.Context(), old)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(text(t, c.want.make(t, 2)), text(t, got)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			check(t, old, got)
			if want := c.sweeps * (len(Passes()) - 1); len(reports) != want { // all passes but chains
				t.Errorf("%d passes reported, want %d: %+v", len(reports), want, reports)
			}
		})
	}
}

func TestOptimiseReports(t *testing.T) {
	_, got, err := Optimise(context.Background(), build(needsTwo).make(t, 2), LevelSweep)
	if err != nil {
		t.Fatal(err)
	}
	want := []PassReport{
		{Sweep: 1, Name: "constants", Before: 5, After: 5},
		{Sweep: 1, Name: "pass-through", Before: 5, After: 5},
		{Sweep: 1, Name: "inverters", Before: 5, After: 3},
		{Sweep: 1, Name: "hashing", Before: 3, After: 3},
		{Sweep: 1, Name: "dead", Before: 3, After: 3},
	}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(PassReport{}, "Seconds")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestRestructure checks that restructuring passes run only when they are requested. They may use the order of
// thermometer bits only if the options allow it.
func TestRestructure(t *testing.T) {
	f := netgen.Frozen(7, netgen.FrozenOptions{Width: 60, Depth: 12, Features: 5, Bits: 6})
	for _, c := range []struct {
		scope   netlist.Scope
		smaller [3]bool // for each option: whether the result is smaller than with the previous option
	}{
		{netlist.Gates, [3]bool{true, false, true}},
		{netlist.Full, [3]bool{true, true, false}},
	} {
		raw, err := freeze.Network(f, c.scope)
		if err != nil {
			t.Fatal(err)
		}
		last := optimise(t, raw)
		for i, smaller := range c.smaller {
			thermometer := Thermometer(i)
			o := Options{Level: LevelRepeat, Restructure: true, Thermometer: thermometer}
			o.Check = func(ctx context.Context, before, after *netlist.Netlist) error {
				return sim.Same(ctx, before, after, sim.Random{Words: 40, Codes: thermometer == ThermometerAssumed})
			}
			n, reports, err := o.Optimise(t.Context(), raw)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.ContainsFunc(reports, func(r PassReport) bool { return r.Name == "chains" && r.After < r.Before }) {
				t.Errorf("%v: the pass removed nothing", c.scope)
			}
			if (n.Cells() < last.Cells()) != smaller {
				t.Errorf("%v, option %d: %d cells, before %d", c.scope, thermometer, n.Cells(), last.Cells())
			}
			if thermometer != ThermometerAssumed || c.scope == netlist.Full {
				check(t, raw, n)
			}
			last = n
		}
	}
}

func TestOptimiseErrors(t *testing.T) {
	n := build(needsTwo).make(t, 2)
	if _, _, err := Optimise(context.Background(), n, 3); err == nil ||
		!strings.Contains(err.Error(), "level 3 is unknown") {
		t.Errorf("level 3: error %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, _, err := Optimise(ctx, n, LevelSweep); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: error %v", err)
	}
}
