package qonnx

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"ialgn/internal/interchange/graph"
	"ialgn/internal/onnx"
)

// together returns the common shape of two values a and b that are broadcast to each other. For each axis, apartA
// holds the distance between the elements of a, and apartB the distance between the elements of b.
func together(a, b []int) (shape, apartA, apartB []int, err error) {
	axes := max(len(a), len(b))
	at := func(s, apart []int, i int) (length, step int) {
		if j := i - (axes - len(s)); j >= 0 {
			length, step = s[j], apart[j]
			if length > 1 {
				return length, step
			}
		}
		return 1, 0
	}
	stepsA, stepsB := steps(a), steps(b)
	for i := range axes {
		la, sa := at(a, stepsA, i)
		lb, sb := at(b, stepsB, i)
		if la != lb && la != 1 && lb != 1 {
			return nil, nil, nil, fmt.Errorf("shapes %v and %v do not go together", a, b)
		}
		shape, apartA, apartB = append(shape, max(la, lb)), append(apartA, sa), append(apartB, sb)
	}
	if product(shape) < 1 || axes > maxAxes {
		return nil, nil, nil, fmt.Errorf("shapes %v and %v are too large together, or empty", a, b)
	}
	return shape, apartA, apartB, nil
}

// dims returns the shape of a constant. The caller must have checked the number of elements.
func dims(t *onnx.Tensor) []int {
	shape := make([]int, len(t.Dims))
	for i, d := range t.Dims {
		shape[i] = int(d)
	}
	return shape
}

// compare turns features into bits by constant thresholds. The operator is Greater(x, t) or an equivalent operator.
func compare(r *reader, n *onnx.Node) (*value, error) {
	first := 0 // index of the operand x
	if n.Op == "Less" || n.Op == "LessOrEqual" {
		first = 1
	}
	inclusive := n.Op == "GreaterOrEqual" || n.Op == "LessOrEqual"
	if first < len(n.Inputs) && r.constants[n.Inputs[first]] != nil {
		return nil, errors.New("it asks whether x is below a threshold: of comparisons x > t and x >= t are read, as " +
			"Greater(x, t), GreaterOrEqual(x, t), Less(t, x) and LessOrEqual(t, x)")
	}
	v, err := r.operand(n, first)
	if err != nil {
		return nil, err
	}
	t, err := r.tensor(n, 1-first)
	switch {
	case err != nil:
		return nil, err
	case !v.isFeatures():
		return nil, errors.New("it compares what is not the input: thresholds are read in front of the network")
	case v.elem != t.Type:
		return nil, fmt.Errorf("it compares %v with %v", v.elem, t.Type)
	case r.circuit != nil:
		return nil, errors.New("it compares features that were compared before: join all thresholds in one Greater")
	}
	thresholds, err := readThresholds(t, inclusive)
	if err != nil {
		return nil, err
	}
	shape, apartX, apartT, err := together(v.shape, dims(t))
	if err != nil {
		return nil, err
	}
	if shape[0] != 1 || len(shape) < 2 {
		return nil, errors.New("its thresholds differ from sample to sample")
	}
	if err := errors.Join(r.room(8*size(shape)), r.look(size(shape))); err != nil {
		return nil, err
	}
	th := make([]int32, size(shape))
	walk(shape, apartT, func(i, at int) { th[i] = int32(at) })
	w := &value{shape: shape, elem: onnx.Bool, digits: 1, refs: make([]graph.Ref, size(shape))}
	e := &encoder{of: make([][]float32, r.net.Input.Features())}
	walk(shape, apartX, func(i, at int) { w.refs[i] = e.bit(v.feature[at], thresholds[th[i]]) })
	return w, e.into(r)
}

// readThresholds returns the numbers that a feature must exceed. It returns an error if a number is not exactly a
// float32.
func readThresholds(t *onnx.Tensor, inclusive bool) (list []float32, err error) {
	err = t.Numbers(func(_ int, v float64) error {
		f := float32(v)
		switch {
		case math.IsNaN(v):
			return errors.New("a threshold is NaN")
		case float64(f) != v || t.Type.Whole() && math.Abs(v) > 1<<24:
			return fmt.Errorf("the threshold %v is no number of float32", v)
		case inclusive && t.Type.Whole():
			f--
		case inclusive:
			f = math.Nextafter32(f, float32(math.Inf(-1)))
		}
		list = append(list, f)
		return nil
	})
	return list, err
}

// encoder collects the bits of features in the order in which the network uses them.
type encoder struct {
	of    [][]float32 // thresholds, [feature][threshold]
	order []graph.Bit
}

// bit returns the bit that says whether feature f exceeds a threshold. A feature number of -1 means padding, whose
// value is 0.
func (e *encoder) bit(f int32, threshold float32) graph.Ref {
	if f < 0 {
		if threshold < 0 {
			return graph.True
		}
		return graph.False
	}
	e.order = append(e.order, graph.Bit{Feature: f, Index: int32(len(e.of[f]))})
	e.of[f] = append(e.of[f], threshold)
	return graph.Ref(len(e.order) - 1)
}

// into sets the thresholds of the network. All features must have the same number of thresholds. A feature with fewer
// thresholds gets additional thresholds that no value exceeds and no bit uses.
func (e *encoder) into(r *reader) error {
	in, most, inOrder := &r.net.Input, 0, true
	for _, t := range e.of {
		most = max(most, len(t))
	}
	if int64(most)*int64(len(e.of)) > maxInputs {
		return fmt.Errorf("%d features with up to %d thresholds are too many", len(e.of), most)
	}
	if err := r.take(4*int64(most)*int64(len(e.of)) + 8*int64(len(e.order))); err != nil {
		return err
	}
	for f, t := range e.of {
		if len(t) < most {
			e.of[f] = append(t, slices.Repeat([]float32{float32(math.Inf(1))}, most-len(t))...)
			inOrder = false
		}
	}
	for i, b := range e.order {
		inOrder = inOrder && i == int(b.Feature)*most+int(b.Index)
	}
	in.Thresholds = e.of
	if !inOrder {
		in.Order = e.order
	}
	r.circuit = graph.NewCircuit(len(e.order))
	return nil
}
