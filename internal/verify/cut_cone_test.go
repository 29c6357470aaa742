package verify

import (
	"slices"
	"testing"

	"ialgn/internal/freeze"
	"ialgn/internal/netgen"
	"ialgn/netlist"
)

// TestLive compares the cells that live finds with the cells that gonum's graph search finds.
func TestLive(t *testing.T) {
	for seed := range uint64(20) {
		n, err := freeze.Network(netgen.Frozen(seed, netgen.FrozenOptions{}), netlist.Full)
		if err != nil {
			t.Fatal(err)
		}
		r, err := FindRoots(n, nil, 0, nil)
		if err != nil {
			t.Fatal(err)
		}
		live, err := r.live(n)
		if err != nil {
			t.Fatal(err)
		}
		var nets []netlist.Net
		for _, class := range r.Bits {
			for _, b := range class {
				nets = append(nets, b.Nets...)
			}
		}
		want := make([]bool, n.Cells())
		netlist.Cone(n, nets, func(c netlist.Cell) bool {
			want[c] = true
			return true
		})
		if !slices.Equal(live, want) {
			t.Errorf("seed %d: %v, want %v", seed, live, want)
		}
	}
}
