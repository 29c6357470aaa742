package qonnx

import (
	"errors"
	"fmt"
	"slices"

	"ialgn/internal/lowering"
	"ialgn/netlist"
)

// encoding says what the input of the graph is.
type encoding uint8

// These are the encodings.
const (
	single      encoding = iota // bits
	thermometer                 // feature words, to compare with thresholds
	words                       // feature words, to take bits from
)

// maxWord is the largest number of bits of a word that a table takes bits from. The table for one bit has an entry
// for each possible word.
const maxWord = 8

// firstInput is the first net of the input ports.
const firstInput = netlist.True + 1

// design is the part of a netlist that becomes a graph.
type design struct {
	n *netlist.Netlist

	encoding       encoding
	inputs         int // number of bits in the input ports
	features, word int // features: number of feature words; word: number of bits in each word
	most           int // largest number of thresholds that a feature has
	// source lists the bits that the first layers read, in order. The bits are either bits of the input or outputs of
	// comparisons. In a list of comparisons, each feature has the same number of entries, which is d.most; unused
	// entries are False. The field thresholds holds the thresholds of the comparisons.
	source     []netlist.Net
	thresholds []uint64

	wanted  []netlist.Net // bits of the last layer: the same number for each class, or all output bits
	classes int           // number of classes; 0: the bits are the result
	weights []float32     // the weight of each bit within a class; nil: 1

	needed []bool // cells that are read by other cells on which the result depends
}

// newDesign decides how to write n. If possible, the graph has comparisons for the comparisons of n, and sums for the
// popcounts of n. Otherwise it has gates.
func newDesign(n *netlist.Netlist) (*design, error) {
	if len(n.OutputPorts()) == 0 {
		return nil, errors.New("qonnx: the netlist has no outputs")
	}
	d := &design{n: n}
	if d.counts() && d.reach() && d.encode() {
		return d, nil
	}
	d = &design{n: lowering.Functions(n)}
	if !d.counts() {
		d.digits()
	}
	if !d.reach() {
		return nil, errors.New("qonnx: a cell is no function")
	}
	if d.encode() {
		return d, nil
	}
	return d, d.takeBits()
}

// probes returns the nets of the class counts.
func probes(n *netlist.Netlist) (counts [][]netlist.Net) {
	for {
		name := fmt.Sprintf("count_%d", len(counts))
		i := slices.IndexFunc(n.Probes(), func(p netlist.Port) bool { return p.Name == name })
		if i < 0 {
			return counts
		}
		counts = append(counts, n.Probes()[i].Nets)
	}
}

// counts finds, for each class, the bits whose ones are counted. It returns false if a class count is neither a
// popcount nor a single bit. If the netlist has no class counts, the wanted bits are the bits of the output ports.
func (d *design) counts() bool {
	counts := probes(d.n)
	if len(counts) == 0 {
		for _, p := range d.n.OutputPorts() {
			d.wanted = append(d.wanted, p.Nets...)
		}
		return true
	}
	groups, most := make([][]netlist.Net, len(counts)), 1
	for i, count := range counts {
		for len(count) > 0 && count[len(count)-1] == netlist.False {
			count = count[:len(count)-1]
		}
		c, pin, driven := netlist.Cell(0), 0, false
		if len(count) > 0 {
			c, pin, driven = d.n.Driver(count[0])
		}
		switch {
		case driven && d.n.Kind(c) == netlist.Popcount && pin == 0 && d.n.Outputs(c) >= len(count) &&
			slices.Equal(count, netlist.Word(d.n.Output(c), len(count))) && len(count) == d.n.Outputs(c):
			groups[i] = d.n.Inputs(c)
		case len(count) == 1:
			groups[i] = count
		case len(count) > 1:
			return false
		}
		most = max(most, len(groups[i]))
	}
	for _, g := range groups { // pad with 0 if other classes count more bits
		d.wanted = append(append(d.wanted, g...), make([]netlist.Net, most-len(g))...)
	}
	d.classes = len(groups)
	return true
}

// digits sets d.wanted to the binary digits of the class counts, and d.weights to the weights of these digits.
func (d *design) digits() {
	counts, most := probes(d.n), 1
	for _, count := range counts {
		most = max(most, len(count))
	}
	d.wanted = nil
	for _, count := range counts {
		d.wanted = append(append(d.wanted, count...), make([]netlist.Net, most-len(count))...)
	}
	for i := range most {
		d.weights = append(d.weights, float32(uint64(1)<<i))
	}
	d.classes = len(counts)
}

// reach finds the cells that the wanted bits depend on. It reports whether all these cells are functions or
// comparisons.
func (d *design) reach() bool {
	n := d.n
	d.needed = make([]bool, n.Cells())
	visit := func(nets []netlist.Net) {
		for _, v := range nets {
			if c, _, ok := n.Driver(v); ok {
				d.needed[c] = true
			}
		}
	}
	wanted := make([]bool, n.Cells())
	for _, v := range d.wanted {
		if c, _, ok := n.Driver(v); ok {
			wanted[c] = true
		}
	}
	for i := n.Cells() - 1; i >= 0; i-- {
		c := netlist.Cell(i)
		if !d.needed[c] && !wanted[c] {
			continue
		}
		switch n.Kind(c) {
		case netlist.Function, netlist.Carry, netlist.Primitive:
			visit(n.Inputs(c))
		case netlist.Compare:
			d.needed[c] = true
		default:
			return false
		}
	}
	for _, p := range n.InputPorts() {
		d.inputs += len(p.Nets)
	}
	return true
}

// encode reports whether the bits that functions read are of a single kind. They must all be bits of the input, or
// all be comparisons of feature words.
func (d *design) encode() bool {
	d.features, d.word = d.inputs, 1
	if p := d.n.InputPorts(); len(p) == 1 {
		d.word = max(1, p[0].Word)
		d.features = d.inputs / d.word
	}
	if d.word == 1 {
		d.source = netlist.Word(firstInput, d.inputs)
		return !slices.ContainsFunc(d.read(), func(v netlist.Net) bool { return v >= d.n.FirstCellNet() })
	}
	read := map[int][]comparison{}
	for _, v := range d.read() {
		c, ok := d.comparison(v)
		if !ok {
			return false
		}
		read[c.feature] = append(read[c.feature], c)
		d.most = max(d.most, len(read[c.feature]))
	}
	d.most = max(d.most, 1)
	d.encoding = thermometer
	d.source, d.thresholds = make([]netlist.Net, d.features*d.most), make([]uint64, d.features*d.most)
	for f, list := range read {
		slices.SortStableFunc(list, func(a, b comparison) int { return int(int64(a.threshold) - int64(b.threshold)) })
		for i, c := range list {
			d.source[f*d.most+i], d.thresholds[f*d.most+i] = c.net, c.threshold
		}
	}
	return true
}

// read returns a list of input bits and comparisons. The list has those that functions read and those that are wanted
// bits, in order and without duplicates.
func (d *design) read() (list []netlist.Net) {
	seen := make([]bool, d.n.Nets())
	visit := func(nets []netlist.Net) {
		for _, v := range nets {
			c, _, ok := d.n.Driver(v)
			if v > netlist.True && !seen[v] && (!ok || d.n.Kind(c) == netlist.Compare) {
				seen[v] = true
				list = append(list, v)
			}
		}
	}
	for c := range netlist.Cell(d.n.Cells()) {
		if d.needed[c] && d.n.Kind(c) != netlist.Compare {
			visit(d.n.Inputs(c))
		}
	}
	for _, v := range d.wanted {
		visit([]netlist.Net{v})
		if c, _, ok := d.n.Driver(v); ok && d.n.Kind(c) != netlist.Compare {
			visit(d.n.Inputs(c))
		}
	}
	slices.Sort(list)
	return list
}

// comparison says that a net is 1 if the word of a feature is above a threshold.
type comparison struct {
	net       netlist.Net
	feature   int
	threshold uint64
}

// comparison returns the comparison that drives a net. Its word may lack low bits of the feature if the threshold has
// only ones at these bits. A comparison of only the highest bit may be replaced by this bit.
func (d *design) comparison(v netlist.Net) (c comparison, ok bool) {
	bits, threshold := []netlist.Net{v}, uint64(0)
	if cell, _, driven := d.n.Driver(v); driven {
		bits, threshold = d.n.Inputs(cell), d.n.Param(cell)
	}
	if len(bits) == 0 || bits[0] < firstInput || bits[0] >= d.n.FirstCellNet() {
		return c, false
	}
	first := int(bits[0] - firstInput)
	low := first % d.word
	if low+len(bits) != d.word || !slices.Equal(bits, netlist.Word(bits[0], len(bits))) {
		return c, false
	}
	if d.word > 24 { // float32 is exact only for integers of at most 24 bits
		return c, false
	}
	return comparison{v, first / d.word, (threshold+1)<<low - 1}, true
}

// takeBits makes the design read single bits of feature words.
func (d *design) takeBits() error {
	if d.word > maxWord {
		return wordsTooWide(d.word)
	}
	d.encoding, d.source = words, d.read()
	if len(d.source) == 0 { // everything is constant, but something must be read
		d.source = []netlist.Net{firstInput}
	}
	return nil
}
