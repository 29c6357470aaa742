package compiler

import (
	"testing"

	"ialgn/netlist"
)

func TestConstants(t *testing.T) {
	testPass(t, Constants, []passCase{
		{
			name: "nothing to do", inputs: 2,
			old:  func(b *netlist.Builder, x nets) nets { return nets{b.Function(tableXor, gate(1, 2), x...)} },
			want: func(b *netlist.Builder, x nets) nets { return nets{b.Function(tableXor, gate(1, 2), x...)} },
		},
		{
			name: "constant input", inputs: 1,
			old: func(b *netlist.Builder, x nets) nets {
				return nets{b.Function(tableAnd, none, x[0], netlist.True), b.Function(tableXor, gate(2, 3), netlist.True, x[0])}
			},
			want: func(b *netlist.Builder, x nets) nets {
				return nets{b.Function(tableCopy, none, x[0]), b.Function(tableNot, gate(2, 3), x[0])}
			},
		},
		{
			name: "constant result runs on", inputs: 1,
			old: func(b *netlist.Builder, x nets) nets {
				zero := b.Function(tableAnd, none, x[0], netlist.False)
				one := b.Function(tableNand, none, zero, x[0])
				return nets{zero, one, b.Function(tableXor, none, zero, one)}
			},
			want: func(*netlist.Builder, nets) nets { return nets{netlist.False, netlist.True, netlist.True} },
		},
		{
			name: "function of nothing", inputs: 1,
			old:  func(b *netlist.Builder, _ nets) nets { return nets{b.Function(1, none), b.Function(0, none)} },
			want: func(*netlist.Builder, nets) nets { return nets{netlist.True, netlist.False} },
		},
		{
			name: "repeated input", inputs: 3,
			old: func(b *netlist.Builder, x nets) nets {
				return nets{
					b.Function(tableXor, none, x[0], x[0]),
					b.Function(tableNand, none, x[1], x[1]),
					b.Function(0b10010110, none, x[0], x[1], x[0]), // parity
					b.Function(0b11101000, none, x[0], x[1], x[1]), // majority
				}
			},
			want: func(b *netlist.Builder, x nets) nets {
				return nets{
					netlist.False, b.Function(tableNot, none, x[1]),
					b.Function(tableCopy, none, x[1]), b.Function(tableCopy, none, x[1]),
				}
			},
		},
		{
			name: "vacuous input", inputs: 6,
			old: func(b *netlist.Builder, x nets) nets {
				return nets{
					b.Function(tableB, none, x[0], x[1]),
					b.Function(tableNotA, none, x[0], x[1]),
					b.Function(0xf0f00f0ff0f00f0f, none, x...), // x[2] xor x[4], negated
					b.Function(^uint64(0), none, x...),
				}
			},
			want: func(b *netlist.Builder, x nets) nets {
				return nets{
					b.Function(tableCopy, none, x[1]), b.Function(tableNot, none, x[0]),
					b.Function(tableXnor, none, x[2], x[4]), netlist.True,
				}
			},
		},
		{
			name: "compare", inputs: 4,
			old: func(b *netlist.Builder, x nets) nets {
				compare := func(threshold uint64, in ...netlist.Net) netlist.Net {
					return b.Cell(netlist.Compare, threshold, gate(0, 0), in...)
				}
				return nets{
					compare(6, x[0], x[1], x[2], x[3]),                           // nothing to fold
					compare(15, x[0], x[1], x[2], x[3]),                          // the word's largest value
					compare(11, x[0], x[1], x[2], x[3]),                          // 1011: the two low bits do not matter
					compare(7, x[0], x[1], x[2], x[3]),                           // only the highest bit matters
					compare(2, netlist.True, netlist.True),                       // 3 > 2
					compare(3, netlist.True, netlist.True),                       // 3 > 3
					compare(4, x[0], x[1], netlist.True),                         // 1xx > 100: any bit
					compare(3, x[0], x[1], netlist.True),                         // 1xx > 011: always
					compare(4, x[0], x[1], netlist.False, x[2]),                  // 8 or more
					compare(10, x[0], netlist.True, x[1], x[2]),                  // skips the known bit: 1?0 > 1010
					compare(4, netlist.False, netlist.True, x[0], x[1]),          // xx10 > 0100: xx >= 01
					compare(8, netlist.False, netlist.False, x[0], netlist.True), // 1x00 > 1000
				}
			},
			want: func(b *netlist.Builder, x nets) nets {
				compare := func(threshold uint64, in ...netlist.Net) netlist.Net {
					return b.Cell(netlist.Compare, threshold, gate(0, 0), in...)
				}
				y0 := compare(6, x[0], x[1], x[2], x[3])
				y3 := compare(2, x[2], x[3])
				y7 := compare(0, x[0], x[1])
				y10 := compare(4, x[0], x[1], x[2])
				y11 := compare(0, x[0], x[1])
				return nets{
					y0, netlist.False, y3, x[3], netlist.True, netlist.False,
					y7, netlist.True, x[2], y10, y11, x[0],
				}
			},
		},
		{
			name: "counts", inputs: 4,
			old: func(b *netlist.Builder, x nets) nets {
				a := b.Cell(netlist.Popcount, 0, none, x[0], netlist.False, x[1], netlist.False, x[2])
				c := b.Cell(netlist.Counter, 0, none, netlist.False, x[3], netlist.False, netlist.False)
				d := b.Cell(netlist.Popcount, 0, none, netlist.True, netlist.False, netlist.True)
				e := b.Cell(netlist.Counter, 0, none, netlist.True, x[0], netlist.False)
				return append(append(netlist.Word(a, 3), netlist.Word(c, 3)...),
					append(netlist.Word(d, 2), netlist.Word(e, 2)...)...)
			},
			want: func(b *netlist.Builder, x nets) nets {
				a := b.Cell(netlist.Popcount, 0, none, x[0], x[1], x[2])
				e := b.Cell(netlist.Counter, 0, none, netlist.True, x[0])
				return nets{
					a, a + 1, netlist.False, x[3], netlist.False, netlist.False,
					netlist.False, netlist.True, e, e + 1,
				}
			},
		},
		{
			name: "argmax", inputs: 6,
			old: func(b *netlist.Builder, x nets) nets {
				a := b.Cell(netlist.Argmax, 3, none, x[0], netlist.True, x[1], x[2], netlist.True, x[1], x[3], netlist.True, x[1])
				c := b.Cell(netlist.Argmax, 2, none, x[0], x[1], x[0], x[1])
				d := b.Cell(netlist.Argmax, 2, none, x[0], x[1])
				return append(netlist.Word(a, 2), c, d)
			},
			want: func(b *netlist.Builder, x nets) nets {
				a := b.Cell(netlist.Argmax, 1, none, x[0], x[2], x[3])
				return append(netlist.Word(a, 2), netlist.False, netlist.False)
			},
		},
		{
			name: "argmax with a margin", inputs: 8,
			old: func(b *netlist.Builder, x nets) nets {
				argmax := func(margin int, in ...netlist.Net) netlist.Net {
					return b.Cell(netlist.Argmax, netlist.ArgmaxParam(len(in)/2, margin), none, in...)
				}
				middle := argmax(5, x[0], x[1], x[2], x[3], x[1], x[4])          // keeps the equal digit in the middle
				low := argmax(5, x[1], x[0], x[2], x[3], x[1], x[4], x[5], x[6]) // leads are even: 6, so half of it
				even := argmax(4, x[1], x[0], x[2], x[1], x[4], x[5])            // half of 4
				high := argmax(2, x[0], x[1], x[2], x[3], x[4], x[2])            // the digits below decide
				always := argmax(7, x[0], x[1], x[2], x[3], x[4], x[2])          // no lead of two digits is 7
				equal, alone := argmax(1, x[0], x[0]), b.Cell(netlist.Argmax, netlist.ArgmaxParam(2, 1), none, x[0], x[1])
				var y nets
				for _, first := range []netlist.Net{middle, low, even, high, always, equal, alone} {
					y = append(y, netlist.Word(first, 2)...)
				}
				return y
			},
			want: func(b *netlist.Builder, x nets) nets {
				argmax := func(margin int, in ...netlist.Net) netlist.Net {
					return b.Cell(netlist.Argmax, netlist.ArgmaxParam(len(in)/2, margin), none, in...)
				}
				middle := argmax(5, x[0], x[1], x[2], x[3], x[1], x[4])
				low := argmax(3, x[0], x[2], x[3], x[4], x[5], x[6])
				even := argmax(2, x[0], x[2], x[4], x[5])
				high := argmax(2, x[0], x[1], x[3], x[4])
				always := argmax(0, x[0], x[1], x[3], x[4])
				return nets{
					middle, middle + 1, low, low + 1, even, even + 1, high, high + 1, always, netlist.True,
					netlist.False, netlist.True, netlist.False, netlist.False,
				}
			},
		},
		{
			name: "carry", inputs: 3,
			old: func(b *netlist.Builder, x nets) nets {
				carry := func(in ...netlist.Net) netlist.Net { return b.Cell(netlist.Carry, 0, none, in...) }
				return nets{
					carry(x[0], x[1], x[0]), carry(netlist.False, x[2], netlist.True),
					carry(netlist.True, x[1], netlist.True), carry(x[0], netlist.False, x[1]),
				}
			},
			want: func(b *netlist.Builder, x nets) nets {
				return nets{x[0], x[2], netlist.True, b.Cell(netlist.Carry, 0, none, x[0], netlist.False, x[1])}
			},
		},
		{
			name: "registers", inputs: 2,
			old: func(b *netlist.Builder, x nets) nets {
				register := func(in ...netlist.Net) netlist.Net { return b.Cell(netlist.Register, 0, gate(3, 4), in...) }
				return nets{
					register(netlist.False), register(netlist.False, x[0]), register(x[0], netlist.False),
					register(x[0], netlist.True),
					register(netlist.True), register(netlist.True, x[1]), // 0 at first
				}
			},
			want: func(b *netlist.Builder, x nets) nets {
				register := func(in ...netlist.Net) netlist.Net { return b.Cell(netlist.Register, 0, gate(3, 4), in...) }
				return nets{
					netlist.False, netlist.False, netlist.False,
					register(x[0]), register(netlist.True), register(netlist.True, x[1]),
				}
			},
		},
		{
			name: "primitives stay", inputs: 1,
			old:  lutOfConstant,
			want: lutOfConstant,
		},
	})
}

func lutOfConstant(b *netlist.Builder, x nets) nets {
	p := b.Primitive(netlist.PrimitiveType{Name: "LUT2", Inputs: []string{"a", "b"}, Output: "q", Table: tableAnd})
	return nets{b.Cell(netlist.Primitive, p, none, x[0], netlist.True)}
}
