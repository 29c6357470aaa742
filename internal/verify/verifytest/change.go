package verifytest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"ialgn/netlist"
	"ialgn/sim"
)

// OutputsOf simulates a classifier over all samples and returns classes and counts as text. With OutputsOf, a test
// finds the effect of a fault without using the comparisons under test.
func OutputsOf(t *testing.T, n *netlist.Netlist, x []uint64, samples int) string {
	t.Helper()
	c, err := sim.NewClassifier(n, 1)
	if err != nil {
		t.Fatal(err)
	}
	r, err := c.Classify(t.Context(), x, samples)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprint(r.Class, r.Counts)
}

// BreakGate changes a random function cell of n. It returns the new netlist and the cell. If anchor is set, one input
// of the cell reads another net. Otherwise the cell gets another table.
func BreakGate(r *rand.Rand, n *netlist.Netlist, anchor bool) (*netlist.Netlist, netlist.Cell) {
	cells := CellsOf(n, netlist.Function)
	c := cells[r.IntN(len(cells))]
	in, table := slices.Clone(n.Inputs(c)), n.Param(c)
	if anchor {
		in[r.IntN(len(in))] = netlist.Net(2 + r.IntN(int(n.Output(c))-2))
	} else {
		table ^= 1 + r.Uint64N(1<<(1<<len(in))-1)
	}
	return Rewire(n, c, table, in...), c
}

// EquivalentInput reports whether cell c is the same in both netlists.
func EquivalentInput(sound, broken *netlist.Netlist, c netlist.Cell) bool {
	return sound.Param(c) == broken.Param(c) && slices.Equal(sound.Inputs(c), broken.Inputs(c))
}
