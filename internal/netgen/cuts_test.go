package netgen

import (
	"math"
	"math/rand/v2"
	"testing"

	"ialgn/internal/encoding"
)

// TestByCuts compares the bits for values at all cuts, for their neighbouring values, and for random values.
func TestByCuts(t *testing.T) {
	e := Encoder(4, 6, 8)
	e.Quantiser = &encoding.Quantiser{Offset: []float64{-1.5, 0, 0, 3}, Scale: []float64{25.5, 255, 1e-300, 0}}
	e.Columns = []encoding.Column{
		{Kind: encoding.NumberColumn},
		{Kind: encoding.CategoryColumn, Categories: []string{"a"}},
		{Kind: encoding.NumberColumn},
		{Kind: encoding.NumberColumn},
	}
	e.PlaceMiddle()
	c, r := ByCuts(&e), rand.New(rand.NewPCG(1, 2))
	for f, cuts := range c.Quantiser.Cuts {
		var values []float64
		for _, x := range cuts {
			values = append(values, x, math.Nextafter(x, math.Inf(1)), math.Nextafter(x, math.Inf(-1)), r.NormFloat64())
		}
		if f == 1 {
			values = []float64{0, 1}
		}
		for _, x := range values {
			was := e.Level(f, e.Quantiser.Apply(f, x, e.Max))
			if level := c.Level(f, c.Quantiser.Apply(f, x, c.Max)); level != was && !math.IsInf(x, 0) {
				t.Errorf("feature %d: %g is of level %d, want %d", f, x, level, was)
			}
		}
	}
}
