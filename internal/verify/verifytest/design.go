package verifytest

import (
	"testing"

	"ialgn/compiler"
	"ialgn/internal/freeze"
	"ialgn/internal/hardware"
	"ialgn/internal/hardware/lut"
	"ialgn/internal/hardware/pipeline"
	"ialgn/internal/model"
	"ialgn/internal/target"
	"ialgn/internal/verify"
	"ialgn/netlist"
)

// LoweredDesign freezes a model and compiles it to LUTs, as the compile command does. If assumed is set, a design
// whose scope is not [netlist.Full] relies on thermometer codes at its inputs.
func LoweredDesign(t *testing.T, f *model.Frozen, scope netlist.Scope, family string, k int, assumed bool,
	p ...pipeline.Options,
) verify.Design {
	t.Helper()
	raw, err := freeze.Network(f, scope)
	if err != nil {
		t.Fatal(err)
	}
	return lowered(t, f, raw, scope, family, k, assumed, p...)
}

// UncertainDesign returns a design whose output uncertain has a margin. With k = 0 it is not lowered.
func UncertainDesign(t *testing.T, f *model.Frozen, scope netlist.Scope, margin int, family string, k int,
	p ...pipeline.Options,
) verify.Design {
	t.Helper()
	raw, err := freeze.WithMargin(f, scope, margin)
	if err != nil {
		t.Fatal(err)
	}
	if k > 0 {
		d := lowered(t, f, raw, scope, family, k, false, p...)
		d.Margin = margin
		return d
	}
	product, _, err := compiler.Optimise(t.Context(), raw, compiler.LevelRepeat)
	if err != nil {
		t.Fatal(err)
	}
	return verify.Design{Model: f, Raw: raw, Product: product, Margin: margin}
}

// lowered returns the design of a raw netlist that is optimised and lowered.
func lowered(t *testing.T, f *model.Frozen, raw *netlist.Netlist, scope netlist.Scope, family string, k int,
	assumed bool, p ...pipeline.Options,
) verify.Design {
	t.Helper()
	o := compiler.Options{Level: compiler.LevelRepeat, Restructure: true}
	switch {
	case scope == netlist.Full:
		o.Thermometer = compiler.ThermometerDerived
	case assumed:
		o.Thermometer = compiler.ThermometerAssumed
	}
	n, _, err := o.Optimise(t.Context(), raw)
	if err != nil {
		t.Fatal(err)
	}
	h := hardware.Options{K: k, Objective: lut.Balanced, Threads: 1}
	if h.Target, err = target.Find(family); err != nil {
		t.Fatal(err)
	}
	if len(p) > 0 {
		h.Pipeline = p[0]
	}
	d, err := h.Lower(t.Context(), n)
	if err != nil {
		t.Fatal(err)
	}
	return verify.Design{Model: f, Raw: raw, Product: d.Netlist, Hint: d.Hint, Assumed: assumed && scope != netlist.Full}
}

// Pipelined returns a design whose product has registers.
func Pipelined(t *testing.T, d verify.Design, o pipeline.Options) verify.Design {
	t.Helper()
	p, r, err := pipeline.Insert(d.Product, o)
	if err != nil {
		t.Fatal(err)
	}
	if r.Stages == 0 {
		t.Fatal("no registers")
	}
	d.Product = p
	return d
}

// WithCounts returns a design whose netlists have the counts as an output port.
func WithCounts(t *testing.T, d verify.Design) verify.Design {
	t.Helper()
	for _, n := range []**netlist.Netlist{&d.Raw, &d.Product} {
		with, err := netlist.WithCounts(*n, d.Model.Classes)
		if err != nil {
			t.Fatal(err)
		}
		*n = with
	}
	return d
}
