package learned

import "math"

// Price returns what a threshold of a feature costs, in the units of the loss. Thresholds at which no bit is read have no
// price.
type Price func(feature int, threshold uint16) float64

// Reach returns how far a threshold moves at most after an epoch, counted from 0, in bins: from an eighth of all down to
// one, evenly, over the epochs in which thresholds move. The first steps find the place, the last ones must not disturb
// what the nodes have learnt since.
func (s *Sums) Reach(epoch int, end float64) int {
	most := float64(s.last()+1) / 8
	return max(1, int(math.Round(most*(1-float64(epoch)/end))))
}

// last returns the last bin that a threshold may be at the end of: a bit is 1 for some value above.
func (s *Sums) last() int { return int(s.enc.Max>>s.shift) - 1 }

// Move moves the thresholds of the bits that were read, each to that place within reach bins, and between the thresholds
// beside it, at which the loss is least by the sums over so many samples, with the price added unless it is nil. Of equal
// ones it takes the nearest, then the lower. It returns how many have moved.
func (s *Sums) Move(samples, reach int, price Price) (moved int) {
	perSample := 1 / (s.unit() * float64(samples))
	for f, thresholds := range s.enc.Thresholds {
		for j := range thresholds {
			h := s.rows[f*len(thresholds)+j]
			if h == nil {
				continue
			}
			c := choice{at: int(thresholds[j]) >> s.shift, low: 0, high: s.last(), reach: reach}
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
type choice struct{ at, low, high, reach int }

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
	for d := 1; d <= c.reach; d++ {
		if bin := c.at - d; bin >= c.low {
			down += h[bin+1]
			try(down, bin)
		}
		if bin := c.at + d; bin <= c.high {
			up -= h[bin]
			try(up, bin)
		}
	}
	return best
}
