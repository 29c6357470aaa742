package compiler

import (
	"testing"

	"ialgn/netlist"
)

func TestPassThrough(t *testing.T) {
	testPass(t, PassThrough, []passCase{
		{
			name: "chain of copies", inputs: 2,
			old: func(b *netlist.Builder, x nets) nets {
				h := b.Function(tableCopy, gate(1, 0), x[0])
				h = b.Function(tableCopy, gate(2, 0), h)
				return nets{b.Function(tableAnd, gate(3, 0), h, x[1]), h}
			},
			want: func(b *netlist.Builder, x nets) nets {
				return nets{b.Function(tableAnd, gate(3, 0), x...), x[0]}
			},
		},
		{
			name: "inverters and wider copies stay", inputs: 2,
			old: func(b *netlist.Builder, x nets) nets {
				return nets{b.Function(tableNot, none, x[0]), b.Function(tableA, none, x...)}
			},
			want: func(b *netlist.Builder, x nets) nets {
				return nets{b.Function(tableNot, none, x[0]), b.Function(tableA, none, x...)}
			},
		},
		{
			name: "copy of a later output of a cell", inputs: 3,
			old: func(b *netlist.Builder, x nets) nets {
				count := b.Cell(netlist.Popcount, 0, none, x...)
				return nets{b.Function(tableCopy, none, count+1), b.Cell(netlist.Register, 0, none,
					b.Function(tableCopy, none, count))}
			},
			want: func(b *netlist.Builder, x nets) nets {
				count := b.Cell(netlist.Popcount, 0, none, x...)
				return nets{count + 1, b.Cell(netlist.Register, 0, none, count)}
			},
		},
		{
			name: "copy of a constant", inputs: 1,
			old:  func(b *netlist.Builder, _ nets) nets { return nets{b.Function(tableCopy, none, netlist.True)} },
			want: func(*netlist.Builder, nets) nets { return nets{netlist.True} },
		},
	})
}
