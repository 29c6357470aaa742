package verilog

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"

	"ialgn/internal/netgen"
	"ialgn/netlist"
)

// evaluate is a slow and simple evaluation of a netlist. It returns the value of every net for one sample. The
// argument in has the bits of all input ports.
func evaluate(n *netlist.Netlist, in []bool) []bool {
	net := make([]bool, n.Nets())
	net[netlist.True] = true
	copy(net[2:], in)
	for c := range netlist.Cell(n.Cells()) {
		var pins []bool
		for _, v := range n.Inputs(c) {
			pins = append(pins, net[v])
		}
		value := evaluateCell(n.Kind(c), n.Param(c), n.Ties(), pins)
		for k := range n.Outputs(c) {
			net[int(n.Output(c))+k] = value>>k&1 == 1
		}
	}
	return net
}

func evaluateCell(k netlist.Kind, param uint64, ties []uint16, in []bool) uint64 {
	ones := uint64(0)
	for _, b := range in {
		if b {
			ones++
		}
	}
	switch k {
	case netlist.Function:
		return param >> word(in) & 1
	case netlist.Compare:
		if word(in) > param {
			return 1
		}
		return 0
	case netlist.Popcount, netlist.Counter:
		return ones
	case netlist.Carry:
		return ones >> 1
	case netlist.Argmax:
		width, margin := netlist.ArgmaxForm(param)
		classes := len(in) / width
		number := func(class int) int { return int(word(in[class*width:][:width])) }
		best, near := 0, 0
		place := func(class int) int { return slices.Index(ties, uint16(class)) } // -1 without an order
		for class := range classes {
			if a, b := number(class), number(best); a > b || a == b && place(class) < place(best) {
				best = class
			}
		}
		for class := range classes {
			if class != best && number(best)-number(class) < margin {
				near = 1
			}
		}
		return uint64(best | near<<netlist.ClassBits(classes))
	}
	panic(fmt.Sprintf("kind %v has no meaning here", k))
}

func word(in []bool) (w uint64) {
	for i, b := range in {
		if b {
			w |= 1 << i
		}
	}
	return w
}

// randomNetlist returns a netlist with every kind of cell that can be written, and with corner cases that tools
// complain about. Outputs may be constants or input bits. Some inputs and cells are unread. Inputs and origins may
// be repeated. Words may have one bit, or be too long for one concatenation.
func randomNetlist(r *rand.Rand, name string, cells int) *netlist.Netlist {
	b := netlist.NewBuilder(name)
	nets := []netlist.Net{netlist.False, netlist.True}
	for i := range 1 + r.IntN(3) {
		width := []int{1, 2, 9, 100}[r.IntN(4)]
		nets = append(nets, b.Input(fmt.Sprintf("x%d", i), width, 1, nil)...)
	}
	pick := func(n int) []netlist.Net {
		in := make([]netlist.Net, n)
		for j := range in {
			if in[j] = nets[r.IntN(len(nets))]; r.IntN(3) > 0 { // mostly nets of recent cells, so that the netlist is deep
				in[j] = nets[len(nets)-1-r.IntN(min(len(nets), 20))]
			}
		}
		return in
	}
	sizes := []int{1, 2, 3, 10}
	if r.IntN(3) == 0 {
		sizes = []int{2 + r.IntN(9)}
		var order []uint16
		for _, class := range netgen.Ties(r.Uint64(), sizes[0]) {
			order = append(order, uint16(class))
		}
		b.Ties(order)
	}
	var buses [][]netlist.Net
	add := func(k netlist.Kind, param uint64, o netlist.Origin, in ...netlist.Net) {
		width := 1
		switch k {
		case netlist.Popcount, netlist.Counter:
			width = bits.Len(uint(len(in)))
		case netlist.Argmax:
			size, margin := netlist.ArgmaxForm(param)
			if width = netlist.ClassBits(len(in) / size); margin > 0 {
				width++
			}
		}
		bus := netlist.Word(b.Cell(k, param, o, in...), width)
		buses = append(buses, bus)
		nets = append(nets, bus...)
	}
	for i := range cells {
		origin := netlist.Origin{}
		if r.IntN(4) > 0 {
			origin = netlist.Origin{Layer: uint16(1 + i*5/cells), Chain: uint32(r.IntN(cells))}
		}
		switch r.IntN(12) {
		case 0:
			in := pick(1 + r.IntN(8))
			add(netlist.Compare, r.Uint64N(1<<len(in)), netlist.Origin{}, in...)
		case 1:
			add(netlist.Popcount, 0, netlist.Origin{}, pick([]int{1, 2, 3, 7, 8, 150}[r.IntN(6)])...)
		case 2:
			add(netlist.Counter, 0, netlist.Origin{}, pick(2+r.IntN(14))...)
		case 3:
			width := 1 + r.IntN(5)
			margin := r.IntN(1<<width) * r.IntN(2)
			add(netlist.Argmax, netlist.ArgmaxParam(width, margin), netlist.Origin{},
				pick(width*sizes[r.IntN(len(sizes))])...)
		case 4:
			add(netlist.Carry, 0, origin, pick(3)...)
		case 5, 6:
			in := pick(r.IntN(7))
			add(netlist.Function, r.Uint64()&(1<<(1<<len(in))-1), origin, in...)
		default:
			add(netlist.Function, r.Uint64N(16), origin, pick(2)...)
		}
	}
	word := buses[r.IntN(len(buses))]
	b.Output("y0", 1, nil, word)
	b.Output("y1", 1, nil, word)
	b.Output("y2", 1, nil, pick([]int{1, 5, 130}[r.IntN(3)]))
	b.Probe("p0", buses[r.IntN(len(buses))])
	b.Probe("p1", pick(3))
	if r.IntN(4) > 0 && len(sizes) > 1 { // with a tie order, the words of an argmax are the classes of the chains
		classes := make([]uint16, cells)
		for i := range classes {
			classes[i] = uint16(i / 3)
		}
		b.Classes(classes)
	}
	return b.Netlist()
}

// sampleVectors returns random samples of n with the oracle's results. In half of the samples, nearly all bits are
// equal, which gives very small and very large counts.
func sampleVectors(r *rand.Rand, n *netlist.Netlist, samples int) Vectors {
	v := Vectors{Samples: samples, Words: (samples + 63) / 64}
	width := func(ports []netlist.Port) (w int) {
		for _, p := range ports {
			w += len(p.Nets)
		}
		return w
	}
	v.Inputs = make([]uint64, width(n.InputPorts())*v.Words)
	v.Outputs = make([]uint64, width(n.OutputPorts())*v.Words)
	v.Probes = make([]uint64, width(n.Probes())*v.Words)
	for s := range samples {
		in := make([]bool, width(n.InputPorts()))
		for i := range in {
			in[i] = r.IntN(2) == 1
			if s%4 < 2 {
				in[i] = (r.IntN(16) == 0) != (s%4 == 1)
			}
		}
		net := evaluate(n, in)
		set := func(rows []uint64, ports []netlist.Port) {
			row := 0
			for _, p := range ports {
				for _, b := range p.Nets {
					if net[b] {
						rows[row*v.Words+s/64] |= 1 << (s % 64)
					}
					row++
				}
			}
		}
		set(v.Inputs, n.InputPorts())
		set(v.Outputs, n.OutputPorts())
		set(v.Probes, n.Probes())
	}
	return v
}
