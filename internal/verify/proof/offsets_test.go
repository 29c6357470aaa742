package proof

import (
	"slices"
	"testing"

	"ialgn/internal/netgen"
	"ialgn/internal/verify/verifytest"
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
