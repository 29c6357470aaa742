package plan

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"ialgn/compiler"
	"ialgn/internal/netgen"
	"ialgn/internal/target"
	"ialgn/netlist"
)

// small is the network that these tests compile.
var small = netgen.FrozenOptions{Width: 60, Depth: 8, Features: 5, Bits: 6}

// TestCheckPasses compiles with checks of every pass. No pass may break its contract, and the netlist must be the
// same as without checks.
func TestCheckPasses(t *testing.T) {
	f := netgen.Frozen(7, small)
	all := []Options{
		{},
		{Optimise: OptimiseNone},
		{Scope: ScopeCore, Counts: true},
		{Scope: ScopeGates, Optimise: OptimiseOnce},
		{Fold: "2"},
		{Scope: ScopeGates, LUT: 4, AssumeThermometer: true},
		{Scope: ScopeCore, LUT: 6, AssumeThermometer: true, Pipeline: PipelineAuto},
	}
	for _, name := range target.Names() {
		all = append(all, Options{Target: name},
			Options{Target: name, Pipeline: "3", Objective: ObjectiveDepth, Counts: true})
	}
	for _, o := range all {
		var netlists []*netlist.Netlist
		for _, o.CheckPasses = range []bool{false, true} {
			p, err := New(o)
			if err != nil {
				t.Fatal(err)
			}
			if (p.Optimiser.Check != nil) != o.CheckPasses {
				t.Errorf("%+v: the plan does not ask for it", o)
			}
			raw, err := p.Freeze(f)
			if err != nil {
				t.Fatal(err)
			}
			c, err := p.run(t.Context(), raw, Network{Encoder: &f.Encoder}, "0")
			if err != nil {
				t.Fatalf("%+v: %v", o, err)
			}
			netlists = append(netlists, c.netlist)
		}
		if !netlists[0].Equal(netlists[1]) {
			t.Errorf("%+v: another netlist comes out", o)
		}
	}
}

// TestCheckPassesFinds makes a pass rely on thermometer codes although the options do not allow it. The check must
// find this fault. The manifest must not record that passes were checked.
func TestCheckPassesFinds(t *testing.T) {
	p, err := New(Options{Scope: ScopeGates, LUT: 4, CheckPasses: true})
	if err != nil {
		t.Fatal(err)
	}
	p.Optimiser.Thermometer = compiler.ThermometerAssumed
	f := netgen.Frozen(7, small)
	raw, err := p.Freeze(f)
	if err != nil {
		t.Fatal(err)
	}
	_, err = p.run(t.Context(), raw, Network{Encoder: &f.Encoder}, "0")
	if broken := (*compiler.BrokenError)(nil); !errors.As(err, &broken) || broken.Pass != "chains" {
		t.Errorf("error %v, want that pass chains is broken", err)
	}
	if text, err := json.Marshal(p.Options); err != nil || strings.Contains(strings.ToLower(string(text)), "check") {
		t.Errorf("the manifest would have %s (%v)", text, err)
	}
}
