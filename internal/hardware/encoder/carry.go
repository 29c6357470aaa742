package encoder

import (
	"math/bits"
	"slices"

	"ialgn/netlist"
)

// A comparison v > t is a carry that runs up the word. The carry out of the bits below position p says whether v mod
// 2^p > t mod 2^p. The bits from p on decide the comparison unless they equal t's bits. So the carry for t only has
// to be right if the bits from p on equal t's bits. One LUT can therefore compute the carry for many thresholds if it
// also reads some of the higher bits, its selectors. They tell the LUT which thresholds may need the carry. In this
// way, an encoder with 15 quantiles of 8 bits takes 17 LUTs of six inputs. With a separate carry for each threshold,
// it takes 30 LUTs.
//
// A form is a division of the word into stages. Each stage passes a carry on to the next stage. A stage consists of
// one or more LUTs, and each LUT serves some of the thresholds. For each threshold, a last LUT reads a carry and the
// bits above all stages.
//
// The look of a threshold is the value of its bits at the selectors. Two thresholds cannot share a LUT of a stage if
// they have the same look but differ in the bits that the stage compares. Thresholds that share a LUT also share the
// LUTs of earlier stages, so the LUTs form a forest. The total size is the number of thresholds plus the LUTs of the
// forest. If there is one stage, first fit finds the smallest forest, because thresholds conflict only if they have
// the same look. The number of LUTs is then the largest number of different values that the stage has to compare for
// one look.

// stage computes carries from the word's bits in the range from .. to-1, and from the carries of the previous stage.
type stage struct {
	from, to  int
	selectors uint64 // mask of the bits that distinguish thresholds, all at position to or higher
}

// look returns the value of the selectors for words that agree with t above the stage.
func (s *stage) look(t uint64) uint64 { return t & s.selectors }

// own returns the bits of t that the stage compares.
func (s *stage) own(t uint64) uint64 { return t >> s.from & ones(s.to-s.from) }

// conflict reports whether two thresholds cannot share a LUT.
func (s *stage) conflict(t, u uint64) bool { return s.own(t) != s.own(u) && s.look(t) == s.look(u) }

// block is a LUT of a stage.
type block struct {
	items  []uint64 // the thresholds for which the block computes the carry
	parent int      // index of the block of the previous stage whose carry this block reads
}

func (s *stage) fits(b *block, t uint64) bool {
	return !slices.ContainsFunc(b.items, func(u uint64) bool { return s.conflict(t, u) })
}

// forest holds the LUTs of each stage of a form.
type forest struct {
	form   []stage
	blocks [][]block
}

// pack distributes thresholds over the LUTs of a form. For each threshold, it chooses the LUTs so that as many of
// them as possible are shared with earlier thresholds. If several choices are equally good, it takes the first one.
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

// deepest returns the number of stages in which t can share LUTs, and the last LUT that t shares. The search begins
// in stage i. It considers only LUTs that read one particular LUT of the previous stage. The argument at is the index
// of this LUT.
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

// size returns the number of LUTs in the forest. It does not count LUTs whose carry is a constant or a bit of the
// word.
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

// all reports whether every threshold of the block, modulo 2^low, equals the given number.
func (b *block) all(low int, number uint64) bool {
	return !slices.ContainsFunc(b.items, func(t uint64) bool { return t&ones(low) != number })
}

// build adds the LUTs of the forest to the circuit, and the comparisons with the forest's thresholds.
func (f *forest) build(c *circuit, width int) {
	carries := []netlist.Net{netlist.False} // carries of the previous stage; none before the first stage
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

// build adds one LUT of the stage. It omits selectors that do not matter. It also omits the incoming carry if the
// carry is constant.
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
		v, t := x>>1&ones(s.to-s.from), b.items[0] // if no threshold has this look, any value is right
		for _, u := range b.items {
			if s.look(u) == spread(x>>(1+s.to-s.from), s.selectors) {
				t = u
				break
			}
		}
		return v > s.own(t) || v == s.own(t) && x&1 == 1
	})
}

// spread puts the low bits of x at the positions where the mask has ones.
func spread(x, mask uint64) (y uint64) {
	for ; mask != 0; mask &= mask - 1 {
		y |= mask & -mask & -(x & 1)
		x >>= 1
	}
	return y
}

// maxForms bounds the number of forms that are tried.
const maxForms = 200

// forms returns forms for words of the given width and LUTs of k inputs. The forms with the fewest stages come first,
// then the forms with one more stage. Each form has the selectors that suit the thresholds best. In the first form,
// all stages except the lowest are full. In this form, a single threshold takes the fewest LUTs possible, even if
// some of its low bits do not matter.
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

// split calls f with each division of the word into the given number of stages, until f returns false. A division is
// given by the upper ends of the stages, as a list.
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

// maxChoices bounds the number of sets of selectors that are compared. If there are more sets, selectors are chosen
// one at a time.
const maxChoices = 100

// choose sets the selectors of a stage. The LUTs of the stage have the given number of inputs (pins) left for
// selectors.
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

// choosePins adds the given number of selectors to the stage. It compares all sets of this size and takes the best
// one.
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
		low := set & -set // continue with the next set of the same size
		up := set + low
		set = up | (set^up)>>2/low
	}
	s.selectors = best
}

// crowding counts the different numbers that the stage has to compare. It makes a separate count for each value of
// the selectors that occurs, and returns the largest count and the sum of all counts.
func (s *stage) crowding(thresholds []uint64) (most, sum int) {
	for i, t := range thresholds {
		numbers := 1 // different numbers for this selector value so far
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

// choices returns the binomial coefficient of n and k. If the coefficient is above [maxChoices], the result may be
// any number above maxChoices.
func choices(n, k int) int {
	c := 1
	for i := range k {
		if c = c * (n - i) / (i + 1); c > 1<<20 {
			return c
		}
	}
	return c
}
