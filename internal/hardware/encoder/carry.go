package encoder

import (
	"math/bits"
	"slices"

	"ialgn/netlist"
)

// A comparison v > t is a carry that runs up the word: out of the bits below position p
// comes whether v mod 2^p > t mod 2^p, and the bits above decide unless they equal t's.
// So the carry for t need be right only where the bits above are t's: one LUT can carry
// for many thresholds if it also reads some of the bits above, its selectors, that tell
// it for which of them it may be wanted.
//
// A form says where the carry is handed on. Each of its stages is one LUT or more, each
// for a part of the thresholds; a last LUT for each threshold reads a carry and the bits
// above all stages.
//
// Two thresholds cannot share a LUT of a stage if they look alike to its selectors, and
// compare the stage's own bits with different numbers. LUTs of a stage that share one also
// share those before it, so that they form a forest. Its size is the thresholds plus its
// LUTs. Where there is one stage, first fit finds the smallest one: thresholds that look
// alike conflict with each other only, so as many LUTs are enough as the most numbers that
// one look has.

// stage is where carries are made from the bits from .. to-1 and the carries into them.
type stage struct {
	from, to  int
	selectors uint64 // mask of the word's bits, all at or above to, that choose among thresholds
}

// look returns what the selectors see where v has the bits of t above the stage.
func (s *stage) look(t uint64) uint64 { return t & s.selectors }

// own returns the bits of t that the stage compares.
func (s *stage) own(t uint64) uint64 { return t >> s.from & ones(s.to-s.from) }

// conflict reports whether two thresholds cannot share a LUT.
func (s *stage) conflict(t, u uint64) bool { return s.own(t) != s.own(u) && s.look(t) == s.look(u) }

// block is a LUT of a stage.
type block struct {
	items  []uint64 // the thresholds that it carries for
	parent int      // the LUT of the stage before
}

func (s *stage) fits(b *block, t uint64) bool {
	return !slices.ContainsFunc(b.items, func(u uint64) bool { return s.conflict(t, u) })
}

// forest is the blocks of each stage of a form.
type forest struct {
	form   []stage
	blocks [][]block
}

// pack distributes thresholds over the LUTs of a form, each to the first that saves most.
func pack(form []stage, thresholds []uint64) *forest {
	f := &forest{form, make([][]block, len(form))}
	for _, t := range thresholds {
		depth, at := f.deepest(0, -1, t)
		for i := depth; i < len(form); i++ {
			f.blocks[i] = append(f.blocks[i], block{parent: at})
			at = len(f.blocks[i]) - 1
		}
		for i := len(form) - 1; i >= 0; i-- {
			b := &f.blocks[i][at]
			b.items, at = append(b.items, t), b.parent
		}
	}
	return f
}

// deepest returns up to which stage t can share the LUTs that come from LUT at of the
// stage before i, and the last of them.
func (f *forest) deepest(i, at int, t uint64) (depth, last int) {
	depth, last = i, at
	if i == len(f.form) {
		return depth, last
	}
	for k := range f.blocks[i] {
		if b := &f.blocks[i][k]; b.parent == at && f.form[i].fits(b, t) {
			if d, l := f.deepest(i+1, k, t); d > depth {
				depth, last = d, l
			}
		}
	}
	return depth, last
}

// size returns the number of LUTs in the forest, without those whose carry is a constant or a bit of the word.
func (f *forest) size() (luts int) {
	for i, s := range f.form {
		for k := range f.blocks[i] {
			b := &f.blocks[i][k]
			if !b.all(s.to, ones(s.to)) && !b.all(s.to, ones(s.to-1)) {
				luts++
			}
		}
	}
	return luts
}

// all reports whether the lowest bits of all thresholds are those of the given number.
func (b *block) all(low int, number uint64) bool {
	return !slices.ContainsFunc(b.items, func(t uint64) bool { return t&ones(low) != number })
}

// build adds the LUTs of the forest and of the comparisons with its thresholds.
func (f *forest) build(c *circuit, width int) {
	carries := []netlist.Net{netlist.False} // carries of the stage before; the first stage has none
	for i, s := range f.form {
		now := make([]netlist.Net, len(f.blocks[i]))
		for k := range f.blocks[i] {
			b := &f.blocks[i][k]
			now[k] = s.build(c, b, carries[max(0, b.parent)])
		}
		carries = now
	}
	last := len(f.form) - 1
	top := stage{from: f.form[last].to, to: width}
	for k := range f.blocks[last] {
		for _, t := range f.blocks[last][k].items {
			c.above[t] = top.build(c, &block{items: []uint64{t}}, carries[k])
		}
	}
}

// build adds a LUT of the stage. It leaves out selectors that do not matter, and the carry where that is constant.
func (s stage) build(c *circuit, b *block, carry netlist.Net) netlist.Net {
	if b.all(s.from, ones(s.from)) {
		carry = netlist.False
	}
	for rest := s.selectors; rest != 0; rest &= rest - 1 {
		fewer := s
		fewer.selectors &^= rest & -rest
		if !slices.ContainsFunc(b.items, func(t uint64) bool { return !fewer.fits(b, t) }) {
			s = fewer
		}
	}
	in := []netlist.Net{carry}
	for p := s.from; p < s.to; p++ {
		in = append(in, bit(p))
	}
	for rest := s.selectors; rest != 0; rest &= rest - 1 {
		in = append(in, bit(bits.TrailingZeros64(rest)))
	}
	return c.function(in, func(x uint64) bool {
		v, t := x>>1&ones(s.to-s.from), b.items[0] // of another look, any
		for _, u := range b.items {
			if s.look(u) == spread(x>>(1+s.to-s.from), s.selectors) {
				t = u
				break
			}
		}
		return v > s.own(t) || v == s.own(t) && x&1 == 1
	})
}

// spread puts the lowest bits of x where the mask has ones.
func spread(x, mask uint64) (y uint64) {
	for ; mask != 0; mask &= mask - 1 {
		y |= mask & -mask & -(x & 1)
		x >>= 1
	}
	return y
}

// maxForms bounds how many ways of handing a carry on are tried.
const maxForms = 200

// forms returns forms for words of so many bits and LUTs of k inputs, those with the
// fewest stages first and up to one stage more, each with the selectors that suit the
// thresholds best. The first has full stages but for the lowest: in it each threshold
// alone takes as few LUTs as it can, whatever low bits do not matter.
func forms(width, k int, thresholds []uint64) (all [][]stage) {
	least := (width-1+k-2)/(k-1) - 1
	for stages := least; stages <= least+1; stages++ {
		split(width, k, stages, nil, func(cuts []int) bool {
			form, from := make([]stage, stages), 0
			for i, to := range cuts {
				form[i] = stage{from: from, to: to}
				spare := k - (to - from)
				if from > 0 {
					spare--
				}
				form[i].choose(width, spare, thresholds)
				from = to
			}
			all = append(all, form)
			return len(all) < maxForms
		})
	}
	return all
}

// split calls f with the ends of the given number of stages in all ways, until f says no.
func split(width, k, stages int, cuts []int, f func([]int) bool) bool {
	from, budget := 0, k
	if len(cuts) > 0 {
		from, budget = cuts[len(cuts)-1], k-1
	}
	if stages == 0 {
		return width-from > k-1 || f(cuts)
	}
	for to := max(from+1, width-stages*(k-1)); to <= min(from+budget, width-stages); to++ {
		if !split(width, k, stages-1, append(cuts[:len(cuts):len(cuts)], to), f) {
			return false
		}
	}
	return true
}

// maxChoices bounds the sets of selectors of which the best is taken; beyond, they are
// chosen one by one.
const maxChoices = 100

// choose sets the selectors of a stage that has pins left.
func (s *stage) choose(width, pins int, thresholds []uint64) {
	above := width - s.to
	pins = min(pins, above)
	if choices(above, pins) > maxChoices {
		for range pins {
			s.choosePins(width, 1, thresholds)
		}
		return
	}
	s.choosePins(width, pins, thresholds)
}

// choosePins adds the given number of selectors, the best set of them.
func (s *stage) choosePins(width, pins int, thresholds []uint64) {
	had, best := s.selectors, s.selectors
	bestMost, bestSum := len(thresholds)+1, 0
	for set := ones(pins); set < 1<<(width-s.to); {
		s.selectors = had | set<<s.to
		if largest, sum := s.crowding(thresholds); largest < bestMost || largest == bestMost && sum < bestSum {
			best, bestMost, bestSum = s.selectors, largest, sum
		}
		if set == 0 {
			break
		}
		low := set & -set // the next set of as many
		up := set + low
		set = up | (set^up)>>2/low
	}
	s.selectors = best
}

// crowding returns how many different numbers the stage has to compare at most for one value of the selectors, and
// the sum of these numbers over all values of the selectors that occur.
func (s *stage) crowding(thresholds []uint64) (most, sum int) {
	for i, t := range thresholds {
		numbers := 1 // thresholds up to this one that the selectors cannot tell apart
		for j, u := range thresholds[:i] {
			if s.look(t) != s.look(u) {
				continue
			}
			if s.own(t) == s.own(u) {
				numbers = 0
				break
			}
			if !slices.ContainsFunc(thresholds[:j], func(v uint64) bool {
				return s.own(u) == s.own(v) &&
					s.look(u) == s.look(v)
			}) {
				numbers++
			}
		}
		if numbers > 0 {
			most, sum = max(most, numbers), sum+1
		}
	}
	return most, sum
}

// choices returns n over k, or a number beyond [maxChoices].
func choices(n, k int) int {
	c := 1
	for i := range k {
		if c = c * (n - i) / (i + 1); c > 1<<20 {
			return c
		}
	}
	return c
}
