package learned

import "ialgn/trainer/encoding"

// Price returns what a threshold of a feature costs, in the units of the loss. Thresholds at which no bit is read have no
// price.
type Price func(feature int, threshold uint16) float64

// Counts are how many samples have a value in each bin, by feature.
type Counts [][mostBins]uint32

// NewCounts counts the values of feature words for an encoder of features of bitsIn bits.
func NewCounts(words *encoding.Packed, bitsIn int) Counts {
	c, values, shift := make(Counts, words.Features), make([]uint16, words.Features), binShift(bitsIn)
	for i := range words.Len() {
		words.Values(values, i)
		for f, v := range values {
			c[f][uint8(v>>shift)]++
		}
	}
	return c
}

// Reach is how far thresholds move: past so many samples at most, of those that Counts has; but past the next value that
// occurs in any case.
type Reach struct {
	Counts  Counts
	Samples uint64
}

// last returns the last bin that a threshold may be at the end of: a bit is 1 for some value above.
func (s *Sums) last() int { return int(s.enc.Max>>s.shift) - 1 }

// Move moves the thresholds of the bits that were read, each to that place within reach, and between the thresholds beside
// it, at which the loss is least by the sums over so many samples, with the price added unless it is nil. Of equal
// ones it takes the nearest, then the lower. It returns how many have moved.
func (s *Sums) Move(samples int, reach Reach, price Price) (moved int) {
	perSample := 1 / (s.unit() * float64(samples))
	for f, thresholds := range s.enc.Thresholds {
		for j := range thresholds {
			h := s.rows[f*len(thresholds)+j]
			if h == nil {
				continue
			}
			c := choice{
				at: int(thresholds[j]) >> s.shift, low: 0, high: s.last(), counts: &reach.Counts[f], most: reach.Samples,
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
			if best := c.best(h, value); best != c.at {
				thresholds[j] = s.end(best)
				moved++
			}
		}
	}
	return moved
}

// end returns the largest value of a bin.
func (s *Sums) end(bin int) uint16 { return uint16((bin+1)<<s.shift - 1) }

// choice is where a threshold is, and may be: the bins that it is at the end of.
type choice struct {
	at, low, high int
	counts        *[mostBins]uint32 // of samples
	most          uint64            // samples that it may pass
}

// best returns the bin that changes the value most for the better, of equal ones the nearest and then the lower, and that
// of now if none does. value gets the change of the sum and the bin.
func (c choice) best(h *row, value func(sum int64, bin int) float64) int {
	best, least := c.at, 0.0
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
	return best
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

// mayPass adds the samples of a bin to those that were passed, and reports whether it may be passed, too: if it has none,
// is the first that has some, or these are not too many together.
func (c choice) mayPass(passed *uint64, bin int) bool {
	before, more := *passed, uint64(c.counts[bin])
	*passed += more
	return before == 0 || more == 0 || *passed <= c.most
}
