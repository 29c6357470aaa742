package encoder

import (
	"slices"

	"ialgn/netlist"
)

// Split is a classifier whose thermometer encoder stands apart.
type Split struct {
	// Core is the classifier without it. Its input port has for each feature a word with a
	// bit for each of the thresholds, which is 1 above that threshold.
	Core *netlist.Netlist
	// Word are the bits of a feature.
	Word int
	// Thresholds are those of all features together, rising.
	Thresholds []uint64
}

// The limits within which [Apart] splits.
const (
	maxApartWord       = 12 // bits, all of whose values are tried
	maxApartThresholds = 64 // comparators for each word that comes at a time
)

// Apart takes the thermometer encoder out of a netlist, lowered or not, whose data come in
// one port of feature words. Where words come one after the other, one encoder can then
// serve them all, and what is kept of a word are the bits that something reads.
//
// It returns nil where that cannot be: words of one bit or of more than 12, more than 64
// different thresholds, or registers in the encoder, so that what is read there is no
// comparison of a word with a threshold.
func Apart(n *netlist.Netlist) *Split {
	inputs := n.DataInputs()
	if len(inputs) != 1 || inputs[0].Word < 2 || inputs[0].Word > maxApartWord {
		return nil
	}
	a := &apart{n: n, port: inputs[0], word: n.Words(), above: map[netlist.Net]uint64{}}
	a.find()
	if !a.thresholds() {
		return nil
	}
	return &Split{Core: a.core(), Word: a.port.Word, Thresholds: a.all}
}

// apart is a netlist whose encoder is taken out.
type apart struct {
	n       *netlist.Netlist
	port    netlist.Port
	word    []int32                // of each net
	encodes []bool                 // the cells of the encoder
	border  []netlist.Net          // what other cells read of it
	above   map[netlist.Net]uint64 // the threshold of each of them
	all     []uint64               // the thresholds
}

// find sets the encoder's cells, which depend on one word and no register, and the border.
func (a *apart) find() {
	a.encodes = make([]bool, a.n.Cells())
	inside := make([]bool, a.n.Nets()) // its nets, and the bits of words
	inside[netlist.False], inside[netlist.True] = true, true
	for _, v := range a.port.Nets {
		inside[v] = true
	}
	read := make([]bool, a.n.Nets())
	outside := func(v netlist.Net) bool { return !inside[v] }
	for c := range netlist.Cell(a.n.Cells()) {
		k, in := a.n.Kind(c), a.n.Inputs(c)
		if (k == netlist.Function || k == netlist.Compare) && a.word[a.n.Output(c)] >= 0 && !slices.ContainsFunc(in, outside) {
			a.encodes[c], inside[a.n.Output(c)] = true, true
			continue
		}
		for _, v := range in {
			read[v] = true
		}
	}
	for _, p := range slices.Concat(a.n.OutputPorts(), a.n.Probes()) {
		for _, v := range p.Nets {
			read[v] = true
		}
	}
	for v := netlist.True + 1; int(v) < len(read); v++ {
		if read[v] && inside[v] {
			a.border = append(a.border, v)
		}
	}
}

// thresholds finds those of the border by trying all values, in every word at once. It
// reports whether all of it are comparisons.
func (a *apart) thresholds() bool {
	value := make([]bool, a.n.Nets())
	value[netlist.True] = true
	for v := range uint64(1) << a.port.Word {
		a.evaluate(v, value)
		for _, net := range a.border {
			_, passed := a.above[net]
			switch {
			case passed && !value[net], value[net] && v == 0:
				return false
			case value[net] && !passed:
				a.above[net] = v - 1
			}
		}
	}
	for _, t := range a.above {
		a.all = append(a.all, t)
	}
	slices.Sort(a.all)
	a.all = slices.Compact(a.all)
	return len(a.above) == len(a.border) && len(a.all) > 0 && len(a.all) <= maxApartThresholds
}

// evaluate sets the encoder's nets where every word is v.
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

// number returns the number whose bits some nets are, the lowest first.
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
	features := len(a.port.Nets) / a.port.Word
	c, levels := netlist.NewCopierOf(a.n, i, features*len(a.all), len(a.all))
	for _, net := range a.border {
		feature := int(a.word[net] - a.word[a.port.Nets[0]])
		level, _ := slices.BinarySearch(a.all, a.above[net])
		c.Set(net, levels[feature*len(a.all)+level])
	}
	for cell, encodes := range a.encodes {
		if !encodes {
			c.Copy(netlist.Cell(cell))
		}
	}
	return c.Finish()
}
