package lut

import (
	"math/bits"

	"ialgn/netlist"
)

// network is the general logic as a graph of small functions, in topological order. Node 0 is the
// constant 0.
type network struct {
	k     int
	nodes []node
	value []literal     // [old net]: its literal, if the network reads or drives it
	wide  map[int32]cut // for each node of a decomposed function that fits one LUT: the cut for this LUT
	roots []int32       // nodes that something outside the network reads
}

// node is a leaf, or a function of up to three earlier nodes.
type node struct {
	in    [3]int32
	ins   uint8        // 0: a leaf
	table uint8        // over the inputs
	cell  netlist.Cell // cell to which the node belongs; for a leaf, the first cell that reads it
	net   netlist.Net  // net of a leaf
}

func (n *node) inputs() []int32 { return n.in[:n.ins] }

// literal is twice the number of a node, plus 1 if it is inverted.
type literal int32

const unknown literal = -1

func (l literal) node() int32 { return int32(l >> 1) }

// buildNetwork returns the network of the general cells. Functions of three and more inputs are decomposed. If the
// literal of a cell's output is inverted, and something outside the general logic reads the output, the network gets
// a node for an inverter.
func (m *mapper) buildNetwork() *network {
	w := &network{k: m.o.K, nodes: make([]node, 1), value: make([]literal, m.n.Nets()), wide: map[int32]cut{}}
	for v := range w.value {
		w.value[v] = unknown
	}
	w.value[netlist.False], w.value[netlist.True] = 0, 1
	outside := m.readOutside()
	var isRoot []bool
	for c, r := range m.role {
		if r != general {
			continue
		}
		cell := netlist.Cell(c)
		out := m.n.Output(cell)
		l := w.cell(m.n, cell)
		if outside[out] && l > 1 {
			if l&1 == 1 {
				l = w.add(node{in: [3]int32{l.node()}, ins: 1, table: tableNot, cell: cell})
			}
			isRoot = append(isRoot, make([]bool, len(w.nodes)-len(isRoot))...)
			if at := l.node(); !isRoot[at] && w.nodes[at].ins > 0 {
				isRoot[at] = true
				w.roots = append(w.roots, at)
			}
		}
		w.value[out] = l
	}
	return w
}

// readOutside marks the nets that something other than general logic reads.
func (m *mapper) readOutside() []bool {
	read := make([]bool, m.n.Nets())
	note := func(nets []netlist.Net) {
		for _, v := range nets {
			read[v] = true
		}
	}
	for c, r := range m.role {
		if r != general {
			note(m.n.Inputs(netlist.Cell(c)))
		}
	}
	for _, ports := range [][]netlist.Port{m.n.OutputPorts(), m.n.Probes()} {
		for _, p := range ports {
			note(p.Nets)
		}
	}
	return read
}

func (w *network) add(n node) literal {
	w.nodes = append(w.nodes, n)
	return literal(len(w.nodes)-1) << 1
}

// of returns the literal of a net that cell c reads. If no general cell drives the net, its node is a leaf.
func (w *network) of(v netlist.Net, c netlist.Cell) literal {
	if w.value[v] == unknown {
		w.value[v] = w.add(node{net: v, cell: c})
	}
	return w.value[v]
}

// cell adds a cell and returns its output.
func (w *network) cell(n *netlist.Netlist, c netlist.Cell) literal {
	t := netlist.Extend(n.Param(c), len(n.Inputs(c)))
	var in []int32
	var pins []netlist.Net // the nodes as numbers of nets, for netlist.Effective
	for j, v := range n.Inputs(c) {
		l := w.of(v, c)
		if l&1 == 1 {
			t = invertPin(t, j)
		}
		if in, pins = append(in, l.node()), append(pins, netlist.Net(l.node()+1)); l.node() == 0 {
			pins[j] = netlist.False
		}
	}
	t = netlist.Effective(t&netlist.TableMask(len(pins)), pins)
	out := w.decompose(t, in, c)
	support := netlist.Support(t)
	if inputs := bits.OnesCount8(support); inputs > 2 && inputs <= w.k {
		c := cutOf(in, t)
		c.shrink()
		w.wide[out.node()] = c
	}
	return out
}

// invertPin returns the extended table of a function with one pin inverted.
func invertPin(t uint64, pin int) uint64 {
	low, high := netlist.Cofactors(t, pin)
	return high&^netlist.PinTable(pin) | low&netlist.PinTable(pin)
}

// These are the tables of nodes. A multiplexer reads the selector, the value for 0 and the value for 1, in this
// order.
const (
	tableAnd = 0b1000
	tableOr  = 0b1110
	tableXor = 0b0110
	tableMux = 0b11100100
)

// decompose adds the nodes for a function and returns its output. The function is an extended table over nodes.
func (w *network) decompose(t uint64, in []int32, c netlist.Cell) literal {
	support := netlist.Support(t)
	switch bits.OnesCount8(support) {
	case 0:
		return literal(t & 1)
	case 1:
		return literal(in[bits.TrailingZeros8(support)])<<1 | literal(t&1)
	}
	s := netlist.Decompose(t)
	pin := literal(in[s.Pin]) << 1
	if s.Inverted {
		pin |= 1
	}
	low := w.decompose(s.Low, in, c)
	switch s.Op {
	case netlist.SplitAnd:
		return w.join(c, tableAnd, pin, low)
	case netlist.SplitOr:
		return w.join(c, tableOr, pin, low)
	case netlist.SplitXor:
		return w.join(c, tableXor, pin, low)
	}
	high := w.decompose(s.High, in, c)
	if w.k == 2 {
		return w.join(c, tableOr, w.join(c, tableAnd, pin, high), w.join(c, tableAnd, pin^1, low))
	}
	return w.join(c, tableMux, pin, low, high)
}

// join adds a node whose inputs are literals.
func (w *network) join(c netlist.Cell, table uint64, in ...literal) literal {
	n := node{ins: uint8(len(in)), cell: c}
	t := netlist.Extend(table, len(in))
	for j, l := range in {
		if n.in[j] = l.node(); l&1 == 1 {
			t = invertPin(t, j)
		}
	}
	n.table = uint8(t & netlist.TableMask(len(in)))
	return w.add(n)
}
