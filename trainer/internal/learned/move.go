package learned

import (
	"cmp"
	"slices"

	"ialgn/internal/model"
)

// Price returns what a threshold of a feature costs, in the units of the loss. Thresholds at which no bit is read
// have no price.
type Price func(feature int, threshold uint16) float64

// Readers returns how many pins of a network read each input bit.
func Readers(f *model.Frozen) []int32 {
	readers := make([]int32, f.Inputs())
	for l := range f.Layers {
		for _, pin := range f.Layers[l].Pins {
			if pin.Source != model.Input {
				continue
			}
			for _, i := range pin.Index {
				readers[i]++
			}
		}
	}
	return readers
}

// Limits say how far thresholds move. What the sums promise holds for small changes of the network alone.
type Limits struct {
	// How many samples a threshold passes at most. Past the next value that occurs it goes in any case.
	Samples uint64

	// How many pins read each input bit now, and how many bits that they read all moves together change at most, over all
	// samples.
	Readers []int32
	Flips   uint64
}

// last returns the last bin that a threshold may be at the end of: a bit is 1 for some value above.
func (s *Sums) last() int { return int(s.enc.Max>>s.shift) - 1 }

// Move moves thresholds of bits that some pin reads, each to that place between the thresholds beside it at which the
// loss is least by the sums over so many samples, with the price added unless it is nil. Of equal ones it takes the
// nearest, then the lower. Those come first whose gain is largest for the bits that flip; of equal ones the first. One
// that comes later stays where the flips would become too many, or where one beside it is in its way. Move returns how
// many have moved.
func (s *Sums) Move(samples int, limits Limits, price Price) (moved int) {
	all := s.moves(samples, &limits, price)
	slices.SortStableFunc(all, func(a, b move) int { return cmp.Compare(a.perFlip(), b.perFlip()) })
	flips := uint64(0)
	for _, m := range all {
		row, at := s.enc.Thresholds[m.feature], s.end(m.bin)
		beyond := (m.j > 0 && at < row[m.j-1]) || (m.j+1 < len(row) && at > row[m.j+1])
		if beyond || flips+m.flips > limits.Flips {
			continue
		}
		row[m.j] = at
		flips += m.flips
		moved++
	}
	return moved
}

// move is a gain: threshold j of a feature goes to the end of a bin.
type move struct {
	feature, j, bin int
	change          float64 // of the loss, below 0; its units are the same for all
	flips           uint64
}

// perFlip returns the change for each bit that flips.
func (m move) perFlip() float64 { return m.change / float64(m.flips) }

// moves returns the best move of each threshold, in their order, for those that have one.
func (s *Sums) moves(samples int, limits *Limits, price Price) (all []move) {
	perSample := 1 / (s.unit() * float64(samples))
	for f, thresholds := range s.enc.Thresholds {
		if s.enc.Binary(f) {
			continue // there is no better place than the middle
		}
		for j := range thresholds {
			i := f*len(thresholds) + j
			if s.rows[i] == nil || limits.Readers[i] == 0 {
				continue
			}
			c := choice{
				at: int(thresholds[j]) >> s.shift, low: 0, high: s.last(), counts: &s.counts[f], most: limits.Samples,
			}
			if j > 0 {
				c.low = int(thresholds[j-1]) >> s.shift
			}
			if j+1 < len(thresholds) {
				c.high = min(c.high, (int(thresholds[j+1])+1)>>s.shift-1)
			}
			value := func(sum int64, _ int) float64 { return float64(sum) }
			if price != nil {
				now := price(f, thresholds[j])
				value = func(sum int64, bin int) float64 {
					return float64(float64(sum)*perSample) + (price(f, s.end(bin)) - now)
				}
			}
			if bin, change := c.best(s.rows[i], value); bin != c.at {
				all = append(all, move{f, j, bin, change, c.passed(bin) * uint64(limits.Readers[i])})
			}
		}
	}
	return all
}

// end returns the largest value of a bin.
func (s *Sums) end(bin int) uint16 { return uint16((bin+1)<<s.shift - 1) }

// choice is where a threshold is, and may be: the bins that it is at the end of.
type choice struct {
	at, low, high int
	counts        *[mostBins]uint32 // of samples
	most          uint64            // samples that it may pass
}

// best returns the bin that changes the value most for the better, of equal ones the nearest and then the lower, and
// that of now if none does; and the change. value gets the change of the sum and the bin.
func (c choice) best(h *row, value func(sum int64, bin int) float64) (best int, least float64) {
	best = c.at
	var down, up int64
	try := func(sum int64, bin int) {
		if v := value(sum, bin); v < least {
			best, least = bin, v
		}
	}
	lowest, highest := c.within()
	for d := 1; c.at-d >= lowest || c.at+d <= highest; d++ {
		if bin := c.at - d; bin >= lowest {
			down += h[bin+1]
			try(down, bin)
		}
		if bin := c.at + d; bin <= highest {
			up -= h[bin]
			try(up, bin)
		}
	}
	return best, least
}

// within returns the lowest and the highest bin within reach.
func (c choice) within() (lowest, highest int) {
	passed := uint64(0)
	for lowest = c.at; lowest > c.low && c.mayPass(&passed, lowest); {
		lowest--
	}
	passed = 0
	for highest = c.at; highest < c.high && c.mayPass(&passed, highest+1); {
		highest++
	}
	return lowest, highest
}

// mayPass adds the samples of a bin to those that were passed, and reports whether it may be passed, too: if it has
// none, is the first that has some, or these are not too many together.
func (c choice) mayPass(passed *uint64, bin int) bool {
	before, more := *passed, uint64(c.counts[bin])
	*passed += more
	return before == 0 || more == 0 || *passed <= c.most
}

// passed returns how many samples the threshold passes on its way to a bin.
func (c choice) passed(bin int) (samples uint64) {
	for v := min(bin, c.at) + 1; v <= max(bin, c.at); v++ {
		samples += uint64(c.counts[v])
	}
	return samples
}
