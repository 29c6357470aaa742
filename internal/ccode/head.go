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
	return classes, isLargest(n, words) && !readsCounts(n)
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
	for _, p := range n.OutputPorts() {
		if p.Name != wordcode.ClassPort {
			continue
		}
		c, pin, driven := n.Driver(p.Nets[0])
		if !driven || n.Kind(c) != netlist.Argmax {
			return len(words) == 1 && len(significant(p.Nets)) == 0
		}
		width, in := int(n.Param(c)), n.Inputs(c)
		if pin != 0 || len(p.Nets) != n.Outputs(c) || len(in) != width*len(words) {
			return false
		}
		for i, w := range words {
			if !slices.Equal(significant(in[i*width:][:width]), significant(w)) {
				return false
			}
		}
		return true
	}
	return false
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
