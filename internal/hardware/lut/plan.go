package lut

import (
	"slices"

	"ialgn/internal/chain"
	"ialgn/netlist"
)

// A plan says how a chain of a certain shape becomes LUTs. The inputs of the LUTs are leaves of the chain, or other
// LUTs. Leaf 0 is the base, and leaf i is the side of step i. The last LUT drives the chain's output. A chain
// without steps has no LUTs.
type plan struct {
	end   []int32 // LUT i has parts end[i-1] .. end[i]-1
	parts []part
}

// signal is a leaf or a LUT of a plan, or its complement.
type signal struct {
	at       int16 // a leaf; if negative, LUT ^at
	inverted bool
}

func leaf(i int) signal { return signal{at: int16(i)} }

// part is one operand of a LUT. The first part of a LUT sets a running value. Each further part changes this value
// by an operation.
type part struct {
	kind partKind
	a, b signal
}

type partKind uint8

const (
	partAnd   = partKind(chain.And)
	partOr    = partKind(chain.Or)
	partXor   = partKind(chain.Xor)
	partStart = partXor + 1 + iota // the part starts with the signal a
	partZero                       // the part starts with the constant 0
	partOne                        // the part starts with the constant 1
	partPair                       // a multiplexer: a if the running value is 0, b if it is 1
)

// add appends a LUT and returns its output.
func (p *plan) add(parts ...part) signal {
	p.parts = append(p.parts, parts...)
	p.end = append(p.end, int32(len(p.parts)))
	return signal{at: int16(^(len(p.end) - 1))}
}

// of returns the parts of LUT i.
func (p *plan) of(i int) []part {
	if i == 0 {
		return p.parts[:p.end[0]]
	}
	return p.parts[p.end[i-1]:p.end[i]]
}

// wide adds the LUTs that combine r leaves under one operation, in at most the given number of levels (depth). The
// argument first is the number of the first of these leaves. wide uses the fewest LUTs possible. Every LUT except one
// uses all its inputs. In each LUT, as many inputs as possible come from full trees with one level less.
func (p *plan) wide(op chain.Op, first, r, depth, k int) signal {
	if r == 1 {
		return leaf(first)
	}
	capacity := power(k, depth-1, r)
	var parts []part
	for children := k; r > 0 && children > 0; children-- {
		take := max(1, min(capacity, r-(children-1)))
		take -= (take - 1) % (k - 1)
		if children == 1 {
			take = r
		}
		parts = append(parts, part{kind: partKind(op), a: p.wide(op, first, take, depth-1, k)})
		first, r = first+take, r-take
	}
	parts[0].kind = partStart
	return p.add(parts...)
}

// power returns the smaller of k^depth and limit.
func power(k, depth, limit int) int {
	p := 1
	for ; depth > 0 && p < limit; depth-- {
		p *= k
	}
	return min(p, limit)
}

// table is a LUT in the form of a cell, with inputs and a truth table.
type table struct {
	in    []netlist.Net
	value uint64
}

// evaluate returns LUT i of a plan. The function net gives the nets of the leaves and of earlier LUTs. The argument
// in is a buffer for the LUT's inputs.
func (p *plan) evaluate(i int, net func(signal) chain.Literal, in []netlist.Net) table {
	t := table{in: in[:0]}
	of := func(s signal) uint64 {
		l := net(s)
		at := slices.Index(t.in, l.Net)
		if at < 0 {
			at, t.in = len(t.in), append(t.in, l.Net)
		}
		v := netlist.PinTable(at)
		if l.Inverted {
			v = ^v
		}
		return v
	}
	h := uint64(0)
	for _, e := range p.of(i) {
		switch e.kind {
		case partStart:
			h = of(e.a)
		case partZero:
			h = 0
		case partOne:
			h = ^uint64(0)
		case partAnd:
			h &= of(e.a)
		case partOr:
			h |= of(e.a)
		case partXor:
			h ^= of(e.a)
		case partPair:
			low := of(e.a)
			h = h&of(e.b) | low&^h
		}
	}
	t.value = h
	return t
}
