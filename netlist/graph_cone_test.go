package netlist_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"ialgn/internal/netgen"
	"ialgn/netlist"
)

// TestCone compares cones of random nets with a backward sweep over the cells. The search does not continue beyond
// cells that are marked as closed.
func TestCone(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for seed := range uint64(50) {
		n := netgen.Netlist(seed, netgen.NetlistOptions{})
		closed := make([]bool, n.Cells())
		for c := range closed {
			closed[c] = r.IntN(8) == 0
		}
		nets := []netlist.Net{netlist.False, n.FirstCellNet() - 1}
		for range 3 {
			nets = append(nets, n.FirstCellNet()+netlist.Net(r.IntN(n.Nets()-int(n.FirstCellNet()))))
		}
		want, got := sweep(n, nets, closed), make([]bool, n.Cells())
		netlist.Cone(n, nets, func(c netlist.Cell) bool {
			if got[c] {
				t.Fatalf("cell %d was visited twice", c)
			}
			got[c] = true
			return !closed[c]
		})
		if !slices.Equal(got, want) {
			t.Errorf("%v, want %v", got, want)
		}
	}
}

// sweep returns the cells that the nets depend on through cells that are not closed.
func sweep(n *netlist.Netlist, nets []netlist.Net, closed []bool) []bool {
	live := make([]bool, n.Cells())
	mark := func(v netlist.Net) {
		if c, _, ok := n.Driver(v); ok {
			live[c] = true
		}
	}
	for _, v := range nets {
		mark(v)
	}
	for c := netlist.Cell(n.Cells()); c > 0; {
		c--
		for _, v := range n.Inputs(c) {
			if live[c] && !closed[c] {
				mark(v)
			}
		}
	}
	return live
}
