package chain

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ialgn/internal/freeze"
	"ialgn/internal/netgen"
	"ialgn/netlist"
	"ialgn/sim"
)

// TestRemove removes steps from frozen networks of both topologies. With the order that comparators guarantee,
// function and ports must stay the same for all inputs. With the assumed order, they must stay the same for
// thermometer codes. Some steps must be removed, and more steps with an order than without.
func TestRemove(t *testing.T) {
	for _, topology := range []netgen.Topology{netgen.Chain, netgen.Random} {
		for seed := range uint64(20) {
			t.Run(fmt.Sprintf("topology %d, seed %d", topology, seed), func(t *testing.T) {
				f := netgen.Frozen(seed, netgen.FrozenOptions{Depth: 2 + int(seed), Features: 4, Bits: 5, Topology: topology})
				for _, scope := range []netlist.Scope{netlist.Gates, netlist.Full} {
					n, err := freeze.Network(f, scope)
					if err != nil {
						t.Fatal(err)
					}
					plain := Remove(n, nil)
					same(t, n, plain, anything)
					ordered := Remove(n, NewOrder(n, false))
					same(t, n, ordered, anything)
					if scope == netlist.Gates {
						if !plain.Equal(ordered) {
							t.Error("without comparators and without the assumption, there is an order")
						}
						ordered = Remove(n, NewOrder(n, true))
						same(t, n, ordered, codes)
					}
					if topology == netgen.Chain && !(ordered.Cells() < plain.Cells() && plain.Cells() < n.Cells()) {
						t.Errorf("%v: %d cells, %d without and %d with the order of thermometer bits", scope, n.Cells(), plain.Cells(),
							ordered.Cells())
					}
				}
			})
		}
	}
}

// TestRemoveRandom is like TestRemove, but for random netlists with all kinds of cells.
func TestRemoveRandom(t *testing.T) {
	for seed := range uint64(100) {
		n := netgen.Netlist(seed, netgen.NetlistOptions{Cells: 20 + int(seed), Inputs: 8, Kinds: []netlist.Kind{
			netlist.Function, netlist.Function, netlist.Function, netlist.Compare, netlist.Popcount,
		}})
		same(t, n, Remove(n, NewOrder(n, true)), anything)
	}
}

// TestRemoveKeeps checks that chains without superfluous steps stay unchanged cell by cell, and that the gates of
// other chains keep their origin.
func TestRemoveKeeps(t *testing.T) {
	b := netlist.NewBuilder("test")
	x := b.Input("x", 4, 1, nil)
	at := func(layer uint16, chain uint32) netlist.Origin { return netlist.Origin{Layer: layer, Chain: chain} }
	nand := b.Function(0b0111, at(1, 0), x[1], x[0])
	h0 := b.Function(0b1000, at(2, 0), x[2], nand)
	g := b.Function(0b1000, at(1, 1), x[0], x[1])
	g = b.Function(0b1110, at(2, 1), g, x[2])
	g = b.Function(0b0010, at(3, 1), g, x[3])
	h1 := b.Function(0b0010, at(4, 1), g, x[1])
	b.Output("h", 1, nil, []netlist.Net{h0, h1})
	n := b.Netlist()
	got := Remove(n, nil)
	same(t, n, got, anything)
	var cells []string
	for c := range netlist.Cell(got.Cells()) {
		cells = append(cells, fmt.Sprintf("%v %#x %v", got.Inputs(c), got.Param(c), got.Origin(c)))
	}
	want := []string{
		"[3 2] 0x7 {1 0}", "[4 6] 0x8 {2 0}", // unchanged
		"[4 5] 0x2 {3 1}", "[8 3] 0x2 {4 1}", // x[0] AND x[1] is 0 whenever it can affect the last gate
	}
	if diff := cmp.Diff(want, cells); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// The constants anything and codes select the inputs on which two netlists are compared.
const (
	anything = false
	codes    = true
)

// same fails the test if got is invalid, is larger than old, or computes another function. It compares the functions
// on random inputs or, if codes is set, on random thermometer codes of the features that the labels name.
func same(t *testing.T, old, got *netlist.Netlist, codes bool) {
	t.Helper()
	if err := got.Validate(); err != nil {
		t.Fatal(err)
	}
	if got.Cells() > old.Cells() {
		t.Errorf("grew from %d to %d cells", old.Cells(), got.Cells())
	}
	const words = 16
	r := rand.New(rand.NewPCG(5, 5))
	var in [][]uint64
	for _, p := range old.InputPorts() {
		rows := make([]uint64, len(p.Nets)*words)
		for i := range rows {
			rows[i] = r.Uint64()
			if codes && i >= words && i/words%4 > 0 { // the label's feature has 4 bits
				rows[i] &= rows[i-words]
			}
		}
		in = append(in, rows)
	}
	var out [2][]uint64
	for i, n := range []*netlist.Netlist{old, got} {
		s, err := sim.NewBlock(n, words)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Run(words, in...); err != nil {
			t.Fatal(err)
		}
		for _, p := range append(n.OutputPorts(), n.Probes()...) {
			out[i] = append(out[i], s.Port(p, nil)...)
		}
	}
	if diff := cmp.Diff(out[0], out[1]); diff != "" {
		t.Fatalf("outputs (-old +new):\n%s", diff)
	}
}
