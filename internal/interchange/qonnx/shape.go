package qonnx

import (
	"errors"
	"fmt"
	"slices"

	"ialgn/internal/interchange/graph"
	"ialgn/internal/onnx"
)

// This file has the ONNX operators that rearrange elements.

func identity(r *reader, n *onnx.Node) (*value, error) { return r.operand(n, 0) }

// axis returns the number of an axis, which must not be the batch. If at is negative, it counts from the last axis.
func axis(at int64, axes int) (int, error) {
	i := at
	if i < 0 {
		i += int64(axes)
	}
	if i < 1 || i >= int64(axes) {
		return 0, fmt.Errorf("axis %d is none of the axes 1 to %d of a sample", at, axes-1)
	}
	return int(i), nil
}

// integers returns a short list of numbers from an attribute or, in newer versions of ONNX, from the second operand.
// The boolean result is false if the node has neither the attribute nor the operand.
func (r *reader) integers(n *onnx.Node, attribute string) (list []int64, given bool, err error) {
	if a := n.Attribute(attribute); a != nil {
		return a.Ints, true, nil
	}
	const operand = 1
	if operand >= len(n.Inputs) || n.Inputs[operand] == "" {
		return nil, false, nil
	}
	t, err := r.tensor(n, operand)
	if err != nil {
		return nil, true, err
	}
	if count, _ := t.Len(); count > maxAxes {
		return nil, true, fmt.Errorf("it has %d %s, at most %d are read", count, attribute, maxAxes)
	}
	err = t.Integers(func(_ int, v int64) error { list = append(list, v); return nil })
	return list, true, err
}

// reshape keeps the batch as the first axis. The first number of the new shape may be -1 or 0. It may also be 1 if
// the other numbers show that this axis is the batch.
func reshape(r *reader, n *onnx.Node) (*value, error) {
	v, err := r.operand(n, 0)
	if err != nil {
		return nil, err
	}
	want, given, err := r.integers(n, "shape")
	switch {
	case err != nil:
		return nil, err
	case !given || len(want) == 0 || len(want) > maxAxes:
		return nil, errors.New("its shape is not known, or has too many axes")
	case n.Attribute("allowzero") != nil && n.Attribute("allowzero").Int != 0:
		return nil, errors.New("allowzero is not read: leave it out")
	}
	shape := newShape(v, want)
	if shape == nil {
		return nil, fmt.Errorf("shape %v does not keep the samples apart, whose shape is %v: begin it with -1 or 0, and let "+
			"the rest have the elements of one sample", want, v.shape[1:])
	}
	return v.shaped(shape), nil
}

// newShape returns the shape that sample v has after ONNX's Reshape. The parameter want is the shape in the
// operator's operand. newShape returns nil if v cannot have this shape.
func newShape(v *value, want []int64) []int {
	shape, open := []int{1}, -1
	for i, d := range want[1:] {
		switch {
		case d == 0 && i+1 < len(v.shape):
			d = int64(v.shape[i+1])
		case d == -1 && open < 0:
			open, d = i+1, 1
		}
		if d < 1 || d > maxInputs {
			return nil
		}
		shape = append(shape, int(d))
	}
	rest := product(shape)
	if open >= 0 && rest > 0 && v.elements()%rest == 0 {
		shape[open] = v.elements() / rest
		rest = v.elements()
	}
	if rest != v.elements() || want[0] < -1 || want[0] == -1 && open >= 0 {
		return nil
	}
	return shape
}

func flatten(r *reader, n *onnx.Node) (*value, error) {
	v, err := r.operand(n, 0)
	if err != nil {
		return nil, err
	}
	if a := n.Attribute("axis"); a != nil && a.Int != 1 && a.Int != 1-int64(len(v.shape)) {
		return nil, fmt.Errorf("axis %d does not keep the samples apart: give 1", a.Int)
	}
	return v.shaped([]int{1, v.elements()}), nil
}

func unsqueeze(r *reader, n *onnx.Node) (*value, error) {
	v, err := r.operand(n, 0)
	if err != nil {
		return nil, err
	}
	at, given, err := r.integers(n, "axes")
	if err != nil || !given || len(v.shape)+len(at) > maxAxes {
		return nil, errors.Join(err, errors.New("its axes are not known, or too many"))
	}
	axes := len(v.shape) + len(at)
	isNew := make([]bool, axes)
	for _, a := range at {
		i, err := axis(a, axes)
		if err != nil || isNew[i] {
			return nil, fmt.Errorf("axes %v are none of a sample", at)
		}
		isNew[i] = true
	}
	var shape []int
	old := 0
	for i := range isNew {
		if isNew[i] {
			shape = append(shape, 1)
			continue
		}
		shape = append(shape, v.shape[old])
		old++
	}
	return v.shaped(shape), nil
}

func squeeze(r *reader, n *onnx.Node) (*value, error) {
	v, err := r.operand(n, 0)
	if err != nil {
		return nil, err
	}
	at, given, err := r.integers(n, "axes")
	if err != nil || !given {
		return nil, errors.Join(err, errors.New("it has no axes, so that it would take a batch of one away: name them"))
	}
	shape := slices.Clone(v.shape)
	for _, a := range at {
		i, err := axis(a, len(shape))
		if err != nil || v.shape[i] != 1 {
			return nil, fmt.Errorf("axes %v are not axes of length 1 of %v", at, v.shape[1:])
		}
		shape[i] = 0
	}
	return v.shaped(slices.DeleteFunc(shape, func(d int) bool { return d == 0 })), nil
}

// steps returns the distance between elements along each axis, in C order.
func steps(shape []int) []int {
	s := make([]int, len(shape))
	for i, step := len(shape)-1, 1; i >= 0; i-- {
		s[i], step = step, step*shape[i]
	}
	return s
}

// walk calls visit for all elements of a shape in C order. It passes the element's number i and the element's place
// in an array. For each axis, the slice apart holds the distance between elements of the array.
func walk(shape, apart []int, visit func(i, at int)) {
	index, at := make([]int, len(shape)), 0
	for i := range size(shape) {
		visit(i, at)
		for a := len(shape) - 1; a >= 0; a-- {
			index[a]++
			at += apart[a]
			if index[a] < shape[a] {
				break
			}
			at -= index[a] * apart[a]
			index[a] = 0
		}
	}
}

func transpose(r *reader, n *onnx.Node) (*value, error) {
	v, err := r.operand(n, 0)
	if err != nil {
		return nil, err
	}
	a := n.Attribute("perm")
	if a == nil || len(a.Ints) != len(v.shape) || a.Ints[0] != 0 {
		return nil, fmt.Errorf("its perm does not leave the samples in front of the %d axes", len(v.shape))
	}
	shape, apart, seen := make([]int, len(a.Ints)), make([]int, len(a.Ints)), make([]bool, len(a.Ints))
	from := steps(v.shape)
	for i, p := range a.Ints {
		if p < 0 || int(p) >= len(seen) || seen[p] {
			return nil, fmt.Errorf("perm %v is no permutation", a.Ints)
		}
		seen[p], shape[i], apart[i] = true, v.shape[p], from[p]
	}
	if err := r.room(v.elements()); err != nil {
		return nil, err
	}
	order := make([]int32, v.elements())
	walk(shape, apart, func(i, at int) { order[i] = int32(at) })
	return r.pick(v, order, shape)
}

// gather picks elements along an axis by constant indices.
func gather(r *reader, n *onnx.Node) (*value, error) {
	v, err := r.operand(n, 0)
	if err != nil {
		return nil, err
	}
	t, err := r.tensor(n, 1)
	if err != nil {
		return nil, err
	}
	at := int64(0)
	if a := n.Attribute("axis"); a != nil {
		at = a.Int
	}
	along, err := axis(at, len(v.shape))
	if err != nil {
		return nil, err
	}
	shape := slices.Clone(v.shape[:along])
	for _, d := range t.Dims {
		shape = append(shape, int(d))
	}
	shape = append(shape, v.shape[along+1:]...)
	total := product(shape)
	if total < 1 || len(shape) > maxAxes {
		return nil, fmt.Errorf("shape %v is too large, or empty", shape)
	}
	if err := errors.Join(r.room(2*total), r.look(total)); err != nil {
		return nil, err
	}
	var picked []int
	err = t.Integers(func(_ int, i int64) error {
		if i < 0 {
			i += int64(v.shape[along])
		}
		if i < 0 || i >= int64(v.shape[along]) {
			return fmt.Errorf("it picks element %d of %d", i, v.shape[along])
		}
		picked = append(picked, int(i))
		return nil
	})
	if err != nil {
		return nil, err
	}
	inner := size(v.shape[along+1:])
	order := make([]int32, 0, total)
	for outer := range size(v.shape[:along]) {
		for _, p := range picked {
			for i := range inner {
				order = append(order, int32((outer*v.shape[along]+p)*inner+i))
			}
		}
	}
	return r.pick(v, order, shape)
}

// concat joins values of the same kind. Numbers made of bits are first widened to the same number of bits.
func concat(r *reader, n *onnx.Node) (*value, error) {
	parts, err := r.parts(n)
	if err != nil {
		return nil, err
	}
	a := n.Attribute("axis")
	if a == nil {
		return nil, errors.New("it has no axis")
	}
	along, err := axis(a.Int, len(parts[0].shape))
	if err != nil {
		return nil, err
	}
	shape := slices.Clone(parts[0].shape)
	shape[along] = 0
	for _, p := range parts {
		if len(p.shape) != len(shape) || !slices.Equal(p.shape[:along], shape[:along]) ||
			!slices.Equal(p.shape[along+1:], shape[along+1:]) {
			return nil, fmt.Errorf("it joins values of the shapes %v and %v along axis %d", parts[0].shape[1:], p.shape[1:],
				a.Int)
		}
		shape[along] += p.shape[along]
	}
	total := product(shape)
	if total < 0 {
		return nil, fmt.Errorf("shape %v is too large", shape)
	}
	w := &value{shape: shape, elem: parts[0].elem, digits: parts[0].digits}
	if err := r.room(total * max(1, w.digits)); err != nil {
		return nil, err
	}
	if parts[0].isFeatures() {
		w.feature = make([]int32, 0, total)
	} else {
		w.refs = make([]graph.Ref, 0, total*w.digits)
	}
	for outer := range size(shape[:along]) {
		for _, p := range parts {
			inner := size(p.shape[along:])
			if p.isFeatures() {
				w.feature = append(w.feature, p.feature[outer*inner:(outer+1)*inner]...)
			} else {
				w.refs = append(w.refs, p.refs[outer*inner*w.digits:(outer+1)*inner*w.digits]...)
			}
		}
	}
	return w, nil
}

// parts returns the operands of a concatenation. Either all operands are features, or all are numbers with the same
// number of bits.
func (r *reader) parts(n *onnx.Node) (parts []*value, err error) {
	digits, features := 0, 0
	for i := range n.Inputs {
		v, err := r.operand(n, i)
		switch {
		case err != nil:
			return nil, err
		case v.isSums() || v.weights != nil:
			return nil, errors.New("it joins sums or weighted bits: only ReduceSum, Add, Div and ArgMax may follow them")
		case v.isFeatures():
			features++
		}
		digits = max(digits, v.digits)
		parts = append(parts, v)
	}
	if len(parts) == 0 {
		return nil, errors.New("it has no operands")
	}
	switch features {
	case len(parts):
		return parts, nil
	case 0:
	default:
		digits = max(digits, 1, r.net.Input.Digits)
	}
	for i, v := range parts {
		if v.isFeatures() {
			if v, err = r.bits(v, max(1, r.net.Input.Digits)); err != nil {
				return nil, err
			}
		}
		if parts[i], err = r.widened(v, digits); err != nil {
			return nil, err
		}
	}
	return parts, nil
}

// cast changes the type of elements. It returns an error if the new type cannot represent the values of all elements.
func cast(r *reader, n *onnx.Node) (*value, error) {
	v, err := r.operand(n, 0)
	if err != nil {
		return nil, err
	}
	a := n.Attribute("to")
	if a == nil {
		return nil, errors.New("it does not say to what")
	}
	to := onnx.DataType(a.Int)
	holds := map[onnx.DataType]int{onnx.Float: 24, onnx.Double: 53}[to]
	if to.Whole() {
		holds = to.Bits()
		if to == onnx.Int8 || to == onnx.Int16 || to == onnx.Int32 || to == onnx.Int64 {
			holds--
		}
	}
	needs := 24 // number of bits that sums need
	switch {
	case v.isBits():
		needs = v.digits
	case v.isFeatures():
		needs = v.elem.Bits()
		if !v.elem.Whole() || to == v.elem {
			needs = map[bool]int{true: 0, false: 99}[to == v.elem]
		}
	}
	if holds < needs {
		return nil, fmt.Errorf("values of %v do not all fit into %v: cast to a type that has room", v.elem, to)
	}
	w := v.shaped(v.shape)
	w.elem = to
	return w, nil
}
