package verilog

import (
	"strconv"

	"ialgn/internal/bitplane"
	"ialgn/internal/names"
	"ialgn/netlist"
)

// wires writes nets, and words of nets, as operands of expressions. It uses the names of a netlist.
type wires struct {
	*names.Names
	n      *netlist.Netlist
	chains *netlist.Chains // carry chains; nil: carries are ordinary cells
	bits   bitplane.Set    // input bits that have their own wires; nil: none
}

// net appends one bit as an operand.
func (m *wires) net(buf []byte, v netlist.Net) []byte {
	if m.hasWire(v) {
		return m.bitWire(buf, v)
	}
	s, bit := m.Locate(v)
	return m.piece(buf, piece{s, bit, 1})
}

// piece is a run of consecutive bits of one signal, or a repeated constant bit.
type piece struct {
	signal names.Signal
	low    int // lowest bit; for a constant, its value
	count  int
}

// join adds a bit of signal s to p at either end, if the result is still one piece. It reports whether it added the
// bit.
func (m *wires) join(p *piece, s names.Signal, bit int) bool {
	switch {
	case p.count == 0 || p.signal != s:
		return false
	case s == names.Constant && p.low == bit:
	case s != names.Constant && m.Width(s) > 0 && bit == p.low+p.count:
	default:
		return false
	}
	p.count++
	return true
}

// pieces groups the nets of a word into pieces. The least significant piece comes first.
func (m *wires) pieces(nets []netlist.Net) []piece {
	var list []piece
	var p piece
	for _, v := range nets {
		s, bit := m.Locate(v)
		if m.join(&p, s, bit) {
			continue
		}
		if p.count > 0 {
			list = append(list, p)
		}
		p = piece{s, bit, 1}
	}
	return append(list, p)
}

// piece appends one piece as an operand.
func (m *wires) piece(buf []byte, p piece) []byte {
	if p.signal == names.Constant {
		return appendConstant(buf, p.low, p.count)
	}
	buf = m.AppendSignal(buf, p.signal)
	width := m.Width(p.signal)
	if width == 0 && m.broughtOut(p.signal) {
		return append(buf, "_o"...)
	}
	if width == 0 || p.count == width && width > 1 {
		return buf
	}
	return appendRange(buf, p.low+p.count-1, p.low)
}

func appendConstant(buf []byte, bit, count int) []byte {
	digit := [2]string{"1'b0", "1'b1"}[bit]
	if count == 1 {
		return append(buf, digit...)
	}
	buf = strconv.AppendInt(append(buf, '{'), int64(count), 10)
	return append(append(append(buf, '{'), digit...), "}}"...)
}

// appendRange appends a bit select or a part select.
func appendRange(buf []byte, high, low int) []byte {
	buf = strconv.AppendInt(append(buf, '['), int64(high), 10)
	if low != high {
		buf = strconv.AppendInt(append(buf, ':'), int64(low), 10)
	}
	return append(buf, ']')
}

// concatenation appends pieces as one operand. In the argument, the least significant piece comes first.
func (m *wires) concatenation(buf []byte, pieces []piece) []byte {
	if len(pieces) == 1 {
		return m.piece(buf, pieces[0])
	}
	buf = append(buf, '{')
	for i := len(pieces) - 1; i >= 0; i-- {
		buf = m.piece(buf, pieces[i])
		if i > 0 {
			buf = append(buf, ", "...)
		}
	}
	return append(buf, '}')
}

// longWord is the maximum number of pieces in one concatenation. Longer words are assigned in parts, because
// event-driven simulators evaluate a whole concatenation again for each element that changes. Other tools recurse
// into a concatenation.
const longWord = 16

// assign writes the assignment of nets to a vector of equal width.
func (d *design) assign(target string, nets []netlist.Net) {
	pieces := d.pieces(nets)
	if len(pieces) <= longWord {
		d.assignPart(target, pieces)
		return
	}
	for low := 0; low < len(nets); low += longWord {
		part := nets[low:min(low+longWord, len(nets))]
		d.assignPart(string(appendRange([]byte(target), low+len(part)-1, low)), d.pieces(part))
	}
}

func (d *design) assignPart(target string, pieces []piece) {
	line := append(append(d.start("  assign "), target...), " = "...)
	d.end(append(d.concatenation(line, pieces), ';'))
}
