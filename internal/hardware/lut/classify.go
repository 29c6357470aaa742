package lut

import (
	"ialgn/internal/chain"
	"ialgn/netlist"
)

// role says how a cell is mapped.
type role uint8

const (
	left     role = iota // the cell is copied unchanged
	chained              // a gate of a private chain
	inverter             // a function of one net, driven by a private chain
	general              // other logic
)

// classify gives each cell its role. A chain is private if none of its sides is a gate, and if its base is either no
// gate or the end of a private chain. Chains and general logic are mapped separately. So all logic that feeds general
// logic or reads general logic is also general.
func (m *mapper) classify() {
	n := m.n
	m.paths = chain.Find(n)
	m.role = make([]role, n.Cells())
	for c := range netlist.Cell(n.Cells()) {
		m.role[c] = m.firstRole(c)
	}
	m.unchain()
	for changed := true; changed; {
		changed = m.spreadUp()
		changed = m.spreadDown() || changed
	}
}

// firstRole returns the role of a cell, considering only the cell and its drivers.
func (m *mapper) firstRole(c netlist.Cell) role {
	in := m.n.Inputs(c)
	fits := len(in) <= m.o.K
	switch {
	case m.n.Kind(c) != netlist.Function || len(in) == 0 || m.n.Origin(c).Layer == 0 && fits:
		return left
	case m.paths.Gate(c):
		spine, side := m.paths.Spine(c)
		if m.roleOf(side) == left && (m.roleOf(spine) == left || m.roleOf(spine) == chained) {
			return chained
		}
	case len(in) == 1 && m.roleOf(in[0]) != general && (m.n.Param(c) == tableNot || m.n.Param(c) == tableCopy):
		if m.roleOf(in[0]) == left {
			return left
		}
		return inverter
	}
	return general
}

// roleOf returns the role of the cell that drives a net. For an input or a constant, the result is the constant left.
func (m *mapper) roleOf(v netlist.Net) role {
	if c, _, ok := m.n.Driver(v); ok {
		return m.role[c]
	}
	return left
}

// unchain makes a chain general if the chain continues in a gate that is copied unchanged. Such a chain has no last
// gate.
func (m *mapper) unchain() {
	for c, r := range m.role {
		if r != left || !m.paths.Gate(netlist.Cell(c)) {
			continue
		}
		spine, _ := m.paths.Spine(netlist.Cell(c))
		if d, _, ok := m.n.Driver(spine); ok && m.role[d] == chained && !m.paths.Last(d) {
			m.role[d] = general
		}
	}
}

// spreadUp gives the role general to all logic that feeds general logic, and reports whether any role changed.
func (m *mapper) spreadUp() (changed bool) {
	for c := netlist.Cell(m.n.Cells()); c > 0; {
		c--
		if m.role[c] != general {
			continue
		}
		for _, v := range m.n.Inputs(c) {
			if d, _, ok := m.n.Driver(v); ok && (m.role[d] == chained || m.role[d] == inverter) {
				m.role[d], changed = general, true
			}
		}
	}
	return changed
}

// spreadDown gives the role general to all logic that reads general logic, and reports whether any role changed.
func (m *mapper) spreadDown() (changed bool) {
	for c, r := range m.role {
		if r != chained && r != inverter {
			continue
		}
		for _, v := range m.n.Inputs(netlist.Cell(c)) {
			if m.roleOf(v) == general || r == chained && m.roleOf(v) == inverter {
				m.role[c], changed = general, true
			}
		}
	}
	return changed
}
