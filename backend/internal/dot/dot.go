// Package dot writes small netlists in the DOT language, for Graphviz to draw.
//
// It adds attributes to [netlist.Graph] for gonum's encoder. A node shows what a cell computes and which gate of the
// model it came from. An edge shows at its tail which bits of a bus it carries, and at its head which pins of a cell
// it feeds. Pins of functions are called A, B, C and so on, as in the functions' expressions. Constants have no node.
// Instead, a cell lists its constant pins.
package dot

import (
	"fmt"
	"io"

	"gonum.org/v1/gonum/graph"
	"gonum.org/v1/gonum/graph/encoding"
	"gonum.org/v1/gonum/graph/encoding/dot"

	"ialgn/netlist"
)

// MaxNodes and MaxPins bound the netlists that can be written. Larger drawings are useless. Graphviz does not finish
// them, and nobody could read them.
const (
	MaxNodes = 2000   // cells and ports
	MaxPins  = 20_000 // inputs of cells and bits of output ports
)

// Write writes n in the DOT language. It supports every kind of cell. It returns an error before it writes anything
// if n exceeds [MaxNodes] or [MaxPins]. Later errors come from w.
func Write(w io.Writer, n *netlist.Netlist) error {
	if err := checkSize(n); err != nil {
		return err
	}
	text, err := dot.Marshal(view{netlist.NewGraph(n)}, n.Name, "", "  ")
	if err != nil {
		return fmt.Errorf("dot: %w", err)
	}
	_, err = w.Write(append(text, '\n'))
	return err
}

func checkSize(n *netlist.Netlist) error {
	const remedy = "optimise it, take the scope gates, or write another format"
	nodes := n.Cells() + len(n.InputPorts()) + len(n.OutputPorts())
	if nodes > MaxNodes {
		return fmt.Errorf("dot: %s has %d cells and ports, at most %d can be drawn, %s", n.Name, nodes, MaxNodes, remedy)
	}
	pins := 0
	for c := range netlist.Cell(n.Cells()) {
		pins += len(n.Inputs(c))
	}
	for _, p := range n.OutputPorts() {
		pins += len(p.Nets)
	}
	if pins > MaxPins {
		return fmt.Errorf("dot: %s has %d pins, at most %d can be drawn, %s", n.Name, pins, MaxPins, remedy)
	}
	return nil
}

// view is a netlist's graph with attributes for drawing.
type view struct{ *netlist.Graph }

// DOTAttributers returns the attributes of the drawing and the default attributes of nodes and edges.
func (v view) DOTAttributers() (drawing, nodes, edges encoding.Attributer) {
	return attributes{"rankdir", "LR"}, attributes{"shape", "box"}, attributes{"fontsize", "9"}
}

// Nodes returns all nodes, with their attributes.
func (v view) Nodes() graph.Nodes { return nodes{v.Graph.Nodes(), v.Netlist()} }

// From returns the nodes that read node id, with their attributes.
func (v view) From(id int64) graph.Nodes { return nodes{v.Graph.From(id), v.Netlist()} }

// Edge returns the edge between two nodes, with its attributes.
func (v view) Edge(from, to int64) graph.Edge {
	e, ok := v.Graph.Edge(from, to).(netlist.Edge)
	if !ok {
		return nil
	}
	return edge{e, v.Netlist()}
}

// nodes adds attributes to the nodes of an iterator.
type nodes struct {
	graph.Nodes
	n *netlist.Netlist
}

func (s nodes) Node() graph.Node {
	v, ok := s.Nodes.Node().(netlist.Node)
	if !ok {
		return nil
	}
	return node{v, s.n}
}

// attributes is a list of alternating keys and values.
type attributes []string

func (a attributes) Attributes() []encoding.Attribute {
	var list []encoding.Attribute
	for i := 0; i < len(a); i += 2 {
		if a[i+1] != "" {
			list = append(list, encoding.Attribute{Key: a[i], Value: a[i+1]})
		}
	}
	return list
}
