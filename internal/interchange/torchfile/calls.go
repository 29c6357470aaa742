package torchfile

import (
	"fmt"
	"math"
)

// callInert returns an object that keeps the arguments.
func callInert(_ *machine, o *Object, args Tuple) (any, error) {
	return &Object{Class: o.Class, Args: args}, nil
}

// callReconstructor returns an instance of the class in the first argument. The instance has no arguments.
func callReconstructor(m *machine, _ *Object, args Tuple) (any, error) {
	base, _ := arg[*Object](args, 1)
	if len(args) != 3 || !base.is("builtins.object", "__builtin__.object") || args[2] != nil {
		return nil, fmt.Errorf("an instance of more than an object is not read")
	}
	return m.call(args[0], Tuple(nil))
}

// callOrderedDict returns a dictionary, which is empty or made from a list of pairs.
func callOrderedDict(m *machine, _ *Object, args Tuple) (any, error) {
	dict := newDict()
	if err := m.budget.take(sizeObject); err != nil {
		return nil, err
	}
	if len(args) == 0 {
		return dict, nil
	}
	pairs, ok := arg[*List](args, 0)
	if !ok || len(args) > 1 {
		return nil, fmt.Errorf("it is made of something else than a list of pairs")
	}
	for _, p := range pairs.Items {
		var pair []any
		switch p := p.(type) {
		case Tuple:
			pair = p
		case *List:
			pair = p.Items
		}
		if len(pair) != 2 {
			return nil, fmt.Errorf("it is made of something else than a list of pairs")
		}
		if err := m.set(dict, pair); err != nil {
			return nil, err
		}
	}
	return dict, nil
}

// callDefaultDict returns an empty dictionary. It ignores the function that makes missing values.
func callDefaultDict(m *machine, _ *Object, _ Tuple) (any, error) {
	return newDict(), m.budget.take(sizeObject)
}

// callSet returns a set, which is empty or made from a list.
func callSet(m *machine, _ *Object, args Tuple) (any, error) {
	set := &List{}
	if len(args) == 0 {
		return set, nil
	}
	items, ok := arg[*List](args, 0)
	if !ok || len(args) > 1 {
		return nil, fmt.Errorf("it is made of something else than a list")
	}
	return set, m.appendTo(set, items.Items)
}

// callBytes returns bytes. The result is empty, equal to the argument, or the bytes of a string.
func callBytes(m *machine, o *Object, args Tuple) (any, error) {
	if len(args) == 0 {
		return []byte{}, nil
	}
	if b, ok := arg[[]byte](args, 0); ok && len(args) == 1 {
		return b, nil
	}
	return callEncode(m, o, args)
}

// callEncode returns the bytes of a string in latin1. Protocol 2 writes bytes in this way.
func callEncode(m *machine, _ *Object, args Tuple) (any, error) {
	text, ok := arg[string](args, 0)
	encoding, _ := arg[string](args, 1)
	if !ok || len(args) != 2 || encoding != "latin1" && encoding != "latin-1" {
		return nil, fmt.Errorf("it is called with something else than a string and latin1")
	}
	if err := m.budget.take(int64(len(text))); err != nil {
		return nil, err
	}
	b := make([]byte, 0, len(text))
	for _, r := range text {
		if r > 255 {
			return nil, fmt.Errorf("%q is no character of latin1", r)
		}
		b = append(b, byte(r))
	}
	return b, nil
}

// callSize returns a torch.Size as a tuple.
func callSize(m *machine, _ *Object, args Tuple) (any, error) {
	size, err := m.dims(args, 0)
	if err != nil || len(args) != 1 {
		return nil, fmt.Errorf("it is made of something else than a tuple of numbers")
	}
	out := make(Tuple, len(size))
	for i, n := range size {
		out[i] = int64(n)
	}
	return out, nil
}

// callDevice returns a device. Its arguments are the type and, optionally, the number of the device.
func callDevice(m *machine, _ *Object, args Tuple) (any, error) {
	kind, ok := arg[string](args, 0)
	i, isNumber := arg[int64](args, 1)
	if !ok || len(args) > 2 || len(args) == 2 && !isNumber {
		return nil, fmt.Errorf("it is made of something else than a name and a number")
	}
	if len(args) == 1 {
		return Device(kind), nil
	}
	if err := m.budget.take(int64(2 * len(kind))); err != nil {
		return nil, err
	}
	return Device(fmt.Sprintf("%s:%d", kind, i)), nil
}

// callTensor returns a tensor. Its arguments are a storage, an offset, a shape and strides. It ignores further
// arguments.
func callTensor(m *machine, _ *Object, args Tuple) (any, error) {
	s, ok := arg[*Tensor](args, 0)
	if !ok || !s.whole {
		return nil, fmt.Errorf("its first argument is no storage")
	}
	return m.tensor(s.storage, args)
}

// callTensor3 is like [callTensor] for a storage without a type. The seventh argument is the type.
func callTensor3(m *machine, _ *Object, args Tuple) (any, error) {
	s, ok := arg[*Tensor](args, 0)
	dtype, isType := arg[DType](args, 6)
	if !ok || !s.whole || !isType || s.DType != Uint8 {
		return nil, fmt.Errorf("its arguments are no storage of bytes and an element type")
	}
	of := s.storage
	if of.numel%dtype.size() != 0 {
		return nil, fmt.Errorf("a storage of %d bytes is no number of %v", of.numel, dtype)
	}
	if err := m.budget.take(sizeObject); err != nil {
		return nil, err
	}
	return m.tensor(of.as(dtype), args)
}

// tensor returns a view of a storage. The view's offset, shape and strides are the arguments 1 to 3.
func (m *machine) tensor(s *storage, args Tuple) (any, error) {
	offset, ok := arg[int64](args, 1)
	if !ok || offset < 0 || offset > math.MaxInt {
		return nil, fmt.Errorf("its offset is no number that is 0 or more")
	}
	shape, err := m.dims(args, 2)
	if err != nil {
		return nil, fmt.Errorf("its shape is %w", err)
	}
	stride, err := m.dims(args, 3)
	if err != nil {
		return nil, fmt.Errorf("its strides are %w", err)
	}
	return s.view(shape, stride, int(offset))
}

// dims returns argument i, which must be a tuple of numbers that are not negative.
func (m *machine) dims(args Tuple, i int) ([]int, error) {
	tuple, ok := arg[Tuple](args, i)
	if !ok {
		return nil, fmt.Errorf("not a tuple of numbers")
	}
	if len(tuple) > maxRank {
		return nil, fmt.Errorf("of %d dimensions, where up to %d are read", len(tuple), maxRank)
	}
	if err := m.budget.take(16 * int64(len(tuple))); err != nil {
		return nil, err
	}
	out := make([]int, len(tuple))
	for i, v := range tuple {
		n, ok := v.(int64)
		if !ok || n < 0 || n > math.MaxInt {
			return nil, fmt.Errorf("not a tuple of numbers that are 0 or more: it has %s", describe(v))
		}
		out[i] = int(n)
	}
	return out, nil
}

// callParameter returns its first argument, which must be a tensor. It ignores further arguments.
func callParameter(_ *machine, _ *Object, args Tuple) (any, error) {
	t, ok := arg[*Tensor](args, 0)
	if !ok || t.whole {
		return nil, fmt.Errorf("its first argument is no tensor")
	}
	return t, nil
}

// callFromType returns a tensor without its Python attributes. The arguments are a function, a class, the function's
// arguments and a state.
func callFromType(m *machine, _ *Object, args Tuple) (any, error) {
	if len(args) != 4 {
		return nil, fmt.Errorf("it is called with %d arguments, not 4", len(args))
	}
	if f, ok := args[0].(*Object); !ok || f.global == nil || f.Class == "torch._tensor._rebuild_from_type_v2" ||
		f.Class == "torch._tensor._rebuild_from_type" {
		return nil, fmt.Errorf("it would call %s, which reading does not do", describe(args[0]))
	}
	if isUnread(args[1]) {
		return nil, fmt.Errorf("the tensor is of a class without a meaning here")
	}
	v, err := m.call(args[0], args[2])
	if err != nil || isUnread(v) {
		return v, err
	}
	if _, ok := v.(*Tensor); !ok {
		return nil, fmt.Errorf("it makes %s, not a tensor", describe(v))
	}
	return v, nil
}

// arg returns argument i. The boolean result reports whether the argument exists and has type T.
func arg[T any](args Tuple, i int) (T, bool) {
	var none T
	if i >= len(args) {
		return none, false
	}
	v, ok := args[i].(T)
	return v, ok
}
