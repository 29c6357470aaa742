package lut

import (
	"math/bits"

	"ialgn/internal/chain"
	"ialgn/netlist"
)

// builder builds the mapped netlist.
type builder struct {
	*netlist.Copier
	*mapper
	chain  chain.Chain
	level  []int32               // [new net]: level in LUTs; 0 for nets not in the slice
	twin   map[netlist.Net]table // for a chain output that an inverter reads: the last LUT, inverted
	wanted map[netlist.Net]bool
	luts   []lutOf
	inputs []netlist.Net
	done   int32         // number of nodes of the general logic built so far
	node   []netlist.Net // [node]: its new net
}

// lutOf is the output of a LUT of the current chain.
type lutOf struct {
	out  chain.Literal
	step int // number of the last step that the LUT includes, from 1
}

// build builds the mapped netlist from the plans.
func (m *mapper) build() *netlist.Netlist {
	b := &builder{Copier: netlist.NewCopier(m.n), mapper: m, twin: map[netlist.Net]table{}, wanted: map[netlist.Net]bool{}}
	m.report.K, m.report.Objective = m.o.K, m.o.Objective.String()
	for c, r := range m.role {
		if r == inverter {
			b.wanted[m.n.Inputs(netlist.Cell(c))[0]] = true
		}
	}
	for c := range netlist.Cell(m.n.Cells()) {
		switch m.role[c] {
		case chained:
			if i, ok := m.memberOf[m.n.Output(c)]; ok {
				b.member(&m.members[i])
			}
		case inverter:
			b.inverter(c)
		case general:
			b.general(c)
		default:
			b.Copy(c)
			if m.n.Kind(c) == netlist.Function && m.n.Origin(c).Layer > 0 && len(m.n.Inputs(c)) > 0 {
				b.count(b.To(m.n.Output(c)), b.Inputs(c))
			}
		}
	}
	return b.Finish()
}

// member adds the LUTs of a chain.
func (b *builder) member(one *member) {
	b.paths.Chain(one.last, &b.chain)
	b.simplifier.Simplify(&b.chain)
	out, old := b.chain.Base, b.n.Output(one.last)
	if one.steps > 0 {
		e := b.catalog.entries[one.shape]
		out = b.plan(e.plans[int(one.level)], old)
	} else if out.Net = b.To(out.Net); out.Inverted != b.chain.Inverted {
		out = b.inverse(out.Net, b.n.Origin(one.last))
	}
	b.Set(old, out.Net)
}

// plan adds the LUTs of a plan for the current chain, and returns the chain's output. The output replaces old, which is
// a net of the unmapped netlist.
func (b *builder) plan(p *plan, old netlist.Net) chain.Literal {
	b.luts = b.luts[:0]
	for i := range p.end {
		t := p.evaluate(i, b.signal, b.inputs)
		b.inputs = t.in
		last := i == len(p.end)-1
		if last && b.chain.Inverted {
			t.value = ^t.value
		}
		step := b.lastStep(p, i)
		out := b.lut(t, b.chain.Steps[max(0, step-1)].Origin)
		if last && b.wanted[old] {
			t.value = ^t.value
			t.in = append([]netlist.Net(nil), t.in...)
			b.twin[old] = t
		}
		b.luts = append(b.luts, lutOf{out, step})
	}
	return b.luts[len(b.luts)-1].out
}

// signal returns the literal of a signal of the current plan.
func (b *builder) signal(s signal) (l chain.Literal) {
	switch {
	case s.at < 0:
		l = b.luts[^s.at].out
	case s.at == 0:
		l = chain.Literal{Net: b.To(b.chain.Base.Net), Inverted: b.chain.Base.Inverted}
	default:
		side := b.chain.Steps[s.at-1].Side
		l = chain.Literal{Net: b.To(side.Net), Inverted: side.Inverted}
	}
	l.Inverted = l.Inverted != s.inverted
	return l
}

// lastStep returns the last step that LUT i of a plan includes.
func (b *builder) lastStep(p *plan, i int) (last int) {
	for _, e := range p.of(i) {
		for _, s := range []signal{e.a, e.b} {
			if s.at < 0 {
				last = max(last, b.luts[^s.at].step)
			} else {
				last = max(last, int(s.at))
			}
		}
	}
	return last
}

// lut adds a LUT for a function. It omits inputs on which the function does not depend. A function of at most one
// input needs no LUT, because the result is a literal.
func (b *builder) lut(t table, o netlist.Origin) chain.Literal {
	support := netlist.Support(t.value)
	in, value := t.in[:0:0], t.value
	if bits.OnesCount8(support) == len(t.in) {
		in = t.in
	} else {
		for p, v := range t.in {
			if support>>p&1 == 1 {
				in = append(in, v)
			}
		}
		value = netlist.Project(t.value, support)
	}
	switch {
	case len(in) == 0:
		return chain.Literal{Net: netlist.Net(value & 1)}
	case len(in) == 1 && value&0b11 == 0b10:
		return chain.Literal{Net: in[0]}
	}
	out := b.Function(value&netlist.TableMask(len(in)), o, in...)
	b.count(out, in)
	return chain.Literal{Net: out}
}

// inverse returns the complement of a new net. It adds an inverter unless the net is a constant.
func (b *builder) inverse(v netlist.Net, o netlist.Origin) chain.Literal {
	return b.lut(table{[]netlist.Net{v}, ^netlist.Effective(tableCopy, []netlist.Net{v})}, o)
}

// count adds a LUT to the report.
func (b *builder) count(out netlist.Net, in []netlist.Net) {
	level := int32(0)
	for _, v := range in {
		if int(v) < len(b.level) {
			level = max(level, b.level[v])
		}
	}
	for int(out) >= len(b.level) {
		b.level = append(b.level, 0)
	}
	b.level[out] = level + 1
	b.report.Levels = max(b.report.Levels, int(level)+1)
	if len(in) > 1 {
		b.report.LUTs++
	} else {
		b.report.Inverters++
	}
}

// unbuilt is the value of builder.node for nodes that the cover does not use.
const unbuilt = ^netlist.Net(0)

// general adds the LUTs of the nodes of a general cell. If only general logic reads a cell, the cell needs no net.
func (b *builder) general(c netlist.Cell) {
	w := b.cover
	for ; int(b.done) < len(w.nodes) && w.nodes[b.done].cell <= c; b.done++ {
		v := b.done
		switch b.node = append(b.node, unbuilt); {
		case w.nodes[v].ins == 0:
			b.node[v] = b.To(w.nodes[v].net)
		case w.refs[v] > 0:
			before := b.report.LUTs
			best := &w.best[v]
			t := table{in: b.inputs[:0], value: best.table}
			for _, l := range best.leaves() {
				t.in = append(t.in, b.node[l])
			}
			b.inputs = t.in
			b.node[v] = b.lut(t, b.n.Origin(w.nodes[v].cell)).Net
			b.report.General += b.report.LUTs - before
		}
	}
	switch l := w.value[b.n.Output(c)]; {
	case l <= 1:
		b.Set(b.n.Output(c), netlist.Net(l))
	case l&1 == 0 && b.node[l.node()] != unbuilt:
		b.Set(b.n.Output(c), b.node[l.node()])
	}
}

// inverter adds a LUT that computes the complement of a chain's output. The LUT has the same inputs as the chain's
// last LUT, so it adds no level.
func (b *builder) inverter(c netlist.Cell) {
	old := b.n.Inputs(c)[0]
	t, ok := b.twin[old]
	switch {
	case !ok:
		b.Copy(c)
		b.count(b.To(b.n.Output(c)), b.Inputs(c))
	case b.n.Param(c)&0b11 != tableNot:
		b.Set(b.n.Output(c), b.To(old))
	default:
		b.Set(b.n.Output(c), b.lut(t, b.n.Origin(c)).Net)
	}
}

// These are the tables of functions of one input.
const (
	tableNot  = 0b01
	tableCopy = 0b10
)
