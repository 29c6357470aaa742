package proof

import (
	"slices"
	"testing"

	"ialgn/compiler"
	"ialgn/internal/freeze"
	"ialgn/internal/hardware/head"
	"ialgn/internal/netgen"
	"ialgn/internal/verify"
	"ialgn/internal/verify/verifytest"
	"ialgn/netlist"
)

// TestOtherOffsets checks that no netlist is proved that adds other class offsets than the raw netlist.
func TestOtherOffsets(t *testing.T) {
	verifytest.Needs(t, "abc")
	right := netgen.Frozen(1, netgen.FrozenOptions{Offsets: true})
	for class := range right.Offsets {
		for _, scope := range verifytest.Scopes {
			wrong := *right
			wrong.Offsets = slices.Clone(right.Offsets)
			if wrong.Offsets[class]--; wrong.Offsets[class] < 0 {
				wrong.Offsets[class] = 1
			}
			if slices.Min(wrong.Offsets) > 0 {
				continue // not a valid network
			}
			d := verifytest.NewDesign(t, right, scope, 2)
			d.Product = verifytest.NewDesign(t, &wrong, scope, 2).Product
			if r, err := Check(t.Context(), d); err == nil && r.Proved {
				t.Errorf("%v: proved with the offset %d of class %d instead of %d", scope, wrong.Offsets[class], class,
					right.Offsets[class])
			}
		}
	}
}

// TestOffsetsOfModel checks that no design is proved whose two netlists have other class offsets than the model.
func TestOffsetsOfModel(t *testing.T) {
	verifytest.Needs(t, "abc")
	m := netgen.Model(netgen.ModelOptions{Seed: 41, Features: 9, Width: 36, Depth: 2, Offsets: true})
	for _, scope := range verifytest.Scopes {
		d := specified(t, m, scope)
		if r, err := Check(t.Context(), d); err != nil || !r.Proved {
			t.Errorf("%v: %+v, %v", scope, r, err)
		}
		wrong := m.Freeze()
		for class := range wrong.Offsets {
			wrong.Offsets = slices.Clone(m.Offsets)
			if wrong.Offsets[class]--; wrong.Offsets[class] < 0 {
				continue
			}
			other := verifytest.NewDesign(t, wrong, scope, 2)
			other.Spec = d.Spec
			if r, err := Check(t.Context(), other); err == nil && r.Proved {
				t.Errorf("%v: proved with the offset %d of class %d instead of %d", scope, wrong.Offsets[class], class,
					m.Offsets[class])
			}
		}
	}
}

// TestConstantCounts proves a design in which two classes have the constant count 1. The chain of the first class is
// the constant 1, and its popcount is gone. The chain of the last class is X and not X, as only the lowering finds.
// Its popcount reads this chain and the one of the offset.
func TestConstantCounts(t *testing.T) {
	verifytest.Needs(t, "abc")
	f := constantClass(netgen.Frozen(5, netgen.FrozenOptions{Width: 3, Depth: 2}), 15)
	f.Offsets = []int{0, 0, 1}
	for l, op := range []uint8{0b0101, 0b0010} { // X, then the gate before and not X
		f.Layers[l].Op.Narrow[2], f.Layers[l].Pins[1].Index[2] = op, 0
	}
	raw, err := freeze.Network(f, netlist.Core)
	if err != nil {
		t.Fatal(err)
	}
	n, _, err := compiler.Optimise(t.Context(), raw, compiler.LevelSweep)
	if err != nil {
		t.Fatal(err)
	}
	product, hint, err := head.Lower(n, head.Options{K: 4})
	if err != nil {
		t.Fatal(err)
	}
	if len(hint.Counts) != 1 || len(hint.Counts[0].Bits) != 2 {
		t.Fatalf("the hint has the counts %+v, want one count of two bits", hint.Counts)
	}
	sound(t, verify.Design{Model: f, Raw: raw, Product: product, Hint: hint}, verifytest.RandomSamples(f, 100))
}
