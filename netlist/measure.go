package netlist

import "math/bits"

// Part is the part of a classifier that a cell belongs to.
type Part uint8

// These are the parts, in the order in which data passes through them.
const (
	PartEncoder Part = iota
	PartGates
	PartHead

	parts = int(PartHead) + 1
)

// Sizes holds a number for each part of the design, and the total of these numbers.
type Sizes struct {
	Gates   int `json:"gates"`
	Head    int `json:"head"`
	Encoder int `json:"encoder"`
	Total   int `json:"total"`
}

// KindCount is the number of cells of one kind.
type KindCount struct {
	Kind  string `json:"kind"`
	Cells int    `json:"cells"`
}

// Measures are the sizes of a netlist for reports.
type Measures struct {
	// Cells counts all cells. In the raw netlist of a model, Cells.Gates is width x depth, the number of gates that
	// are deployed.
	Cells Sizes `json:"cells"`
	// LUTs counts the functions that depend on at least one input, except mere wires. It also counts the LUTs that
	// bring carries out of their chains ([Chains]). For a mapped netlist, this is the number that synthesis tools
	// report, including inverters.
	LUTs Sizes `json:"luts"`
	// Carries and Registers count the cells of these kinds.
	Carries   Sizes `json:"carries"`
	Registers Sizes `json:"registers"`
	// Levels holds the lengths of longest paths. The length for a part is the largest number of cells of that part on
	// one path. The total is the largest number of cells of any part on one path. Paths begin and end at registers. A
	// cell of any kind is one level: a popcount, for example, is one level until it is lowered. There are two
	// exceptions. A carry is no level, since a chain is very fast, but a LUT that brings a carry out of its chain is
	// one level. A function without inputs is no level.
	Levels Sizes `json:"levels"`
	// Kinds lists the kinds that occur, in the order of their constants.
	Kinds []KindCount `json:"kinds"`
}

// Measure returns the measures of n, which must be valid. It costs a few walks over the cells and 18 bytes for each
// net.
func Measure(n *Netlist) Measures {
	var m Measures
	part, chains := n.Parts(), n.CarryChains()
	var cells, luts, carries, registers [parts]int
	var count [kinds]int
	for c, p := range part {
		cells[p]++
		count[n.kind[c]]++
		switch n.kind[c] {
		case Function:
			if n.isLUT(Cell(c)) {
				luts[p]++
			}
		case Carry:
			carries[p]++
			if chains.Out(n.outStart[c]) {
				luts[p]++
			}
		case Register:
			registers[p]++
		}
	}
	m.Cells, m.LUTs, m.Carries, m.Registers = sizes(cells), sizes(luts), sizes(carries), sizes(registers)
	longest := n.longest(part, chains)
	m.Levels = Sizes{
		Gates: int(longest[PartGates]), Head: int(longest[PartHead]), Encoder: int(longest[PartEncoder]),
		Total: int(longest[parts]),
	}
	for k, cells := range count {
		if cells > 0 {
			m.Kinds = append(m.Kinds, KindCount{Kind(k).String(), cells})
		}
	}
	return m
}

// isLUT reports whether function c depends on an input and does not just pass it on.
func (n *Netlist) isLUT(c Cell) bool {
	table := Effective(n.param[c], n.Inputs(c))
	pins := Support(table)
	return pins != 0 && (pins&(pins-1) != 0 || table != PinTable(bits.TrailingZeros8(pins)))
}

// sizes converts the numbers of the parts to Sizes, with their sum.
func sizes(of [parts]int) Sizes {
	s := Sizes{Gates: of[PartGates], Head: of[PartHead], Encoder: of[PartEncoder]}
	s.Total = s.Gates + s.Head + s.Encoder
	return s
}

// Parts returns the part of every cell. Cells that come from a gate of the model belong to the gates. Comparisons
// belong to the encoder. Popcounts and argmax belong to the head. A register belongs to the part of the cell that
// drives it. Other cells, such as functions that a lowering made, belong to the encoder if they depend on only one
// word of an input port ([Netlist.Words]). Otherwise they belong to the head. Counters of the head may also read
// inputs, but they read words of several features.
func (n *Netlist) Parts() []Part {
	part, word := make([]Part, len(n.kind)), n.Words()
	ofNet := make([]Part, n.Nets())
	for c, k := range n.kind {
		last := PartEncoder
		for _, v := range n.dataInputs(Cell(c)) {
			last = max(last, ofNet[v])
		}
		switch {
		case k == Register:
		case n.layer[c] > 0:
			last = PartGates
		case k == Compare:
		case k == Popcount || k == Argmax || last > PartEncoder || word[n.outStart[c]] == NoWord:
			last = PartHead
		}
		part[c] = last
		for v := n.outStart[c]; v < n.outStart[c+1]; v++ {
			ofNet[v] = last
		}
	}
	return part
}

// path holds the length of the longest path for each part. The last element is the length for all parts together.
type path [parts + 1]int32

// raise raises each length of p to at least the length in q.
func (p *path) raise(q *path) {
	for i, l := range q {
		p[i] = max(p[i], l)
	}
}

// step adds a cell of a part to the path.
func (p *path) step(of Part) {
	p[of]++
	p[parts]++
}

// longest returns the lengths of the longest paths in the netlist.
func (n *Netlist) longest(part []Part, chains *Chains) (longest path) {
	level := make([]path, n.Nets())
	for c, k := range n.kind {
		l, in := path{}, n.Inputs(Cell(c))
		if k != Register {
			for _, v := range in {
				l.raise(&level[v])
				if chains.brings(Cell(c), k, v) {
					out := level[v]
					out.step(part[n.driver(v)])
					l.raise(&out)
				}
			}
			if k != Carry && len(in) > 0 {
				l.step(part[c])
			}
		}
		for v := n.outStart[c]; v < n.outStart[c+1]; v++ {
			level[v] = l
		}
		if k == Carry && chains.Out(n.outStart[c]) {
			l.step(part[c])
		}
		longest.raise(&l)
	}
	return longest
}

// driver returns the cell that drives net v.
func (n *Netlist) driver(v Net) Cell {
	c, _, _ := n.Driver(v)
	return c
}

// brings reports whether cell c of kind k reads carry v through a LUT that brings the carry out of its chain.
func (s *Chains) brings(c Cell, k Kind, v Net) bool {
	if !s.Out(v) {
		return false
	}
	next, goesOn := s.next[v]
	return k != Carry || !goesOn || next != c
}
