package qonnx

import (
	"fmt"
	"math"

	"ialgn/internal/interchange/graph"
	"ialgn/internal/onnx"
)

// value is a value of the graph for one sample. It holds features of the input, numbers made of bits, or sums.
type value struct {
	shape []int // shape[0] is the batch, which is 1
	elem  onnx.DataType

	feature []int32     // for features: number of each element's feature; -1 is padding, with the value 0
	digits  int         // for bits: number of bits of each element
	refs    []graph.Ref // for bits: [element][digits], lowest digit first
	weights []int32     // for bits: weight of each element; if nil, all weights are 1

	sums    [][]graph.Ref // for sums: the bits that each element counts
	beta    []float64     // for sums: added to each sum; if nil, nothing is added
	tau     float64       // for sums: divisor of the sums; 0 means no division
	isClass bool          // for sums: the value is the number of the largest sum
}

// bytes returns the memory of v in bytes.
func (v *value) bytes() int64 {
	n := 4*int64(len(v.feature)+len(v.refs)+len(v.weights)) + 8*int64(len(v.beta))
	for _, s := range v.sums {
		n += 24 + 4*int64(len(s))
	}
	return n
}

func (v *value) elements() int { return size(v.shape) }

// size returns the number of elements of a valid shape.
func size(shape []int) int {
	n := 1
	for _, d := range shape {
		n *= d
	}
	return n
}

// product returns the number of elements of a shape, or -1 if that is too large.
func product(shape []int) int {
	n := 1
	for _, d := range shape {
		if d < 0 || d > 0 && n > math.MaxInt32/d {
			return -1
		}
		n *= d
	}
	return n
}

// isFeatures, isBits and isSums report whether v holds features, bits or sums.

func (v *value) isFeatures() bool { return v.feature != nil }
func (v *value) isBits() bool     { return v.refs != nil }
func (v *value) isSums() bool     { return v.sums != nil }

// shaped returns v with another shape of the same size. The two values share their memory, which is counted twice.
func (v *value) shaped(shape []int) *value {
	w := *v
	w.shape = shape
	return &w
}

// pick returns a value with the elements of v whose numbers are in the slice from. The number -1 gives an element
// that is 0.
func (r *reader) pick(v *value, from []int32, shape []int) (*value, error) {
	if err := r.room(len(from) * (2 + max(1, v.digits))); err != nil {
		return nil, err
	}
	w := &value{shape: shape, elem: v.elem, digits: v.digits, tau: v.tau}
	switch {
	case v.isFeatures():
		w.feature = make([]int32, len(from))
	case v.isBits():
		w.refs = make([]graph.Ref, 0, len(from)*v.digits)
	default:
		w.sums = make([][]graph.Ref, len(from))
	}
	if v.weights != nil {
		w.weights = make([]int32, len(from))
	}
	if v.beta != nil {
		w.beta = make([]float64, len(from))
	}
	for i, at := range from {
		w.set(i, v, int(at))
	}
	return w, nil
}

// set copies an element of another value (from) to element i of v. The parameter at is the element's number in the
// other value.
func (v *value) set(i int, from *value, at int) {
	switch {
	case from.isFeatures() && at < 0:
		v.feature[i] = -1
	case from.isFeatures():
		v.feature[i] = from.feature[at]
	case from.isBits() && at < 0:
		for range from.digits {
			v.refs = append(v.refs, graph.False)
		}
	case from.isBits():
		v.refs = append(v.refs, from.refs[at*from.digits:(at+1)*from.digits]...)
	case at >= 0:
		v.sums[i] = from.sums[at]
	}
	if from.weights != nil && at >= 0 {
		v.weights[i] = from.weights[at]
	}
	if from.beta != nil && at >= 0 {
		v.beta[i] = from.beta[at]
	}
}

// operand returns the value of operand i of a node. The operand must not be a constant.
func (r *reader) operand(n *onnx.Node, i int) (*value, error) {
	if i >= len(n.Inputs) || n.Inputs[i] == "" {
		return nil, fmt.Errorf("operand %d is missing", i)
	}
	if v := r.values[n.Inputs[i]]; v != nil {
		if v.isClass {
			return nil, fmt.Errorf("it reads the class %.80q, which is the end of what is read", n.Inputs[i])
		}
		return v, nil
	}
	return nil, fmt.Errorf("operand %d, %.80q, is a constant: fold it into the constants behind it", i, n.Inputs[i])
}

// tensor returns operand i of a node, which must be a constant.
func (r *reader) tensor(n *onnx.Node, i int) (*onnx.Tensor, error) {
	if i >= len(n.Inputs) || n.Inputs[i] == "" {
		return nil, fmt.Errorf("operand %d is missing", i)
	}
	t := r.constants[n.Inputs[i]]
	if t == nil {
		return nil, fmt.Errorf("operand %d, %.80q, is computed: it must be a constant of the file", i, n.Inputs[i])
	}
	count, err := t.Len()
	if err != nil {
		return nil, fmt.Errorf("constant %.80q: %w", n.Inputs[i], err)
	}
	return t, r.look(count)
}

// input adds the value of the graph's input.
func (r *reader) input() error {
	var in *onnx.Value
	for i := range r.graph.Inputs {
		v := &r.graph.Inputs[i]
		if r.constants[v.Name] != nil {
			continue // old files list constants among the inputs
		}
		if in != nil {
			return fmt.Errorf("its graph has the inputs %.80q and %.80q: networks of one are read", in.Name, v.Name)
		}
		in = v
	}
	if in == nil {
		return fmt.Errorf("its graph has no input")
	}
	shape, err := inputShape(in)
	if err != nil {
		return fmt.Errorf("input %.80q: %w", in.Name, err)
	}
	features := product(shape)
	if features <= 0 || features > maxInputs {
		return fmt.Errorf("input %.80q: shape %v is too large, or empty", in.Name, shape)
	}
	if err := r.take(4 * int64(features)); err != nil {
		return err
	}
	v := &value{shape: append([]int{1}, shape...), elem: in.Type, feature: make([]int32, features)}
	for i := range v.feature {
		v.feature[i] = int32(i)
	}
	r.made[in.Name], r.values[in.Name] = true, v
	r.net.Input.Shape = shape
	return nil
}

// inputShape returns the shape of a sample.
func inputShape(in *onnx.Value) (shape []int, err error) {
	switch {
	case !in.Type.Whole() && in.Type != onnx.Float:
		return nil, fmt.Errorf("it is %v: give it whole numbers, bool or float32", in.Type)
	case !in.Known:
		return nil, fmt.Errorf("its shape is not known: save the model with the shapes of its inputs")
	case len(in.Shape) < 2:
		return nil, fmt.Errorf("it has %d axes: give it one for the samples and one for the features", len(in.Shape))
	case len(in.Shape) > maxAxes:
		return nil, fmt.Errorf("it has %d axes, at most %d are read", len(in.Shape), maxAxes)
	}
	for i, d := range in.Shape[1:] {
		if d.Size < 1 || d.Size > maxInputs {
			return nil, fmt.Errorf("its axis %d has the length %s: save the model with a number there", i+1, dimName(d))
		}
		shape = append(shape, int(d.Size))
	}
	return shape, nil
}

func dimName(d onnx.Dim) string {
	if d.Name != "" {
		return fmt.Sprintf("%.80q", d.Name)
	}
	return fmt.Sprint(d.Size)
}

// maxAxes is the largest number of axes of a value.
const maxAxes = 8

// bits returns v as numbers of the given number of bits. Features become their binary digits, unless they already
// became other bits.
func (r *reader) bits(v *value, digits int) (*value, error) {
	if !v.isFeatures() {
		if !v.isBits() || v.weights != nil {
			return nil, fmt.Errorf("it reads sums or weighted bits: only ReduceSum, Add, Div and ArgMax may follow them")
		}
		return r.widened(v, digits)
	}
	switch in := &r.net.Input; {
	case !v.elem.Whole():
		return nil, fmt.Errorf("it reads features of %v: compare them with thresholds by Greater before, or give whole "+
			"numbers", v.elem)
	case digits > min(8, v.elem.Bits()):
		return nil, fmt.Errorf("its input_bits are %d, and features of the input have at most %d", digits,
			min(8, v.elem.Bits()))
	case r.circuit == nil:
		in.Digits = digits
		inputs := in.Features() * digits
		if inputs > maxInputs {
			return nil, fmt.Errorf("the input has %d bits, at most %d are read", inputs, maxInputs)
		}
		r.circuit = graph.NewCircuit(inputs)
	case in.Digits != digits:
		return nil, fmt.Errorf("it reads the input as numbers of %d bits, others read it in another way", digits)
	}
	if err := r.room(len(v.feature) * digits); err != nil {
		return nil, err
	}
	w := &value{shape: v.shape, elem: v.elem, digits: digits, refs: make([]graph.Ref, 0, len(v.feature)*digits)}
	for _, f := range v.feature {
		for d := range digits {
			ref := graph.Ref(int(f)*digits + d)
			if f < 0 {
				ref = graph.False
			}
			w.refs = append(w.refs, ref)
		}
	}
	return w, r.look(len(w.refs))
}

// widened returns numbers with more bits. The additional highest bits are 0.
func (r *reader) widened(v *value, digits int) (*value, error) {
	if v.digits > digits {
		return nil, fmt.Errorf("it reads numbers of %d bits as such of %d", v.digits, digits)
	}
	if v.digits == digits {
		return v, nil
	}
	if err := r.room(v.elements() * digits); err != nil {
		return nil, err
	}
	w := &value{shape: v.shape, elem: v.elem, digits: digits, refs: make([]graph.Ref, 0, v.elements()*digits)}
	for i := range v.elements() {
		w.refs = append(w.refs, v.refs[i*v.digits:(i+1)*v.digits]...)
		for range digits - v.digits {
			w.refs = append(w.refs, graph.False)
		}
	}
	return w, r.look(len(w.refs))
}
