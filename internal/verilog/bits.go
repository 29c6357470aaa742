package verilog

import (
	"fmt"
	"regexp"
	"strconv"

	"ialgn/internal/bitplane"
	"ialgn/netlist"
)

// wideInput is the smallest width of an input port for which each bit that is read gets its own wire, such as x_5 for
// x[5]. Without these wires, iverilog's time grows with the square of the number of bit selects of a vector. A
// network with 2,352 input bits would take minutes.
const wideInput = 512

// findBits finds the input bits that get their own wires.
func (m *wires) findBits() {
	wide := false
	for _, p := range m.n.InputPorts() {
		wide = wide || len(p.Nets) >= wideInput
	}
	if !wide {
		return
	}
	m.bits = bitplane.NewSet(int(m.n.FirstCellNet()))
	for c := range netlist.Cell(m.n.Cells()) {
		in := m.n.Inputs(c)
		used := ^uint8(0)
		switch m.n.Kind(c) {
		case netlist.Function:
			used = netlist.Support(netlist.Effective(m.n.Param(c), in))
		case netlist.Carry, netlist.Counter:
		case netlist.Register:
			in = in[:1]
		case netlist.Popcount:
			if len(in) > 1 { // a word of several bits reads the port itself
				continue
			}
		default:
			continue
		}
		for j, v := range in {
			if used>>j&1 == 1 && m.inWide(v) {
				m.bits.Add(int(v))
			}
		}
	}
}

// inWide reports whether v is a bit of a wide input port.
func (m *wires) inWide(v netlist.Net) bool {
	if v <= netlist.True || v >= m.n.FirstCellNet() {
		return false
	}
	s, _ := m.Locate(v)
	return len(m.n.InputPorts()[s].Nets) >= wideInput
}

// hasWire reports whether v is an input bit with its own wire.
func (m *wires) hasWire(v netlist.Net) bool {
	return m.bits != nil && v < m.n.FirstCellNet() && m.bits.Has(int(v))
}

// bitWire appends the name of an input bit's wire.
func (m *wires) bitWire(buf []byte, v netlist.Net) []byte {
	s, bit := m.Locate(v)
	return strconv.AppendInt(append(m.AppendSignal(buf, s), '_'), int64(bit), 10)
}

// inputBits declares the wires of input bits.
func (d *design) inputBits() {
	first := true
	for v := netlist.True + 1; v < d.n.FirstCellNet(); v++ {
		if !d.hasWire(v) {
			continue
		}
		if first {
			d.text("\n  // bits of wide ports\n")
			first = false
		}
		line := append(d.bitWire(d.start("  wire "), v), " = "...)
		s, bit := d.Locate(v)
		d.end(append(d.piece(line, piece{s, bit, 1}), ';'))
	}
}

// checkBits returns an error if a port or probe has the name of a wide input port's bit wire.
func checkBits(n *netlist.Netlist, taken map[string]string) error {
	for _, p := range n.InputPorts() {
		if len(p.Nets) < wideInput {
			continue
		}
		bit := regexp.MustCompile("^" + regexp.QuoteMeta(p.Name) + `_\d+$`)
		for name := range taken {
			if bit.MatchString(name) {
				return fmt.Errorf("verilog: the name %q is the name of a bit of port %s; choose another name", name, p.Name)
			}
		}
	}
	return nil
}
