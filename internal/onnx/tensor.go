package onnx

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"google.golang.org/protobuf/encoding/protowire"
)

// Tensor is a constant. A decoded tensor refers to the bytes of the file, which must not change.
type Tensor struct {
	Name     string
	Type     DataType
	Dims     []int64
	External bool   // the elements are in another file
	Raw      []byte // elements, little endian, one byte for each bool; nil if they are in another field

	message []byte // the whole message of a decoded tensor
}

// Len returns the number of elements. It reads all elements to check that they exist.
func (t *Tensor) Len() (int, error) {
	kind, ok := kinds[t.Type]
	if !ok || kind.bytes == 0 {
		return 0, fmt.Errorf("elements are %v, which is not read", t.Type)
	}
	if t.External {
		return 0, errors.New("its elements are in another file: save the model with all data in one")
	}
	want := 1
	for _, d := range t.Dims {
		if d < 0 || d > math.MaxInt32 {
			return 0, fmt.Errorf("%d is no dimension", d)
		}
		if want *= int(d); want > math.MaxInt32 {
			return 0, fmt.Errorf("shape %v is too large", t.Dims)
		}
	}
	have, err := t.stored(kind.bytes, kind.field)
	if err == nil && have != want {
		err = fmt.Errorf("shape %v has %d elements, %d are there", t.Dims, want, have)
	}
	return want, err
}

// stored counts the elements in the file.
func (t *Tensor) stored(size, field int) (count int, err error) {
	if t.Raw != nil {
		if len(t.Raw)%size != 0 {
			return 0, fmt.Errorf("%d bytes are no whole number of elements of %d", len(t.Raw), size)
		}
		return len(t.Raw) / size, nil
	}
	err = t.elements(field, func(uint64) error {
		count++
		return nil
	})
	return count, err
}

// elements visits the numbers of a field, which may be packed. It passes each number in the form of the message,
// which is a varint or the bits of a float.
func (t *Tensor) elements(field int, visit func(uint64) error) error {
	return fields(t.message, func(number int, kind protowire.Type, v uint64, b []byte) error {
		if number != field {
			return nil
		}
		if kind != protowire.BytesType {
			return visit(v)
		}
		for len(b) > 0 {
			x, n := element(b, field)
			if n < 0 {
				return protowire.ParseError(n)
			}
			if err := visit(x); err != nil {
				return err
			}
			b = b[n:]
		}
		return nil
	})
}

// element reads a packed number.
func element(b []byte, field int) (v uint64, n int) {
	switch field {
	case fieldFloats:
		x, n := protowire.ConsumeFixed32(b)
		return uint64(x), n
	case fieldDoubles:
		return protowire.ConsumeFixed64(b)
	}
	return protowire.ConsumeVarint(b)
}

// Integers calls visit for the elements of a tensor of whole numbers, in C order. If visit returns an error, Integers
// returns it. Integers also returns an error if the elements do not fit the tensor's type and shape.
func (t *Tensor) Integers(visit func(i int, v int64) error) error {
	if !t.Type.Whole() {
		return fmt.Errorf("elements are %v, not whole numbers", t.Type)
	}
	if _, err := t.Len(); err != nil {
		return err
	}
	kind, i := kinds[t.Type], 0
	each := func(x uint64) error {
		v, err := narrow(int64(x), t.Type)
		if err != nil {
			return err
		}
		i++
		return visit(i-1, v)
	}
	if t.Raw == nil {
		return t.elements(kind.field, each)
	}
	for at := 0; at < len(t.Raw); at += kind.bytes {
		if err := each(little(t.Raw[at:], kind.bytes, kind.signed)); err != nil {
			return err
		}
	}
	return nil
}

// narrow returns an element. It returns an error if v is out of range for the element's type.
func narrow(v int64, t DataType) (int64, error) {
	bits := t.Bits()
	low, high := int64(0), int64(math.MaxInt64)
	if kinds[t].signed {
		low, high = -1<<(bits-1), 1<<(bits-1)-1
	} else if bits < 64 {
		high = 1<<bits - 1
	}
	if v < low || v > high {
		return 0, fmt.Errorf("%d is no %v", v, t)
	}
	return v, nil
}

// little reads a little-endian number. The parameter size is the number's length in bytes.
func little(b []byte, size int, signed bool) uint64 {
	var v uint64
	switch size {
	case 1:
		v = uint64(b[0])
	case 2:
		v = uint64(binary.LittleEndian.Uint16(b))
	case 4:
		v = uint64(binary.LittleEndian.Uint32(b))
	default:
		v = binary.LittleEndian.Uint64(b)
	}
	if signed {
		unused := 64 - 8*size
		v = uint64(int64(v<<unused) >> unused)
	}
	return v
}

// Numbers is like [Tensor.Integers] for a tensor of any numbers. It rounds whole numbers of more than 53 bits.
func (t *Tensor) Numbers(visit func(i int, v float64) error) error {
	if t.Type.Whole() {
		return t.Integers(func(i int, v int64) error { return visit(i, float64(v)) })
	}
	if _, err := t.Len(); err != nil {
		return err
	}
	kind, i := kinds[t.Type], 0
	each := func(x uint64) error {
		v := math.Float64frombits(x)
		if t.Type == Float {
			v = float64(math.Float32frombits(uint32(x)))
		}
		i++
		return visit(i-1, v)
	}
	if t.Raw == nil {
		return t.elements(kind.field, each)
	}
	for at := 0; at < len(t.Raw); at += kind.bytes {
		if err := each(little(t.Raw[at:], kind.bytes, false)); err != nil {
			return err
		}
	}
	return nil
}
