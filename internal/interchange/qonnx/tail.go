package qonnx

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"ialgn/internal/interchange/graph"
	"ialgn/internal/onnx"
)

// reduceSum counts bits along axes of a sample. Each bit of a number counts with the weight of its digit.
func reduceSum(r *reader, n *onnx.Node) (*value, error) {
	v, err := r.operand(n, 0)
	if err != nil {
		return nil, err
	}
	if v.isFeatures() {
		if v, err = r.bits(v, max(1, r.net.Input.Digits)); err != nil {
			return nil, err
		}
	}
	switch {
	case v.beta != nil || v.tau != 0:
		return nil, errors.New("it sums what beta or tau has been applied to")
	case v.elem == onnx.Bool || v.elem.Whole() && v.elem.Bits() < 32:
		return nil, fmt.Errorf("it sums numbers of %v, which may not have room for the sum: cast them to float32 before",
			v.elem)
	}
	at, given, err := r.integers(n, "axes")
	if err != nil || !given || len(at) == 0 {
		return nil, errors.Join(err, errors.New("it has no axes, so that it sums over the samples: name them"))
	}
	isSummed := make([]bool, len(v.shape))
	for _, a := range at {
		i, err := axis(a, len(v.shape))
		if err != nil {
			return nil, err
		}
		isSummed[i] = true
	}
	keep := n.Attribute("keepdims")
	return r.sum(v, isSummed, keep == nil || keep.Int != 0)
}

// sum collects the bits of each sum.
func (r *reader) sum(v *value, isSummed []bool, keep bool) (*value, error) {
	var shape []int
	full := make([]int, len(v.shape)) // the shape of the result if the summed axes are kept
	for i, d := range v.shape {
		if full[i] = d; isSummed[i] {
			full[i] = 1
		}
		if !isSummed[i] || keep {
			shape = append(shape, full[i])
		}
	}
	apart := steps(full)
	for i := range apart {
		if isSummed[i] {
			apart[i] = 0
		}
	}
	w := &value{shape: shape, elem: v.elem, sums: make([][]graph.Ref, size(full))}
	var err error
	walk(v.shape, apart, func(i, at int) {
		if err == nil {
			err = r.count(&w.sums[at], v, i)
		}
	})
	return w, err
}

// count appends the bits of element i. It appends each bit w times if w is the bit's weight.
func (r *reader) count(to *[]graph.Ref, v *value, i int) error {
	if v.isSums() {
		*to = append(*to, v.sums[i]...)
		return errors.Join(r.look(len(v.sums[i])), r.room(2*len(*to)))
	}
	weight := 1
	if v.weights != nil {
		weight = int(v.weights[i])
	}
	for d, ref := range v.refs[i*v.digits : (i+1)*v.digits] {
		if ref == graph.False {
			continue
		}
		worth := weight << d
		if worth > maxWorth {
			return fmt.Errorf("a bit counts %d times in a sum, at most %d times are read", worth, maxWorth)
		}
		if err := errors.Join(r.look(worth), r.room(2*(len(*to)+worth))); err != nil {
			return err
		}
		*to = append(*to, slices.Repeat([]graph.Ref{ref}, worth)...)
	}
	return nil
}

// maxWorth is the largest weight of a bit in a sum.
const maxWorth = 1 << maxDigits

// constantOf returns the two operands of a node that has one constant operand. v is the operand that is not constant.
// list holds the elements of the constant, broadcast to the shape of v. The boolean result reports whether the
// constant is the first operand.
func (r *reader) constantOf(n *onnx.Node) (v *value, list []float64, first bool, err error) {
	if len(n.Inputs) != 2 {
		return nil, nil, false, fmt.Errorf("it has %d operands", len(n.Inputs))
	}
	first = r.constants[n.Inputs[0]] != nil
	at := 1
	if first {
		at = 0
	}
	if v, err = r.operand(n, 1-at); err != nil {
		return nil, nil, false, err
	}
	t, err := r.tensor(n, at)
	if err != nil {
		return nil, nil, false, fmt.Errorf("%w: only what a constant is done to is read", err)
	}
	if t.Type != v.elem {
		return nil, nil, false, fmt.Errorf("its operands are %v and %v", v.elem, t.Type)
	}
	shape, _, apart, err := together(v.shape, dims(t))
	if err != nil || size(shape) != v.elements() {
		return nil, nil, false, fmt.Errorf("the shape %v of its constant does not fit into %v", t.Dims, v.shape[1:])
	}
	if err := errors.Join(r.room(2*(size(shape)+size(dims(t)))), r.look(size(shape))); err != nil {
		return nil, nil, false, err
	}
	var all []float64
	err = t.Numbers(func(_ int, x float64) error {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return fmt.Errorf("its constant is %v", x)
		}
		all = append(all, x)
		return nil
	})
	if err != nil {
		return nil, nil, false, err
	}
	walk(shape, apart, func(_, at int) { list = append(list, all[at]) })
	return v, list, first, nil
}

// add adds beta to sums.
func add(r *reader, n *onnx.Node) (*value, error) {
	v, beta, first, err := r.constantOf(n)
	switch {
	case err != nil:
		return nil, err
	case !v.isSums():
		return nil, errors.New("it adds to what is no sum of bits: beta comes behind ReduceSum")
	case v.beta != nil || v.tau != 0:
		return nil, errors.New("it adds behind another Add, or a Div: write (sum + beta) / tau")
	case n.Op == "Sub" && first:
		return nil, errors.New("it takes sums away from a constant: the largest sum is to win")
	}
	w := v.shaped(v.shape)
	w.beta = beta
	if n.Op == "Sub" {
		for i := range beta {
			beta[i] = -beta[i]
		}
	}
	return w, nil
}

// divide divides sums by tau.
func divide(r *reader, n *onnx.Node) (*value, error) {
	v, tau, first, err := r.constantOf(n)
	if err != nil {
		return nil, err
	}
	return temper(v, tau, first, func(x float64) float64 { return x })
}

// temper divides sums by a tau that is computed from a constant.
func temper(v *value, constants []float64, first bool, tau func(float64) float64) (*value, error) {
	t := tau(constants[0])
	switch {
	case !v.isSums() || first:
		return nil, errors.New("it divides or scales what is no sum of bits: tau comes behind ReduceSum")
	case v.tau != 0:
		return nil, errors.New("its operand has been divided before: divide once, by tau")
	case v.elem.Whole():
		return nil, fmt.Errorf("it divides numbers of %v, which rounds: cast them to float32 before", v.elem)
	case slices.ContainsFunc(constants, func(x float64) bool { return x != constants[0] }):
		return nil, errors.New("it divides classes by different numbers: there is one tau for all")
	case !(t > 0):
		return nil, fmt.Errorf("it divides by %v: tau is above 0", t)
	}
	w := v.shaped(v.shape)
	w.tau = t
	return w, nil
}

// multiply gives weights to numbers that are summed later. If the operand already consists of sums, it multiplies the
// sums by the inverse of tau.
func multiply(r *reader, n *onnx.Node) (*value, error) {
	v, by, _, err := r.constantOf(n)
	if err != nil {
		return nil, err
	}
	if v.isSums() {
		if m, _ := math.Frexp(by[0]); m != 0.5 {
			return nil, fmt.Errorf("it multiplies sums by %v, which is not the inverse of a tau: divide by tau", by[0])
		}
		return temper(v, by, false, func(x float64) float64 { return 1 / x })
	}
	if v.isFeatures() || v.weights != nil {
		return nil, errors.New("it multiplies what is no number of bits")
	}
	w := v.shaped(v.shape)
	for _, x := range by {
		if x != math.Trunc(x) || x < 0 || x > maxWorth {
			return nil, fmt.Errorf("it gives bits the weight %v: whole numbers from 0 to %d are read", x, maxWorth)
		}
		w.weights = append(w.weights, int32(x))
	}
	return w, nil
}

// argMax computes the class, which is the number of the largest sum. The first sum wins a tie.
func argMax(r *reader, n *onnx.Node) (*value, error) {
	v, err := r.operand(n, 0)
	if err != nil {
		return nil, err
	}
	at := int64(0)
	if a := n.Attribute("axis"); a != nil {
		at = a.Int
	}
	along, err := axis(at, len(v.shape))
	last := n.Attribute("select_last_index")
	switch {
	case err != nil:
		return nil, err
	case !v.isSums() || v.shape[along] != v.elements():
		return nil, errors.New("it does not read the sums of all classes")
	case last != nil && last.Int != 0:
		return nil, errors.New("it takes the last class of equals: only the first is read")
	}
	w := v.shaped(v.shape)
	w.isClass = true
	return w, nil
}
