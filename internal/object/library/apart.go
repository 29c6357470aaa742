package library

import (
	"errors"
	"fmt"
	"slices"

	"ialgn/internal/native"
	"ialgn/internal/native/rows"
	"ialgn/internal/wordcode"
	"ialgn/netlist"
)

// apart splits a classifier into the comparisons of features and the core that reads the results of the comparisons.
// It returns the core, the comparisons, and the number of bits of a feature. In scope core, every input bit is a
// one-bit feature, which is compared with 0.
func apart(n *netlist.Netlist) (core *netlist.Netlist, f *native.Features, bits int, err error) {
	c := wordcode.NewClassifier(n)
	if c == nil {
		return nil, nil, 0, errors.New("it is no classifier: compile scope core or full")
	}
	if c.FeatureBits > 16 {
		return nil, nil, 0, fmt.Errorf("features of %d bits, want at most 16", c.FeatureBits)
	}
	f = &native.Features{Count: c.Features, Wide: c.FeatureBits > 8}
	if c.FeatureBits == 1 {
		for i := range c.Features {
			f.Bits = append(f.Bits, rows.Pair{Feature: i})
		}
		return n, f, 1, nil
	}
	core, err = withoutComparisons(n, c.FeatureBits, f)
	return core, f, c.FeatureBits, err
}

// cut is the state of removing the comparisons from a netlist.
type cut struct {
	n     *netlist.Netlist
	bits  int // bits of a feature
	words []netlist.Net
	place map[netlist.Net]int // index of each bit of the feature words
	f     *native.Features
	at    map[netlist.Net]int // the input bit that replaces the output of a comparison or the top bit of a word
}

// withoutComparisons returns n with each comparison replaced by an input bit, and adds the comparisons to f. Earlier
// passes drop the low bits that make no difference to a comparison. If only the highest bit is left, the comparison
// is this bit itself, and withoutComparisons treats the bit like a comparison.
func withoutComparisons(n *netlist.Netlist, bits int, f *native.Features) (*netlist.Netlist, error) {
	c := cut{n, bits, n.InputPorts()[0].Nets, map[netlist.Net]int{}, f, map[netlist.Net]int{}}
	for i, v := range c.words {
		c.place[v] = i
	}
	for i := range netlist.Cell(n.Cells()) {
		if err := c.cell(i); err != nil {
			return nil, err
		}
	}
	for _, ports := range [][]netlist.Port{n.OutputPorts(), n.Probes()} {
		for _, p := range ports {
			if err := c.reads(p.Nets); err != nil {
				return nil, err
			}
		}
	}
	if len(f.Bits) == 0 {
		return nil, errors.New("it compares no feature")
	}
	return c.netlist(), nil
}

// cell records a cell that is a comparison. For any other cell, it records the top bits of words that the cell reads.
func (c *cut) cell(i netlist.Cell) error {
	in := c.n.Inputs(i)
	if c.n.Kind(i) != netlist.Compare {
		return c.reads(in)
	}
	first, ok := c.place[in[0]]
	dropped, end := first%c.bits, (first/c.bits+1)*c.bits
	threshold := c.n.Param(i)<<dropped | (1<<dropped - 1)
	if !ok || !slices.Equal(in, c.words[first:end]) || threshold >= 1<<c.bits {
		return errors.New("a comparison reads no whole feature, or is with more than one can be: optimise it")
	}
	c.add(c.n.Output(i), first/c.bits, threshold)
	return nil
}

// reads records the top bits of words among nets. It returns an error for other bits of words.
func (c *cut) reads(nets []netlist.Net) error {
	for _, v := range nets {
		first, ok := c.place[v]
		switch {
		case !ok:
		case (first+1)%c.bits != 0:
			return errors.New("gates read bits of features, as comparisons that are mapped to look-up tables do: compile " +
				"without a target and without LUTs")
		default:
			c.add(v, first/c.bits, 1<<(c.bits-1)-1)
		}
	}
	return nil
}

func (c *cut) add(v netlist.Net, feature int, threshold uint64) {
	if _, ok := c.at[v]; !ok {
		c.at[v] = len(c.f.Bits)
		c.f.Bits = append(c.f.Bits, rows.Pair{Feature: feature, Threshold: uint16(threshold)})
	}
}

// netlist returns the netlist without the comparisons.
func (c *cut) netlist() *netlist.Netlist {
	to, in := netlist.NewCopierOf(c.n, 0, len(c.f.Bits), 1)
	for v, at := range c.at {
		to.Set(v, in[at])
	}
	for i := range netlist.Cell(c.n.Cells()) {
		if c.n.Kind(i) != netlist.Compare {
			to.Copy(i)
		}
	}
	return to.Finish()
}
