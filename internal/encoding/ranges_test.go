package encoding

import (
	"math"
	"testing"
)

// normal returns n values with a distribution that is roughly standard normal. Each value is a sum of three uniform
// values.
func normal(n int) (x []float64) {
	for i := range n {
		u := func(by float64) float64 { _, f := math.Modf((float64(i) + 0.5) * by); return f }
		x = append(x, 2*(u(0.754877666)+u(0.569840291)+u(0.438447187))-3)
	}
	return x
}

// each returns f(0) to f(n-1).
func each(n int, f func(i int) float64) (x []float64) {
	for i := range n {
		x = append(x, f(i))
	}
	return x
}

// TestRobustRange checks that a range is narrowed only if extreme values would leave hardly any resolution for the
// other values.
func TestRobustRange(t *testing.T) {
	const n = 4000
	noise := normal(n)
	with := func(x []float64, values ...float64) []float64 {
		x = append([]float64(nil), x...)
		for i, v := range values {
			x[(37+i*997)%len(x)] = v
		}
		return x
	}
	counts := each(n, func(i int) float64 { return float64(i % 10) })
	rare := each(n, func(i int) float64 { return float64((i % 1000) / 999) })
	tail := each(n, func(i int) float64 { return math.Exp(3 * noise[i]) })
	type ends [2]float64 // the least and the greatest value that is allowed for one end of the range
	middle := [2]ends{{-3, -2}, {2, 3}}
	exactly := func(lo, hi float64) [2]ends { return [2]ends{{lo, lo}, {hi, hi}} }
	missing := each(n/33, func(int) float64 { return -999 })
	steps := each(n, func(i int) float64 { return float64(i % 3) })
	mostly0 := each(n, func(i int) float64 { return float64(i % 20 / 19 * (i % 13)) })
	for name, c := range map[string]struct {
		x    []float64
		want [2]ends
	}{
		"normal":                 {noise, [2]ends{{-3, -2.5}, {2.5, 3}}},
		"one far above":          {with(noise, 9999), middle},
		"one far below":          {with(noise, -1e6), middle},
		"three, both sides":      {with(noise, 9999, -9999, 1e30), middle},
		"wider than all numbers": {with(noise, 1.7e308, -1.7e308), middle},
		"numbers for missing":    {with(noise, missing...), [2]ends{{-3, -1.9}, {2, 3}}},
		"even":                   {each(n, func(i int) float64 { return float64(i) }), exactly(0, n-1)},
		"heavy tail":             {tail, [2]ends{{0, 1}, {20, 1000}}},
		"rare ones":              {rare, exactly(0, 1)},
		"a single one":           {with(make([]float64, n), 1), exactly(0, 1)},
		"rare ones and a 9999":   {with(rare, 9999), exactly(0, 1)},
		"constant":               {make([]float64, n), exactly(0, 0)},
		"constant and a 9999":    {with(make([]float64, n), 9999), exactly(0, 9999)},
		"few numbers":            {counts, exactly(0, 9)},
		"few numbers and a 9999": {with(counts, 9999), exactly(0, 9)},
		"few numbers and a 99":   {with(counts, 99), exactly(0, 9)},
		"few, the largest rare":  {with(steps, 5, 4), exactly(0, 5)},
		"many zeros and a 9999":  {with(mostly0, 9999), exactly(0, 12)},
		"three samples":          {[]float64{1, 2, 9999}, exactly(1, 9999)},
	} {
		t.Run(name, func(t *testing.T) {
			low, high, lo, hi := robust(c.x, func(i int) uint8 { return uint8(i % 2) })
			if l, h := c.want[0], c.want[1]; low < l[0] || low > l[1] || high < h[0] || high > h[1] {
				t.Errorf("the range is %g to %g, of values from %g to %g, want ends within %g and %g", low, high, lo, hi, l, h)
			}
		})
	}
}

// robust returns the robust range of values, and their full range.
func robust(x []float64, class func(i int) uint8) (low, high, lo, hi float64) {
	var values []Value
	lo, hi = x[0], x[0]
	for i, v := range x {
		values = append(values, Value{X: v, Class: class(i)})
		lo, hi = min(lo, v), max(hi, v)
	}
	low, high = RobustRange(values, lo, hi)
	return low, high, lo, hi
}

// TestRobustRangeKeepsRareClass checks that extreme values that mark a class are kept. They are too few to be kept
// for any other reason.
func TestRobustRangeKeepsRareClass(t *testing.T) {
	x := normal(4000)
	for i := range 8 {
		x[i*500] = float64(50 + i)
	}
	if _, high, _, _ := robust(x, func(int) uint8 { return 0 }); high > 3 {
		t.Errorf("extreme values of a single class: the range ends at %g, want at most 3", high)
	}
	rare := func(i int) (class uint8) {
		if i%500 == 0 {
			class = 1
		}
		return class
	}
	if _, high, _, _ := robust(x, rare); high < 55 {
		t.Errorf("extreme values that mark a class: the range ends at %g, want at least 55", high)
	}
}
