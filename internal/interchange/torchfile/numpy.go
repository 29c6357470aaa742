package torchfile

import "fmt"

// callArray returns a numpy array without elements. A later state gives the elements.
func callArray(_ *machine, _ *Object, args Tuple) (any, error) {
	class, _ := arg[*Object](args, 0)
	if !class.is("numpy.ndarray") {
		return nil, fmt.Errorf("an array of another class than numpy.ndarray is not read")
	}
	return &Tensor{Shape: []int{0}, Stride: []int{1}, DType: Uint8, array: true}, nil
}

// setArray sets the state of a numpy array. The state consists of a version, a shape, a type, an order and the bytes
// of the elements.
func (m *machine) setArray(t *Tensor, state any) error {
	args, _ := state.(Tuple)
	shape, err := m.dims(args, 1)
	if err != nil {
		return fmt.Errorf("numpy.ndarray: its shape is %w", err)
	}
	dtype, err := numpyType(args, 2)
	if err != nil {
		t.DType = Invalid
		t.unread, err = m.unread("numpy.ndarray", fmt.Sprintf("numpy.ndarray: %v", err))
		return err
	}
	fortran, isBool := arg[bool](args, 3)
	b, isBytes := arg[[]byte](args, 4)
	if len(args) != 5 || !isBool || !isBytes || int64(len(b))%dtype.size() != 0 {
		return fmt.Errorf("numpy.ndarray: its state is not five values with its bytes: is the file damaged?")
	}
	if err := m.budget.take(2*sizeObject + 16*int64(len(shape))); err != nil {
		return err
	}
	stride := make([]int, len(shape))
	elements := 1
	for k := range shape {
		i := len(shape) - 1 - k
		if fortran {
			i = k
		}
		stride[i] = elements
		elements *= max(shape[i], 1) // view returns an error if the product overflows
	}
	for i := range stride {
		stride[i] = max(stride[i], 0)
	}
	made, err := memoryStorage("an array of numpy", dtype, b).view(shape, stride, 0)
	if err != nil {
		return fmt.Errorf("numpy.ndarray: %w", err)
	}
	*t = *made
	return nil
}

// callScalar returns a numpy number. Its arguments are the type and the bytes of the number.
func callScalar(m *machine, o *Object, args Tuple) (any, error) {
	dtype, err := numpyType(args, 0)
	if err != nil {
		return m.object(o.Class, fmt.Sprintf("{}: %v", err))
	}
	b, ok := arg[[]byte](args, 1)
	if !ok || int64(len(b)) != dtype.size() {
		return nil, fmt.Errorf("it is called with something else than a type and the bytes of a number")
	}
	if decode := decodeFloat(dtype); decode != nil {
		return decode(b), nil
	}
	decode := decodeInt(dtype)
	switch {
	case decode == nil || dtype == Uint64 && decode(b) < 0:
		return m.object(o.Class, fmt.Sprintf("{}: a number of %v is not read", dtype))
	case dtype == Bool:
		return decode(b) != 0, nil
	}
	return decode(b), nil
}

// numpyType returns the element type of argument i, which must be a numpy.dtype. The dtype was made from a code such
// as "f4". The second value of its state is the byte order.
func numpyType(args Tuple, i int) (DType, error) {
	o, _ := arg[*Object](args, i)
	if o == nil || o.Class != "numpy.dtype" {
		return Invalid, fmt.Errorf("its type is no numpy.dtype")
	}
	code, _ := arg[string](o.Args, 0)
	dtype, ok := dtypeOf(func(d DType) bool { return dtypes[d].numpy == code && code != "" })
	if !ok {
		return Invalid, fmt.Errorf("the type %.20q of numpy is not read", code)
	}
	state, _ := o.State.(Tuple)
	if order, _ := arg[string](state, 1); order == ">" {
		return Invalid, fmt.Errorf("numbers of numpy in big-endian order are not read")
	}
	return dtype, nil
}

// memoryStorage returns a storage whose bytes are already in memory.
func memoryStorage(name string, dtype DType, b []byte) *storage {
	d := &data{b: b}
	d.once.Do(func() {})
	return &storage{name: name, dtype: dtype, numel: int64(len(b)) / dtype.size(), data: d}
}
