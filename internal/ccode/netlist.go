package ccode

import (
	"cmp"
	"slices"

	"ialgn/internal/wordcode"
	"ialgn/netlist"
)

// reading is the state of turning a netlist into a graph.
type reading struct {
	n    *netlist.Netlist
	g    *graph
	lits []wordcode.Literal // [net]: literal of the net
	bits map[Input]wordcode.Value
}

// fromNetlist returns the graph of a netlist. The argument c is nil if the netlist is not a classifier. The result ok
// is false if the netlist has arithmetic outside the head of a classifier, or if it computes with single bits of
// features.
func fromNetlist(n *netlist.Netlist, c *wordcode.Classifier) (g *graph, ok bool) {
	r := &reading{n: n, g: &graph{packed: c == nil || c.FeatureBits == 1}, lits: make([]wordcode.Literal, n.Nets())}
	r.lits[netlist.True] = 1
	r.g.compare = !r.g.packed
	r.inputs()
	head, found := findHead(n, c)
	for cell := range netlist.Cell(n.Cells()) {
		if !r.cell(cell, found) {
			return nil, false
		}
	}
	if found {
		r.g.margin = marginOf(n)
		for _, nets := range head {
			r.g.counted = append(r.g.counted, r.literals(nets))
		}
		return r.g, true
	}
	for _, ports := range [][]netlist.Port{n.OutputPorts(), n.Probes()} {
		for _, p := range ports {
			r.g.outputs = append(r.g.outputs, r.literals(p.Nets)...)
		}
	}
	return r.g, r.g.packed // a classifier whose head is not recognised reads single bits of features
}

func (r *reading) literals(nets []netlist.Net) []wordcode.Literal {
	lits := make([]wordcode.Literal, len(nets))
	for i, v := range nets {
		lits[i] = r.lits[v]
	}
	return lits
}

// inputs assigns values to the bits of the ports, or to the comparisons of features with
// thresholds.
func (r *reading) inputs() {
	if r.g.packed {
		for i := range uint32(r.n.FirstCellNet()) - 2 {
			r.g.inputs = append(r.g.inputs, Input{Feature: i})
			r.lits[2+i] = wordcode.Literal(i+1) << 1
		}
		return
	}
	r.bits = map[Input]wordcode.Value{}
	for c := range netlist.Cell(r.n.Cells()) {
		if in, ok := r.comparison(c); ok {
			r.input(in)
		}
		for _, v := range r.n.Inputs(c) {
			if in, ok := r.topBit(v); ok {
				r.input(in)
			}
		}
	}
	slices.SortFunc(r.g.inputs, func(a, b Input) int {
		return cmp.Or(cmp.Compare(a.Feature, b.Feature), cmp.Compare(a.Param, b.Param))
	})
	for i, in := range r.g.inputs {
		r.bits[in] = wordcode.Value(i + 1)
	}
	for v := range r.n.FirstCellNet() {
		if in, ok := r.topBit(v); ok {
			r.lits[v] = wordcode.Literal(r.bits[in]) << 1
		}
	}
}

// input returns the value of an input, and adds the input if it is new.
func (r *reading) input(in Input) {
	if r.bits[in] == 0 {
		r.g.inputs = append(r.g.inputs, in)
		r.bits[in] = wordcode.Value(len(r.g.inputs))
	}
}

// topBit returns the highest bit of a feature as an input. The input is a comparison with half of the feature's
// range.
func (r *reading) topBit(v netlist.Net) (in Input, ok bool) {
	word := r.n.InputPorts()[0].Word
	if v <= netlist.True || v >= r.n.FirstCellNet() || int(v-1)%word != 0 {
		return in, false
	}
	return Input{uint32(int(v-2) / word), 1<<(word-1) - 1}, true
}

// comparison returns the input for a comparison of a feature. If only the feature's upper bits are compared, the
// result equals a comparison of the whole feature with a threshold whose lower bits are ones.
func (r *reading) comparison(c netlist.Cell) (in Input, ok bool) {
	if r.n.Kind(c) != netlist.Compare {
		return in, false
	}
	word, nets := r.n.InputPorts()[0].Word, r.n.Inputs(c)
	first, end := int(nets[0])-2, int(nets[0])-2+len(nets)
	if len(nets) > word || first < 0 || end%word != 0 || end > int(r.n.FirstCellNet())-2 {
		return in, false
	}
	for i, v := range nets {
		if int(v) != 2+first+i {
			return in, false
		}
	}
	below := word - len(nets)
	return Input{uint32(first / word), uint32((r.n.Param(c)+1)<<below - 1)}, true
}

// cell assigns literals to the outputs of a cell. It returns false if this is impossible.
func (r *reading) cell(c netlist.Cell, head bool) bool {
	n := r.n
	if n.Kind(c) == netlist.Compare {
		return r.compare(c)
	}
	if !r.g.packed && slices.ContainsFunc(n.Inputs(c), r.isPart) {
		return false
	}
	switch n.Kind(c) {
	case netlist.Function:
		r.function(c, netlist.Extend(n.Param(c), len(n.Inputs(c))))
	case netlist.Primitive:
		r.function(c, netlist.Extend(n.Primitives()[n.Param(c)].Table, len(n.Inputs(c))))
	case netlist.Carry:
		r.function(c, netlist.Extend(majority, 3))
	case netlist.Popcount, netlist.Argmax:
		return head
	default:
		return false
	}
	return true
}

// isPart reports whether a net is a bit of a feature that cannot be expressed as a comparison.
func (r *reading) isPart(v netlist.Net) bool {
	_, top := r.topBit(v)
	return v > netlist.True && v < r.n.FirstCellNet() && !top
}

func (r *reading) function(c netlist.Cell, table uint64) {
	r.lits[r.n.Output(c)] = r.g.function(table, r.literals(r.n.Inputs(c)))
}

// compare assigns a literal to a comparison of a feature or, if the inputs are bits, of a single bit. It returns
// false if this is impossible.
func (r *reading) compare(c netlist.Cell) bool {
	in, out := r.n.Inputs(c), r.n.Output(c)
	if r.g.packed {
		if r.n.Param(c) == 0 && len(in) == 1 {
			r.lits[out] = r.lits[in[0]]
		}
		return len(in) == 1
	}
	bit, ok := r.comparison(c)
	if ok {
		r.lits[out] = wordcode.Literal(r.bits[bit]) << 1
	}
	return ok
}
