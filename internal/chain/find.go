package chain

import (
	"math/bits"
	"slices"

	"ialgn/netlist"
)

// Paths are the chains of a netlist. Every function cell that depends on exactly two nets belongs to one chain. A
// chain continues from cell to cell if no other cell or port reads the net between them. If both inputs of a cell
// could be its spine, the longer chain continues through the cell and the shorter chain ends. A Paths must not be
// used by several goroutines at once.
type Paths struct {
	n        *netlist.Netlist
	length   []int32 // [cell]: number of gates in the chain up to this cell, or 0 if the cell is not a gate of a chain
	pin      []uint8 // [gate]: index of the input that is the gate's spine
	readers  []uint8 // [net]: number of readers; 2 means two or more
	interior []bool  // gates whose output is the spine of the next gate
	joined   map[netlist.Cell]bool
	gates    []netlist.Cell // gates of the chain looked up last, from its end to its start
}

// Find finds the chains of a netlist.
//
// Find does not recognise gates with constant, repeated or irrelevant inputs, and it does not follow chains across
// copies and inverters. The passes that remove these must run first. Find takes O(cells + pins) time, and 6 bytes for
// each cell and 1 for each net.
func Find(n *netlist.Netlist) *Paths {
	p := &Paths{
		n: n, length: make([]int32, n.Cells()), pin: make([]uint8, n.Cells()),
		readers: countReaders(n), interior: make([]bool, n.Cells()),
	}
	for c := range netlist.Cell(n.Cells()) {
		if !isGate(n, c) {
			continue
		}
		p.length[c] = 1
		if spine, ok := p.spine(c); ok {
			p.interior[spine] = true
			p.length[c] += p.length[spine]
		}
	}
	return p
}

// spine chooses the spine of gate c. If c continues the chain of the gate that drives the spine, follows is true.
// Otherwise the spine is an input that some gate drives, if there is one.
func (p *Paths) spine(c netlist.Cell) (spine netlist.Cell, follows bool) {
	best := int32(0)
	for k, v := range p.n.Inputs(c) {
		d, _, ok := p.n.Driver(v)
		if !ok || p.length[d] == 0 {
			continue
		}
		own := p.readers[v] == 1
		if own && !follows || own == follows && p.length[d] > best {
			best, spine, follows = p.length[d], d, own
			p.pin[c] = uint8(k)
		}
	}
	return spine, follows
}

// countReaders returns the number of cell inputs, output ports and probes that read each net. A count of 2 means two
// or more.
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

// Spine returns the net that gate c reads as its spine, and the net on its side.
func (p *Paths) Spine(c netlist.Cell) (spine, side netlist.Net) {
	in := p.n.Inputs(c)
	return in[p.pin[c]], in[1-p.pin[c]]
}

// Join extends the chain that ends with gate c by the gates of the chain that drives its base, even if other cells
// also read the base.
func (p *Paths) Join(c netlist.Cell) {
	if p.joined == nil {
		p.joined = map[netlist.Cell]bool{}
	}
	gates := p.walk(c)
	p.joined[gates[len(gates)-1]] = true
}

// Base returns the net at which the chain that ends with gate c begins.
func (p *Paths) Base(c netlist.Cell) netlist.Net {
	gates := p.walk(c)
	spine, _ := p.Spine(gates[len(gates)-1])
	return spine
}

// walk returns the gates of the chain that ends with gate c, the last first.
func (p *Paths) walk(c netlist.Cell) []netlist.Cell {
	p.gates = append(p.gates[:0], c)
	for p.length[c] > 1 || p.joined[c] {
		spine, _ := p.Spine(c)
		c, _, _ = p.n.Driver(spine)
		p.gates = append(p.gates, c)
	}
	return p.gates
}

// Chain sets dst to the normal form of the chain that ends with gate c.
func (p *Paths) Chain(c netlist.Cell, dst *Chain) {
	gates := p.walk(c)
	spine, _ := p.Spine(gates[len(gates)-1])
	dst.start(spine)
	for _, g := range slices.Backward(gates) {
		_, side := p.Spine(g)
		dst.gate(spineFirst(p.n.Param(g), p.pin[g]), side, p.n.Origin(g))
	}
	dst.normalise()
}

// spineFirst returns a table of two inputs, reordered so that the given input becomes input 0.
func spineFirst(table uint64, pin uint8) uint64 {
	if pin == 0 {
		return table
	}
	return table&0b1001 | table&0b0010<<1 | table&0b0100>>1
}
