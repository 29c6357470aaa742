package compiler

import (
	"fmt"
	"math/bits"

	"ialgn/netlist"
)

// Constants evaluates what is known before any input is: it takes constant, repeated
// and vacuous inputs out of function cells, and replaces a cell that is left without
// inputs by its constant.
//
// Of the other kinds it folds what keeps the kind: bits of a comparison that the rest
// does not depend on, zeros in a popcount, bit positions in which all words of an
// argmax agree, registers that never leave 0 and enables that are always 1. A carry
// with one known input stays a carry, since in a carry chain it is free and as a
// function it would break the chain. Primitives stay as they were placed.
//
// Requires: nothing.
// Ensures:  no function cell has a constant, repeated or vacuous input, and hence
// none has no input at all.
// Cost:     O(cells + pins).
//
// It stands first: it makes the one-input cells that [PassThrough] and [Inverters]
// look for.
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

// constant returns the constant net of a bit.
func constant(bit uint64) netlist.Net { return netlist.Net(bit & 1) }

func isConstant(v netlist.Net) bool { return v <= netlist.True }

// set makes the given nets stand for all outputs of cell i.
func set(c *netlist.Copier, i netlist.Cell, nets ...netlist.Net) {
	for k, v := range nets {
		c.Set(c.Old.Output(i)+netlist.Net(k), v)
	}
}

// rebuild adds a cell in the place of cell i that drives its lowest outputs; the
// outputs it lacks are 0.
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

// foldFunction keeps the inputs that the function of the nets depends on.
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

// foldCompare walks the word from its lowest bit with the outcome of the bits below
// as far as it is constant: a known bit equal to the threshold's leaves the outcome
// alone, and one that differs decides it, whatever stands below. What is left is a
// shorter word, compared with a shorter threshold, by >= where the constant outcome
// below it is 1.
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
	for len(word) > 0 && rest&1 == 1 { // the lowest bit makes no difference to the comparison
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

// foldCount drops zeros. Ones stay, but for a count that is constant altogether: an
// offset would need an adder.
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
		for k := range c.Old.Outputs(i) {
			c.Set(c.Old.Output(i)+netlist.Net(k), constant(ones>>k))
		}
	case len(left) == 1:
		setWord(c, i, left[0])
	default:
		rebuild(c, i, c.Old.Param(i), bits.Len(uint(len(left))), left)
	}
}

// setWord makes the number of one bit v stand for all outputs of cell i.
func setWord(c *netlist.Copier, i netlist.Cell, v netlist.Net) {
	set(c, i, v)
	for k := 1; k < c.Old.Outputs(i); k++ {
		c.Set(c.Old.Output(i)+netlist.Net(k), netlist.False)
	}
}

// foldArgmax drops the bit positions in which all words hold the same net: they
// cannot make a word larger than another.
func foldArgmax(c *netlist.Copier, i netlist.Cell, in []netlist.Net) {
	size := int(c.Old.Param(i))
	classes := len(in) / size
	kept := make([]bool, size)
	left := 0
	for p := range size {
		for w := 1; w < classes && !kept[p]; w++ {
			kept[p] = in[w*size+p] != in[p]
		}
		if kept[p] {
			left++
		}
	}
	if left == 0 {
		setWord(c, i, netlist.False)
		return
	}
	word := in[:0]
	for k, v := range in {
		if kept[k%size] {
			word = append(word, v)
		}
	}
	rebuild(c, i, uint64(left), c.Old.Outputs(i), word)
}

// foldCarry decides a majority of two equal inputs, and of two constants that differ.
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

// foldRegister drops registers that never leave the 0 they start at.
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

// constantsFolded returns an error for the first cell that is not as [Constants] leaves functions.
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
