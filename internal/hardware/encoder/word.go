package encoder

import (
	"cmp"
	"encoding/binary"
	"math/bits"
	"slices"

	"ialgn/netlist"
)

// word is an unsigned word with all comparisons that read it.
type word struct {
	nets  []netlist.Net // nets of the old netlist, the lowest bit first
	users []user
	built bool
}

// user is a comparison: the word > threshold.
type user struct {
	cell      netlist.Cell
	threshold uint64
}

// ones returns the number with n ones in binary: 2^n - 1.
func ones(n int) uint64 { return 1<<n - 1 }

// words returns the word of every comparison that something reads. Earlier passes may have dropped low bits from one
// comparison of a feature but not from another. So if a word of input port bits has a shorter word as its upper end,
// it also takes the comparisons of the shorter word. Words whose bits are driven by cells are not merged, because a
// bit of the longer word may be driven only after the shorter word is read.
func words(n *netlist.Netlist) map[netlist.Cell]*word {
	all := comparisons(n)
	slices.SortStableFunc(all, func(a, b comparison) int { return cmp.Compare(len(b.nets), len(a.nets)) })
	of := map[netlist.Cell]*word{}
	exact := map[string]*word{}
	ending := map[netlist.Net][]*word{} // words of port bits, by their highest bit
	for _, c := range all {
		key, top := c.key(), c.nets[len(c.nets)-1]
		ports := slices.Max(c.nets) < n.FirstCellNet()
		w := exact[key]
		if w == nil && ports {
			w = upperEnd(ending[top], c.nets)
		}
		if w == nil {
			w = &word{nets: c.nets}
			exact[key] = w
			if ports {
				ending[top] = append(ending[top], w)
			}
		}
		dropped := len(w.nets) - len(c.nets)
		w.users = append(w.users, user{c.cell, c.threshold<<dropped | ones(dropped)})
		of[c.cell] = w
	}
	return of
}

// upperEnd returns the first word whose highest bits are the given nets.
func upperEnd(words []*word, nets []netlist.Net) *word {
	for _, w := range words {
		if slices.Equal(w.nets[len(w.nets)-len(nets):], nets) {
			return w
		}
	}
	return nil
}

// comparison is a comparison with the constants taken out of its word.
type comparison struct {
	user
	nets []netlist.Net
}

// comparisons returns the comparisons that some cell, port or probe reads, in the order of the netlist.
func comparisons(n *netlist.Netlist) []comparison {
	read := make([]bool, n.Nets())
	mark := func(nets []netlist.Net) {
		for _, v := range nets {
			read[v] = true
		}
	}
	for i := range netlist.Cell(n.Cells()) {
		mark(n.Inputs(i))
	}
	for _, ports := range [][]netlist.Port{n.OutputPorts(), n.Probes()} {
		for _, p := range ports {
			mark(p.Nets)
		}
	}
	var all []comparison
	for i := range netlist.Cell(n.Cells()) {
		if n.Kind(i) == netlist.Compare && read[n.Output(i)] {
			nets, threshold := fold(n.Inputs(i), n.Param(i))
			all = append(all, comparison{user{i, threshold}, nets})
		}
	}
	return all
}

// fold removes constant bits from a compared word, from the lowest bit up, and tracks the result of comparing the
// removed bits. A constant equal to the threshold's bit does not change this result. A constant that differs from the
// threshold's bit decides the result. If the result for the removed bits is 1, the remaining bits are compared by >=.
// A comparison that is always or never true becomes a comparison of a constant with 0.
func fold(in []netlist.Net, threshold uint64) (nets []netlist.Net, rest uint64) {
	below := uint64(0)
	for b, v := range in {
		t := threshold >> b & 1
		switch {
		case v > netlist.True:
			rest |= t << len(nets)
			nets = append(nets, v)
		case uint64(v) != t:
			nets, rest, below = nil, 0, uint64(v)
		}
	}
	switch {
	case below == 0 && rest == ones(len(nets)):
		return []netlist.Net{netlist.False}, 0
	case below == 1 && rest == 0:
		return []netlist.Net{netlist.True}, 0
	}
	return nets, rest - below
}

// key returns a key that is unique to the word's nets.
func (c *comparison) key() string {
	key := make([]byte, 0, 4*len(c.nets))
	for _, v := range c.nets {
		key = binary.LittleEndian.AppendUint32(key, uint32(v))
	}
	return string(key)
}

// reduced returns the word's nets and the thresholds in ascending order. It removes low bits that do not matter for
// any comparison.
func (w *word) reduced() (nets []netlist.Net, thresholds []uint64) {
	dropped := len(w.nets)
	for _, u := range w.users {
		dropped = min(dropped, bits.TrailingZeros64(^u.threshold))
	}
	dropped = min(dropped, len(w.nets)-1)
	for _, u := range w.users {
		thresholds = append(thresholds, u.threshold>>dropped)
	}
	slices.Sort(thresholds)
	return w.nets[dropped:], slices.Compact(thresholds)
}
