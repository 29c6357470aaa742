package compiler

import (
	"testing"

	"ialgn/netlist"
)

func TestDead(t *testing.T) {
	testPass(t, Dead, []passCase{
		{
			name: "cells without readers, and what feeds them alone", inputs: 2,
			old: func(b *netlist.Builder, x nets) nets {
				dead := b.Function(tableAnd, gate(1, 0), x...)
				b.Function(tableXor, gate(2, 0), dead, x[0])
				b.Cell(netlist.Register, 0, none, dead)
				return nets{b.Function(tableOr, gate(1, 1), x...)}
			},
			want: func(b *netlist.Builder, x nets) nets { return nets{b.Function(tableOr, gate(1, 1), x...)} },
		},
		{
			name: "one output of several is enough", inputs: 3,
			old: func(b *netlist.Builder, x nets) nets {
				return nets{b.Cell(netlist.Popcount, 0, none, x...) + 1}
			},
			want: func(b *netlist.Builder, x nets) nets { return nets{b.Cell(netlist.Popcount, 0, none, x...) + 1} },
		},
		{
			name: "nothing at all", inputs: 1,
			old: func(b *netlist.Builder, x nets) nets {
				b.Function(tableNot, none, x[0])
				return nets{x[0], netlist.True}
			},
			want: func(_ *netlist.Builder, x nets) nets { return nets{x[0], netlist.True} },
		},
	})
}

// TestDeadKeepsProbes checks that cells that a probe reads are kept.
func TestDeadKeepsProbes(t *testing.T) {
	b := netlist.NewBuilder("probes")
	x := b.Input("x", 2, 1, nil)
	b.Output("y", 1, nil, x[:1])
	b.Probe("p", nets{b.Function(tableAnd, none, x...)})
	n := b.Netlist()
	got := Dead(n)
	check(t, n, got)
	if got.Cells() != 1 {
		t.Errorf("%d cells, want the probe's", got.Cells())
	}
}
