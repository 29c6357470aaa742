package encoding

import (
	"fmt"
	"math"
)

// Quantiser maps real features to integers: round((x - Offset[f]) * Scale[f]), half
// away from zero, saturating at 0 and the encoder's Max. A feature with scale 0 is
// constant and always 0.
type Quantiser struct {
	Offset []float64 `json:"offset"`
	Scale  []float64 `json:"scale"`
}

// NewQuantiser returns the min-max quantiser: lo[f] becomes 0 and hi[f] becomes max,
// with equal steps between them. A feature with lo = hi gets scale 0.
//
// It returns a [RangeError] if a range is empty, not finite, or so wide or narrow that its
// scale is no float64. It panics if lo and hi differ in length.
func NewQuantiser(lo, hi []float64, max uint32) (*Quantiser, error) {
	if len(lo) != len(hi) {
		panic(fmt.Sprintf("encoding: %d lower and %d upper bounds", len(lo), len(hi)))
	}
	q := &Quantiser{Offset: append([]float64(nil), lo...), Scale: make([]float64, len(lo))}
	for f := range lo {
		width := hi[f] - lo[f]
		if !(width >= 0) || math.IsInf(width, 0) {
			return nil, &RangeError{f, fmt.Sprintf("values from %g to %g have no finite range, rescale them", lo[f], hi[f])}
		}
		if width == 0 {
			continue
		}
		q.Scale[f] = float64(max) / width
		if q.Scale[f] == 0 || math.IsInf(q.Scale[f], 0) {
			return nil, &RangeError{
				f, fmt.Sprintf("values from %g to %g cannot be scaled to 0..%d, rescale them", lo[f], hi[f], max),
			}
		}
	}
	return q, nil
}

// RangeError says that the values of a feature cannot be quantised.
type RangeError struct {
	Feature int
	Problem string
}

// Error names the feature by its number.
func (e *RangeError) Error() string { return fmt.Sprintf("feature %d: %s", e.Feature, e.Problem) }

// Apply returns the integer of real value x of feature f, between 0 and max. NaN
// becomes 0; readers refuse it before.
func (q *Quantiser) Apply(f int, x float64, max uint32) uint16 {
	if q.Scale[f] == 0 {
		return 0
	}
	v := math.Round((x - q.Offset[f]) * q.Scale[f])
	switch {
	case !(v > 0):
		return 0
	case v >= float64(max):
		return uint16(max)
	}
	return uint16(v)
}

// check reports what is wrong with a quantiser of the given number of features.
func (q *Quantiser) check(features int) error {
	if len(q.Offset) != features || len(q.Scale) != features {
		return fmt.Errorf("quantiser has %d offsets and %d scales for %d features", len(q.Offset), len(q.Scale), features)
	}
	for f := range q.Offset {
		if !finite(q.Offset[f]) || !finite(q.Scale[f]) || q.Scale[f] < 0 {
			return fmt.Errorf("quantiser of feature %d: offset %g and scale %g, want finite numbers and a scale of at least 0",
				f, q.Offset[f], q.Scale[f])
		}
	}
	return nil
}

func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }
