package encoder

import (
	"fmt"
	"math/bits"

	"ialgn/netlist"
)

// circuit is a draft of LUTs over the bits of one word. It has its own numbers for nets. The constants 0 and 1 come
// first, then the bits of the word, then the LUTs. No two LUTs are equal. No LUT has a constant, repeated or
// irrelevant input.
type circuit struct {
	nodes []node
	seen  map[string]netlist.Net
	above map[uint64]netlist.Net // net of the comparison word > threshold, by threshold
}

// node is a bit of the word or a LUT.
type node struct {
	level int32
	in    []netlist.Net // inputs of a LUT
	table uint64
}

func newCircuit(width int) *circuit {
	return &circuit{nodes: make([]node, bit(width)), seen: map[string]netlist.Net{}, above: map[uint64]netlist.Net{}}
}

// bit returns the net of a bit of the word.
func bit(b int) netlist.Net { return netlist.True + 1 + netlist.Net(b) }

// function returns a net that computes f of the given nets. Bit j of f's argument is net j. At most six of the nets
// may be something other than constants. If the result is a constant or one of the nets, no LUT is added.
func (c *circuit) function(nets []netlist.Net, f func(x uint64) bool) netlist.Net {
	in, known, places := make([]netlist.Net, 0, netlist.MaxFunctionInputs), uint64(0), []int{}
	for j, v := range nets {
		if v <= netlist.True {
			known |= uint64(v) << j
			continue
		}
		in, places = append(in, v), append(places, j)
	}
	table := uint64(0)
	for i := range uint64(1) << len(in) {
		x := known
		for k, j := range places {
			x |= i >> k & 1 << j
		}
		if f(x) {
			table |= 1 << i
		}
	}
	return c.lut(table, in)
}

// lut returns a net that computes the given table. The argument in has the nets at the table's inputs.
func (c *circuit) lut(table uint64, in []netlist.Net) netlist.Net {
	table = netlist.Effective(table, in)
	support := netlist.Support(table)
	kept, level := make([]netlist.Net, 0, len(in)), int32(0)
	for s := support; s != 0; s &= s - 1 {
		v := in[bits.TrailingZeros8(s)]
		kept, level = append(kept, v), max(level, c.nodes[v].level)
	}
	table = netlist.Project(table, support)
	switch {
	case len(kept) == 0:
		return netlist.Net(table & 1)
	case len(kept) == 1 && table&0b11 == 0b10:
		return kept[0]
	}
	table &= netlist.TableMask(len(kept))
	key := fmt.Sprint(table, kept)
	if v, ok := c.seen[key]; ok {
		return v
	}
	c.nodes = append(c.nodes, node{level + 1, kept, table})
	v := netlist.Net(len(c.nodes) - 1)
	c.seen[key] = v
	return v
}

// reached marks the nets on which the comparisons depend, directly or indirectly.
func (c *circuit) reached() []bool {
	live := make([]bool, len(c.nodes))
	for _, v := range c.above {
		live[v] = true
	}
	for v := len(c.nodes) - 1; v > int(netlist.True); v-- {
		if live[v] {
			for _, w := range c.nodes[v].in {
				live[w] = true
			}
		}
	}
	return live
}

// size returns the number of LUTs and the number of levels of the comparisons.
func (c *circuit) size() (luts, levels int) {
	for v, live := range c.reached() {
		if live && c.nodes[v].in != nil {
			luts, levels = luts+1, max(levels, int(c.nodes[v].level))
		}
	}
	return luts, levels
}
