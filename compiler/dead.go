package compiler

import (
	"fmt"

	"ialgn/netlist"
)

// Dead removes cells whose outputs reach no output port and no probe.
//
// Requires: nothing.
// Ensures:  every cell reaches an output port or a probe.
// Cost:     O(cells + pins), one backward sweep.
//
// Dead runs last, since the other passes leave replaced cells behind without readers.
func Dead(n *netlist.Netlist) *netlist.Netlist {
	live, s := liveNets(n)
	c := copier(n, s)
	for i := range netlist.Cell(n.Cells()) {
		if isLive(n, i, live) {
			c.Copy(i)
		}
	}
	return c.Finish()
}

// liveNets returns the nets that reach an output port or a probe, and the size of the cells that drive them.
func liveNets(n *netlist.Netlist) (netSet, size) {
	live := newNetSet(n)
	for _, ports := range [][]netlist.Port{n.OutputPorts(), n.Probes()} {
		for _, p := range ports {
			for _, v := range p.Nets {
				live.add(v)
			}
		}
	}
	s := size{}
	for i := netlist.Cell(n.Cells()); i > 0; {
		i--
		if !isLive(n, i, live) {
			continue
		}
		s.cells++
		s.pins += len(n.Inputs(i))
		for _, v := range n.Inputs(i) {
			live.add(v)
		}
	}
	return live, s
}

func isLive(n *netlist.Netlist, i netlist.Cell, live netSet) bool {
	for k := range netlist.Net(n.Outputs(i)) {
		if live.has(n.Output(i) + k) {
			return true
		}
	}
	return false
}

// netSet is a set of nets with one bit for each net.
type netSet []uint64

func newNetSet(n *netlist.Netlist) netSet { return make(netSet, (n.Nets()+63)/64) }

func (s netSet) has(v netlist.Net) bool { return s[v/64]>>(v%64)&1 == 1 }
func (s netSet) add(v netlist.Net)      { s[v/64] |= 1 << (v % 64) }

// allLive returns an error if any cell reaches neither an output port nor a probe.
func allLive(n *netlist.Netlist) error {
	if _, live := liveNets(n); live.cells < n.Cells() {
		return fmt.Errorf("%d cells reach no output port and no probe", n.Cells()-live.cells)
	}
	return nil
}
