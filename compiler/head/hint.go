package head

import (
	"slices"

	"ialgn/netlist"
)

// Hint says why the counts of a lowered netlist are right, for [Check] and for proofs by
// cut points: which bits each count is the sum of, and which nets are inputs and outputs
// of each counter on the way. The nets are those of the lowered netlist.
type Hint struct {
	Counts  []Count `json:"counts"`
	Argmaxs []Index `json:"argmax"`
}

// Count is what became of one popcount.
type Count struct {
	// Popcount is the cell's number in the netlist before lowering.
	Popcount netlist.Cell `json:"popcount"`
	// Bits are what is counted, one for each input of the popcount, in its order.
	Bits []Bit `json:"bits"`
	// Digits are the count, least significant first; the highest may be constants.
	Digits []netlist.Net `json:"digits"`
	// Counters are the steps from bits to digits, in topological order.
	Counters []Counter `json:"counters"`
}

// Bit is one input of a popcount as a function of nets, a [Term] of weight 1. Where Pair
// is set, it has none: it is the complement of the input of that number, from 0, so that
// the two count one, and nothing of them need be left in the lowered netlist.
type Bit struct {
	Nets  []netlist.Net `json:"nets,omitempty"`
	Table uint64        `json:"table"`
	Pair  *int          `json:"pair,omitempty"`
}

// Counter is an identity: the sum of In plus Constant is the sum of Out.
//
// It is of one of two sorts. With Leaves, it holds whatever the values of these nets are,
// modulo 2^digits of the count or the counter that it is a step of, and all other nets that
// it names depend on Leaves alone. With Steps, it is the sum of these, and holds exactly,
// since neither side reaches the power of two up to which the steps do.
type Counter struct {
	Leaves   []netlist.Net `json:"leaves,omitempty"`
	In       []Term        `json:"in"`
	Out      []Term        `json:"out"`
	Constant uint64        `json:"constant,omitempty"`
	Steps    []Counter     `json:"steps,omitempty"`
}

// Term is a weighted bit: a function of up to six nets, in LUT INIT order. It is mostly a
// net itself, table 0b10, and the exclusive or of two nets where a counter has its outputs
// in such a form.
type Term struct {
	Weight uint64        `json:"weight"`
	Nets   []netlist.Net `json:"nets"`
	Table  uint64        `json:"table"`
}

// Index is what became of one argmax.
type Index struct {
	Argmax netlist.Cell    `json:"argmax"` // its number before lowering
	Words  [][]netlist.Net `json:"words"`  // least significant bit first
	Index  []netlist.Net   `json:"index"`
}

// Map returns the hint with every net replaced, for a pass that renumbers nets but keeps
// those that the hint names, such as [netlist.Copier.To] of a copy.
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
	return Counter{nets(c.Leaves), terms(c.In), terms(c.Out), c.Constant, steps}
}
