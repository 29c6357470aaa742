package encoding

import (
	"errors"
	"fmt"
	"math"
	"math/bits"
	"sort"
)

// Quantiser maps real features to integers, either by scales or by cuts.
//
// By scales, the integer is round((x - Offset[f]) * Scale[f]), half away from zero, limited to 0 .. the encoder's
// Max. A feature with scale 0 is constant and always 0. Training makes such quantisers.
//
// By cuts, the integer is the number of Cuts[f] that x exceeds, strictly. The integer is between 0 and Bits-1, and
// Bits-1 is the encoder's Max. Threshold j of the feature is the integer j. Input bit j-1 is then x > Cuts[f][j-1].
// This is a thermometer code with real thresholds. Networks from other programs have such codes, and no scale
// reproduces these codes exactly.
type Quantiser struct {
	Offset []float64   `json:"offset,omitempty"` // [feature]
	Scale  []float64   `json:"scale,omitempty"`  // [feature]
	Cuts   [][]float64 `json:"cuts,omitempty"`   // [feature][Bits-1], ascending, not necessarily strictly; nil for scales
}

// NewCuts returns an encoder that turns real features into words by the given cuts, [feature][Bits-1]. The encoder
// keeps the slice. names may be nil.
//
// NewCuts returns an error if the cuts are not finite, are not in ascending order or differ in number between
// features. It also returns an error if there are no cuts or too many.
func NewCuts(cuts [][]float64, names []string) (*Encoder, error) {
	if len(cuts) == 0 {
		return nil, errors.New("cuts of no features")
	}
	n := len(cuts[0])
	e := &Encoder{
		Bits: n + 1, BitsIn: bits.Len(uint(n)), Max: uint32(n), Names: names, Quantiser: &Quantiser{Cuts: cuts},
	}
	for range cuts {
		e.Thresholds = append(e.Thresholds, countTo(n))
	}
	if err := e.Check(); err != nil {
		return nil, err
	}
	return e, nil
}

// countTo returns the thresholds 0 to n-1. They distinguish the numbers 0 to n.
func countTo(n int) []uint16 {
	row := make([]uint16, n)
	for j := range row {
		row[j] = uint16(j)
	}
	return row
}

// Features returns the number of features.
func (q *Quantiser) Features() int { return max(len(q.Scale), len(q.Cuts)) }

// NewQuantiser returns the min-max quantiser. For feature f, lo[f] becomes 0, hi[f] becomes max, and the steps
// between are equal. A feature with lo = hi gets scale 0.
//
// It returns a [RangeError] if a range is empty, not finite, or so wide or narrow that its scale is not a float64.
// It panics if lo and hi differ in length.
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

// Error names the feature by number.
func (e *RangeError) Error() string { return fmt.Sprintf("feature %d: %s", e.Feature, e.Problem) }

// Apply returns the integer, from 0 to max, for the real value x of feature f. NaN becomes 0, but the readers of data
// files refuse NaN earlier.
func (q *Quantiser) Apply(f int, x float64, max uint32) uint16 {
	if q.Cuts != nil {
		return exceeded(q.Cuts[f], x)
	}
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

// exceeded counts the cuts below x. If there are only a few cuts, counting is faster than a search.
func exceeded(cuts []float64, x float64) uint16 {
	if len(cuts) > 16 {
		return uint16(sort.Search(len(cuts), func(j int) bool { return !(x > cuts[j]) }))
	}
	n := uint16(0)
	for _, c := range cuts {
		if x > c {
			n++
		}
	}
	return n
}

// check returns an error if the quantiser of encoder e is invalid. The encoder's thresholds must be checked first.
func (q *Quantiser) check(e *Encoder) error {
	if q.Cuts == nil {
		return q.checkScales(e.Features())
	}
	if q.Offset != nil || q.Scale != nil {
		return errors.New("quantiser has cuts and scales, want one of them")
	}
	if len(q.Cuts) != e.Features() {
		return fmt.Errorf("quantiser has cuts of %d features, want %d", len(q.Cuts), e.Features())
	}
	if n := e.Bits - 1; e.Max != uint32(n) || e.BitsIn != bits.Len(uint(n)) {
		return fmt.Errorf("feature words of %d bits up to %d, but %d cuts give words of %d bits up to %d", e.BitsIn, e.Max,
			n, bits.Len(uint(n)), n)
	}
	words := e.words()
	for f, row := range q.Cuts {
		if err := e.checkCuts(f, row, words[f]); err != nil {
			return err
		}
	}
	return nil
}

// words reports, for each feature, whether the feature belongs to a category.
func (e *Encoder) words() []bool {
	words, at := make([]bool, e.Features()), 0
	for i := range e.Columns {
		for range e.Columns[i].Features() {
			words[at] = e.Columns[i].Kind == CategoryColumn
			at++
		}
	}
	return words
}

// checkCuts returns an error if the cuts of feature f are invalid, or if the feature's thresholds are not the
// integers that count cuts. The argument word says that the feature belongs to a category. The cuts of such a feature
// must separate 1 from 0.
func (e *Encoder) checkCuts(f int, cuts []float64, word bool) error {
	if len(cuts) != e.Bits-1 {
		return fmt.Errorf("feature %d has %d cuts, want %d (encoder bits - 1)", f, len(cuts), e.Bits-1)
	}
	for j, c := range cuts {
		switch t := e.Thresholds[f][j]; {
		case !finite(c):
			return fmt.Errorf("feature %d: cut %d is %g, want a finite number", f, j+1, c)
		case j > 0 && c < cuts[j-1]:
			return fmt.Errorf("feature %d: cut %d (%g) is below the one before it (%g)", f, j+1, c, cuts[j-1])
		case int(t) != j:
			return fmt.Errorf("feature %d: threshold %d is %d, want %d, for its word is a number of cuts", f, j+1, t, j)
		case word && !(c >= 0 && c < 1):
			return fmt.Errorf("feature %d: cut %d is %g, want one from 0 to below 1 of a category's word", f, j+1, c)
		}
	}
	return nil
}

// checkScales returns an error if offsets and scales are invalid for the given number of features.
func (q *Quantiser) checkScales(features int) error {
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
