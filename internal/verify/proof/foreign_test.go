package proof

import (
	"fmt"
	"testing"

	"ialgn/internal/model"
	"ialgn/internal/netgen"
	"ialgn/internal/testkit"
	"ialgn/internal/verify"
	"ialgn/internal/verify/software"
	"ialgn/internal/verify/verifytest"
	"ialgn/netlist"
)

// TestForeign verifies the products of other networks against a model. The other networks differ from the model in
// width, depth, classes or features, and one product is empty. Each check must either refuse the product or find a
// difference, and no check may panic.
func TestForeign(t *testing.T) {
	verifytest.Needs(t, "abc")
	network := func(o netgen.ModelOptions) *model.Frozen { return netgen.Model(o).Freeze() }
	base := netgen.ModelOptions{Seed: 1, Features: 9, Width: 36, Depth: 6}
	f := network(base)
	s := verifytest.RandomSamples(f, 200)
	for i, o := range []netgen.ModelOptions{
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
		for j, scope := range verifytest.Scopes {
			for k, target := range []string{"", "ice40"} {
				if (i+j+k)%2 > 0 && !testkit.Whole() {
					continue // the short tests skip every other combination
				}
				t.Run(fmt.Sprintf("%d/%v/%s", i, scope, target), func(t *testing.T) {
					d, other := verifytest.NewDesign(t, f, scope, 2), verifytest.NewDesign(t, network(o), scope, 2)
					if target != "" {
						other = verifytest.LoweredDesign(t, network(o), scope, target, 4, false)
					}
					d.Product, d.Hint = other.Product, other.Hint
					foreign(d, t, s)
				})
			}
		}
	}
}

// foreign checks that a design passes at no level.
func foreign(d verify.Design, t *testing.T, s verify.Samples) {
	t.Helper()
	software, err := software.Check(t.Context(), d, s, 1)
	if err == nil && software.Mismatches == 0 {
		t.Error("software: no difference")
	}
	formal, err := Check(t.Context(), d)
	if err == nil && formal.Proved {
		t.Error("formal: proved")
	}
}

// TestConstantProduct verifies a product that has only constants: a netlist without cells.
func TestConstantProduct(t *testing.T) {
	verifytest.Needs(t, "abc")
	f := verifytest.Small(1)
	s := verifytest.RandomSamples(f, 200)
	for _, scope := range verifytest.Scopes {
		d := verifytest.NewDesign(t, f, scope, 2)
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
		foreign(d, t, s)
	}
}
