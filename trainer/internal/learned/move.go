package learned

import (
	"cmp"
	"slices"

	"ialgn/internal/model"
)

// Price returns the cost of a threshold of a feature, in the units of the loss. Thresholds whose bit no pin reads
// cost nothing.
type Price func(feature int, threshold uint16) float64

// Readers returns, for each input bit, the number of pins of a network that read it.
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

// Limits says how far thresholds may move. The sums predict the loss only for small changes of the network.
type Limits struct {
	// Samples is the largest number of samples that a threshold may pass. A threshold may always pass the next value
	// that occurs, even if more samples have this value.
	Samples uint64

	// Readers holds the number of pins that currently read each input bit. Flips is the largest number of bits that
	// all moves together may change. The bits of all samples count, and a bit counts once for each pin that reads it.
	Readers []int32
	Flips   uint64
}

// last returns the last bin at whose end a threshold may be. Some value must be above the threshold, so that the bit
// can be 1.
func (s *Sums) last() int { return int(s.enc.Max>>s.shift) - 1 }

// Move moves the thresholds of bits that some pin reads. Each threshold moves to the place between its neighbouring
// thresholds at which the loss is least. The loss at a place is estimated from the sums over the given number of
// samples. If price is not nil, the price of the threshold is added. If several places are equally good, Move takes
// the nearest place. If two places are equally near, it takes the lower place.
//
// The moves with the largest gain per flipped bit come first. Moves of equal gain keep the order of their thresholds.
// A move is skipped if it would exceed the limit of flips or if a neighbouring threshold is in its way. Move returns
// the number of thresholds moved.
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

// move is a possible move of threshold j of a feature to the end of a bin.
type move struct {
	feature, j, bin int
	change          float64 // change of the loss; negative, and in the same unit for all moves
	flips           uint64
}

// perFlip returns the change of the loss for each flipped bit.
func (m move) perFlip() float64 { return m.change / float64(m.flips) }

// moves returns the best move of each threshold that some move improves, in the order of the thresholds.
func (s *Sums) moves(samples int, limits *Limits, price Price) (all []move) {
	perSample := 1 / (s.unit() * float64(samples))
	for f, thresholds := range s.enc.Thresholds {
		if s.enc.Binary(f) {
			continue // no place is better than the middle
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

// end returns the largest value in a bin.
func (s *Sums) end(bin int) uint16 { return uint16((bin+1)<<s.shift - 1) }

// choice describes where a threshold is and where it may go. A place is the bin at whose end the threshold is.
type choice struct {
	at, low, high int
	counts        *[mostBins]uint32 // samples in each bin
	most          uint64            // number of samples that the threshold may pass
}

// best returns the bin that improves the value most, and the change of the value. If several bins are equally good,
// it returns the nearest bin. If two bins are equally near, it returns the lower bin. If no bin improves the value,
// best returns the current bin. To get the value of a bin, best calls the function value with the change of the sum
// and the bin's index.
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

// within returns the lowest and the highest bin that the threshold may go to.
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

// mayPass adds the samples of a bin to *passed and reports whether the threshold may pass the bin. The threshold may
// always pass a bin without samples and the first bin with samples. It may pass another bin only if *passed does not
// exceed the limit.
func (c choice) mayPass(passed *uint64, bin int) bool {
	before, more := *passed, uint64(c.counts[bin])
	*passed += more
	return before == 0 || more == 0 || *passed <= c.most
}

// passed returns the number of samples that the threshold passes on its way to a bin.
func (c choice) passed(bin int) (samples uint64) {
	for v := min(bin, c.at) + 1; v <= max(bin, c.at); v++ {
		samples += uint64(c.counts[v])
	}
	return samples
}
