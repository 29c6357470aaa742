package torchlogix

import (
	"fmt"
	"math"

	"ialgn/internal/interchange/torchfile"
)

// slice returns entry i of a tensor's first dimension.
func slice(t *torchfile.Tensor, i int) *torchfile.Tensor {
	s := *t
	s.Offset += i * t.Stride[0]
	s.Shape, s.Stride = t.Shape[1:], t.Stride[1:]
	return &s
}

// floats returns the elements of a tensor. All elements must be finite numbers and exactly representable as float32.
func floats(t *torchfile.Tensor, name string) ([]float32, error) {
	values, err := t.Float32()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	for i, v := range values {
		if v != v || math.IsInf(float64(v), 0) {
			return nil, fmt.Errorf("%s: element %d is %v, want a number", name, i, v)
		}
	}
	if t.DType == torchfile.Float64 {
		return values, sameInFloat32(t, name)
	}
	return values, nil
}

// sameInFloat32 returns an error if an element of a float64 tensor is not exactly a float32. Rounding could make two
// elements equal and change which one is largest.
func sameInFloat32(t *torchfile.Tensor, name string) error {
	values, err := t.Float64()
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	for i, v := range values {
		if float64(float32(v)) != v {
			return fmt.Errorf("%s: element %d is %v in float64, which float32 does not hold", name, i, v)
		}
	}
	return nil
}

// thresholds returns the network's thresholds and the layer that contains the thresholds. Both results are nil if
// there is no thermometer.
func (r *reader) thresholds() (*thresholds, *layer, error) {
	l := r.thermometer()
	if l == nil && r.src.Thresholds != nil {
		l = &layer{key: "layers_in_order[0]"}
		l.Type = typeFixed
		r.layers = append([]*layer{l}, r.layers...)
	}
	if l == nil {
		return nil, nil, nil
	}
	t, err := r.savedThresholds(l)
	if err != nil {
		return nil, nil, fmt.Errorf("layer %q: %w", l.name(), err)
	}
	if r.src.Thresholds == nil {
		if t == nil {
			return nil, nil, l.missingThresholds()
		}
		return t, l, nil
	}
	other, err := givenThresholds(r.src.Thresholds)
	if err == nil && t != nil && !t.equal(other) {
		err = fmt.Errorf("layer %q has thresholds, and others are given", l.name())
	}
	return other, l, err
}

// equal reports whether the user's thresholds are equal to the file's thresholds.
func (t *thresholds) equal(other *thresholds) bool {
	if t.bits != other.bits || len(t.values) != len(other.values) {
		return false
	}
	for i, v := range t.values {
		if v != other.values[i] {
			return false
		}
	}
	return true
}

// savedThresholds returns the thresholds in the file, or nil if there are none. The thresholds of a learnable
// thermometer are sums of raw_diffs in double precision. Each sum is rounded to float32, as PyTorch does on a CPU.
// The tensor called thresholds has only the values with which training began.
func (r *reader) savedThresholds(l *layer) (*thresholds, error) {
	name := "thresholds"
	if l.Type == typeLearnable {
		name = "raw_diffs"
	}
	tensor := l.tensor(name)
	if tensor == nil && l.found != nil {
		return nil, fmt.Errorf("it is a %s by the facts, but the file has no %s of it", l.Type, name)
	}
	if tensor == nil {
		return nil, nil
	}
	dims := len(tensor.Shape)
	if dims < 1 || dims > maxRank || tensor.Elements() < 1 || tensor.Elements() > maxInputs {
		return nil, fmt.Errorf("%s are of shape %v, want bits in the last of 1 to %d dimensions, and at most %d elements",
			name, tensor.Shape, maxRank, maxInputs)
	}
	if err := r.take(4*int64(tensor.Elements()), name); err != nil {
		return nil, err
	}
	values, err := floats(tensor, name)
	if err != nil {
		return nil, err
	}
	t := &thresholds{shape: tensor.Shape[:dims-1], bits: tensor.Shape[dims-1], values: values}
	if l.Type == typeLearnable {
		t.accumulate()
	}
	return t, t.check(name)
}

// accumulate replaces differences of thresholds with their running sums, which are the thresholds.
func (t *thresholds) accumulate() {
	sum := 0.0
	for i, v := range t.values {
		if i%t.bits == 0 {
			sum = 0
		}
		sum += float64(v)
		t.values[i] = float32(sum)
	}
}

// missingThresholds returns the error for a thermometer without thresholds.
func (l *layer) missingThresholds() error {
	return missing("thresholds", fmt.Sprintf("the file has no tensor of layer %q", l.name()))
}
