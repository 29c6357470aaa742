package proof

import (
	"fmt"
	"testing"

	"ialgn/internal/netgen"
	"ialgn/internal/verify"
	"ialgn/internal/verify/verifytest"
	"ialgn/netlist"
)

// TestAllConstant proves networks in which every gate of the last layer is constant, so that nothing is left to
// compare. A network with another constant must not be proved.
func TestAllConstant(t *testing.T) {
	verifytest.Needs(t, "abc")
	for _, scope := range []netlist.Scope{netlist.Core, netlist.Full} {
		for _, op := range []uint8{0, 15} {
			t.Run(fmt.Sprintf("%v/%d", scope, op), func(t *testing.T) {
				f := netgen.Frozen(1, netgen.FrozenOptions{Width: 6, Depth: 2})
				for i := range f.Layers[1].Op.Narrow {
					f.Layers[1].Op.Narrow[i] = op
				}
				d := verifytest.NewDesign(t, f, scope, 1)
				for _, d := range []verify.Design{d, verifytest.LoweredDesign(t, f, scope, "generic", 6, false)} {
					if r, err := Check(t.Context(), d); err != nil || !r.Proved {
						t.Errorf("%+v, %v", r, err)
					}
				}
				f.Layers[1].Op.Narrow[0] = 15 - op
				d.Product = verifytest.NewDesign(t, f, scope, 1).Product
				if r, err := Check(t.Context(), d); err != nil || r.Proved {
					t.Errorf("another constant: %+v, %v", r, err)
				}
			})
		}
	}
}
