package chain

import "ialgn/netlist"

// tableNot is the inverter's table.
const tableNot = 0b01

// Remove removes the steps of chains that cannot affect the output; see [Simplifier.Simplify]. Chains that lose no
// step are copied cell by cell. In other chains, each remaining step becomes a cell with the origin of its gate, and
// the last cell computes the chain's function. The cells before the last one may compute other functions than the
// gates from which they come. Therefore Remove runs only if the netlist is mapped afterwards. In a netlist that is
// not mapped, each cell computes a gate or its complement, so that verify can name a faulty gate by comparing cells
// with gates.
//
// Requires: no copies, no inverters and no constant or repeated inputs between gates, so that chains are recognised
// completely.
// Ensures:  no chain has a step that cannot affect the output, given the other steps and the thermometer bits that o
// knows.
// Cost:     O(cells + pins), 6 bytes for each cell and 1 for each net.
func Remove(n *netlist.Netlist, o *Order) *netlist.Netlist {
	r := &remover{Copier: netlist.NewCopier(n), paths: Find(n), simplifier: NewSimplifier(o)}
	r.rewritten = make([]bool, n.Cells())
	for c := range netlist.Cell(n.Cells()) {
		if r.paths.Last(c) && r.shortens(c) {
			r.mark(c)
		}
	}
	for c := range netlist.Cell(n.Cells()) {
		switch {
		case !r.rewritten[c]:
			r.Copy(c)
		case r.paths.Last(c):
			r.shortens(c)
			r.Set(n.Output(c), r.chain.build(r.Copier, n.Origin(c)))
		}
	}
	return r.Finish()
}

type remover struct {
	*netlist.Copier
	paths      *Paths
	simplifier *Simplifier
	chain      Chain
	rewritten  []bool // gates of chains that get shorter
}

// shortens simplifies the chain that ends with c into r.chain, and reports whether it got shorter.
func (r *remover) shortens(c netlist.Cell) bool {
	r.paths.Chain(c, &r.chain)
	r.simplifier.Simplify(&r.chain)
	return len(r.chain.Steps) < r.paths.Len(c)
}

// mark marks all gates of the chain that ends with c.
func (r *remover) mark(c netlist.Cell) {
	for range r.paths.Len(c) {
		r.rewritten[c] = true
		spine, _ := r.paths.Spine(c)
		c, _, _ = r.Old.Driver(spine)
	}
}

// build adds the chain's cells, translating nets of the old netlist, and returns its output. An
// inverter gets the given origin.
func (c *Chain) build(to *netlist.Copier, o netlist.Origin) netlist.Net {
	if len(c.Steps) == 0 {
		switch {
		case c.Base.constant():
			return constantOf(c.Inverted).Net
		case c.Inverted:
			return to.Function(tableNot, o, to.To(c.Base.Net))
		}
		return to.To(c.Base.Net)
	}
	h := to.To(c.Base.Net)
	for i, s := range c.Steps {
		h = to.Function(c.Table(i), s.Origin, h, to.To(s.Side.Net))
	}
	return h
}
