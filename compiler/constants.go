package compiler

import (
	"fmt"
	"math/bits"
	"slices"

	"ialgn/netlist"
)

// Constants evaluates cells that do not depend on any input. It removes constant, repeated and vacuous inputs from
// function cells, and replaces a cell without inputs by a constant.
//
// It also simplifies cells of other kinds without changing their kind. In comparisons, it removes bits that do not
// influence the result. In popcounts, it removes zeros. In an argmax, it removes bit positions in which all words
// agree. It also removes registers that never leave 0, and enables that are always 1. A carry with one constant input
// stays a carry, because a carry in a carry chain costs nothing and a function would break the chain. Primitives are
// not changed.
//
// Requires: nothing.
// Ensures: no function cell has a constant, repeated or vacuous input, or no inputs at all.
// Cost:     O(cells + pins).
//
// Constants runs first, since it makes the one-input cells that [PassThrough] and [Inverters] look for.
func Constants(n *netlist.Netlist) *netlist.Netlist {
	c := copier(n, sizeOf(n))
	for i := range netlist.Cell(n.Cells()) {
		in := c.Inputs(i)
		switch n.Kind(i) {
		case netlist.Function:
			foldFunction(c, i, in)
		case netlist.Compare:
			foldCompare(c, i, in)
		case netlist.Popcount, netlist.Counter:
			foldCount(c, i, in)
		case netlist.Argmax:
			foldArgmax(c, i, in)
		case netlist.Carry:
			foldCarry(c, i, in)
		case netlist.Register:
			foldRegister(c, i, in)
		default:
			c.Copy(i)
		}
	}
	return c.Finish()
}

// constant returns the constant net whose value is the lowest bit of its argument.
func constant(bit uint64) netlist.Net { return netlist.Net(bit & 1) }

func isConstant(v netlist.Net) bool { return v <= netlist.True }

// set replaces the outputs of cell i by the given nets.
func set(c *netlist.Copier, i netlist.Cell, nets ...netlist.Net) {
	for k, v := range nets {
		c.Set(c.Old.Output(i)+netlist.Net(k), v)
	}
}

// rebuild adds a cell that replaces the lowest outputs of cell i. The remaining outputs of cell i become 0.
func rebuild(c *netlist.Copier, i netlist.Cell, param uint64, outputs int, in []netlist.Net) {
	first := c.Cell(c.Old.Kind(i), param, c.Old.Origin(i), in...)
	for k := range c.Old.Outputs(i) {
		v := netlist.False
		if k < outputs {
			v = first + netlist.Net(k)
		}
		c.Set(c.Old.Output(i)+netlist.Net(k), v)
	}
}

// foldFunction keeps only the inputs that the function depends on.
func foldFunction(c *netlist.Copier, i netlist.Cell, in []netlist.Net) {
	table := netlist.Effective(c.Old.Param(i), in)
	support := netlist.Support(table)
	if support == 0 {
		set(c, i, constant(table))
		return
	}
	kept := in[:0]
	for p, v := range in {
		if support>>p&1 == 1 {
			kept = append(kept, v)
		}
	}
	set(c, i, c.Function(netlist.Project(table, support), c.Old.Origin(i), kept...))
}

// foldCompare removes constant bits of the word, from the lowest bit up. While it removes bits, it tracks the result
// of comparing the removed bits. A constant bit equal to the threshold's bit does not change this result. A constant
// bit that differs from the threshold's bit decides the result. The remaining bits form a shorter word, which is
// compared with a shorter threshold. The comparison is >= if the result for the removed bits is 1, else >.
func foldCompare(c *netlist.Copier, i netlist.Cell, in []netlist.Net) {
	word, rest, below := in[:0], uint64(0), uint64(0)
	for b, v := range in {
		t := c.Old.Param(i) >> b & 1
		switch {
		case isConstant(v) && uint64(v) != t:
			word, rest, below = word[:0], 0, uint64(v)
		case !isConstant(v):
			rest |= t << len(word)
			word = append(word, v)
		}
	}
	if below == 1 && rest == 0 {
		set(c, i, netlist.True)
		return
	}
	rest -= below
	for len(word) > 0 && rest&1 == 1 { // the lowest bit does not influence the result
		word, rest = word[1:], rest>>1
	}
	switch {
	case len(word) == 0:
		set(c, i, netlist.False)
	case len(word) == 1:
		set(c, i, word[0])
	default:
		rebuild(c, i, rest, 1, word)
	}
}

// foldCount removes constant zeros from a count. It keeps constant ones unless the whole count is constant, since
// removing them would require an adder.
func foldCount(c *netlist.Copier, i netlist.Cell, in []netlist.Net) {
	left, ones := in[:0], uint64(0)
	for _, v := range in {
		if v != netlist.False {
			left = append(left, v)
		}
		if v == netlist.True {
			ones++
		}
	}
	switch {
	case ones == uint64(len(left)):
		setNumber(c, i, ones)
	case len(left) == 1:
		setWord(c, i, left[0])
	default:
		rebuild(c, i, c.Old.Param(i), bits.Len(uint(len(left))), left)
	}
}

// setNumber replaces the outputs of cell i by a constant number.
func setNumber(c *netlist.Copier, i netlist.Cell, number uint64) {
	for k := range c.Old.Outputs(i) {
		c.Set(c.Old.Output(i)+netlist.Net(k), constant(number>>k))
	}
}

// setWord replaces the outputs of cell i by the number whose lowest bit is v and whose other bits are 0.
func setWord(c *netlist.Copier, i netlist.Cell, v netlist.Net) {
	set(c, i, v)
	for k := 1; k < c.Old.Outputs(i); k++ {
		c.Set(c.Old.Output(i)+netlist.Net(k), netlist.False)
	}
}

// foldArgmax removes the bit positions in which all words have the same net. Such positions cannot make one word
// larger than another. If the argmax has a margin, only the positions above and below all others are removed, since the
// other positions give the digits of the lead their weights.
func foldArgmax(c *netlist.Copier, i netlist.Cell, in []netlist.Net) {
	size, margin := c.Old.ArgmaxWidth(i), c.Old.Margin(i)
	classes := len(in) / size
	kept := make([]bool, size)
	for p := range size {
		for w := 1; w < classes && !kept[p]; w++ {
			kept[p] = in[w*size+p] != in[p]
		}
	}
	low := slices.Index(kept, true)
	if low < 0 { // all words are equal
		setNumber(c, i, uint64(c.Old.Contender(0)))
		if margin > 0 && classes > 1 {
			setUncertain(c, i)
		}
		return
	}
	if margin > 0 {
		for p := size - 1; p > low; p-- {
			kept[p] = kept[p] || p < size-1 && kept[p+1]
		}
		margin = (margin-1)>>low + 1 // all leads are multiples of 2^low
	}
	word := in[:0]
	for k, v := range in {
		if kept[k%size] {
			word = append(word, v)
		}
	}
	size = len(word) / classes
	if bits.Len(uint(margin)) > size { // no lead is so large
		rebuild(c, i, netlist.ArgmaxParam(size, 0), c.Old.IndexBits(i), word)
		setUncertain(c, i)
		return
	}
	rebuild(c, i, netlist.ArgmaxParam(size, margin), c.Old.Outputs(i), word)
}

// setUncertain replaces the last output of argmax i, which has a margin, by the constant 1.
func setUncertain(c *netlist.Copier, i netlist.Cell) {
	c.Set(c.Old.Output(i)+netlist.Net(c.Old.IndexBits(i)), netlist.True)
}

// foldCarry replaces a carry by one of its inputs if two inputs are equal nets, or if two inputs are different
// constants.
func foldCarry(c *netlist.Copier, i netlist.Cell, in []netlist.Net) {
	for p := range in {
		v, w, rest := in[p], in[(p+1)%3], in[(p+2)%3]
		switch {
		case v == w:
			set(c, i, v)
			return
		case isConstant(v) && isConstant(w):
			set(c, i, rest)
			return
		}
	}
	c.Copy(i)
}

// foldRegister removes registers that never leave their initial 0.
func foldRegister(c *netlist.Copier, i netlist.Cell, in []netlist.Net) {
	switch {
	case in[0] == netlist.False, len(in) == 2 && in[1] == netlist.False:
		set(c, i, netlist.False)
	case len(in) == 2 && in[1] == netlist.True:
		rebuild(c, i, c.Old.Param(i), 1, in[:1])
	default:
		c.Copy(i)
	}
}

// constantsFolded returns an error for the first function cell that [Constants] would change.
func constantsFolded(n *netlist.Netlist) error {
	for i := range netlist.Cell(n.Cells()) {
		if n.Kind(i) != netlist.Function {
			continue
		}
		in := n.Inputs(i)
		all := uint8(1<<len(in) - 1)
		if netlist.Support(netlist.Effective(n.Param(i), in)) != all || len(in) == 0 {
			return fmt.Errorf("function cell %d has a constant, repeated or vacuous input, or none", i)
		}
	}
	return nil
}
