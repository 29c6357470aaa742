package proof

import (
	"slices"
	"testing"

	"ialgn/internal/freeze"
	"ialgn/internal/hardware/head"
	"ialgn/internal/model"
	"ialgn/internal/netgen"
	"ialgn/internal/testkit"
	"ialgn/internal/verify"
	"ialgn/internal/verify/verifytest"
	"ialgn/netlist"
)

// swapped returns a network whose tie order has two neighbouring classes in the other order, from the given place on.
func swapped(f *model.Frozen, place int) *model.Frozen {
	other := *f
	other.Ties = slices.Clone(f.Ties)
	other.Ties[place], other.Ties[place+1] = f.Ties[place+1], f.Ties[place]
	if slices.IsSorted(other.Ties) {
		other.Ties = nil
	}
	return &other
}

// TestOtherTies checks that no netlist is proved that says that it has another tie order than the raw netlist.
func TestOtherTies(t *testing.T) {
	verifytest.Needs(t, "abc")
	right := netgen.Frozen(1, netgen.FrozenOptions{Ties: true})
	for place := range len(right.Ties) - 1 {
		for _, scope := range verifytest.Scopes {
			d := verifytest.NewDesign(t, right, scope, 2)
			d.Product = verifytest.NewDesign(t, swapped(right, place), scope, 2).Product
			if r, err := Check(t.Context(), d); err == nil && r.Proved {
				t.Errorf("%v: proved with another class at place %d", scope, place)
			}
		}
	}
}

// TestLoweredTies checks that a lowered head with a tie order is proved, and that a difference is found if its cells
// have another order than the netlist says. The long test tier also has heads with a margin.
func TestLoweredTies(t *testing.T) {
	verifytest.Needs(t, "abc")
	right := netgen.Frozen(2, netgen.FrozenOptions{Ties: true, Width: 40, Classes: 5})
	margins, places := []int{0}, []int{0}
	if testkit.Whole() {
		margins, places = []int{0, 2}, []int{0, 1, 2, 3}
	}
	for _, margin := range margins {
		if d := lowered(t, right, right, margin); margin == 0 {
			sound(t, d, verifytest.RandomSamples(right, 100))
		} else if r, err := Check(t.Context(), d); err != nil || !r.Proved {
			t.Errorf("margin %d: %+v, %v", margin, r, err)
		}
		for _, place := range places {
			r, err := Check(t.Context(), lowered(t, right, swapped(right, place), margin))
			if err != nil || r.Verdict != different {
				t.Errorf("margin %d, other classes at place %d: %+v, %v", margin, place, r, err)
			}
		}
	}
}

// lowered returns a design for one network. Its product has the lowered head of another network, but the tie order of
// the first network.
func lowered(t *testing.T, f, other *model.Frozen, margin int) verify.Design {
	t.Helper()
	raw, err := freeze.WithMargin(f, netlist.Core, margin)
	if err != nil {
		t.Fatal(err)
	}
	n, err := freeze.WithMargin(other, netlist.Core, margin)
	if err != nil {
		t.Fatal(err)
	}
	n, hint, err := head.Lower(n, head.Options{K: 4})
	if err != nil {
		t.Fatal(err)
	}
	k := netlist.NewCopier(n)
	for c := range netlist.Cell(n.Cells()) {
		k.Copy(c)
	}
	k.Ties(raw.Ties())
	return verify.Design{Model: f, Raw: raw, Product: k.Finish(), Hint: hint, Margin: margin}
}

// TestTiesOfModel checks that a design with a tie order is proved, and that no design is proved whose two netlists have
// another order than the model.
func TestTiesOfModel(t *testing.T) {
	verifytest.Needs(t, "abc")
	m := netgen.Model(netgen.ModelOptions{Seed: 41, Features: 9, Width: 36, Depth: 2, Classes: 4, Ties: true})
	for _, scope := range verifytest.Scopes {
		d := specified(t, m, scope)
		if r, err := Check(t.Context(), d); err != nil || !r.Proved {
			t.Errorf("%v: %+v, %v", scope, r, err)
		}
		for place := range len(m.Ties) - 1 {
			wrong := swapped(m.Freeze(), place)
			other := verifytest.NewDesign(t, wrong, scope, 2)
			other.Spec = d.Spec
			if r, err := Check(t.Context(), other); err == nil && r.Proved {
				t.Errorf("%v: proved with the order %v instead of %v", scope, wrong.Ties, m.Ties)
			}
		}
	}
}
