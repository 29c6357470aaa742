package plot

import (
	"math"
	"strconv"
	"strings"

	gonum "gonum.org/v1/plot"
)

// scale maps the values of one axis to positions. It takes logarithms itself, so that the axis is linear for
// gonum/plot. This leaves room for zeros at a position below all logarithms.
type scale struct {
	log      bool
	zeros    bool    // whether some values on a logarithmic axis are exactly 0
	zero     float64 // position at which zeros are drawn
	bottom   float64 // position of values that are too low for the logarithmic axis
	min, max float64
	ticks    []gonum.Tick
}

// wantedTicks is the approximate number of labelled ticks on an axis.
const wantedTicks = 6

// newScale returns a scale that contains the values, except NaN. If round is true, the scale begins and ends at
// ticks.
func newScale(a Axis, values []float64, round bool) scale {
	if len(a.Names) > 0 {
		return nameScale(a.Names)
	}
	values = append(append([]float64(nil), values...), a.Include...)
	if a.Log {
		if s, ok := doublingScale(values); ok && !round {
			return s
		}
		return logScale(values)
	}
	return linearScale(values, round)
}

func nameScale(names []string) scale {
	s := scale{min: -0.5, max: float64(len(names)) - 0.5}
	for i, name := range names {
		s.ticks = append(s.ticks, gonum.Tick{Value: float64(i), Label: name})
	}
	return s
}

func linearScale(values []float64, round bool) scale {
	lo, hi, whole := math.Inf(1), math.Inf(-1), true
	for _, v := range values {
		if !math.IsNaN(v) {
			lo, hi = math.Min(lo, v), math.Max(hi, v)
			whole = whole && v == math.Trunc(v)
		}
	}
	switch {
	case lo > hi: // no values
		lo, hi = 0, 1
	case hi-lo <= 1e-9*math.Max(math.Abs(lo), math.Abs(hi)): // the values differ only by rounding
		half := math.Max(math.Abs(lo)/10, 1)
		lo, hi = lo-half, lo+half
	}
	step := niceStep((hi - lo) / wantedTicks)
	if whole { // whole numbers need no ticks between them
		step = math.Max(step, 1)
	}
	first, last := math.Floor(lo/step), math.Ceil(hi/step)
	if round {
		lo, hi = first*step, last*step
	}
	s := scale{min: lo, max: hi}
	for i := first; i <= last; i++ {
		if v := i * step; v >= lo && v <= hi {
			s.ticks = append(s.ticks, gonum.Tick{Value: v, Label: number(v, step)})
		}
	}
	return s
}

// niceStep returns the smallest number that is at least x and is 1, 2 or 5 times a power of ten.
func niceStep(x float64) float64 {
	power := math.Pow(10, math.Floor(math.Log10(x)))
	for _, m := range []float64{1, 2, 5} {
		if m*power >= x*(1-1e-9) {
			return m * power
		}
	}
	return 10 * power
}

// number formats the value of a tick. It uses the number of digits that step, the distance between ticks, needs.
func number(v, step float64) string {
	if m := math.Max(math.Abs(v), step); v != 0 && (m >= 1e6 || m < 1e-4) {
		digits := max(0, decade(v)-decade(step))
		mantissa, exponent, _ := strings.Cut(strconv.FormatFloat(v, 'e', digits, 64), "e")
		e, _ := strconv.Atoi(exponent) // drops the plus sign and leading zeros
		return mantissa + "e" + strconv.Itoa(e)
	}
	if v == 0 && step < 1e-4 {
		return "0"
	}
	return strconv.FormatFloat(v, 'f', max(0, -decade(step)), 64)
}

// decade returns the exponent of the largest power of ten that is at most |v|. It tolerates rounding errors in v,
// which is a multiple of a step.
func decade(v float64) int { return int(math.Floor(math.Log10(math.Abs(v)) + 1e-9)) }

// logScale returns a scale that spans the decades of the positive values. If some values are 0, their position is
// below the decades, at a distance of a tenth of the range.
func logScale(values []float64) scale {
	lo, hi := math.Inf(1), math.Inf(-1)
	s := scale{log: true}
	for _, v := range values {
		switch {
		case v == 0:
			s.zeros = true
		case v > 0:
			lo, hi = math.Min(lo, v), math.Max(hi, v)
		}
	}
	if lo > hi { // only zeros
		lo, hi = 1, 1
	}
	first, last := math.Floor(math.Log10(lo)), math.Ceil(math.Log10(hi))
	if first == last {
		last++
	}
	s.min, s.max, s.bottom = first, last, first
	every := math.Ceil((last - first) / (wantedTicks + 2))
	for d := first; d <= last; d++ {
		t := gonum.Tick{Value: d}
		if math.Mod(d-first, every) == 0 {
			t.Label = power(d)
		}
		s.ticks = append(s.ticks, t)
		for m := 2.0; m < 10 && d < last && every == 1; m++ {
			s.ticks = append(s.ticks, gonum.Tick{Value: d + math.Log10(m)})
		}
	}
	if s.zeros {
		s.zero = first - 0.1*(last-first)
		s.min, s.bottom = s.zero, s.zero
		s.ticks = append(s.ticks, gonum.Tick{Value: s.zero, Label: "0"})
	}
	return s
}

// doublingScale returns a scale that contains the values and has a tick at each power of two. ok is true only if the
// values are a few different powers of two, such as numbers of candidates.
func doublingScale(values []float64) (s scale, ok bool) {
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, v := range values {
		if fraction, _ := math.Frexp(v); fraction != 0.5 || v < 1 {
			return scale{}, false
		}
		lo, hi = math.Min(lo, v), math.Max(hi, v)
	}
	if lo >= hi || hi/lo > 1<<wantedTicks {
		return scale{}, false
	}
	s = scale{log: true, min: math.Log10(lo), max: math.Log10(hi), bottom: math.Log10(lo)}
	for v := lo; v <= hi; v *= 2 {
		s.ticks = append(s.ticks, gonum.Tick{Value: math.Log10(v), Label: strconv.FormatFloat(v, 'f', 0, 64)})
	}
	return s, true
}

// power returns ten to the power of d as text. If few digits are enough, the text is a decimal number.
func power(d float64) string {
	if d >= -2 && d <= 4 {
		return strconv.FormatFloat(math.Pow(10, d), 'f', max(0, -int(d)), 64)
	}
	return "1e" + strconv.Itoa(int(d))
}

// at returns the position of a value, or NaN for NaN.
func (s scale) at(v float64) float64 {
	switch {
	case !s.log || math.IsNaN(v):
		return v
	case v > 0:
		return math.Max(math.Log10(v), s.bottom)
	default:
		return s.bottom
	}
}

// isZero reports whether the value is drawn on the line of zeros.
func (s scale) isZero(v float64) bool { return s.zeros && v == 0 }
