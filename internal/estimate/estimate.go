// Package estimate estimates how many look-up tables (LUTs) a network takes, without compiling it. It is fast enough
// to run in each epoch of training.
//
// The nodes are covered with LUTs without restructuring the network. Constants are propagated. Nodes that pass a bit
// on cost nothing. Nodes on which no counted bit depends also cost nothing. If only one other node reads a node, both
// share a LUT, provided that their pins fit. Popcounts and argmax are estimated by a formula from the number of
// counted bits. For the comparators, the estimate adds up the LUTs of all comparisons that have readers, as if no two
// comparisons shared a LUT. The estimate does not include the compiler's other optimisations. Only the compiler's own
// counts are exact.
package estimate

import (
	"cmp"
	"math"
	"math/bits"
	"slices"

	"ialgn/internal/encoding"
	"ialgn/internal/model"
)

// Usual is the number of inputs of LUTs if no target says otherwise.
const Usual = 6

// LUTs holds the number of LUTs in each part of a classifier. A compilation counts the same parts.
type LUTs struct {
	Inputs  int `json:"inputs"`  // largest number of inputs of a LUT
	Gates   int `json:"gates"`   // nodes of the network
	Head    int `json:"head"`    // popcounts and argmax
	Encoder int `json:"encoder"` // comparators of the features
	Total   int `json:"total"`
}

// Of estimates the LUTs of a network, for LUTs with the given number of inputs. If sum is nil, f is the whole
// network. Otherwise f is a part of the network that has only some of the chains. Chains of different parts must not
// read each other. The function sum then replaces numbers by their sums over all parts. Of returns only errors of
// sum. It panics if inputs < 2.
func Of(f *model.Frozen, inputs int, sum func([]int32) error) (LUTs, error) {
	if inputs < 2 {
		panic("estimate: look-up tables of fewer than two inputs")
	}
	c := newCover(f, inputs)
	classes := len(f.Classes)
	parts := append(append(c.countedBits(), int32(c.luts())), c.readers[:f.Inputs()]...)
	if sum != nil {
		if err := sum(parts); err != nil {
			return LUTs{}, err
		}
	}
	l := LUTs{
		Inputs: inputs, Gates: int(parts[classes]), Head: c.head(parts[:classes]),
		Encoder: c.comparators(parts[classes+1:]),
	}
	l.Total = l.Gates + l.Head + l.Encoder
	return l, nil
}

// signal is a bit: an input bit, or the output of a node. Nodes are numbered after the input bits, layer by layer.
// The two values below 0 are constants.
type signal int32

const (
	zero signal = -2
	one  signal = -1
)

// cover is a network that is being covered with LUTs.
type cover struct {
	*model.Frozen
	inputs int      // number of inputs of a LUT
	first  []signal // first node of each layer

	is      []signal   // [node]: the signal or constant that the node equals, or else the node itself
	reads   [][]signal // [node]: the signals on which the node depends, if it equals no other signal
	readers []int32    // [signal]: number of live nodes and counted bits that read the signal
	counted []signal   // the signals of the last layer's nodes, without constants
}

func newCover(f *model.Frozen, inputs int) *cover {
	c := &cover{Frozen: f, inputs: inputs}
	at := signal(f.Inputs())
	for l := range f.Layers {
		c.first = append(c.first, at)
		at += signal(f.Layers[l].Width())
	}
	c.is, c.reads = make([]signal, f.Gates()), make([][]signal, f.Gates())
	c.readers = make([]int32, at)
	for l := range f.Layers {
		for i := range f.Layers[l].Width() {
			c.reduce(l, i)
		}
	}
	c.count()
	return c
}

// node returns the index of a signal among the nodes.
func (c *cover) node(s signal) int { return int(s) - c.Inputs() }

// isNode reports whether a signal is the output of a node.
func (c *cover) isNode(s signal) bool { return int(s) >= c.Inputs() }

// reduce finds the signal that a node equals, or the signals on which the node depends.
func (c *cover) reduce(l, i int) {
	layer := &c.Layers[l]
	pins, table := len(layer.Pins), layer.Op.At(i)
	var sources [model.MaxPins]signal
	for k := range layer.Pins {
		p := &layer.Pins[k]
		s := signal(p.Index[i])
		if p.Source == model.Previous {
			s = c.is[c.node(c.first[l-1]+s)]
		}
		if sources[k] = s; s < 0 {
			table = model.Restrict(table, pins, k, s == one)
		}
	}
	self := c.first[l] + signal(i)
	n := c.node(self)
	var reads []signal
	for k, s := range sources[:pins] {
		if model.DependsOn(table, pins, k) && !slices.Contains(reads, s) {
			reads = append(reads, s)
		}
	}
	switch {
	case len(reads) == 0 && table == 0:
		c.is[n] = zero
	case len(reads) == 0:
		c.is[n] = one
	case len(reads) == 1:
		c.is[n] = reads[0] // or the negation of this signal, which costs nothing either
	default:
		c.is[n], c.reads[n] = self, reads
	}
}

// count counts the readers of every signal, from the counted bits down.
func (c *cover) count() {
	last := len(c.Layers) - 1
	for i := range c.Layers[last].Width() {
		if s := c.is[c.node(c.first[last]+signal(i))]; s >= 0 {
			c.counted = append(c.counted, s)
			c.readers[s]++
		}
	}
	for n := len(c.reads) - 1; n >= 0; n-- {
		if c.readers[n+c.Inputs()] > 0 {
			for _, s := range c.reads[n] {
				c.readers[s]++
			}
		}
	}
}

// luts covers the live nodes with LUTs and returns the number of LUTs.
func (c *cover) luts() int {
	root := make([]bool, len(c.reads)) // whether the node needs its own LUT
	for _, s := range c.counted {
		if c.isNode(s) {
			root[c.node(s)] = true
		}
	}
	leaves := make([][]signal, len(c.reads)) // [node]: signals that the node's LUT reads
	total := 0
	for n, reads := range c.reads {
		if c.readers[n+c.Inputs()] == 0 || len(reads) == 0 {
			continue
		}
		total += tables(len(reads), c.inputs)
		leaves[n] = reads
		for _, s := range c.absorbable(reads, root, leaves) {
			if with := union(leaves[n], s, leaves[c.node(s)]); len(with) <= c.inputs {
				leaves[n] = with
				total--
			}
		}
	}
	return total
}

// absorbable returns the nodes among signals that a reader's LUT can absorb. Such a node is a single LUT, and no
// other node and no popcount reads it. Nodes with the fewest inputs come first.
func (c *cover) absorbable(signals []signal, root []bool, leaves [][]signal) (found []signal) {
	for _, s := range signals {
		if c.isNode(s) && c.readers[s] == 1 && !root[c.node(s)] && len(leaves[c.node(s)]) <= c.inputs {
			found = append(found, s)
		}
	}
	slices.SortFunc(found, func(a, b signal) int {
		return cmp.Compare(len(leaves[c.node(a)]), len(leaves[c.node(b)]))
	})
	return found
}

// union returns a copy of signals in which the elements of instead replace the element gone. The result has no
// duplicates.
func union(signals []signal, gone signal, instead []signal) (all []signal) {
	for _, s := range signals {
		if s != gone {
			all = append(all, s)
		}
	}
	for _, s := range instead {
		if !slices.Contains(all, s) {
			all = append(all, s)
		}
	}
	return all
}

// tables returns the number of LUTs of a function, for LUTs with the given number of inputs. Each pin that exceeds
// this number doubles the LUTs and adds one LUT that selects.
func tables(pins, inputs int) int { return 2<<max(0, pins-inputs) - 1 }

// perBit returns the number of LUTs in a popcount for each bit that its counters remove. A full adder takes two LUTs
// and turns three bits into two. With six inputs, a counter takes three LUTs and turns six bits into three.
func perBit(inputs int) float64 {
	switch {
	case inputs >= 6:
		return 1
	case inputs >= 3:
		return 2 - float64(0.25*float64(inputs-3))
	}
	return 5 // a full adder of two-input gates
}

// head estimates popcounts and argmax. The count of n bits has the same number of digits as n. Each class except the
// first needs a comparison of two counts, a selection between the two counts, and one LUT for the index. The
// comparison and the selection each take about one LUT for each digit.
func (c *cover) head(counted []int32) int {
	luts := 0.0
	for _, n := range counted {
		luts += float64(perBit(c.inputs) * float64(int(n)-bits.Len(uint(n))))
	}
	digits := bits.Len(uint(slices.Max(counted)))
	return int(math.Round(luts)) + (len(counted)-1)*(2*digits+1)
}

// countedBits returns, for each class, the number of counted bits that are not constants.
func (c *cover) countedBits() []int32 {
	classes := len(c.Classes)
	counted := make([]int32, classes)
	last := len(c.Layers) - 1
	for i := range c.Width {
		if c.is[c.node(c.first[last]+signal(i))] >= 0 {
			counted[i*classes/c.Width]++
		}
	}
	return counted
}

// comparators returns the number of LUTs of the comparisons that have readers. Each comparison is counted once, as if
// it shared nothing with others. readers has the number of readers of each input bit.
func (c *cover) comparators(readers []int32) (luts int) {
	per := c.Encoder.Bits - 1
	for f, thresholds := range c.Encoder.Thresholds {
		for j, t := range thresholds {
			same := j > 0 && t == thresholds[j-1] && readers[f*per+j-1] > 0
			if readers[f*per+j] > 0 && !same {
				luts += encoding.ComparisonLUTs(c.Encoder.BitsIn, t, c.inputs)
			}
		}
	}
	return luts
}
