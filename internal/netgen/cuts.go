package netgen

import (
	"math"
	"math/rand/v2"
	"slices"

	"ialgn/internal/encoding"
)

// CutEncoder returns an encoder by cuts. The same arguments always give the same encoder. Some cuts are equal, and
// each cut has many digits.
func CutEncoder(features, bits int) encoding.Encoder {
	r := rand.New(rand.NewPCG(uint64(bits), 0x63757473))
	cuts := make([][]float64, features)
	for f := range cuts {
		for range bits - 1 {
			cuts[f] = append(cuts[f], r.NormFloat64())
		}
		if slices.Sort(cuts[f]); bits > 3 && f%3 == 2 {
			cuts[f][1] = cuts[f][0]
		}
	}
	return newCuts(cuts, nil)
}

// ByCuts converts an encoder with offsets and scales to an encoder by cuts that gives the same input bits for all
// values. Each cut is the largest value whose word does not exceed the threshold.
func ByCuts(e *encoding.Encoder) encoding.Encoder {
	cuts := make([][]float64, e.Features())
	for f, row := range e.Thresholds {
		for _, t := range row {
			cuts[f] = append(cuts[f], largest(func(x float64) bool { return e.Quantiser.Apply(f, x, e.Max) <= t }))
		}
		if e.Binary(f) {
			cuts[f] = slices.Repeat([]float64{0.5}, len(row))
		}
	}
	c := newCuts(cuts, e.Names)
	c.Columns = e.Columns
	return c
}

func newCuts(cuts [][]float64, names []string) encoding.Encoder {
	e, err := encoding.NewCuts(cuts, names)
	if err != nil {
		panic("netgen: " + err.Error())
	}
	return *e
}

// largest returns the largest finite number for which the function holds returns true. The function must also return
// true for all smaller numbers.
func largest(holds func(x float64) bool) float64 {
	const top = 0x7fefffffffffffff // bits of math.MaxFloat64
	low, high := -top, top+1       // holds is true at low and false at high
	for low+1 != high {
		if middle := low>>1 + high>>1 + low&high&1; holds(ordered(middle)) {
			low = middle
		} else {
			high = middle
		}
	}
	return ordered(low)
}

// ordered returns the number at distance i from 0 in the order of all floating-point numbers.
func ordered(i int) float64 {
	if i < 0 {
		return -math.Float64frombits(uint64(-i))
	}
	return math.Float64frombits(uint64(i))
}
