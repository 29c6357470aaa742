package ccode

import (
	"slices"

	"ialgn/internal/wordcode"
	"ialgn/netlist"
)

// findHead returns the nets that each class counts. The popcounts and the argmax of the netlist must form a head,
// which means that only probes, the counts port and the argmax read the popcounts. Otherwise ok is false.
func findHead(n *netlist.Netlist, c *wordcode.Classifier) (classes [][]netlist.Net, ok bool) {
	if c == nil {
		return nil, false
	}
	words := countWords(n, len(c.Counts))
	for _, w := range words {
		nets, ok := countedNets(n, w)
		if !ok {
			return nil, false
		}
		classes = append(classes, nets)
	}
	return classes, isLargest(n, words) && isMargin(n) && !readsCounts(n)
}

// isMargin reports whether the output uncertain, if there is one, is a constant or an output of the argmax that
// computes the class.
func isMargin(n *netlist.Netlist) bool {
	p, found := outputPort(n, wordcode.UncertainPort)
	if !found || len(p.Nets) == 1 && p.Nets[0] <= netlist.True {
		return true
	}
	class, _ := outputPort(n, wordcode.ClassPort)
	c, pin, driven := n.Driver(p.Nets[0])
	return driven && len(p.Nets) == 1 && n.Kind(c) == netlist.Argmax && pin == len(class.Nets) &&
		n.Output(c) == class.Nets[0]
}

// marginOf returns the margin of a head. The output uncertain, if there is one, is as [isMargin] requires.
func marginOf(n *netlist.Netlist) *Margin {
	p, found := outputPort(n, wordcode.UncertainPort)
	if !found {
		return nil
	}
	if c, _, driven := n.Driver(p.Nets[0]); driven {
		_, margin := netlist.ArgmaxForm(n.Param(c))
		return &Margin{Lead: margin}
	}
	return &Margin{Constant: true, Always: p.Nets[0] == netlist.True}
}

// outputPort returns the output port with a name.
func outputPort(n *netlist.Netlist, name string) (p netlist.Port, found bool) {
	i := slices.IndexFunc(n.OutputPorts(), func(p netlist.Port) bool { return p.Name == name })
	if i < 0 {
		return p, false
	}
	return n.OutputPorts()[i], true
}

// countWords returns the nets of the probes count_0, count_1 and so on.
func countWords(n *netlist.Netlist, classes int) [][]netlist.Net {
	words := make([][]netlist.Net, classes)
	for _, p := range slices.Concat(n.OutputPorts(), n.Probes()) {
		for i := range words {
			if p.Name == wordcode.CountName(i) {
				words[i] = p.Nets
			}
		}
	}
	return words
}

// countedNets returns the nets whose ones add up to the number in a word. If the word is the output of a popcount,
// the nets are the popcount's inputs. If the word has one bit, the net is this bit. If the word is a constant k, the
// nets are k constant ones.
func countedNets(n *netlist.Netlist, word []netlist.Net) (nets []netlist.Net, ok bool) {
	used := significant(word)
	if ones, ok := constantOf(used); ok {
		return slices.Repeat([]netlist.Net{netlist.True}, ones), true
	}
	c, pin, driven := n.Driver(used[0])
	if !driven || n.Kind(c) != netlist.Popcount {
		return used, len(used) == 1
	}
	if pin != 0 || n.Outputs(c) != len(used) {
		return nil, false
	}
	for i, v := range used {
		if v != n.Output(c)+netlist.Net(i) {
			return nil, false
		}
	}
	return n.Inputs(c), true
}

// constantOf returns the value of a word whose bits are constants.
func constantOf(word []netlist.Net) (value int, ok bool) {
	for i, v := range word {
		if v > netlist.True {
			return 0, false
		}
		value |= int(v) << i
	}
	return value, len(word) <= 20 // a network has fewer chains than this limit
}

// significant returns a word without its leading zeros.
func significant(word []netlist.Net) []netlist.Net {
	for len(word) > 0 && word[len(word)-1] == netlist.False {
		word = word[:len(word)-1]
	}
	return word
}

// isLargest reports whether class_index is the argmax of the counts.
func isLargest(n *netlist.Netlist, words [][]netlist.Net) bool {
	p, found := outputPort(n, wordcode.ClassPort)
	if !found {
		return false
	}
	c, pin, driven := n.Driver(p.Nets[0])
	if !driven || n.Kind(c) != netlist.Argmax {
		return len(words) == 1 && len(significant(p.Nets)) == 0
	}
	width, margin := netlist.ArgmaxForm(n.Param(c))
	in, outputs := n.Inputs(c), len(p.Nets)
	if margin > 0 {
		outputs++
	}
	if pin != 0 || outputs != n.Outputs(c) || len(in) != width*len(words) {
		return false
	}
	for i, w := range words {
		if !slices.Equal(significant(in[i*width:][:width]), significant(w)) {
			return false
		}
	}
	return true
}

// readsCounts reports whether a cell other than an argmax reads a popcount or an argmax.
func readsCounts(n *netlist.Netlist) bool {
	for c := range netlist.Cell(n.Cells()) {
		if n.Kind(c) == netlist.Argmax {
			continue
		}
		for _, v := range n.Inputs(c) {
			d, _, ok := n.Driver(v)
			if ok && (n.Kind(d) == netlist.Popcount || n.Kind(d) == netlist.Argmax) {
				return true
			}
		}
	}
	return false
}
