package names

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"ialgn/internal/freeze"
	"ialgn/internal/netgen"
	"ialgn/netlist"
)

// cellNames returns the names of all cells in order.
func cellNames(n *netlist.Netlist) []string {
	m := New(n)
	names := make([]string, n.Cells())
	for c := range names {
		names[c] = string(m.AppendCell(nil, netlist.Cell(c)))
	}
	return names
}

// TestNamesUnique checks, on random netlists of all kinds, that no two cells have the same name. It also checks that
// a port cannot have the name of a cell, of a cell's instance or of a cell's input word.
func TestNamesUnique(t *testing.T) {
	for seed := range uint64(300) {
		n := netgen.Netlist(seed, netgen.NetlistOptions{Cells: 1 + int(seed), Registers: seed%2 == 0})
		names := New(n)
		seen := map[string]bool{}
		for c := range netlist.Cell(n.Cells()) {
			own := string(names.AppendOwn(nil, c))
			for _, s := range []string{own, own + "_i", own + "_in", own + "_next"} {
				if seen[s] {
					t.Fatalf("seed %d: two cells are called %s", seed, s)
				}
				seen[s] = true
				if CheckIdentifier(s) != nil || CheckPort(s) == nil {
					t.Fatalf("seed %d: %s is not an identifier, or is allowed as a port's name", seed, s)
				}
			}
		}
	}
}

// TestNames checks the names of the cells of a netlist with every kind of cell.
func TestNames(t *testing.T) {
	gate := func(layer uint16, chain uint32) netlist.Origin { return netlist.Origin{Layer: layer, Chain: chain} }
	none := netlist.Origin{}
	b := netlist.NewBuilder("names")
	var want []string
	add := func(name string, k netlist.Kind, param uint64, o netlist.Origin, in ...netlist.Net) netlist.Net {
		want = append(want, name)
		return b.Cell(k, param, o, in...)
	}
	x := b.Input("x", 12, 4, nil)
	x1 := b.Input("x1", 8, 4, nil)
	bits := b.Input("bits", 3, 1, nil)
	above := add("x1_gt5", netlist.Compare, 5, none, x[4:8]...)
	add("x1_e0", netlist.Compare, 5, none, x[4:8]...) // the second cell of that name
	high := add("x2_gt11", netlist.Compare, 2, none, x[10:12]...)
	other := add("x1_1_gt5", netlist.Compare, 5, none, x1[4:]...)
	low := add("x0_e0", netlist.Function, 0b0111, none, x[0], x[1])
	add("x0_gt11", netlist.Function, 0b1000, none, x[2], x[3])
	add("x0_e1", netlist.Function, 0b01, none, low)
	g := add("c2_k1_l3", netlist.Function, 0b1000, gate(3, 1), above, high)
	twin := add("c2_k1_l3_n1", netlist.Function, 0b0111, gate(3, 1), above, high)
	add("c2_k1_l3_n2", netlist.Popcount, 0, gate(3, 1), g, twin)
	free := add("c1_k7_l1", netlist.Function, 0b1000, gate(1, 7), other, bits[0])
	add("other_n0", netlist.Function, 0b0110, none, g, other)
	way := add("count_1_n0", netlist.Function, 0b1000, none, g, bits[2])
	carry := add("count_1_b1", netlist.Carry, 0, none, g, twin, free)
	sum := add("count_1_b0", netlist.Function, 0b10010110, none, g, twin, way)
	shared := add("count_0_n0", netlist.Function, 0b1000, none, carry, bits[1])
	count := add("count_0", netlist.Popcount, 0, none, shared, g, free)
	index := add("class_n0", netlist.Function, 0b0110, none, sum, count+1)
	held := add("class_n0_s1", netlist.Register, 0, none, index)
	add("class_n0_s1_n1", netlist.Register, 0, none, index, bits[2])
	deep := add("class_n0_s2", netlist.Register, 0, none, held)
	add("x_9_s1", netlist.Register, 0, none, x[9])
	add("count_0_1_s1", netlist.Register, 0, none, count+1)
	add("constant_1_s0", netlist.Register, 0, gate(3, 1), netlist.True)
	b.Probe("count_0", []netlist.Net{count, count + 1})
	b.Probe("count_1", []netlist.Net{sum, carry})
	b.Output("class", 1, nil, []netlist.Net{deep})
	b.Classes([]uint16{0, 2, 0, 0, 0, 0, 0, 1})
	n := b.Netlist()
	if err := n.Validate(); err != nil {
		t.Fatal(err)
	}
	for c, got := range cellNames(n) {
		if got != want[c] {
			t.Errorf("cell %d is called %s, want %s", c, got, want[c])
		}
	}
}

// TestPositions checks the names of gates that positions share, of pooling and of later layers, including additional
// cells and registers.
func TestPositions(t *testing.T) {
	b := netlist.NewBuilder("n")
	x := b.Input("x", 2, 1, nil)
	var want []string
	add := func(name string, layer uint16, chain uint32) netlist.Net {
		want = append(want, name)
		return b.Function(0b1000, netlist.Origin{Layer: layer, Chain: chain}, x[0], x[1])
	}
	add("k0_y0_x0_l1", 1, 0)
	add("k0_y0_x2_l1", 1, 2)
	add("k0_y1_x0_l1", 1, 3)
	add("k0_y1_x0_l1_n1", 1, 3)
	add("k3_y1_x2_l1", 1, 23)
	add("k3_y0_x0_l2", 2, 3)
	last := add("c1_k1_l3", 3, 1)
	held := b.Cell(netlist.Register, 0, netlist.Origin{}, x[0]+3)
	want = append(want, "k0_y0_x2_l1_s1")
	b.Output("h", 1, nil, []netlist.Net{last, held})
	b.Classes([]uint16{0, 1})
	b.Positions([]netlist.Positions{{Layer: 1, Rows: 2, Columns: 3}, {Layer: 2, Rows: 1, Columns: 1}})
	for c, got := range cellNames(b.Netlist()) {
		if got != want[c] {
			t.Errorf("cell %d is called %s, want %s", c, got, want[c])
		}
		if CheckPort(got) == nil {
			t.Errorf("a port may be called %s, which is the name of a cell", got)
		}
	}
}

// TestThresholds checks that the threshold of every comparison of words of 1 to 10 bits is found from the
// comparison's function. It also checks that other functions have no threshold.
func TestThresholds(t *testing.T) {
	for width := 1; width <= 10; width++ {
		r := rand.New(rand.NewPCG(uint64(width), 1))
		values := 1 << width
		value := make([]uint64, (values+63)/64)
		for v := values - 1; v > 0; v-- {
			value[v>>6] |= 1 << (v & 63)
			if got, ok := step(value, values); !ok || got != uint64(v-1) {
				t.Fatalf("width %d: the function > %d was recognised as > %d: %v", width, v-1, got, ok)
			}
			hole := v + r.IntN(values-v)
			value[hole>>6] ^= 1 << (hole & 63)
			if got, ok := step(value, values); ok && (hole != v || got != uint64(v)) {
				t.Fatalf("width %d: the function > %d without the value %d was recognised as > %d", width, v-1, hole, got)
			}
			value[hole>>6] ^= 1 << (hole & 63)
		}
		value[0] |= 1
		if _, ok := step(value, values); ok {
			t.Fatalf("width %d: the constant 1 was recognised as a comparison", width)
		}
	}
}

// TestNamesSkipNothing searches among the cells that have a belonging, and compares the result with the result of a
// plain search.
func TestNamesSkipNothing(t *testing.T) {
	n := netgen.Netlist(1, netgen.NetlistOptions{Cells: 1000})
	b := newBelongings(n)
	i := 0
	for c := range netlist.Cell(n.Cells()) {
		switch of := b.of(c); {
		case b.need.Has(int(c)) != (of != nil):
			t.Fatalf("cell %d: %v", c, of)
		case of != nil:
			if of != &b.list[i] {
				t.Fatalf("cell %d has another cell's belonging", c)
			}
			i++
		}
	}
	if i != len(b.list) || i < 100 {
		t.Errorf("found the belongings of %d cells, want %d and at least 100", i, len(b.list))
	}
}

// BenchmarkNames names all cells of a network of a million gates.
func BenchmarkNames(b *testing.B) {
	for _, scope := range []netlist.Scope{netlist.Core, netlist.Full} {
		n, err := freeze.Network(netgen.Frozen(1, netgen.Paper(20000, 50)), scope)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(fmt.Sprintf("scope=%v", scope), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				m := New(n)
				var buf []byte
				for c := range netlist.Cell(n.Cells()) {
					buf = m.AppendCell(buf[:0], c)
				}
			}
			b.ReportMetric(float64(n.Cells())*float64(b.N)/b.Elapsed().Seconds(), "cells/s")
		})
	}
}
