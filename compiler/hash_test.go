package compiler

import (
	"testing"

	"ialgn/netlist"
)

func TestHash(t *testing.T) {
	testPass(t, Hash, []passCase{
		{
			name: "equal gates, whatever the order of the inputs", inputs: 2,
			old: func(b *netlist.Builder, x nets) nets {
				return nets{
					b.Function(tableAnB, gate(1, 0), x[0], x[1]),
					b.Function(tableAnB, gate(1, 1), x[0], x[1]),
					b.Function(tableBnA, gate(1, 2), x[1], x[0]),
					b.Function(tableBnA, gate(1, 3), x[0], x[1]), // another function
				}
			},
			want: func(b *netlist.Builder, x nets) nets {
				y := b.Function(tableAnB, gate(1, 0), x[0], x[1])
				return nets{y, y, y, b.Function(tableBnA, gate(1, 3), x[0], x[1])}
			},
		},
		{
			name: "merging runs on", inputs: 3,
			old: func(b *netlist.Builder, x nets) nets {
				one := b.Function(tableXor, none, x[0], x[1])
				two := b.Function(tableXor, none, x[1], x[0])
				return nets{b.Function(tableOr, none, one, x[2]), b.Function(tableOr, none, x[2], two)}
			},
			want: func(b *netlist.Builder, x nets) nets {
				y := b.Function(tableOr, none, b.Function(tableXor, none, x[0], x[1]), x[2])
				return nets{y, y}
			},
		},
		{
			name: "complement becomes an inverter", inputs: 2,
			old: func(b *netlist.Builder, x nets) nets {
				return nets{b.Function(tableNor, gate(1, 0), x[0], x[1]), b.Function(tableOr, gate(1, 1), x[1], x[0])}
			},
			want: func(b *netlist.Builder, x nets) nets {
				nor := b.Function(tableNor, gate(1, 0), x[0], x[1])
				return nets{nor, b.Function(tableNot, gate(1, 1), nor)}
			},
		},
		{
			name: "six inputs in any order", inputs: 6,
			old: func(b *netlist.Builder, x nets) nets {
				const table = 0x8f00ff00cafe1234
				swapped := netlist.SwapPins(netlist.SwapPins(table, 1, 4), 0, 5)
				return nets{
					b.Function(table, none, x...),
					b.Function(swapped, none, x[5], x[4], x[2], x[3], x[1], x[0]),
					b.Function(table, none, x[5], x[4], x[2], x[3], x[1], x[0]), // another function
				}
			},
			want: func(b *netlist.Builder, x nets) nets {
				const table = 0x8f00ff00cafe1234
				y := b.Function(table, none, x...)
				return nets{y, y, b.Function(table, none, x[5], x[4], x[2], x[3], x[1], x[0])}
			},
		},
		{
			name: "other kinds, order apart where it is of no account", inputs: 4,
			old: func(b *netlist.Builder, x nets) nets {
				y := netlist.Word(b.Cell(netlist.Popcount, 0, none, x[0], x[1], x[2]), 2)
				y = append(y, netlist.Word(b.Cell(netlist.Popcount, 0, none, x[2], x[0], x[1]), 2)...)
				y = append(y, netlist.Word(b.Cell(netlist.Counter, 0, none, x[2], x[0], x[1]), 2)...)
				y = append(y, b.Cell(netlist.Carry, 0, none, x[0], x[1], x[2]), b.Cell(netlist.Carry, 0, none, x[2], x[1], x[0]))
				y = append(y, b.Cell(netlist.Compare, 1, none, x[0], x[1]), b.Cell(netlist.Compare, 1, none, x[0], x[1]))
				y = append(y, b.Cell(netlist.Compare, 1, none, x[1], x[0]), b.Cell(netlist.Compare, 2, none, x[0], x[1]))
				y = append(y, b.Cell(netlist.Argmax, 2, none, x...), b.Cell(netlist.Argmax, 2, none, x...))
				y = append(y, netlist.Word(b.Cell(netlist.Argmax, netlist.ArgmaxParam(2, 1), none, x...), 2)...)
				return append(y, b.Cell(netlist.Argmax, 2, none, x[2], x[3], x[0], x[1]))
			},
			want: func(b *netlist.Builder, x nets) nets {
				p := b.Cell(netlist.Popcount, 0, none, x[0], x[1], x[2])
				k := b.Cell(netlist.Counter, 0, none, x[2], x[0], x[1])
				carry := b.Cell(netlist.Carry, 0, none, x[0], x[1], x[2])
				compare := b.Cell(netlist.Compare, 1, none, x[0], x[1])
				y := nets{p, p + 1, p, p + 1, k, k + 1, carry, carry, compare, compare}
				y = append(y, b.Cell(netlist.Compare, 1, none, x[1], x[0]), b.Cell(netlist.Compare, 2, none, x[0], x[1]))
				argmax := b.Cell(netlist.Argmax, 2, none, x...)
				margin := b.Cell(netlist.Argmax, netlist.ArgmaxParam(2, 1), none, x...)
				return append(y, argmax, argmax, margin, margin+1, b.Cell(netlist.Argmax, 2, none, x[2], x[3], x[0], x[1]))
			},
		},
		{
			name: "registers of one enable only", inputs: 3,
			old: func(b *netlist.Builder, x nets) nets {
				register := func(in ...netlist.Net) netlist.Net { return b.Cell(netlist.Register, 0, none, in...) }
				return nets{register(x[0]), register(x[0]), register(x[0], x[1]), register(x[0], x[1]), register(x[0], x[2])}
			},
			want: func(b *netlist.Builder, x nets) nets {
				free := b.Cell(netlist.Register, 0, none, x[0])
				enabled := b.Cell(netlist.Register, 0, none, x[0], x[1])
				return nets{free, free, enabled, enabled, b.Cell(netlist.Register, 0, none, x[0], x[2])}
			},
		},
		{
			name: "primitives of one type only", inputs: 2,
			old: func(b *netlist.Builder, x nets) nets {
				p, q := luts(b)
				return nets{
					b.Cell(netlist.Primitive, p, none, x...), b.Cell(netlist.Primitive, p, none, x...),
					b.Cell(netlist.Primitive, q, none, x...),
				}
			},
			want: func(b *netlist.Builder, x nets) nets {
				p, q := luts(b)
				y := b.Cell(netlist.Primitive, p, none, x...)
				return nets{y, y, b.Cell(netlist.Primitive, q, none, x...)}
			},
		},
	})
}

func luts(b *netlist.Builder) (p, q uint64) {
	and := netlist.PrimitiveType{Name: "LUT2", Inputs: []string{"a", "b"}, Output: "q", Table: tableAnd}
	or := and
	or.Name, or.Table = "OR2", tableOr
	return b.Primitive(and), b.Primitive(or)
}

// TestHashCollides enters cells whose 32-bit hashes are equal but whose forms differ.
func TestHashCollides(t *testing.T) {
	b := netlist.NewBuilder("collide")
	x := b.Input("x", 3, 1, nil)
	b.Output("y", 1, nil, nets{b.Function(tableAnd, none, x[0], x[1]), b.Function(tableAnd, none, x[0], x[2])})
	h := newHasher(b.Netlist())
	h.now.set(h.Copier, 0)
	if _, found := h.find(0); found {
		t.Fatal("found a cell in an empty table")
	}
	h.Copy(0)
	h.now.set(h.Copier, 1)
	sum := h.now.hash()
	h.slots[sum&uint64(len(h.slots)-1)] = slot{uint32(sum >> 32), 1} // cell 0, stored under the hash of cell 1
	if first, found := h.find(1); found {
		t.Errorf("cell 1 taken for cell %d", first)
	}
}
