package encoder

import (
	"math/bits"
	"slices"

	"ialgn/netlist"
)

// Suppose that a < t < b, and that the comparisons v > a and v > b of a word v are already built. They often decide
// the comparison v > t. If v > a is 0, then v > t is 0. If v > b is 1, then v > t is 1. Otherwise v is one of the
// values a+1 .. b, and a few low bits of v are enough to decide v > t. A gap records which bits these are.
type gap struct {
	low, high uint64 // low is a, or beyond if there is no a; high is b, or the largest value if there is no b
	from, to  int    // the bits from .. to-1
}

// beyond is a special value of gap.low: a threshold that every word exceeds.
const beyond = ^uint64(0)

// newGap returns the gap for a threshold t, which is between low and high. ok says that one LUT of k inputs is enough
// for the comparison with t.
func newGap(width, k int, low, t, high uint64) (g gap, ok bool) {
	g = gap{low: low, high: high, from: bits.TrailingZeros64(^(low & t & high))} // lower bits do not matter
	g.to = g.from + bits.Len64((high-low)>>g.from-1)
	pins := g.to - g.from
	if low != beyond {
		pins++
	}
	if high != ones(width) {
		pins++
	}
	return g, g.to <= width && pins <= k
}

// between adds the LUT for the comparison with t in the gap g.
func (c *circuit) between(g gap, t uint64) {
	in := []netlist.Net{netlist.True, netlist.False}
	if v, ok := c.above[g.low]; ok {
		in[0] = v
	}
	if v, ok := c.above[g.high]; ok {
		in[1] = v
	}
	in = append(in, netlist.Word(bit(g.from), g.to-g.from)...)
	first := (g.low + 1) >> g.from
	c.above[t] = c.function(in, func(x uint64) bool {
		v := first + (x>>2-first)&ones(g.to-g.from) // the value in the gap that has these bits
		return x>>1&1 == 1 || x&1 == 1 && v > t>>g.from
	})
}

// thresholdLine holds all thresholds of a word in ascending order, including the implicit threshold of the word's
// top bit. It records the thresholds for which the circuit has a comparison.
type thresholdLine struct {
	width, k   int
	thresholds []uint64
	present    []bool
}

func newLine(width, k int, thresholds []uint64) *thresholdLine {
	all := append([]uint64{ones(width - 1)}, thresholds...)
	slices.Sort(all)
	all = slices.Compact(all)
	return &thresholdLine{width, k, all, make([]bool, len(all))}
}

// put records whether the circuit has a comparison with t.
func (l *thresholdLine) put(t uint64, present bool) {
	i, _ := slices.BinarySearch(l.thresholds, t)
	l.present[i] = present
}

// neighbours returns the nearest index below i and the nearest index above i for which the circuit has a comparison.
// If there is no such index below i, the result low is -1. If there is no such index above i, the result high is the
// number of thresholds.
func (l *thresholdLine) neighbours(i int) (low, high int) {
	low, high = i-1, i+1
	for low >= 0 && !l.present[low] {
		low--
	}
	for high < len(l.present) && !l.present[high] {
		high++
	}
	return low, high
}

// gap returns the gap for the threshold at index i. ok says that one LUT is enough for the comparison.
func (l *thresholdLine) gap(i int) (g gap, ok bool) {
	a, b := l.neighbours(i)
	low, high := beyond, ones(l.width)
	if a >= 0 {
		low = l.thresholds[a]
	}
	if b < len(l.thresholds) {
		high = l.thresholds[b]
	}
	return newGap(l.width, l.k, low, l.thresholds[i], high)
}

// fill calls f for each missing threshold with index first .. last. The order is such that each comparison can be
// built from earlier ones. fill returns false if some comparison cannot be built.
func (l *thresholdLine) fill(first, last int, f func(t uint64, g gap)) bool {
	for missing, before := 0, -1; ; before, missing = missing, 0 {
		for i := first; i <= last; i++ {
			if l.present[i] {
				continue
			}
			if g, ok := l.gap(i); ok {
				f(l.thresholds[i], g)
				l.present[i] = true
			} else {
				missing++
			}
		}
		if missing == 0 || missing == before {
			return missing == 0
		}
	}
}

// remove removes the present threshold t from the line. It keeps t if, after the removal, t or another missing
// threshold between t's neighbours could not be built.
func (l *thresholdLine) remove(t uint64) {
	i, _ := slices.BinarySearch(l.thresholds, t)
	l.present[i] = false
	low, high := l.neighbours(i)
	was := slices.Clone(l.present[low+1 : high])
	if !l.fill(low+1, high-1, func(uint64, gap) {}) {
		was[i-low-1] = true
	}
	copy(l.present[low+1:high], was)
}
