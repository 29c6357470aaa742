package verify

import (
	"fmt"
	"testing"

	"ialgn/internal/modelgen"
	"ialgn/netlist"
	"ialgn/trainer/model"
)

// TestForeign takes the products of other networks for that of a model: with other widths, depths,
// classes and features, and none at all. Every check that does not refuse them finds that they differ,
// and none panics.
func TestForeign(t *testing.T) {
	needs(t, "abc")
	network := func(o modelgen.Options) *model.Frozen { return modelgen.New(o).Freeze() }
	base := modelgen.Options{Seed: 1, Features: 9, Width: 36, Depth: 6}
	f := network(base)
	s := randomSamples(f, 200)
	for i, o := range []modelgen.Options{
		{Seed: 2, Features: 9, Width: 36, Depth: 6},
		{Seed: 2, Features: 9, Width: 60, Depth: 6},
		{Seed: 2, Features: 9, Width: 12, Depth: 6},
		{Seed: 2, Features: 9, Width: 36, Depth: 9},
		{Seed: 2, Features: 9, Width: 36, Depth: 1},
		{Seed: 2, Features: 9, Width: 36, Depth: 6, Classes: 2},
		{Seed: 2, Features: 9, Width: 36, Depth: 6, Classes: 12},
		{Seed: 2, Features: 7, Width: 36, Depth: 6},
		{Seed: 2, Features: 9, Width: 36, Depth: 6, Bits: 7},
		{Seed: 2, Features: 9, Width: 36, Depth: 6, BitsIn: 3},
		{Seed: 2, Features: 9, Width: 42, Depth: 2, Topology: "rwlgn"},
	} {
		for _, scope := range scopes {
			for _, target := range []string{"", "ice40"} {
				t.Run(fmt.Sprintf("%d/%v/%s", i, scope, target), func(t *testing.T) {
					d, other := newDesign(t, f, scope, 2), newDesign(t, network(o), scope, 2)
					if target != "" {
						other = loweredDesign(t, network(o), scope, target, 4, false)
					}
					d.Product, d.Hint = other.Product, other.Hint
					d.foreign(t, s)
				})
			}
		}
	}
}

// foreign holds that no level of a design passes.
func (d Design) foreign(t *testing.T, s Samples) {
	t.Helper()
	software, err := d.Software(t.Context(), s, 1)
	if err == nil && software.Mismatches == 0 {
		t.Error("software: no difference")
	}
	formal, err := d.Formal(t.Context())
	if err == nil && formal.Proved {
		t.Error("formal: proved")
	}
}

// TestConstantProduct takes constants for a product: a netlist without cells.
func TestConstantProduct(t *testing.T) {
	needs(t, "abc")
	f := small(1)
	s := randomSamples(f, 200)
	for _, scope := range scopes {
		d := newDesign(t, f, scope, 2)
		b := netlist.NewBuilder("constant")
		for _, p := range d.Raw.DataInputs() {
			b.Input(p.Name, len(p.Nets), p.Word, p.Labels)
		}
		for _, p := range d.Raw.Probes() {
			b.Probe(p.Name, make([]netlist.Net, len(p.Nets)))
		}
		for _, p := range d.Raw.OutputPorts() {
			b.Output(p.Name, p.Word, p.Labels, make([]netlist.Net, len(p.Nets)))
		}
		d.Product = b.Netlist()
		d.foreign(t, s)
	}
}
