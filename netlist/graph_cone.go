package netlist

import (
	"gonum.org/v1/gonum/graph"
	"gonum.org/v1/gonum/graph/traverse"
)

// Backwards is a [Graph] whose edges lead from readers to drivers, for searches that ask what a node depends on. It
// implements gonum's traverse.Graph.
type Backwards struct{ *Graph }

var _ traverse.Graph = Backwards{}

// From returns the nodes that drive an input of the given node, in the order of their IDs.
func (g Backwards) From(id int64) graph.Nodes { return g.Graph.To(id) }

// To returns the nodes that read an output of the given node, in the order of their IDs.
func (g Backwards) To(id int64) graph.Nodes { return g.Graph.From(id) }

// Edge returns the edge from a reader to one of its drivers. The nodes must be connected; Edge does not check it.
func (g Backwards) Edge(reader, driver int64) graph.Edge {
	return Edge{Node{g.n, reader}, Node{g.n, driver}}
}

// Cone calls visit for every cell that drives one of the nets. If visit returns true for a cell, Cone goes on with
// the cells that drive its inputs. Each cell is visited once, in the order of a depth-first search.
//
// A search suits the few cells behind a fault. For the cells behind many nets, one sweep over the arrays is faster:
// 4.4 ms instead of 720 ms for 800,000 gates.
func Cone(n *Netlist, nets []Net, visit func(c Cell) (further bool)) {
	g := Backwards{NewGraph(n)}
	further := make(map[int64]bool)
	search := traverse.DepthFirst{
		Visit: func(v graph.Node) {
			if v.ID() < int64(n.Cells()) {
				further[v.ID()] = visit(Cell(v.ID()))
			}
		},
		Traverse: func(e graph.Edge) bool { return further[e.From().ID()] && e.To().ID() < int64(n.Cells()) },
	}
	for _, v := range nets {
		if c, _, ok := n.Driver(v); ok && !search.Visited(g.CellNode(c)) {
			search.Walk(g, g.CellNode(c), nil)
		}
	}
}
