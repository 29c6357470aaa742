package lut

import (
	"math/bits"
	"slices"

	"ialgn/netlist"
)

// cut is a set of nodes (leaves) that together determine the value of a node. A cut can become a LUT.
type cut struct {
	leaf  [MaxInputs]int32 // ascending
	n     int8
	depth int32   // one more than the latest leaf's arrival
	area  float32 // area flow, as the current pass estimates it
	sign  uint64  // hash of the leaves, with one bit for each leaf; leaves may share a bit
	table uint64  // over the leaves, extended to six inputs
}

func (c *cut) leaves() []int32 { return c.leaf[:c.n] }

func trivial(v int32) cut {
	return cut{leaf: [MaxInputs]int32{v}, n: 1, sign: 1 << (v & 63), table: netlist.PinTable(0)}
}

// merge returns the union of two cuts, without a table. ok is false if the union has more than k
// leaves.
func merge(a, b *cut, k int) (c cut, ok bool) {
	if bits.OnesCount64(a.sign|b.sign) > k {
		return c, false
	}
	i, j := int8(0), int8(0)
	for i < a.n || j < b.n {
		if int(c.n) == k {
			return c, false
		}
		switch {
		case j == b.n || i < a.n && a.leaf[i] < b.leaf[j]:
			c.leaf[c.n] = a.leaf[i]
			i++
		case i == a.n || b.leaf[j] < a.leaf[i]:
			c.leaf[c.n] = b.leaf[j]
			j++
		default:
			c.leaf[c.n] = a.leaf[i]
			i++
			j++
		}
		c.n++
	}
	c.sign = a.sign | b.sign
	return c, true
}

// within reports whether all leaves of a are leaves of b.
func within(a, b *cut) bool {
	if a.n > b.n || a.sign&^b.sign != 0 {
		return false
	}
	for _, v := range a.leaves() {
		if !slices.Contains(b.leaves(), v) {
			return false
		}
	}
	return true
}

// over returns the table of cut c as a function of the leaves of another cut (union). These leaves must include all
// leaves of c.
func (c *cut) over(union *cut) uint64 {
	t, at := c.table, int(union.n)-1
	for i := int(c.n) - 1; i >= 0; i-- { // higher pins are already in place, so this place is free
		for union.leaf[at] != c.leaf[i] {
			at--
		}
		if at != i {
			t = netlist.SwapPins(t, i, at)
		}
		at--
	}
	return t
}

// shrink removes the leaves on which the table does not depend.
func (c *cut) shrink() {
	support := netlist.Support(c.table)
	if bits.OnesCount8(support) == int(c.n) {
		return
	}
	leaves := c.leaf
	c.table = netlist.Extend(netlist.Project(c.table, support), bits.OnesCount8(support))
	c.n, c.sign, c.leaf = 0, 0, [MaxInputs]int32{}
	for i, v := range leaves {
		if support>>i&1 == 1 {
			c.leaf[c.n] = v
			c.n++
			c.sign |= 1 << (v & 63)
		}
	}
}

// wire reports whether the cut needs no LUT, because the node is a constant or equals the cut's only leaf.
func (c *cut) wire() bool { return c.n == 0 || c.n == 1 && c.table == netlist.PinTable(0) }

// cutOf returns the cut with the given leaves, and the table t over these leaves.
func cutOf(in []int32, t uint64) cut {
	c := cut{table: t, n: int8(len(in))}
	copy(c.leaf[:], in)
	for i := range in {
		c.sign |= 1 << (in[i] & 63)
		for j := i; j > 0 && c.leaf[j] < c.leaf[j-1]; j-- {
			c.leaf[j], c.leaf[j-1] = c.leaf[j-1], c.leaf[j]
			c.table = netlist.SwapPins(c.table, j-1, j)
		}
	}
	return c
}

// eval returns the extended table of a node, given the tables of its inputs.
func (n *node) eval(in [3]uint64) (t uint64) {
	for i := range 1 << n.ins {
		if n.table>>i&1 == 0 {
			continue
		}
		term := ^uint64(0)
		for j := range n.ins {
			if i>>j&1 == 1 {
				term &= in[j]
			} else {
				term &^= in[j]
			}
		}
		t |= term
	}
	return t
}
