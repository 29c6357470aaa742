package chain

import (
	"math/bits"

	"ialgn/netlist"
)

// Paths are the chains of a netlist: every function cell that depends on exactly two
// nets belongs to one. A chain leads from cell to cell as long as nothing else reads
// what is between; where both inputs of a cell could be its spine, the longer chain is
// it, and the other one ends there.
type Paths struct {
	n        *netlist.Netlist
	length   []int32 // of each cell: gates of its chain up to it; 0: no gate of a chain
	pin      []uint8 // of each gate: the input that is its spine
	readers  []uint8 // of each net: 0, 1, or 2 for more
	interior []bool  // gates whose output is the spine of the next gate
}

// Find finds the chains of a netlist.
//
// Gates with constant, repeated or vacuous inputs, and those behind copies and
// inverters, are not seen: the passes that remove these come first. It costs O(cells +
// pins) time, and 6 bytes a cell and 1 a net.
func Find(n *netlist.Netlist) *Paths {
	p := &Paths{
		n: n, length: make([]int32, n.Cells()), pin: make([]uint8, n.Cells()),
		readers: countReaders(n), interior: make([]bool, n.Cells()),
	}
	for c := range netlist.Cell(n.Cells()) {
		if !isGate(n, c) {
			continue
		}
		best, spine := int32(0), netlist.Cell(0)
		for k, v := range n.Inputs(c) {
			d, _, ok := n.Driver(v)
			if ok && p.readers[v] == 1 && p.length[d] > best {
				best, spine, p.pin[c] = p.length[d], d, uint8(k)
			}
		}
		if best > 0 {
			p.interior[spine] = true
		}
		p.length[c] = best + 1
	}
	return p
}

// countReaders returns how many cell inputs, output ports and probes read each net, 2
// standing for more.
func countReaders(n *netlist.Netlist) []uint8 {
	readers := make([]uint8, n.Nets())
	count := func(nets []netlist.Net) {
		for _, v := range nets {
			readers[v] = min(readers[v]+1, 2)
		}
	}
	for c := range netlist.Cell(n.Cells()) {
		count(n.Inputs(c))
	}
	for _, ports := range [][]netlist.Port{n.OutputPorts(), n.Probes()} {
		for _, p := range ports {
			count(p.Nets)
		}
	}
	return readers
}

// isGate reports whether a cell is a function that depends on exactly two nets, neither
// of them constant.
func isGate(n *netlist.Netlist, c netlist.Cell) bool {
	in := n.Inputs(c)
	return n.Kind(c) == netlist.Function && len(in) == 2 &&
		bits.OnesCount8(netlist.Support(netlist.Effective(n.Param(c), in))) == 2
}

// Gate reports whether cell c is a gate of a chain.
func (p *Paths) Gate(c netlist.Cell) bool { return p.length[c] > 0 }

// Last reports whether cell c is the last gate of a chain.
func (p *Paths) Last(c netlist.Cell) bool { return p.length[c] > 0 && !p.interior[c] }

// Len returns the number of gates of the chain up to gate c.
func (p *Paths) Len(c netlist.Cell) int { return int(p.length[c]) }

// Spine returns the net that gate c reads as its spine, and the one on its side.
func (p *Paths) Spine(c netlist.Cell) (spine, side netlist.Net) {
	in := p.n.Inputs(c)
	return in[p.pin[c]], in[1-p.pin[c]]
}

// Chain makes dst the normal form of the chain that ends with gate c.
func (p *Paths) Chain(c netlist.Cell, dst *Chain) {
	gates := make([]netlist.Cell, p.length[c])
	for i := len(gates) - 1; ; i-- {
		gates[i] = c
		if i == 0 {
			break
		}
		spine, _ := p.Spine(c)
		c, _, _ = p.n.Driver(spine)
	}
	spine, _ := p.Spine(gates[0])
	dst.start(spine)
	for _, g := range gates {
		_, side := p.Spine(g)
		dst.gate(spineFirst(p.n.Param(g), p.pin[g]), side, p.n.Origin(g))
	}
	dst.normalise()
}

// spineFirst returns a table of two inputs with the given one as input 0.
func spineFirst(table uint64, pin uint8) uint64 {
	if pin == 0 {
		return table
	}
	return table&0b1001 | table&0b0010<<1 | table&0b0100>>1
}
