package pipeline

import "ialgn/netlist"

// timing holds the levels of a netlist without registers.
type timing struct {
	n     *netlist.Netlist
	fixed []int32 // [net]: AnyStage if the net depends on no input; otherwise 0
	level []int32 // [cell]: levels on the longest path from the inputs to the cell's output
	after []int32 // [cell]: levels on the longest path that starts at the cell's output
	depth int     // the longest path
}

func newTiming(n *netlist.Netlist) *timing {
	t := &timing{n: n, fixed: n.Stages(), level: make([]int32, n.Cells()), after: make([]int32, n.Cells())}
	for c := range netlist.Cell(n.Cells()) {
		t.eachDriver(c, func(u netlist.Cell) { t.level[c] = max(t.level[c], t.level[u]) })
		t.level[c] += t.delay(c)
		t.depth = max(t.depth, int(t.level[c]))
	}
	for c := netlist.Cell(n.Cells()); c > 0; {
		c--
		t.eachDriver(c, func(u netlist.Cell) { t.after[u] = max(t.after[u], t.after[c]+t.delay(c)) })
	}
	return t
}

// constant reports whether net v depends on no input, so that it needs no register.
func (t *timing) constant(v netlist.Net) bool { return t.fixed[v] == netlist.AnyStage }

// delay returns the number of levels of cell c, 0 or 1.
func (t *timing) delay(c netlist.Cell) int32 {
	if t.n.Kind(c) == netlist.Carry || t.constant(t.n.Output(c)) {
		return 0
	}
	return 1
}

// eachDriver calls f for every cell that drives an input of cell c and depends on an input port.
func (t *timing) eachDriver(c netlist.Cell, f func(u netlist.Cell)) {
	for _, v := range t.n.Inputs(c) {
		if u, _, ok := t.n.Driver(v); ok && !t.constant(v) {
			f(u)
		}
	}
}

// anyOutput reports whether some output depends on an input.
func (t *timing) anyOutput() bool {
	for _, p := range t.n.OutputPorts() {
		for _, v := range p.Nets {
			if !t.constant(v) {
				return true
			}
		}
	}
	return false
}
