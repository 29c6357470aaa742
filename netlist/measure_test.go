package netlist_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"ialgn/internal/freeze"
	"ialgn/internal/model"
	"ialgn/internal/netgen"
	"ialgn/netlist"
)

func TestMeasureFrozen(t *testing.T) {
	f := netgen.Frozen(1, netgen.FrozenOptions{Width: 20, Depth: 7, Classes: 2, Features: 3, Bits: 5})
	luts := netlist.Sizes{Gates: realGates(f), Total: realGates(f)}
	if luts.Gates == 0 || luts.Gates == 140 {
		t.Fatalf("%d of 140 gates are more than wires and constants", luts.Gates)
	}
	for scope, want := range map[netlist.Scope]netlist.Measures{
		netlist.Gates: {
			Cells:  netlist.Sizes{Gates: 140, Total: 140},
			LUTs:   luts,
			Levels: netlist.Sizes{Gates: 7, Total: 7},
			Kinds:  []netlist.KindCount{{Kind: "function", Cells: 140}},
		},
		netlist.Core: {
			Cells:  netlist.Sizes{Gates: 140, Head: 3, Total: 143},
			LUTs:   luts,
			Levels: netlist.Sizes{Gates: 7, Head: 2, Total: 9},
			Kinds: []netlist.KindCount{
				{Kind: "function", Cells: 140},
				{Kind: "popcount", Cells: 2},
				{Kind: "argmax", Cells: 1},
			},
		},
		netlist.Full: {
			Cells:  netlist.Sizes{Gates: 140, Head: 3, Encoder: 12, Total: 155},
			LUTs:   luts,
			Levels: netlist.Sizes{Gates: 7, Head: 2, Encoder: 1, Total: 10},
			Kinds: []netlist.KindCount{
				{Kind: "function", Cells: 140},
				{Kind: "compare", Cells: 12},
				{Kind: "popcount", Cells: 2},
				{Kind: "argmax", Cells: 1},
			},
		},
	} {
		n, err := freeze.Network(f, scope)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, netlist.Measure(n)); diff != "" {
			t.Errorf("scope %v (-want +got):\n%s", scope, diff)
		}
	}
}

// realGates counts the gates whose function is neither a constant nor the value of one pin.
func realGates(f *model.Frozen) (count int) {
	for l, layer := range f.Layers {
		for i, op := range layer.Op.Narrow {
			same := l == 0 && layer.Pins[0].Index[i] == layer.Pins[1].Index[i] // both pins always have the same value
			switch {
			case op == 0 || op == 15 || op == 3 || op == 5:
			case same && (op>>3&1 == op&1 || op&1 == 1): // the function is a constant or the pin itself
			default:
				count++
			}
		}
	}
	return count
}

// TestParts measures a classifier whose encoder and head have been lowered in part. If a function has no origin, its
// part depends on the nets that it reads. Paths must end at registers.
func TestParts(t *testing.T) {
	const encoder, gates, head = netlist.PartEncoder, netlist.PartGates, netlist.PartHead
	none, gate := netlist.Origin{}, func(layer uint16) netlist.Origin { return netlist.Origin{Layer: layer} }
	b := netlist.NewBuilder("lowered")
	x := b.Input("x", 6, 3, nil)
	var want []netlist.Part
	add := func(p netlist.Part, k netlist.Kind, param uint64, o netlist.Origin, in ...netlist.Net) netlist.Net {
		want = append(want, p)
		return b.Cell(k, param, o, in...)
	}
	cmp1 := add(encoder, netlist.Compare, 2, none, x[:3]...)
	lut := add(encoder, netlist.Function, 0x8, none, x[0], x[1])
	carry := add(encoder, netlist.Carry, 0, none, cmp1, lut, x[2])
	g1 := add(gates, netlist.Function, 0x8, gate(1), carry, cmp1)
	reg := add(gates, netlist.Register, 0, none, g1)
	early := add(encoder, netlist.Register, 0, none, x[0])
	one := add(gates, netlist.Function, 1, gate(2)) // a constant adds no level
	g2 := add(gates, netlist.Function, 0x6, gate(2), reg, one)
	add(head, netlist.Function, 0x8, none, x[0], x[3]) // reads bits of two words
	g3 := add(gates, netlist.Function, 0x6, gate(3), g2, early)
	add1 := add(head, netlist.Counter, 0, none, g2, g3)
	lut2 := add(head, netlist.Function, 0x8, none, add1, g2)
	y := add(head, netlist.Argmax, 1, none, lut2, g3)
	b.Output("y", 1, nil, []netlist.Net{y})
	n := b.Netlist()
	if err := n.Validate(); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, n.Parts()); diff != "" {
		t.Errorf("parts (-want +got):\n%s", diff)
	}
	levels := netlist.Sizes{Encoder: 1, Gates: 2, Head: 3, Total: 5}
	if diff := cmp.Diff(levels, netlist.Measure(n).Levels); diff != "" {
		t.Errorf("levels (-want +got):\n%s", diff)
	}
}

// TestWords checks which nets depend on one word alone. Bits of one-bit words and outputs of gates do not count.
func TestWords(t *testing.T) {
	b := netlist.NewBuilder("words")
	bits := b.Input("bits", 2, 1, nil)
	x := b.Input("x", 5, 2, nil) // the last word has one bit
	var want []int32
	add := func(word int32, k netlist.Kind, o netlist.Origin, in ...netlist.Net) netlist.Net {
		want = append(want, word)
		return b.Cell(k, 0, o, in...)
	}
	none := netlist.Origin{}
	low := add(3, netlist.Compare, none, x[2:4]...)
	high := add(4, netlist.Register, none, x[4], low) // the enable does not count
	add(netlist.NoWord, netlist.Function, none, low, high)
	add(3, netlist.Function, none, low, netlist.True)
	add(netlist.AnyWord, netlist.Function, none, netlist.False)
	add(netlist.NoWord, netlist.Function, none, bits[0])
	add(netlist.NoWord, netlist.Function, netlist.Origin{Layer: 1}, low)
	add(netlist.NoWord, netlist.Popcount, none, low)
	n := b.Netlist()
	if diff := cmp.Diff(want, n.Words()[n.FirstCellNet():]); diff != "" {
		t.Errorf("words (-want +got):\n%s", diff)
	}
	inputs := []int32{netlist.AnyWord, netlist.AnyWord, netlist.NoWord, netlist.NoWord, 2, 2, 3, 3, 4}
	if diff := cmp.Diff(inputs, n.Words()[:n.FirstCellNet()]); diff != "" {
		t.Errorf("words of inputs (-want +got):\n%s", diff)
	}
}
