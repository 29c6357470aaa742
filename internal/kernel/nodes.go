package kernel

import (
	"math/bits"

	"ialgn/internal/ranks"
)

// MaxPins is the largest fan-in of a node. maxLines is the largest number of lines in a table.
const (
	MaxPins  = 6
	maxLines = 1 << MaxPins
)

// Nodes is a section of a network of look-up tables, together with its state. It has Layers nodes in each of Width
// chains. Nodes can have any number of pins. A section of two-pin [Gates] can also be represented as Nodes.
//
// The number of a line has one bit for each pin. Pin 0 is the highest bit.
type Nodes struct {
	Layers, Width int
	Arity         int      // number of function logits of a node: [Ops], or the number of lines of its table
	Logits                 // the function logits; Top is set only for Ops logits
	Pins          []*Pin   // a pin on the spine is nil
	Table         []uint64 // the selected table, [nodes]: bit i is the value at line i

	// Op, unless nil, holds the selected operations and replaces Table. It is the state of gates.
	Op []uint8

	// Part says which chains of the network this section holds. If it is nil, the section holds all chains. Random
	// draws depend on the chain numbers in the whole network.
	Part *ranks.Share
}

// number converts a node's number in this rank's part to the node's number in the whole network.
func (n *Nodes) number(node int) int {
	if n.Part == nil {
		return node
	}
	return n.Part.Number(node)
}

// Nodes returns the gates as nodes that share the parameters and the state.
func (s *Gates) Nodes(width int) *Nodes {
	return &Nodes{
		Layers: s.Layers, Width: width, Arity: s.Arity(), Logits: s.Logits, Pins: []*Pin{s.A, s.B}, Op: s.Op,
	}
}

// table returns the table that the logits of node g select.
func (n *Nodes) table(g int) uint64 {
	if n.Op != nil {
		return operationTable(int(n.Op[g]))
	}
	return n.Table[g]
}

// operations reports whether the function logits belong to operations instead of lines.
func (n *Nodes) operations() bool { return n.Arity == Ops && len(n.Pins) == 2 }

// lines returns the number of lines of a node's table.
func (n *Nodes) lines() int { return 1 << len(n.Pins) }

// Refresh recomputes everything that the logits select.
func (n *Nodes) Refresh() {
	for g := range n.Table {
		n.refresh(g)
		for _, p := range n.Pins {
			if p != nil {
				p.refresh(g)
			}
		}
	}
}

// refresh recomputes the table that the function logits of node g select.
func (n *Nodes) refresh(g int) {
	w := n.W[g*n.Arity:][:n.Arity]
	if !n.operations() {
		n.Table[g] = positive(w)
		return
	}
	k, top := Largest(w)
	n.Table[g], n.Top[g] = operationTable(k), top
}

// operationTable returns the table of an operation of two pins.
func operationTable(op int) uint64 { return uint64(bits.Reverse8(uint8(op)) >> 4) }

// constant reports whether the logits of node g select a constant.
func (n *Nodes) constant(g int) bool {
	t := n.table(g)
	return t == 0 || t == ^uint64(0)>>(64-n.lines())
}

// Number converts the table of a node with the given number of pins to the paper's numbering, in which line 0 is the
// highest bit.
func Number(table uint64, pins int) uint64 { return bits.Reverse64(table) >> (64 - 1<<pins) }

// positive returns the table that is 1 at the lines whose logit is above 0.
func positive(w []float32) (table uint64) {
	for i, x := range w {
		if x > 0 {
			table |= 1 << i
		}
	}
	return table
}

// NodeLayer is one layer of a network of nodes.
type NodeLayer struct {
	*Nodes       // the section that the layer belongs to
	Index  int   // index of the layer in its section
	Number int   // number of the layer in the network, from 0
	Uses   *Uses // edges to the nodes that read the layer; nil for the last layer
}

// node returns the index of node i of the layer in the section's arrays.
func (l *NodeLayer) node(i int) int { return i*l.Layers + l.Index }

// slots returns the number of hidden candidates of a pin. It returns 0 for a pin that reads inputs.
func slots(p *Pin) int {
	switch {
	case p == nil:
		return 1
	case p.Hidden:
		return p.K
	}
	return 0
}

// Hidden returns the number of a node's pins that read the previous layer. It also returns the total number of
// candidates that these pins have.
func (n *Nodes) Hidden() (pins, candidates int) {
	for _, p := range n.Pins {
		if s := slots(p); s > 0 {
			pins++
			candidates += s
		}
	}
	return pins, candidates
}

// Choosing reports whether pins read the previous layer, and each of them chooses among several nodes.
func (n *Nodes) Choosing() bool {
	pins := 0
	for _, p := range n.Pins {
		switch slots(p) {
		case 0:
		case 1:
			return false
		default:
			pins++
		}
	}
	return pins > 0
}

// NewNodeUses returns the edges from a layer of the given width to its readers, the nodes of the next layer l. An
// edge refers to the gradient of one of the reader's hidden pins and to the probability of one candidate of this pin.
// Gradients are numbered in the order of the pins.
func NewNodeUses(l *NodeLayer, width int) *Uses {
	u := usesOf(width, l.eachEdge)
	u.choosing = l.Choosing()
	return u
}

// eachEdge calls f for all edges between l and the previous layer, in the order of slots. It passes the edge and the
// node of the previous layer.
func (l *NodeLayer) eachEdge(f func(node uint32, e Edge)) {
	row, slot := uint32(0), uint32(0)
	for i := range l.Width {
		for _, p := range l.Pins {
			n := slots(p)
			for j := range n {
				node := uint32(i)
				if p != nil {
					node = p.Wire(l.node(i)*p.K + j)
				}
				f(node, Edge{row, slot})
				slot++
			}
			if n > 0 {
				row++
			}
		}
	}
}
