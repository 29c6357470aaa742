package lut

import (
	"math/bits"
	"slices"

	"ialgn/netlist"
)

// cut is a set of nodes that decide a node; it can become a LUT.
type cut struct {
	leaf  [MaxInputs]int32 // ascending
	n     int8
	depth int32   // one more than the latest leaf's arrival
	area  float32 // as the pass estimates it
	sign  uint64  // a bit for each leaf, several leaves to a bit
}

func (c *cut) leaves() []int32 { return c.leaf[:c.n] }

func trivial(v int32) cut {
	return cut{leaf: [MaxInputs]int32{v}, n: 1, sign: 1 << (v & 63)}
}

// merge returns the union of two cuts, if it has at most k leaves.
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

// coneTable returns the extended table of node v over the leaves of a cut.
func (w *network) coneTable(v int32, c *cut, known map[int32]uint64) uint64 {
	clear(known)
	for i, l := range c.leaves() {
		known[l] = netlist.PinTable(i)
	}
	return w.tableOf(v, known)
}

// tableOf returns the extended table of node v over what is known.
func (w *network) tableOf(v int32, known map[int32]uint64) uint64 {
	if t, ok := known[v]; ok {
		return t
	}
	n := &w.nodes[v]
	var in [3]uint64
	for j, u := range n.inputs() {
		in[j] = w.tableOf(u, known)
	}
	t := uint64(0)
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
	known[v] = t
	return t
}
