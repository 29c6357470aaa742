package compiler

import (
	"testing"

	"ialgn/netlist"
)

func TestInverters(t *testing.T) {
	testPass(t, Inverters, []passCase{
		{
			name: "into a function", inputs: 2,
			old: func(b *netlist.Builder, x nets) nets {
				inverse := b.Function(tableNot, gate(1, 0), x[1])
				return nets{
					b.Function(tableAnd, gate(2, 0), x[0], inverse),
					b.Function(tableOr, gate(2, 1), inverse, x[0]),
					b.Function(tableXor, gate(2, 2), inverse, inverse),
				}
			},
			want: func(b *netlist.Builder, x nets) nets {
				return nets{
					b.Function(tableAnB, gate(2, 0), x[0], x[1]),
					b.Function(0b1101, gate(2, 1), x[1], x[0]),
					b.Function(tableXor, gate(2, 2), x[1], x[1]),
				}
			},
		},
		{
			name: "two in a row", inputs: 2,
			old: func(b *netlist.Builder, x nets) nets {
				once := b.Function(tableNot, none, x[0])
				twice := b.Function(tableNot, none, once)
				thrice := b.Function(tableNot, none, twice)
				return nets{twice, b.Function(tableAnd, none, thrice, x[1])}
			},
			want: func(b *netlist.Builder, x nets) nets { return nets{x[0], b.Function(tableBnA, none, x...)} },
		},
		{
			name: "output of a function that nothing else reads", inputs: 2,
			old: func(b *netlist.Builder, x nets) nets {
				and := b.Function(tableAnd, gate(1, 7), x...)
				return nets{b.Function(tableNot, gate(2, 7), and)}
			},
			want: func(b *netlist.Builder, x nets) nets { return nets{b.Function(tableNand, gate(1, 7), x...)} },
		},
		{
			name: "output of a function that functions read too", inputs: 3,
			old: func(b *netlist.Builder, x nets) nets {
				and := b.Function(tableAnd, gate(1, 0), x[0], x[1])
				inverse := b.Function(tableNot, gate(2, 0), and)
				return nets{
					inverse,
					b.Function(tableOr, gate(2, 1), and, x[2]),
					b.Function(tableXor, gate(3, 1), inverse, x[2]),
				}
			},
			want: func(b *netlist.Builder, x nets) nets {
				nand := b.Function(tableNand, gate(1, 0), x[0], x[1])
				return nets{
					nand,
					b.Function(0b1101, gate(2, 1), nand, x[2]),
					b.Function(tableXor, gate(3, 1), nand, x[2]),
				}
			},
		},
		{
			name: "output of both polarities", inputs: 2,
			old: func(b *netlist.Builder, x nets) nets {
				and := b.Function(tableAnd, gate(1, 0), x...)
				return nets{and, b.Function(tableNot, gate(2, 0), and), b.Function(tableNot, gate(3, 0), and)}
			},
			want: func(b *netlist.Builder, x nets) nets {
				and := b.Function(tableAnd, gate(1, 0), x...)
				nand := b.Function(tableNot, gate(2, 0), and)
				return nets{and, nand, nand}
			},
		},
		{
			name: "inverted input once for all readers", inputs: 3,
			old: func(b *netlist.Builder, x nets) nets {
				first := b.Function(tableNot, gate(1, 0), x[0])
				second := b.Function(tableNot, gate(1, 1), x[0])
				count := b.Cell(netlist.Popcount, 0, none, first, x[1], second)
				return append(netlist.Word(count, 2), b.Cell(netlist.Register, 0, none, second), first)
			},
			want: func(b *netlist.Builder, x nets) nets {
				inverse := b.Function(tableNot, gate(1, 0), x[0])
				count := b.Cell(netlist.Popcount, 0, none, inverse, x[1], inverse)
				return append(netlist.Word(count, 2), b.Cell(netlist.Register, 0, none, inverse), inverse)
			},
		},
		{
			name: "into the driver of a popcount's and a register's input", inputs: 4,
			old: func(b *netlist.Builder, x nets) nets {
				and := b.Function(tableAnd, gate(1, 0), x[0], x[1])
				xor := b.Function(tableXor, gate(1, 1), x[0], x[1])
				count := b.Cell(netlist.Popcount, 0, none, b.Function(tableNot, none, and), x[2], x[3])
				return append(netlist.Word(count, 2), b.Cell(netlist.Register, 0, none, b.Function(tableNot, none, xor)))
			},
			want: func(b *netlist.Builder, x nets) nets {
				nand := b.Function(tableNand, gate(1, 0), x[0], x[1])
				xnor := b.Function(tableXnor, gate(1, 1), x[0], x[1])
				count := b.Cell(netlist.Popcount, 0, none, nand, x[2], x[3])
				return append(netlist.Word(count, 2), b.Cell(netlist.Register, 0, none, xnor))
			},
		},
		{
			name: "never through a register, which starts at 0", inputs: 1,
			old: func(b *netlist.Builder, x nets) nets {
				return nets{b.Function(tableNot, none, b.Cell(netlist.Register, 0, none, x[0]))}
			},
			want: func(b *netlist.Builder, x nets) nets {
				return nets{b.Function(tableNot, none, b.Cell(netlist.Register, 0, none, x[0]))}
			},
		},
		{
			name: "of a constant", inputs: 1,
			old: func(b *netlist.Builder, x nets) nets {
				one := b.Function(tableNot, none, netlist.False)
				return nets{one, b.Function(tableAnd, none, x[0], one)}
			},
			want: func(b *netlist.Builder, x nets) nets {
				return nets{netlist.True, b.Function(tableAnB, none, x[0], netlist.False)}
			},
		},
	})
}

// TestInvertersKeepsProbes checks that the polarity of a net does not change if a probe or an output port reads the
// net.
func TestInvertersKeepsProbes(t *testing.T) {
	b := netlist.NewBuilder("probes")
	x := b.Input("x", 2, 1, nil)
	and := b.Function(tableAnd, none, x...)
	b.Output("y", 1, nil, nets{b.Function(tableNot, none, and)})
	b.Probe("p", nets{and})
	n := b.Netlist()
	got := Inverters(n)
	check(t, n, got)
	if got.Cells() != 2 {
		t.Errorf("%d cells, want the gate and one inverter", got.Cells())
	}
}
