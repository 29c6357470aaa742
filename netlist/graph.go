package netlist

import (
	"slices"
	"sync"

	"gonum.org/v1/gonum/graph"
)

// Graph presents a netlist as a directed graph to gonum's algorithms and encoders. It has one node for each cell and
// each port. The node of cell c has ID c. The next IDs belong to the input ports in their order, and the last IDs to
// the output ports in their order. Constants, probes and single nets have no node.
//
// An edge leads from a driver to a reader. If several nets or pins connect the same two nodes, they make one edge.
// The graph has no cycle, and edges between cells lead to higher IDs.
//
// A netlist stores only the nets that each cell reads. The first search in the other direction, from a driver to
// its readers, builds an index of 4 bytes for each node and edge, which lives as long as the Graph. Several
// goroutines may use a Graph.
type Graph struct {
	n      *Netlist
	fanout func() *fanout
}

var _ graph.Directed = (*Graph)(nil)

// NewGraph returns the graph of n, which must be valid. The call itself costs almost nothing.
func NewGraph(n *Netlist) *Graph {
	g := &Graph{n: n}
	g.fanout = sync.OnceValue(g.newFanout)
	return g
}

// Netlist returns the netlist of the graph.
func (g *Graph) Netlist() *Netlist { return g.n }

// DOTID returns the name of the graph in the DOT language, which is the name of the netlist.
func (g *Graph) DOTID() string { return g.n.Name }

// Len returns the number of nodes.
func (g *Graph) Len() int { return len(g.n.kind) + len(g.n.inputs) + len(g.n.outputs) }

// CellNode returns the node of cell c.
func (g *Graph) CellNode(c Cell) Node { return Node{g.n, int64(c)} }

// InputNode returns the node of input port i.
func (g *Graph) InputNode(i int) Node { return Node{g.n, int64(len(g.n.kind) + i)} }

// OutputNode returns the node of output port i.
func (g *Graph) OutputNode(i int) Node {
	return Node{g.n, int64(len(g.n.kind) + len(g.n.inputs) + i)}
}

// Node returns the node with the given ID, of type [Node], or nil if there is none.
func (g *Graph) Node(id int64) graph.Node {
	if !g.has(id) {
		return nil
	}
	return Node{g.n, id}
}

func (g *Graph) has(id int64) bool { return id >= 0 && id < int64(g.Len()) }

// Nodes returns all nodes in the order of their IDs.
func (g *Graph) Nodes() graph.Nodes { return newNodes(g.n, g.Len(), nil) }

// From returns the nodes that read an output of the given node, in the order of their IDs.
func (g *Graph) From(id int64) graph.Nodes {
	readers := g.readers(id)
	return newNodes(g.n, len(readers), readers)
}

// To returns the nodes that drive an input of the given node, in the order of their IDs.
func (g *Graph) To(id int64) graph.Nodes {
	drivers := g.drivers(nil, id)
	return newNodes(g.n, len(drivers), drivers)
}

// HasEdgeBetween reports whether one of the two nodes reads the other.
func (g *Graph) HasEdgeBetween(xid, yid int64) bool {
	return g.HasEdgeFromTo(xid, yid) || g.HasEdgeFromTo(yid, xid)
}

// HasEdgeFromTo reports whether node vid reads node uid.
func (g *Graph) HasEdgeFromTo(uid, vid int64) bool {
	if !g.has(uid) || !g.has(vid) {
		return false
	}
	_, found := slices.BinarySearch(g.readers(uid), uint32(vid))
	return found
}

// Edge returns the edge from node uid to node vid, or nil if vid does not read uid.
func (g *Graph) Edge(uid, vid int64) graph.Edge {
	if !g.HasEdgeFromTo(uid, vid) {
		return nil
	}
	return Edge{Node{g.n, uid}, Node{g.n, vid}}
}

// reads returns the nets that a node reads.
func (g *Graph) reads(id int64) []Net {
	n := g.n
	if id < int64(len(n.kind)) {
		return n.Inputs(Cell(id))
	}
	if i := id - int64(len(n.kind)+len(n.inputs)); i >= 0 {
		return n.outputs[i].Nets
	}
	return nil
}

// drivers appends to dst the nodes that drive the inputs of a node, in ascending order without duplicates.
func (g *Graph) drivers(dst []uint32, id int64) []uint32 {
	if !g.has(id) {
		return dst
	}
	for _, v := range g.reads(id) {
		if d, ok := g.driver(v); ok {
			dst = append(dst, d)
		}
	}
	slices.Sort(dst)
	return slices.Compact(dst)
}

// driver returns the node that drives a net. If v is a constant, ok is false.
func (g *Graph) driver(v Net) (node uint32, ok bool) {
	if c, _, ok := g.n.Driver(v); ok {
		return uint32(c), true
	}
	for i, p := range g.n.inputs {
		if len(p.Nets) > 0 && v >= p.Nets[0] && v <= p.Nets[len(p.Nets)-1] {
			return uint32(len(g.n.kind) + i), true
		}
	}
	return 0, false
}

// fanout holds the readers of each node. The readers of node u are to[start[u]:start[u+1]].
type fanout struct {
	start []uint32
	to    []uint32
}

func (g *Graph) readers(id int64) []uint32 {
	if !g.has(id) {
		return nil
	}
	f := g.fanout()
	return f.to[f.start[id]:f.start[id+1]]
}

// newFanout builds a list of readers for each node. It visits readers in ascending order, so every list is sorted.
func (g *Graph) newFanout() *fanout {
	f := &fanout{start: make([]uint32, g.Len()+2)}
	var drivers []uint32
	each := func(visit func(driver, reader uint32)) {
		for id := range int64(g.Len()) {
			drivers = g.drivers(drivers[:0], id)
			for _, d := range drivers {
				visit(d, uint32(id))
			}
		}
	}
	each(func(d, _ uint32) { f.start[d+2]++ })
	for i := 2; i < len(f.start); i++ {
		f.start[i] += f.start[i-1]
	}
	f.to = make([]uint32, f.start[len(f.start)-1])
	each(func(d, reader uint32) {
		f.to[f.start[d+1]] = reader
		f.start[d+1]++
	})
	f.start = f.start[:g.Len()+1]
	return f
}
