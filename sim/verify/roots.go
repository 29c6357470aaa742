package verify

import (
	"fmt"
	"slices"

	"ialgn/netlist"
)

// roots are the bits that are counted for each class.
type roots struct {
	nets [][]netlist.Net // [class]

	// ports says that the bits are the output h, where each has its place: nets has
	// one row. Otherwise a class's popcount reads them, in any order.
	ports bool
}

// findRoots returns what is counted for each class, and checks that the head makes of
// it what it should: the probe count_c is the whole popcount, and class_index is the
// argmax of these counts.
func findRoots(n *netlist.Netlist) (roots, error) {
	h := slices.IndexFunc(n.OutputPorts(), func(p netlist.Port) bool { return p.Name == "h" })
	if h >= 0 {
		return roots{[][]netlist.Net{slices.Clone(n.OutputPorts()[h].Nets)}, true}, nil
	}
	var r roots
	var counts [][]netlist.Net
	for _, p := range n.Probes() {
		if p.Name != fmt.Sprintf("count_%d", len(counts)) {
			continue
		}
		nets, err := counted(n, p)
		if err != nil {
			return r, err
		}
		counts, r.nets = append(counts, p.Nets), append(r.nets, slices.Clone(nets))
	}
	return r, checkArgmax(n, counts)
}

// counted returns the inputs of the popcount whose result is the probe p. A probe that
// is no popcount's result may be a constant, which is that many ones, or a single bit.
func counted(n *netlist.Netlist, p netlist.Port) ([]netlist.Net, error) {
	digits := p.Nets
	for len(digits) > 0 && digits[len(digits)-1] == netlist.False {
		digits = digits[:len(digits)-1]
	}
	if !slices.ContainsFunc(digits, func(v netlist.Net) bool { return v > netlist.True }) {
		ones := 0
		for i, v := range digits {
			ones |= int(v) << i
		}
		return slices.Repeat([]netlist.Net{netlist.True}, ones), nil
	}
	c, pin, ok := n.Driver(digits[0])
	isCount := ok && n.Kind(c) == netlist.Popcount
	switch {
	case len(digits) == 1 && !isCount:
		return digits, nil
	case isCount && pin == 0 && slices.Equal(digits, netlist.Word(digits[0], n.Outputs(c))):
		return n.Inputs(c), nil
	}
	return nil, fmt.Errorf("%s is not the result of a popcount", p.Name)
}

// checkArgmax checks that the output class_index is the argmax of the counts. The
// argmax may leave out digits in which all counts are the same net.
func checkArgmax(n *netlist.Netlist, counts [][]netlist.Net) error {
	i := slices.IndexFunc(n.OutputPorts(), func(p netlist.Port) bool { return p.Name == "class_index" })
	if i < 0 || len(counts) == 0 {
		return fmt.Errorf("there is no class_index or no count_0")
	}
	out := n.OutputPorts()[i].Nets
	words := make([][]netlist.Net, len(counts))
	if c, pin, ok := n.Driver(out[0]); ok && n.Kind(c) == netlist.Argmax && pin == 0 {
		size := int(n.Param(c))
		in := n.Inputs(c)
		if len(in) != size*len(counts) || !slices.Equal(out, netlist.Word(out[0], n.Outputs(c))) {
			return fmt.Errorf("class_index is not the argmax of %d counts", len(counts))
		}
		for w := range words {
			words[w] = in[w*size : (w+1)*size]
		}
	} else if slices.ContainsFunc(out, func(v netlist.Net) bool { return v != netlist.False }) {
		return fmt.Errorf("class_index is not the result of an argmax")
	}
	return checkWords(counts, words)
}

// checkWords checks that the words are the counts but for digits that all counts share.
func checkWords(counts, words [][]netlist.Net) error {
	size, next := len(words[0]), 0
	for d := range counts[0] {
		shared, taken := true, next < size
		for c, digits := range counts {
			if len(digits) != len(counts[0]) {
				return fmt.Errorf("count_%d has %d digits, count_0 has %d", c, len(digits), len(counts[0]))
			}
			shared = shared && digits[d] == counts[0][d]
			taken = taken && digits[d] == words[c][next]
		}
		switch {
		case taken:
			next++
		case !shared:
			return fmt.Errorf("the argmax does not read digit %d of the counts", d)
		}
	}
	if next < size {
		return fmt.Errorf("the argmax reads %d digits of each count, there are %d", size, len(counts[0]))
	}
	return nil
}
