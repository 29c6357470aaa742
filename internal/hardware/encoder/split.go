package encoder

import (
	"maps"
	"slices"

	"ialgn/netlist"
)

// Split is a classifier that is divided into its thermometer encoder and its core, which is the rest.
type Split struct {
	// Core is the classifier without the encoder. Its input port has one word for each feature. The word begins with
	// one bit for each threshold, which is 1 if the feature is above the threshold. After these bits, the word has
	// the bits of the feature that are listed in the field Bits.
	Core *netlist.Netlist
	// Word is the number of bits of a feature.
	Word int
	// Thresholds has the thresholds of all features together, in ascending order.
	Thresholds []uint64
	// Bits lists the bits of features that the core reads directly, in ascending order. For example, a comparison of
	// a two-bit word may be merged into the LUT that reads it. This LUT then reads the bits of the word.
	Bits []int
}

// [Apart] splits netlists within these limits.
const (
	maxApartWord       = 12 // bits of a word; all values of a word are tried
	maxApartThresholds = 64 // comparators and directly read bits of a word, together
)

// Apart splits the thermometer encoder from a netlist whose data arrive at one port of feature words. The netlist may
// be lowered. If words arrive one after another, a single encoder can then serve all words, and only the bits that
// the core reads have to be stored.
//
// It returns nil if the netlist cannot be split. Words must have from 2 to 12 bits. There must be at most 64
// different thresholds and directly read bits, and at least one comparison with a threshold. Parts of the encoder
// stay in the core if they were merged into the logic behind the encoder or come after a register. The core then
// reads bits of words directly.
func Apart(n *netlist.Netlist) *Split {
	inputs := n.DataInputs()
	if len(inputs) != 1 || inputs[0].Word < 2 || inputs[0].Word > maxApartWord {
		return nil
	}
	a := &apart{n: n, port: inputs[0], word: n.Words()}
	a.find()
	a.all = slices.Compact(slices.Sorted(maps.Values(a.above)))
	a.bits = slices.Compact(slices.Sorted(maps.Values(a.bit)))
	if len(a.all) == 0 || len(a.all)+len(a.bits) > maxApartThresholds {
		return nil
	}
	return &Split{Core: a.core(), Word: a.port.Word, Thresholds: a.all, Bits: a.bits}
}

// apart is the state of splitting one netlist.
type apart struct {
	n       *netlist.Netlist
	port    netlist.Port
	word    []int32                // [net]: the word that the net depends on
	encodes []bool                 // [cell]: whether the cell belongs to the encoder
	border  []netlist.Net          // nets of the encoder that other cells read
	above   map[netlist.Net]uint64 // the thresholds of border nets
	bit     map[netlist.Net]int    // for each border net that is a bit of its word: the number of this bit
	all     []uint64               // all thresholds
	bits    []int
}

// find sets the fields encodes and border. A cell belongs to the encoder if it depends on exactly one word and on no
// register.
func (a *apart) find() {
	a.encodes = make([]bool, a.n.Cells())
	inside := make([]bool, a.n.Nets()) // nets of the encoder, and the bits of its words
	inside[netlist.False], inside[netlist.True] = true, true
	for _, v := range a.port.Nets {
		inside[v] = true
	}
	outside := func(v netlist.Net) bool { return !inside[v] }
	for c := range netlist.Cell(a.n.Cells()) {
		k := a.n.Kind(c)
		if (k == netlist.Function || k == netlist.Compare) && a.word[a.n.Output(c)] >= 0 &&
			!slices.ContainsFunc(a.n.Inputs(c), outside) {
			a.encodes[c], inside[a.n.Output(c)] = true, true
		}
	}
	for other := a.mark(inside); len(other) > 0; other = a.mark(inside) {
		for c := range netlist.Cell(a.n.Cells()) {
			if a.encodes[c] && (other[a.n.Output(c)] || slices.ContainsFunc(a.n.Inputs(c), outside)) {
				a.encodes[c], inside[a.n.Output(c)] = false, false
			}
		}
	}
}

// mark sets the border and classifies its nets. It returns the nets that cells of the encoder drive but that are
// neither a comparison nor a bit of the word. Such cells may read several comparisons.
func (a *apart) mark(inside []bool) (other map[netlist.Net]bool) {
	read := make([]bool, a.n.Nets())
	for c, encodes := range a.encodes {
		if !encodes {
			for _, v := range a.n.Inputs(netlist.Cell(c)) {
				read[v] = true
			}
		}
	}
	for _, p := range slices.Concat(a.n.OutputPorts(), a.n.Probes()) {
		for _, v := range p.Nets {
			read[v] = true
		}
	}
	a.border = nil
	for v := netlist.True + 1; int(v) < len(read); v++ {
		if read[v] && inside[v] {
			a.border = append(a.border, v)
		}
	}
	other = a.measure()
	for i, net := range a.port.Nets {
		if other[net] {
			a.bit[net] = i % a.port.Word
			delete(other, net)
		}
	}
	return other
}

// measure finds the thresholds of the border nets. It evaluates the encoder for each value, with the same value in
// all words. It returns the border nets that are not a comparison.
func (a *apart) measure() (other map[netlist.Net]bool) {
	value := make([]bool, a.n.Nets())
	value[netlist.True] = true
	a.above, a.bit, other = map[netlist.Net]uint64{}, map[netlist.Net]int{}, map[netlist.Net]bool{}
	for v := range uint64(1) << a.port.Word {
		a.evaluate(v, value)
		for _, net := range a.border {
			_, passed := a.above[net]
			switch {
			case passed && !value[net], value[net] && v == 0:
				other[net] = true
			case value[net] && !passed:
				a.above[net] = v - 1
			}
		}
	}
	for _, net := range a.border {
		if _, passed := a.above[net]; !passed {
			other[net] = true
		}
	}
	for net := range other {
		delete(a.above, net)
	}
	return other
}

// evaluate sets the values of the encoder's nets for the case that every word is v.
func (a *apart) evaluate(v uint64, value []bool) {
	for i, net := range a.port.Nets {
		value[net] = v>>(i%a.port.Word)&1 == 1
	}
	for c, encodes := range a.encodes {
		c := netlist.Cell(c)
		switch {
		case !encodes:
		case a.n.Kind(c) == netlist.Compare:
			value[a.n.Output(c)] = number(a.n.Inputs(c), value) > a.n.Param(c)
		default:
			value[a.n.Output(c)] = a.n.Param(c)>>number(a.n.Inputs(c), value)&1 == 1
		}
	}
}

// number returns the number whose bits are the values of the nets. The first net is the lowest bit.
func number(nets []netlist.Net, value []bool) (n uint64) {
	for i, v := range nets {
		if value[v] {
			n |= 1 << i
		}
	}
	return n
}

// core returns the netlist without the encoder.
func (a *apart) core() *netlist.Netlist {
	i := slices.IndexFunc(a.n.InputPorts(), func(p netlist.Port) bool { return p.Name == a.port.Name })
	features, word := len(a.port.Nets)/a.port.Word, len(a.all)+len(a.bits)
	c, levels := netlist.NewCopierOf(a.n, i, features*word, word)
	for _, net := range a.border {
		feature := int(a.word[net] - a.word[a.port.Nets[0]])
		level, _ := slices.BinarySearch(a.all, a.above[net])
		if b, ok := a.bit[net]; ok {
			at, _ := slices.BinarySearch(a.bits, b)
			level = len(a.all) + at
		}
		c.Set(net, levels[feature*word+level])
	}
	for cell, encodes := range a.encodes {
		if !encodes {
			c.Copy(netlist.Cell(cell))
		}
	}
	return c.Finish()
}

// Whole returns the core with a new encoder in front, made from Thresholds and Bits. If the split
// is right, the result computes what the original netlist computes.
func (s *Split) Whole() *netlist.Netlist {
	port := s.Core.DataInputs()[0]
	i := slices.IndexFunc(s.Core.InputPorts(), func(p netlist.Port) bool { return p.Name == port.Name })
	levels := len(s.Thresholds) + len(s.Bits)
	c, x := netlist.NewCopierOf(s.Core, i, len(port.Nets)/levels*s.Word, s.Word)
	for k, v := range port.Nets {
		word := x[k/levels*s.Word:][:s.Word]
		if j := k % levels; j < len(s.Thresholds) {
			c.Set(v, c.Cell(netlist.Compare, s.Thresholds[j], netlist.Origin{}, word...))
		} else {
			c.Set(v, word[s.Bits[j-len(s.Thresholds)]])
		}
	}
	for i := range netlist.Cell(s.Core.Cells()) {
		c.Copy(i)
	}
	return c.Finish()
}
