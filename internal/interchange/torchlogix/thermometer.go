package torchlogix

import (
	"fmt"
	"math"

	"ialgn/internal/interchange/graph"
)

// thresholds holds the thresholds of a thermometer. The thresholds form a tensor. Its last dimension contains the
// thresholds of one feature.
type thresholds struct {
	shape  []int // without the last dimension
	bits   int
	values []float32
	// perFeature says that shape is a single number. This number is the number of features in C order, the number of
	// channels (the first dimension of a sample), or 1. If perFeature is false, shape is a tensor's shape, and
	// PyTorch broadcasts this tensor to the shape of a sample.
	perFeature bool
}

// givenThresholds returns the user's thresholds. rows has one row for all features, or one row for each channel or
// feature.
func givenThresholds(rows [][]float32) (*thresholds, error) {
	if len(rows) == 0 || len(rows[0]) == 0 {
		return nil, fmt.Errorf("thresholds: there are none")
	}
	t := &thresholds{shape: []int{len(rows)}, bits: len(rows[0]), perFeature: true}
	for i, row := range rows {
		if len(row) != t.bits {
			return nil, fmt.Errorf("thresholds: row %d has %d, and the first row %d", i, len(row), t.bits)
		}
		t.values = append(t.values, row...)
	}
	return t, t.check("thresholds")
}

// check returns an error for thresholds that are not finite numbers.
func (t *thresholds) check(name string) error {
	for i, v := range t.values {
		if v != v || math.IsInf(float64(v), 0) {
			return fmt.Errorf("%s: threshold %d is %v, want a number", name, i, v)
		}
	}
	return nil
}

// maxRank is the largest number of dimensions of a sample.
const maxRank = 8

// checkShape checks the shape of a sample.
func checkShape(shape []int) error {
	if len(shape) == 0 || len(shape) > maxRank {
		return fmt.Errorf("%v has %d dimensions, want 1 to %d", shape, len(shape), maxRank)
	}
	for _, d := range shape {
		if d < 1 {
			return fmt.Errorf("%v has a dimension of %d", shape, d)
		}
	}
	if product(shape) > maxInputs {
		return fmt.Errorf("%v has more than %d elements", shape, maxInputs)
	}
	return nil
}

// product returns the product of positive numbers, or MaxInt32 if the product is larger.
func product(shape []int) int {
	n := 1
	for _, d := range shape {
		if d > math.MaxInt32 || n*d > math.MaxInt32 {
			return math.MaxInt32
		}
		n *= d
	}
	return n
}

// normalDim converts a feature_dim to the number of a sample's dimension, counted from 1. In torchlogix, the batch is
// dimension 0, and the bits are an additional last dimension.
func normalDim(dim, dims int) (int, error) {
	at := dim
	if at < 0 {
		at += dims + 2
	}
	if at < 1 || at > dims {
		return 0, fmt.Errorf("feature_dim is %d, which is none of the %d dimensions of a sample (1 to %d, or %d to -2)",
			dim, dims, dims, -1-dims)
	}
	return at, nil
}

// rowOf returns a function that maps a feature of a sample to the feature's row of thresholds.
func (t *thresholds) rowOf(shape []int) (func(feature int) int, error) {
	rows, features := product(t.shape), product(shape)
	inner := features / shape[0]
	channels := t.perFeature || len(t.shape) == 1 && len(shape) == 3
	switch {
	case rows == 1:
		return func(int) int { return 0 }, nil
	case t.perFeature && rows == features:
		return func(f int) int { return f }, nil
	case channels && rows == shape[0]:
		return func(f int) int { return f / inner }, nil
	case !channels && fits(t.shape, shape):
		return func(f int) int { return broadcast(t.shape, shape, f) }, nil
	}
	return nil, fmt.Errorf("thresholds of shape %v and %d bits do not fit samples of shape %v", t.shape, t.bits, shape)
}

// fits reports whether PyTorch can broadcast a tensor to the given shape. The argument over is the tensor's own
// shape. The last dimensions are aligned.
func fits(over, shape []int) bool {
	if len(over) > len(shape) {
		return false
	}
	for i, d := range over {
		if d != 1 && d != shape[len(shape)-len(over)+i] {
			return false
		}
	}
	return true
}

// broadcast returns the index of an element in a tensor that PyTorch broadcasts to the given shape. The argument over
// is the tensor's own shape. The argument at is the number of an element of the broadcast tensor, and the result is
// the index of the element whose value this element has.
func broadcast(over, shape []int, at int) int {
	out, stride := 0, 1
	for i := len(shape) - 1; i >= len(shape)-len(over); i-- {
		d := over[i-len(shape)+len(over)]
		if d != 1 {
			out += at % shape[i] * stride
		}
		stride *= d
		at /= shape[i]
	}
	return out
}

// input returns the input of a network that begins with a thermometer. shape is the shape of a sample. The bits of a
// feature become part of dimension featureDim. The second result is the shape of the bits.
func (t *thresholds) input(shape []int, featureDim int) (*graph.Input, []int, error) {
	if err := checkShape(shape); err != nil {
		return nil, nil, fmt.Errorf("input.shape: %w", err)
	}
	dim, err := normalDim(featureDim, len(shape))
	if err != nil {
		return nil, nil, err
	}
	features := product(shape)
	if features*t.bits > maxInputs {
		return nil, nil, fmt.Errorf("%d features of %d thresholds are more than %d bits", features, t.bits, maxInputs)
	}
	row, err := t.rowOf(shape)
	if err != nil {
		return nil, nil, err
	}
	in := &graph.Input{Shape: shape, Thresholds: make([][]float32, features)}
	for f := range in.Thresholds {
		at := row(f) * t.bits
		in.Thresholds[f] = t.values[at : at+t.bits : at+t.bits]
	}
	after := append([]int(nil), shape...)
	after[dim-1] *= t.bits
	in.Order = order(features, product(shape[dim:]), t.bits)
	return in, after, nil
}

// order returns an order of bits. Consecutive features form blocks of the given size (inner). In each block, the
// first bits of all features come first, then the second bits, and so on. If this order groups the bits by feature,
// the result is nil.
func order(features, inner, bits int) []graph.Bit {
	if inner == 1 || bits == 1 {
		return nil
	}
	out := make([]graph.Bit, 0, features*bits)
	for first := 0; first < features; first += inner {
		for b := range bits {
			for i := range inner {
				out = append(out, graph.Bit{Feature: int32(first + i), Index: int32(b)})
			}
		}
	}
	return out
}
