package netlist

import (
	"fmt"

	"gonum.org/v1/gonum/graph"
	"gonum.org/v1/gonum/graph/encoding"
)

// Node is a cell or a port in a [Graph].
type Node struct {
	n  *Netlist
	id int64
}

// ID returns the node's number in its graph.
func (v Node) ID() int64 { return v.id }

// Cell returns the cell of the node. If the node is a port, ok is false.
func (v Node) Cell() (c Cell, ok bool) {
	if v.id < int64(len(v.n.kind)) {
		return Cell(v.id), true
	}
	return 0, false
}

// Port returns the port of the node and reports whether it is an output port. If the node is a cell, ok is false.
func (v Node) Port() (p Port, output, ok bool) {
	i := v.id - int64(len(v.n.kind))
	switch inputs := int64(len(v.n.inputs)); {
	case i < 0:
		return Port{}, false, false
	case i < inputs:
		return v.n.inputs[i], false, true
	default:
		return v.n.outputs[i-inputs], true, true
	}
}

// DOTID returns the node's name in the DOT language: c12 for a cell, in_x or out_h for a port.
func (v Node) DOTID() string {
	p, output, ok := v.Port()
	switch {
	case !ok:
		return fmt.Sprintf("c%d", v.id)
	case output:
		return "out_" + p.Name
	default:
		return "in_" + p.Name
	}
}

// Label describes the node: the kind and parameter of a cell, the name of a primitive, or the name and range of a
// port.
func (v Node) Label() string {
	if p, _, ok := v.Port(); ok {
		return fmt.Sprintf("%s[%d:0]", p.Name, len(p.Nets)-1)
	}
	c := Cell(v.id)
	switch kind, param := v.n.kind[c], v.n.param[c]; kind {
	case Function:
		return fmt.Sprintf("function %#x", param)
	case Compare:
		return fmt.Sprintf("compare > %d", param)
	case Argmax:
		width, margin := ArgmaxForm(param)
		label := fmt.Sprintf("argmax %d x %d", len(v.n.Inputs(c))/width, width)
		if margin > 0 {
			label += fmt.Sprintf(", margin %d", margin)
		}
		return label
	case Primitive:
		return "primitive " + v.n.primitives[param].Name
	default:
		return kind.String()
	}
}

// Attributes returns the node's attributes in the DOT language: its label, and a shape that distinguishes ports,
// functions and other cells.
func (v Node) Attributes() []encoding.Attribute {
	shape := "box"
	if c, ok := v.Cell(); !ok {
		shape = "cds"
	} else if v.n.kind[c] == Function {
		shape = "ellipse"
	}
	return []encoding.Attribute{{Key: "label", Value: v.Label()}, {Key: "shape", Value: shape}}
}

// Edge is a connection from a driver to a reader in a [Graph].
type Edge struct {
	from, to Node
}

// From returns the driver.
func (e Edge) From() graph.Node { return e.from }

// To returns the reader.
func (e Edge) To() graph.Node { return e.to }

// ReversedEdge returns e unchanged, since signals have one direction.
func (e Edge) ReversedEdge() graph.Edge { return e }

// nodes iterates over the nodes with the given IDs, or over all nodes if ids is nil.
type nodes struct {
	n     *Netlist
	count int
	ids   []uint32
	i     int // position of the current node; -1 before the first, count after the last
}

func newNodes(n *Netlist, count int, ids []uint32) graph.Nodes {
	if count == 0 {
		return graph.Empty
	}
	return &nodes{n, count, ids, -1}
}

// Len returns the number of remaining nodes.
func (s *nodes) Len() int { return max(0, s.count-s.i-1) }

// Next advances to the next node and reports whether there is one.
func (s *nodes) Next() bool {
	s.i = min(s.i+1, s.count)
	return s.i < s.count
}

// Node returns the current node, or nil if there is none.
func (s *nodes) Node() graph.Node {
	switch {
	case s.i < 0 || s.i >= s.count:
		return nil
	case s.ids == nil:
		return Node{s.n, int64(s.i)}
	default:
		return Node{s.n, int64(s.ids[s.i])}
	}
}

// Reset moves back to before the first node.
func (s *nodes) Reset() { s.i = -1 }
