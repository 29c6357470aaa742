package readback

import (
	"fmt"
	"slices"

	"ialgn/internal/lowering"
	"ialgn/internal/names"
	"ialgn/netlist"
)

// wire is a wire that the file and the netlist both have.
type wire struct {
	name  string
	net   netlist.Net // net in the netlist
	at    literal     // literal in the graph
	uncut bool        // compared, but the sides are not cut here
}

// pair is a graph and a netlist over the same data inputs.
type pair struct {
	g      *graph
	n      *netlist.Netlist
	names  *names.Names
	inputs []netlist.Net // data inputs of the netlist
	at     []literal     // the same inputs in the graph
	wires  []wire        // the outputs come first
	shown  int           // number of outputs and probes, which come first in wires
	tested int           // number of wires that are compared, which come first in wires
}

// newPair matches ports and wires by their names. It returns an error if the ports differ.
func newPair(g *graph, n *netlist.Netlist) (*pair, error) {
	p := &pair{g: g, n: n, names: names.New(n)}
	data, err := match("input", n.DataInputs(), g.inputs, clockPort, resetPort, enablePort, inValid)
	if err != nil {
		return nil, err
	}
	for _, w := range data {
		p.inputs, p.at = append(p.inputs, w.net), append(p.at, w.at)
	}
	if p.wires, err = match("output", n.OutputPorts(), g.outputs, outValid); err != nil {
		return nil, err
	}
	p.addProbes()
	p.addCells()
	p.tested = len(p.wires)
	return p, nil
}

// match finds the bits of the netlist's ports among the bits of the graph. The graph must have no other bits, except
// the control bits of a pipeline, which are checked elsewhere.
func match(what string, ports []netlist.Port, have map[bit]literal, control ...bit) ([]wire, error) {
	var wires []wire
	data := map[bit]bool{}
	for _, port := range ports {
		for i, v := range port.Nets {
			b := bit{port.Name, i}
			l, ok := have[b]
			if !ok {
				return nil, mismatch("no %s %s[%d]", what, port.Name, i)
			}
			data[b] = true
			wires = append(wires, wire{name: fmt.Sprintf("%s[%d]", port.Name, i), net: v, at: l})
		}
	}
	for b := range have {
		if !data[b] && !slices.Contains(control, b) {
			return nil, mismatch("%s %s[%d] is not of the netlist", what, b.name, b.index)
		}
	}
	return wires, nil
}

// addProbes adds the bits of probes that are wires in the graph.
func (p *pair) addProbes() {
	for _, probe := range p.n.Probes() {
		for i, v := range probe.Nets {
			if l, ok := p.g.wires[bit{probe.Name, i}]; ok {
				p.wires = append(p.wires, wire{name: fmt.Sprintf("%s[%d]", probe.Name, i), net: v, at: l})
			}
		}
	}
	p.shown = len(p.wires)
}

// addCells adds the outputs of cells, unless they are already outputs or probes.
func (p *pair) addCells() {
	have := map[string]bool{}
	for _, w := range p.wires {
		have[w.name] = true
	}
	var buf []byte
	for c := range netlist.Cell(p.n.Cells()) {
		for k := range netlist.Net(p.n.Outputs(c)) {
			v := p.n.Output(c) + k
			buf = p.names.AppendNet(buf[:0], v)
			if l, ok := p.g.wires[newBit(string(buf))]; ok && !have[string(buf)] {
				p.wires = append(p.wires, wire{name: string(buf), net: v, at: l})
			}
		}
	}
}

// cutGraph cuts the graph at all wires except the uncut ones, and returns the result as a netlist. The inputs of the
// netlist are the data inputs, followed by one input for each wire. The netlist has one output for each tested wire,
// which is the wire as a function of the cuts. The second result says which net replaces each cut. If a wire equals an
// earlier wire, or the complement of an earlier wire, the input of the earlier wire replaces both. A constant wire has
// no input.
func (p *pair) cutGraph() (*netlist.Netlist, []place) {
	b := newBuilder(p.g, "file")
	x := b.Input("x", len(p.inputs)+len(p.wires), 1, nil)
	for i, l := range p.at {
		b.net[l.variable()] = x[i]
	}
	places := make([]place, len(p.wires))
	first := map[int]int{} // wire of each variable
	for i, w := range p.wires {
		if w.uncut {
			continue
		}
		l := p.g.to(w.at)
		v := l.variable()
		if v > 0 && v < p.g.firstRegister { // an input, or a wire that equals an input
			places[i] = place{b.net[v], l.inverted()}
			continue
		}
		if v > 0 {
			if _, ok := first[v]; !ok {
				first[v], b.net[v] = i, x[len(p.inputs)+i]
			}
			places[i] = place{b.net[v], l.inverted()}
			continue
		}
		places[i] = place{netlist.False, l.inverted()}
	}
	h := make([]netlist.Net, p.tested)
	for i, w := range p.wires[:p.tested] {
		l := p.g.to(w.at)
		if j, ok := first[l.variable()]; ok && p.wires[j].net == w.net {
			h[i] = b.definition(l)
			continue
		}
		h[i] = b.build(l)
	}
	b.Output("h", 1, nil, h)
	return b.Netlist(), places
}

// place is the net, perhaps inverted, that replaces a wire in a cut graph.
type place struct {
	net      netlist.Net
	inverted bool
}

// definition returns the net for the definition of a literal's variable. The variable itself has another net, which
// is the input that replaces the variable.
func (b *builder) definition(l literal) netlist.Net {
	v := l.variable()
	own := b.net[v]
	for _, need := range b.g.needs(v) {
		b.variable(need.variable())
	}
	b.define(v, v)
	defined := b.net[v]
	b.net[v] = own
	return place{defined, l.inverted()}.in(b.Builder)
}

// cutNetlist returns the netlist cut at the same wires, with the ports of [pair.cutGraph].
func (p *pair) cutNetlist(places []place) *netlist.Netlist {
	b := netlist.NewBuilder("netlist")
	b.Ties(p.n.Ties())
	x := b.Input("x", len(p.inputs)+len(p.wires), 1, nil)
	to := make([]netlist.Net, p.n.Nets()) // for each net, the net of the copy that replaces it
	defined := make([]netlist.Net, p.n.Nets())
	to[netlist.True], defined[netlist.True] = netlist.True, netlist.True
	for i, v := range p.inputs {
		to[v], defined[v] = x[i], x[i]
	}
	cut := map[netlist.Net]place{}
	for i, w := range p.wires {
		if _, ok := cut[w.net]; !ok && !w.uncut {
			cut[w.net] = places[i]
		}
	}
	for c := range netlist.Cell(p.n.Cells()) {
		out := addCell(b, p.n, c, to)
		for k, v := range out {
			old := p.n.Output(c) + netlist.Net(k)
			to[old], defined[old] = v, v
			if at, ok := cut[old]; ok {
				to[old] = at.in(b)
			}
		}
	}
	h := make([]netlist.Net, p.tested)
	for i, w := range p.wires[:p.tested] {
		h[i] = defined[w.net]
	}
	b.Output("h", 1, nil, h)
	return lowering.Functions(b.Netlist())
}

// in returns the net of the place, with an inverter if it needs one.
func (p place) in(b *netlist.Builder) netlist.Net {
	switch {
	case !p.inverted:
		return p.net
	case p.net <= netlist.True:
		return netlist.True - p.net
	}
	return b.Function(tableNot, netlist.Origin{}, p.net)
}

// addCell adds a cell of n and returns its outputs. The slice to maps the nets of n to the nets of b. A register
// becomes a wire. A popcount becomes a sum to which one bit after another is added, as in the Verilog. So abc finds
// the same sums on both sides.
func addCell(b *netlist.Builder, n *netlist.Netlist, c netlist.Cell, to []netlist.Net) []netlist.Net {
	in := make([]netlist.Net, len(n.Inputs(c)))
	for i, v := range n.Inputs(c) {
		in[i] = to[v]
	}
	switch n.Kind(c) {
	case netlist.Register:
		return in[:1]
	case netlist.Popcount:
		return addOnes(b, in, n.Outputs(c))
	}
	return netlist.Word(b.Cell(n.Kind(c), n.Param(c), netlist.Origin{}, in...), n.Outputs(c))
}

// addOnes adds bits one after another. It makes the same gates as yosys makes for the Verilog with this package's
// adder, so abc has nothing to prove about the digits.
func addOnes(b *netlist.Builder, in []netlist.Net, digits int) []netlist.Net {
	sum := make([]netlist.Net, digits)
	for _, v := range in {
		for d := range sum {
			switch {
			case v == netlist.False:
			case sum[d] == netlist.False:
				sum[d], v = v, netlist.False
			default:
				both := b.Function(tableAnd, netlist.Origin{}, sum[d], v)
				none := b.Function(tableNor, netlist.Origin{}, sum[d], v)
				sum[d], v = b.Function(tableNor, netlist.Origin{}, both, none), both
			}
		}
	}
	return sum
}

const (
	tableAnd = 0b1000
	tableNor = 0b0001
)
