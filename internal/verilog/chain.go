package verilog

import (
	"slices"

	"ialgn/internal/names"
	"ialgn/netlist"
)

// For targets with carry chains, a carry can have two wires. A wire such as count_3_n5 is on the chain. Only the next
// carry and the LUT in the same logic cell as the next carry can read this wire. The wire count_3_n5_o is the output
// of a LUT that makes the carry readable for all other cells. If a LUT shares a logic cell with a carry, its second
// and third pins have the operands of the carry, and its last pin has the incoming carry. Place and route recognises
// the pair by these pins. Without such a LUT, nextpnr would insert one and end the chain there. On iCE40, a count of
// 100 bits takes 154 logic cells in this form. With a LUT for each carry, it takes 160.

// chainsOf returns the carry chains of n, or nil if the target has no carries.
func (f *family) chainsOf(n *netlist.Netlist) *netlist.Chains {
	if f == nil || !f.Carry {
		return nil
	}
	return n.CarryChains()
}

// onChain returns the net that function c reads directly from a carry chain.
func (m *wires) onChain(c netlist.Cell) (netlist.Net, bool) {
	if m.chains == nil {
		return 0, false
	}
	return m.chains.Reads(c)
}

// broughtOut reports whether the scalar s is a carry that a LUT makes readable.
func (m *wires) broughtOut(s names.Signal) bool {
	if m.chains == nil || int(s) < len(m.n.InputPorts()) {
		return false
	}
	return m.chains.Out(m.n.Output(netlist.Cell(int(s) - len(m.n.InputPorts()))))
}

// link appends the name of net v on the carry chain.
func (m *wires) link(buf []byte, v netlist.Net) []byte {
	if c, _, ok := m.n.Driver(v); ok && m.n.Kind(c) == netlist.Carry {
		return m.AppendCell(buf, c)
	}
	return m.net(buf, v)
}

// place returns the nets at the pins of the LUT for function c. The argument pins lists the inputs on which the
// function depends.
func (d *design) place(c netlist.Cell, pins []int, width int) []netlist.Net {
	place := make([]netlist.Net, 0, width)
	link, chained := d.onChain(c)
	beside := d.operands(c)
	if beside != nil {
		place = append(place, netlist.False)
	}
	place = append(place, beside...)
	for _, j := range pins {
		switch v := d.n.Inputs(c)[j]; {
		case chained && v == link || slices.Contains(beside, v):
		case beside != nil:
			place[0] = v
		default:
			place = append(place, v)
		}
	}
	for len(place) < width {
		place = append(place, netlist.False)
	}
	switch {
	case chained:
		place[width-1] = link
	case d.chains != nil:
		d.giveWay(place)
	}
	return place
}

// operands returns the operands of the carry that shares a logic cell with function c, or nil if there is no such
// carry.
func (d *design) operands(c netlist.Cell) []netlist.Net {
	if d.chains == nil {
		return nil
	}
	carry, ok := d.chains.Beside(c)
	if !ok {
		return nil
	}
	return d.n.Inputs(carry)[:2]
}

// giveWay moves a chain's first carry away from the last pin of a LUT in another logic cell. Otherwise place and
// route would put this LUT into the carry's logic cell.
func (d *design) giveWay(place []netlist.Net) {
	last := len(place) - 1
	for k := 0; k < last; k++ {
		if _, first := d.chains.Next(place[last]); !first {
			return
		}
		place[k], place[last] = place[last], place[k]
	}
}

// carry writes a carry. If no other LUT shares the carry's logic cell, the method carry also writes a LUT there,
// which makes the incoming carry readable. For the last carry of a chain, this LUT is in a logic cell without a
// carry.
func (d *design) carry(c netlist.Cell) {
	in, out := d.n.Inputs(c), d.n.Output(c)
	d.use(in)
	line := append(d.AppendCell(append(d.start("  "), carryCell.Name+" "...), c), "_i ("...)
	for k, pin := range carryCell.Inputs[:2] {
		line = append(d.net(append(line, "."+pin+"("...), in[k]), "), "...)
	}
	line = append(line, "."+carryCell.Inputs[2]+"("...)
	next, goesOn := d.chains.Next(in[2])
	chained := goesOn && next == c
	if chained {
		line = d.link(line, in[2])
	} else {
		line = d.net(line, in[2])
	}
	d.end(append(d.AppendCell(append(line, "), ."+carryCell.Output+"("...), c), "));"...))
	if chained && d.chains.Out(in[2]) {
		d.bringOut(in[2], in[:2])
	}
	if _, goesOn := d.chains.Next(out); !goesOn && d.chains.Out(out) {
		d.bringOut(out, []netlist.Net{netlist.False, netlist.False})
	}
}

// bringOut writes the LUT through which ordinary logic reads carry v. The LUT shares a logic cell with the carry
// that has the given operands. If the operands are constants, the cell has no carry.
func (d *design) bringOut(v netlist.Net, operands []netlist.Net) {
	line := append(d.net(d.start("  SB_LUT4 #(.LUT_INIT(16'hff00)) "), v), "_i (.I0(1'b0), .I1("...)
	line = append(d.net(append(d.net(line, operands[0]), "), .I2("...), operands[1]), "), .I3("...)
	line = append(d.link(line, v), "), .O("...)
	d.end(append(d.net(line, v), "));"...))
}
