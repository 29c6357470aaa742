package dataset

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"

	"ialgn/internal/config"
	"ialgn/internal/encoding"
	"ialgn/internal/message"
)

// real is a source of real values that will be turned into words.
type real interface {
	// reals calls fn with each sample of a part, in order. The argument class is the sample's class. The argument at is
	// the sample's line or its number in the file, counted from 1. The argument value is a function that returns the
	// value of a number feature, or NaN if the feature's value is missing.
	reals(part Part, fn func(class, at int, value func(f int) (float64, error)) error) error
}

// interruptible is a source whose reading ends when a context ends.
type interruptible struct {
	ctx context.Context
	real
}

func (s interruptible) reals(part Part, fn func(class, at int, value func(f int) (float64, error)) error) error {
	return s.real.reals(part, func(class, at int, value func(f int) (float64, error)) error {
		if err := s.ctx.Err(); err != nil {
			return err
		}
		return fn(class, at, value)
	})
}

// ranged holds the ranges of the features of a training part, and results that are computed from these ranges.
type ranged struct {
	lo, hi  []float64
	numbers []int  // the features that come from columns of numbers; all other features come from categories
	whole   []bool // for each feature: all values are whole numbers

	q        *encoding.Quantiser
	bitsIn   int
	max      uint32
	allWhole bool        // all number features can be used unchanged
	narrowed bool        // some range is narrower than the range of all values
	spans    [][2]uint16 // for each feature, the words of lo and hi; nil if no feature is used unchanged
}

// fill sets the fields of a set that follow from the ranges.
func (r *ranged) fill(s *Set) {
	s.BitsIn, s.Max, s.Quantiser, s.Spans = r.bitsIn, r.max, r.q, r.spans
	s.Whole, s.Narrowed = r.allWhole, r.narrowed
}

// widen extends the ranges of number features so that they include a sample.
func (r *ranged) widen(x []float64) {
	if r.lo == nil {
		r.lo, r.hi = slices.Clone(x), slices.Clone(x)
		r.whole = slices.Repeat([]bool{true}, len(x))
		for f := range x {
			r.numbers = append(r.numbers, f)
		}
	}
	for f := range x {
		r.lo[f], r.hi[f], r.whole[f] = min(r.lo[f], x[f]), max(r.hi[f], x[f]), r.whole[f] && x[f] == math.Trunc(x[f])
	}
}

// settle makes the quantiser from the ranges. If the ranges are to be robust, it narrows them first. counts holds the
// number of samples of each class.
func (r *ranged) settle(words form, src real, counts []int) error {
	if words.robust {
		if err := r.narrow(src, counts); err != nil {
			return err
		}
	}
	raw := r.raw()
	r.bitsIn = words.bitsIn
	if words.raw {
		if !slices.Contains(raw, true) {
			return errNotWhole
		}
		r.bitsIn = max(r.width(raw), r.bitsIn)
	}
	r.max = 1<<r.bitsIn - 1
	var err error
	if r.q, err = encoding.NewQuantiser(r.lo, r.hi, r.max); err != nil || !words.raw {
		return err
	}
	r.spans = make([][2]uint16, len(r.lo))
	for f := range r.spans {
		if r.spans[f] = [2]uint16{0, uint16(r.max)}; raw[f] {
			r.q.Offset[f], r.q.Scale[f] = 0, 1
			if r.lo[f] < 0 {
				r.q.Offset[f] = -math.Ldexp(1, r.bitsIn-1)
			}
			r.spans[f] = [2]uint16{r.q.Apply(f, r.lo[f], r.max), r.q.Apply(f, r.hi[f], r.max)}
		}
	}
	return nil
}

// These constants limit the number of training values from which robust ranges are computed. judgedValues is the
// limit for all features together. judgedSamples is the limit for one feature, and judgedAtOnce is the limit for one
// pass over the part. With very many features, the limit for one feature is judgedLeast, even if this exceeds
// judgedValues in all.
const (
	judgedValues  = 1 << 26
	judgedSamples = 1 << 15
	judgedAtOnce  = 1 << 23
	judgedLeast   = 1 << 12
)

// narrow makes the ranges of numbers robust. If a class has very many samples, it chooses some of them at random. The
// limit is the same for each class.
func (r *ranged) narrow(src real, counts []int) error {
	wide := slices.DeleteFunc(slices.Clone(r.numbers), func(f int) bool { return r.lo[f] == r.hi[f] })
	most := min(max(judgedValues/max(1, len(wide)), judgedLeast), judgedSamples) / len(counts)
	samples := 0
	for _, n := range counts {
		samples += min(n, most)
	}
	for group := range slices.Chunk(wide, max(1, judgedAtOnce/max(1, samples))) {
		values, draws := make([][]encoding.Value, len(group)), rand.NewPCG(splitStream, 0)
		err := src.reals(Train, func(class, _ int, value func(f int) (float64, error)) error {
			if n := counts[class]; n > most && below(draws, uint64(n)) >= uint64(most) {
				return nil
			}
			for k, f := range group {
				x, err := value(f)
				if err != nil {
					return err
				}
				if !math.IsNaN(x) {
					values[k] = append(values[k], encoding.Value{X: x, Class: uint8(class)})
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
		for k, f := range group {
			lo, hi := encoding.RobustRange(values[k], r.lo[f], r.hi[f])
			r.narrowed = r.narrowed || lo > r.lo[f] || hi < r.hi[f]
			r.lo[f], r.hi[f] = lo, hi
		}
	}
	return nil
}

// errNotWhole is the error if no feature can be used unchanged.
var errNotWhole = message.WithHint(
	errors.New("encoder.raw: in the training part, no feature has only whole numbers from 0 to 65535, or from -32768 "+
		"to 32767"), "omit the key: then values are scaled to words of encoder.bits_in bits")

// raw reports, for each feature, whether it can be used unchanged. The feature must have at least two distinct
// values. All values must be whole numbers that fit a word.
func (r *ranged) raw() []bool {
	raw, some := make([]bool, len(r.lo)), false
	r.allWhole = true
	for _, f := range r.numbers {
		if r.lo[f] == r.hi[f] {
			continue
		}
		raw[f] = r.whole[f] && signedBits(r.lo[f], r.hi[f]) <= encoding.MaxBitsIn
		r.allWhole, some = r.allWhole && raw[f], some || raw[f]
	}
	r.allWhole = r.allWhole && some
	return raw
}

// width returns the width of words for the features that are used unchanged. If other features are scaled, the width
// is at least the default width.
func (r *ranged) width(raw []bool) (width int) {
	for _, f := range r.numbers {
		switch {
		case raw[f]:
			width = max(width, signedBits(r.lo[f], r.hi[f]))
		case r.lo[f] < r.hi[f]:
			width = max(width, config.DefaultBitsIn)
		}
	}
	return width
}

// signedBits returns the width of words for the whole numbers from lo to hi. The words are unsigned if no number is
// negative.
func signedBits(lo, hi float64) int {
	most := max(hi, -lo-1)
	if most > math.MaxUint16 {
		return math.MaxInt
	}
	n := max(1, bits.Len(uint(most)))
	if lo < 0 {
		n = bits.Len(uint(max(most, 0))) + 1
	}
	return n
}

// Clipped describes a feature that has values outside the range that its words represent. Such values become the
// nearest end of the range.
type Clipped struct {
	Feature int     `json:"feature"`
	Name    string  `json:"name"`
	Low     float64 `json:"low"` // lower end of the range of the words
	High    float64 `json:"high"`
	Below   int     `json:"below"` // number of values below the range
	Above   int     `json:"above"`
	Value   float64 `json:"value"` // the value that is farthest from the range
	At      int     `json:"at"`    // line of this value or, in an array, number of its sample; both count from 1
}

// Add merges the counts of another part.
func (c *Clipped) Add(other Clipped) {
	c.Below, c.Above = c.Below+other.Below, c.Above+other.Above
	if c.beyond(other.Value) > c.beyond(c.Value) {
		c.Value, c.At = other.Value, other.At
	}
}

// beyond returns the distance of a value from the range. The distance is negative within the range.
func (c *Clipped) beyond(x float64) float64 { return max(c.Low-x, x-c.High) }

// Far reports whether the farthest value is extreme. It is extreme if its distance from the range is large compared
// with the width of the range.
func (c *Clipped) Far() bool { return c.beyond(c.Value) > farWidths*(c.High-c.Low) }

// farWidths is the least distance of an extreme value from the range, as a multiple of the range's width.
const farWidths = 3

// Clipped returns the features, in order, that have values outside the range of their words in the given part. It
// reads the part once more, unless the set has no real values.
func (s *Set) Clipped(ctx context.Context, part Part) (all []Clipped, err error) {
	src, ok := s.source.(real)
	if !ok || s.Quantiser == nil || s.Quantiser.Cuts != nil {
		return nil, nil
	}
	found, numbers := make([]Clipped, s.Features), s.numbers()
	err = interruptible{ctx, src}.reals(part, func(_, at int, value func(f int) (float64, error)) error {
		for _, f := range numbers {
			x, err := value(f)
			if err != nil {
				return err
			}
			s.clip(&found[f], f, at, x)
		}
		return nil
	})
	for f, c := range found {
		if c.Below+c.Above > 0 {
			c.Feature, c.Name = f, fmt.Sprintf("feature %d", f)
			if s.FeatureNames != nil {
				c.Name = s.FeatureNames[f]
			}
			all = append(all, c)
		}
	}
	return all, err
}

// numbers returns the number features that are not constant.
func (s *Set) numbers() (all []int) {
	enc := encoding.Encoder{Columns: s.Columns}
	for f, scale := range s.Quantiser.Scale {
		if scale > 0 && !enc.Binary(f) {
			all = append(all, f)
		}
	}
	return all
}

// clip counts a value of a feature if it is outside the range.
func (s *Set) clip(c *Clipped, f, at int, x float64) {
	c.Low, c.High = s.Range(f)
	half := 0.5 / s.Quantiser.Scale[f] // values that are nearer than half have the same words as the ends
	switch {
	case !(c.beyond(x) > half): // also true if the value is missing
		return
	case x < c.Low:
		c.Below++
	default:
		c.Above++
	}
	if c.Below+c.Above == 1 || c.beyond(x) > c.beyond(c.Value) {
		c.Value, c.At = x, at
	}
}

// Range returns the range of a feature's values that its words represent.
func (s *Set) Range(f int) (lo, hi float64) {
	q := s.Quantiser
	return q.Offset[f], q.Offset[f] + float64(s.Max)/q.Scale[f]
}
