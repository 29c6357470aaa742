package netlist

import "math"

// Levels is a [Graph] whose edges weigh what they add to the effective depth of their reader, negated,
// so that gonum's shortest ways are the deepest ones: -1 for an edge to a cell that computes something
// of it, 0 where the reader only passes it on or is a port, and +Inf where the reader does not depend
// on it. It is what package path of gonum calls Weighted, in levels; the effective depth of the gates is that
// of the IALGN paper, supplement, "Effective-Depth Analysis".
type Levels struct{ *Graph }

// NewLevels returns the graph of n with weights. n must be valid.
func NewLevels(n *Netlist) Levels { return Levels{NewGraph(n)} }

// Weight returns the weight of the edge from node uid to node vid, 0 from a node to itself, and +Inf
// where vid does not depend on uid. ok says that the two are one node, or that there is an edge.
func (g Levels) Weight(uid, vid int64) (w float64, ok bool) {
	switch {
	case uid == vid:
		return 0, true
	case !g.HasEdgeFromTo(uid, vid):
		return math.Inf(1), false
	case vid >= int64(g.n.Cells()):
		return 0, true
	}
	return g.cellWeight(uid, Cell(vid)), true
}

// cellWeight returns the weight of an edge to a cell: that of the pin which adds most.
func (g Levels) cellWeight(uid int64, c Cell) float64 {
	n, weight := g.n, math.Inf(1)
	for pin, v := range n.Inputs(c) {
		if d, ok := g.driver(v); ok && int64(d) == uid {
			weight = min(weight, pinWeight(n, c, pin))
		}
	}
	return weight
}

// pinWeight returns the weight of one pin of a cell.
func pinWeight(n *Netlist, c Cell, pin int) float64 {
	if n.Kind(c) == Register {
		return 0
	}
	if n.Kind(c) != Function {
		return -1
	}
	table := Extend(n.Param(c), len(n.Inputs(c)))
	switch {
	case Support(table)>>pin&1 == 0:
		return math.Inf(1)
	case table == PinTable(pin):
		return 0
	}
	return -1
}
