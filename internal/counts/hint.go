// Package counts explains why the class counts of a lowered netlist are correct, and proves it.
//
// A [Hint] names the inputs and outputs of each counter between the bits of a class and its count. [Prove] tries
// every counter on all values of its inputs and adds up the resulting identities. This proves that the digits are the
// sum of the bits, for classes of any size. General equivalence checkers give up at about 31 bits. A wrong or missing
// hint can only make the proof fail. The package does not depend on the compiler that builds the counters.
package counts

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"

	"ialgn/netlist"
)

// Hint explains why the counts of a lowered netlist are correct, for [Prove] and for proofs by cut points. For each
// count, it lists the bits that are added, and the inputs and outputs of each counter between these bits and the
// count. All nets are nets of the lowered netlist.
type Hint struct {
	Counts  []Count `json:"counts"`
	Argmaxs []Index `json:"argmax"`
}

// Count describes how one popcount was lowered.
type Count struct {
	// Popcount is the cell's number in the netlist before lowering.
	Popcount netlist.Cell `json:"popcount"`
	// Bits has one entry for each input of the popcount, in order.
	Bits []Bit `json:"bits"`
	// Digits holds the binary digits of the count, least significant digit first. The highest digits may be
	// constants.
	Digits []netlist.Net `json:"digits"`
	// Counters are the steps from bits to digits, in topological order.
	Counters []Counter `json:"counters"`
}

// Bit is an input of a popcount, as a function of nets: a [Term] of weight 1. If Pair is set, there is no function:
// the bit is the complement of input number Pair, counted from 0. A bit and its complement together always count one,
// so neither of the two needs a net in the lowered netlist.
type Bit struct {
	Nets  []netlist.Net `json:"nets,omitempty"`
	Table uint64        `json:"table"`
	Pair  *int          `json:"pair,omitempty"`
}

// Counter describes a counter by an identity: the sum of In, plus Constant, equals the sum of Out.
//
// There are two kinds of counters. The identity of a counter with Leaves holds for all values of these nets, modulo
// 2^d. Here, d is the number of digits of the count or counter that has this counter as a step. All other nets that
// the counter names depend only on Leaves. A counter with Steps is the sum of its steps. The identity of the sum
// holds exactly, because neither side reaches the power of two modulo which the steps hold.
type Counter struct {
	Leaves   []netlist.Net `json:"leaves,omitempty"`
	In       []Term        `json:"in"`
	Out      []Term        `json:"out"`
	Constant uint64        `json:"constant,omitempty"`
	Steps    []Counter     `json:"steps,omitempty"`
}

// Term is a weighted bit: a function of up to six nets, in LUT INIT order. Usually a term is a single net (table
// 0b10). If an output of a counter is the exclusive or of two nets, the term is this exclusive or.
type Term struct {
	Weight uint64        `json:"weight"`
	Nets   []netlist.Net `json:"nets"`
	Table  uint64        `json:"table"`
}

// Index describes how one argmax was lowered.
type Index struct {
	Argmax netlist.Cell    `json:"argmax"` // number of the argmax cell before lowering
	Words  [][]netlist.Net `json:"words"`  // the nets of each word, least significant bit first
	Index  []netlist.Net   `json:"index"`

	// Margin is the margin of the argmax, or 0 if it has none. If there is a margin, Uncertain is the net that is 1 if
	// another word plus the margin is larger than the largest word.
	Margin    int         `json:"margin,omitempty"`
	Uncertain netlist.Net `json:"uncertain,omitempty"`
}

// Map returns the hint with every net replaced by the result of the function to. A pass that renumbers nets, but
// keeps the nets that the hint names, can pass [netlist.Copier.To].
func (h *Hint) Map(to func(netlist.Net) netlist.Net) *Hint {
	nets := func(old []netlist.Net) []netlist.Net {
		mapped := slices.Clone(old)
		for i, v := range mapped {
			mapped[i] = to(v)
		}
		return mapped
	}
	m := &Hint{Counts: slices.Clone(h.Counts), Argmaxs: slices.Clone(h.Argmaxs)}
	for i := range m.Counts {
		c := &m.Counts[i]
		c.Digits, c.Bits, c.Counters = nets(c.Digits), slices.Clone(c.Bits), slices.Clone(c.Counters)
		for j := range c.Bits {
			c.Bits[j].Nets = nets(c.Bits[j].Nets)
		}
		for j := range c.Counters {
			c.Counters[j] = c.Counters[j].mapped(nets)
		}
	}
	for i := range m.Argmaxs {
		a := &m.Argmaxs[i]
		a.Index, a.Words = nets(a.Index), slices.Clone(a.Words)
		if a.Margin > 0 {
			a.Uncertain = to(a.Uncertain)
		}
		for j, w := range a.Words {
			a.Words[j] = nets(w)
		}
	}
	return m
}

func (c Counter) mapped(nets func([]netlist.Net) []netlist.Net) Counter {
	terms := func(old []Term) []Term {
		mapped := slices.Clone(old)
		for i := range mapped {
			mapped[i].Nets = nets(mapped[i].Nets)
		}
		return mapped
	}
	steps := slices.Clone(c.Steps)
	for i := range steps {
		steps[i] = steps[i].mapped(nets)
	}
	return Counter{Leaves(nets(c.Leaves)), terms(c.In), terms(c.Out), c.Constant, steps}
}

// Leaves returns the nets of a list that are not constants, each once. When a netlist is mapped, a leaf may become a
// constant or the same net as another leaf.
func Leaves(nets []netlist.Net) []netlist.Net {
	var list []netlist.Net
	for _, v := range nets {
		if v > netlist.True && !slices.Contains(list, v) {
			list = append(list, v)
		}
	}
	return list
}

// maxWeight limits weights and constants, so that their sums stay within 64 bits.
const maxWeight = 1 << 32

// Check returns an error if the hint names a cell or net that n does not have, or has a number out of range. Such
// hints occur if a file was changed.
func (h *Hint) Check(n *netlist.Netlist) error {
	k := checker{netlist.Net(n.Nets())}
	for i, c := range h.Counts {
		if err := k.count(c); err != nil {
			return fmt.Errorf("hint: count %d: %w", i, err)
		}
	}
	for i, a := range h.Argmaxs {
		nets := slices.Concat(append([][]netlist.Net{a.Index, {a.Uncertain}}, a.Words...)...)
		if err := k.nets(nets); err != nil {
			return fmt.Errorf("hint: argmax %d: %w", i, err)
		}
		if a.Margin < 0 || len(a.Words) > 0 && bits.Len(uint(a.Margin)) > len(a.Words[0]) {
			return fmt.Errorf("hint: argmax %d: margin %d is out of range: compile again", i, a.Margin)
		}
	}
	return nil
}

// checker checks a hint against the number of nets.
type checker struct{ limit netlist.Net }

func (k checker) nets(nets []netlist.Net) error {
	for _, v := range nets {
		if v >= k.limit {
			return fmt.Errorf("net %d does not exist, there are %d: compile again", v, k.limit)
		}
	}
	return nil
}

func (k checker) count(c Count) error {
	if len(c.Digits) > 32 {
		return fmt.Errorf("%d digits are too many: compile again", len(c.Digits))
	}
	err := k.nets(c.Digits)
	for _, b := range c.Bits {
		err = cmp.Or(err, k.term(Term{1, b.Nets, b.Table}))
	}
	return cmp.Or(err, k.counters(c.Counters))
}

func (k checker) counters(all []Counter) error {
	for i, c := range all {
		err := k.nets(c.Leaves)
		for _, t := range slices.Concat(c.In, c.Out) {
			err = cmp.Or(err, k.term(t))
		}
		if constant := int64(c.Constant); constant > maxWeight || constant < -maxWeight {
			err = cmp.Or(err, fmt.Errorf("constant %d is out of range: compile again", constant))
		}
		if err = cmp.Or(err, k.counters(c.Steps)); err != nil {
			return fmt.Errorf("counter %d: %w", i, err)
		}
	}
	return nil
}

func (k checker) term(t Term) error {
	if len(t.Nets) > netlist.MaxFunctionInputs || t.Table&^netlist.TableMask(len(t.Nets)) != 0 {
		return fmt.Errorf("table %#x of %d nets is out of range: compile again", t.Table, len(t.Nets))
	}
	if weight := int64(t.Weight); weight > maxWeight || weight < -maxWeight {
		return fmt.Errorf("weight %d is out of range: compile again", weight)
	}
	return k.nets(t.Nets)
}
