package lut

import (
	"math/bits"

	"ialgn/internal/chain"
)

// To find the fewest levels for a chain, it is enough to know which segments are possible. Their costs do not
// matter. reach uses the recurrences of segment.go, with a bit for each segment instead of a cost. This takes a
// tenth of the time.

// segments is a set of segments. Bit j of row i says whether segment (i, j) is in the set.
type segments struct {
	bits  []uint64
	words int // words in a row
}

func (s *segments) reset(side int) {
	s.words = (side + 63) / 64
	s.bits = resize(s.bits, side*s.words)
	clear(s.bits)
}

func (s *segments) row(i int) []uint64 { return s.bits[i*s.words : (i+1)*s.words] }

// reach holds the possible segments of one level and of the level below.
type reach struct {
	first, firstBelow []uint64 // bit j: whether the base with the first j steps is possible
	value, valueBelow segments
	pair, pairBelow   segments
	operands          []segments // [b]: segments that can be operands with b inputs (see tables)
	fresh, twice      []uint64   // segments that a row gained in the last round (fresh), and in the round before (twice)
}

// leastLevels returns the fewest levels for the chain. The argument enough is an upper limit of the result.
func (s *solver) leastLevels(enough int) int {
	r := &s.reach
	words := (s.n + 64) / 64
	r.first, r.firstBelow = resize(r.first, words), resize(r.firstBelow, words)
	r.fresh, r.twice = resize(r.fresh, words), resize(r.twice, words)
	clear(r.first)
	for d := range enough {
		if d > 0 {
			copy(r.firstBelow, r.first)
			union(r.first, r.firstBelow, &r.operands[s.k-1])
		}
		if d >= s.late {
			r.first[0] |= 1
		}
		if r.first[s.n>>6]>>(s.n&63)&1 == 1 {
			return d
		}
		s.reachLevel(d)
	}
	return enough
}

// union adds members to the set dst. For each member i of the given set, it adds all members of row i of next.
func union(dst, set []uint64, next *segments) {
	for w, word := range set {
		for ; word != 0; word &= word - 1 {
			row := next.row(w<<6 + bits.TrailingZeros64(word))
			for i := w; i < len(row); i++ { // a segment cannot end before it begins
				dst[i] |= row[i]
			}
		}
	}
}

// reachLevel computes the segments of level d from the segments of the level below.
func (s *solver) reachLevel(d int) {
	r := &s.reach
	r.value, r.valueBelow = r.valueBelow, r.value
	r.pair, r.pairBelow = r.pairBelow, r.pair
	r.value.reset(s.n + 1)
	r.pair.reset(s.n + 1)
	for i := 1; i <= s.n; i++ {
		row := r.value.row(i)
		row[i>>6] |= 1 << (i & 63)
		if d > 0 {
			below := r.valueBelow.row(i)
			join(row, below)
			union(row, below, &r.operands[s.k-1])
		}
	}
	for i := range s.n + 1 {
		s.reachPairs(d, i)
	}
	if r.operands = resize(r.operands, s.k+1); d == 0 {
		for b := range r.operands {
			r.operands[b].reset(s.n + 1)
		}
	}
	tree := power(s.k, d, s.n) // leaves of the largest tree
	for i := range s.n + 1 {
		s.reachOperands(tree, i)
	}
}

func join(dst, set []uint64) {
	for w, word := range set {
		dst[w] |= word
	}
}

// reachPairs computes row i of the pairs.
func (s *solver) reachPairs(d, i int) {
	r := &s.reach
	row := r.pair.row(i)
	zero, one := s.firstNot(chain.And, i), s.firstNot(chain.Or, i)
	if first := max(zero, one); first <= s.n { // row i has no members before i
		low, high := r.value.row(zero), r.value.row(one)
		for w := range row {
			row[w] |= low[w] & high[w]
		}
	}
	if d > 0 {
		below := r.pairBelow.row(i)
		join(row, below)
		join(row, r.operands[s.k].row(i))
		union(row, below, &r.operands[s.k-1])
		row[i>>6] &^= 1 << (i & 63) // an empty segment is no pair
	}
}

// reachOperands computes row i of the operands for all numbers of inputs. Each further input extends only the
// segments that the previous input has added.
func (s *solver) reachOperands(tree, i int) {
	r := &s.reach
	clear(r.fresh)
	clear(r.twice)
	r.fresh[i>>6] = 1 << (i & 63)
	copy(r.operands[0].row(i), r.fresh)
	for b := 1; b <= s.k; b++ {
		row, one := r.operands[b].row(i), r.operands[b-1].row(i)
		copy(row, one)
		for w, word := range r.fresh {
			for ; word != 0; word &= word - 1 {
				m := w<<6 + bits.TrailingZeros64(word)
				setRange(row, m+1, min(s.runEnd[m], m+tree))
			}
		}
		union(row, r.twice, &r.pair)
		for w := range row {
			r.twice[w], r.fresh[w] = r.fresh[w], row[w]&^one[w]
		}
	}
}

// setRange adds the numbers first .. last to a set.
func setRange(set []uint64, first, last int) {
	for ; first <= last; first++ {
		set[first>>6] |= 1 << (first & 63)
	}
}
