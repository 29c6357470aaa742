package encoding

import (
	"cmp"
	"math"
	"slices"

	"ialgn/internal/detmath"
)

// Value is a feature's real value in a training sample, together with the sample's class.
type Value struct {
	X     float64
	Class uint8
}

// trims lists the trims that [RobustRange] tries. Each trim omits a share of the values of each class, at one end of
// the range or at both ends. The trim is accepted if it raises the entropy at least by the factor gain. The last trim
// is for numbers that represent missing values.
var trims = []struct{ share, gain float64 }{{0.001, 1.5}, {0.01, 1.5}, {0.05, 3}}

// rangeParts is the number of equal parts of a range over which the entropy is computed.
const rangeParts = 16

// RobustRange returns the range of a feature's values that is scaled to the feature's words. The range is within lo
// to hi, the range of all values. A value outside the range becomes the nearest end of the range. RobustRange changes
// the order of the slice values.
//
// The range is lo to hi unless a few extreme values take up most of it. A narrower range omits a small share of each
// class's values, rounded up, at one end or both. A value that marks a class is therefore never omitted, however rare
// the class is.
//
// The range is narrowed only if the values are then spread much better over the sixteenths of the range. The measure
// is the entropy of the numbers of values in the sixteenths. Rare values, such as the ones in a column of zeros and
// ones, therefore keep their range. Omitted values within a sixteenth of the narrower range are included again.
func RobustRange(values []Value, lo, hi float64) (low, high float64) {
	slices.SortFunc(values, func(a, b Value) int { return cmp.Or(cmp.Compare(a.Class, b.Class), cmp.Compare(a.X, b.X)) })
	low, high = lo, hi
	best := evenness(values, lo, hi)
	for _, trim := range trims {
		l, h := trimmed(values, trim.share)
		for _, r := range [][2]float64{{l, high}, {low, h}, {l, h}} {
			if s := evenness(values, r[0], r[1]); s > 0 && s >= trim.gain*best {
				low, high, best = r[0], r[1], s
			}
		}
	}
	return nearby(values, low, high)
}

// nearby extends a range to the values that are at most one sixteenth of the range away.
func nearby(values []Value, low, high float64) (lo, hi float64) {
	part := float64((high - low) / rangeParts)
	lo, hi = low, high
	for _, v := range values {
		if v.X >= low-part && v.X <= high+part {
			lo, hi = min(lo, v.X), max(hi, v.X)
		}
	}
	return lo, hi
}

// trimmed returns the range of sorted values after a share of the values of each class is omitted at each end.
func trimmed(values []Value, share float64) (lo, hi float64) {
	lo, hi = math.Inf(1), math.Inf(-1)
	for len(values) > 0 {
		n := slices.IndexFunc(values, func(v Value) bool { return v.Class != values[0].Class })
		if n < 0 {
			n = len(values)
		}
		out := min(int(math.Ceil(float64(share*float64(n)))), (n-1)/2)
		lo, hi = min(lo, values[out].X), max(hi, values[n-1-out].X)
		values = values[n:]
	}
	return lo, hi
}

// evenness returns the entropy of the distribution of values over the equal parts of a range. Values outside the
// range count in the outermost parts. The entropy is 0 for an empty range or a range whose width overflows.
func evenness(values []Value, lo, hi float64) (entropy float64) {
	scale := rangeParts / (hi - lo)
	if !(hi > lo) || scale == 0 || math.IsInf(scale, 0) {
		return 0
	}
	var counts [rangeParts]int
	for _, v := range values {
		counts[int(min(max((v.X-lo)*scale, 0), rangeParts-1))]++
	}
	for _, n := range counts {
		if n > 0 {
			p := float64(n) / float64(len(values))
			entropy -= float64(p * detmath.Log(p))
		}
	}
	return entropy
}
