package ccode

import (
	"slices"

	"ialgn/internal/wordcode"
	"ialgn/netlist"
)

// graph is a program in the form of functions of up to six values. Values are numbered as in package wordcode. 0 is
// the constant 0. Then come the inputs and then the nodes. Each node comes after the values that it reads.
type graph struct {
	inputs          []Input
	packed, compare bool
	nodes           []node
	counted         [][]wordcode.Literal // [class]: literals that the class counts; nil if there are no classes
	margin          *Margin              // when the class is uncertain; nil if the head does not say this
	outputs         []wordcode.Literal
}

// node is a function that depends on at least two values.
type node struct {
	table   uint64 // the extended truth table, see [netlist.Extend]
	pins    []wordcode.Value
	readers int // number of pins that read the node plus number of classes that count it; an output counts as two
}

// node returns the node with the given value, or nil if the value is an input.
func (g *graph) node(v wordcode.Value) *node {
	if i := int(v) - len(g.inputs) - 1; i >= 0 {
		return &g.nodes[i]
	}
	return nil
}

// function returns the value of a function of literals, given as an extended table. It adds a node unless the result
// is a constant, one of the literals, or the complement of a literal.
func (g *graph) function(table uint64, in []wordcode.Literal) wordcode.Literal {
	var pins []wordcode.Value
	for _, l := range in {
		if v := l.Value(); v != 0 && !slices.Contains(pins, v) {
			pins = append(pins, v)
		}
	}
	over := uint64(0) // the function as a table over pins
	for i := range uint64(1) << len(pins) {
		line := 0
		for k, l := range in {
			if at := slices.Index(pins, l.Value()); (at >= 0 && i>>at&1 == 1) != l.Inverted() {
				line |= 1 << k
			}
		}
		over |= table >> line & 1 << i
	}
	over = netlist.Extend(over, len(pins))
	support := netlist.Support(over)
	kept := pins[:0]
	for k, v := range pins {
		if support>>k&1 == 1 {
			kept = append(kept, v)
		}
	}
	over = netlist.Extend(netlist.Project(over, support), len(kept))
	switch len(kept) {
	case 0:
		return wordcode.Literal(over & 1)
	case 1:
		return wordcode.Literal(kept[0])<<1 | wordcode.Literal(over&1)
	}
	g.nodes = append(g.nodes, node{table: over, pins: kept})
	return wordcode.Literal(len(g.inputs)+len(g.nodes)) << 1
}

// fromProgram returns the graph of a program of operations on words. The classifier c describes the inputs. If c is
// nil, the inputs are bits.
func fromProgram(p *wordcode.Program, c *wordcode.Classifier) *graph {
	g := &graph{packed: c == nil || c.FeatureBits == 1}
	for i := range p.Inputs {
		bits := 1
		if !g.packed {
			bits = c.FeatureBits
		}
		g.inputs = append(g.inputs, Input{uint32(i / bits), uint32(i % bits)})
	}
	lits := make([]wordcode.Literal, p.Inputs+1, p.Inputs+1+len(p.Ops))
	for i := range lits {
		lits[i] = wordcode.Literal(i) << 1
	}
	tables := [...]uint64{
		wordcode.And: 0b1000, wordcode.AndNot: 0b0010, wordcode.Or: 0b1110, wordcode.Xor: 0b0110, wordcode.Not: 0b01,
		wordcode.Sum: 0b10010110, wordcode.Carry: majority,
	}
	for _, op := range p.Ops {
		pins := op.Operator.Operands()
		in := []wordcode.Literal{lits[op.A], lits[op.B], lits[op.C]}[:pins]
		lits = append(lits, g.function(netlist.Extend(tables[op.Operator], pins), in))
	}
	for _, o := range p.Outputs {
		g.outputs = append(g.outputs, lits[o.Value()]^o&1)
	}
	return g
}

// majority is the truth table of the majority function of three inputs.
const majority = 0b11101000

// countReaders counts the readers of all nodes that outputs or classes depend on.
func (g *graph) countReaders() {
	read := func(l wordcode.Literal, times int) {
		if n := g.node(l.Value()); n != nil {
			n.readers += times
		}
	}
	for _, class := range g.counted {
		for _, l := range class {
			read(l, 1)
		}
	}
	for _, o := range g.outputs {
		read(o, 2)
	}
	for i := len(g.nodes) - 1; i >= 0; i-- {
		if g.nodes[i].readers == 0 {
			continue
		}
		for _, v := range g.nodes[i].pins {
			read(wordcode.Literal(v)<<1, 1)
		}
	}
}
