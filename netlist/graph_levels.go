package netlist

import "math"

// Levels is a [Graph] with weights for searches of the deepest path. The weight of an edge is the negated number of
// levels that the edge adds to the effective depth of its reader. gonum's shortest paths are then the deepest paths.
// The weight is:
//
//   - -1 if the reader is a cell that computes something from the driver;
//   - 0 if the reader only passes the driver on, or is a register or a port;
//   - +Inf if the reader does not depend on the driver.
//
// Levels implements gonum's path.Weighted. The effective depth of gates is defined in the IALGN paper, supplement,
// "Effective-Depth Analysis".
type Levels struct{ *Graph }

// NewLevels returns the weighted graph of n, which must be valid.
func NewLevels(n *Netlist) Levels { return Levels{NewGraph(n)} }

// Weight returns the weight of the edge from node uid to node vid. It returns 0 for an edge from a node to itself,
// and +Inf if vid does not depend on uid. The result ok reports whether the nodes are equal or connected by an
// edge.
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

// cellWeight returns the weight of an edge to a cell. If several pins read the driver, it uses the pin that adds most
// levels.
func (g Levels) cellWeight(uid int64, c Cell) float64 {
	n, weight := g.n, math.Inf(1)
	for pin, v := range n.Inputs(c) {
		if d, ok := g.driver(v); ok && int64(d) == uid {
			weight = min(weight, pinWeight(n, c, pin))
		}
	}
	return weight
}

// pinWeight returns the weight for one pin of a cell.
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
