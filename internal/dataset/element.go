package dataset

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"ialgn/internal/message"
)

// element is an element type of arrays.
type element struct {
	code   string // NumPy's code, without the byte order
	size   int
	direct bool // feature words are the unchanged elements; otherwise elements are quantised
	decode func(order binary.ByteOrder, b []byte) float64
}

// elements lists the element types that can be read.
var elements = []element{
	{"b1", 1, true, func(_ binary.ByteOrder, b []byte) float64 { return min(float64(b[0]), 1) }},
	{"u1", 1, true, func(_ binary.ByteOrder, b []byte) float64 { return float64(b[0]) }},
	{"u2", 2, true, func(o binary.ByteOrder, b []byte) float64 { return float64(o.Uint16(b)) }},
	{"u4", 4, false, func(o binary.ByteOrder, b []byte) float64 { return float64(o.Uint32(b)) }},
	{"u8", 8, false, func(o binary.ByteOrder, b []byte) float64 { return float64(o.Uint64(b)) }},
	{"i1", 1, false, func(_ binary.ByteOrder, b []byte) float64 { return float64(int8(b[0])) }},
	{"i2", 2, false, func(o binary.ByteOrder, b []byte) float64 { return float64(int16(o.Uint16(b))) }},
	{"i4", 4, false, func(o binary.ByteOrder, b []byte) float64 { return float64(int32(o.Uint32(b))) }},
	{"i8", 8, false, func(o binary.ByteOrder, b []byte) float64 { return float64(int64(o.Uint64(b))) }},
	{"f4", 4, false, func(o binary.ByteOrder, b []byte) float64 { return float64(math.Float32frombits(o.Uint32(b))) }},
	{"f8", 8, false, func(o binary.ByteOrder, b []byte) float64 { return math.Float64frombits(o.Uint64(b)) }},
}

// elementOf returns the element type with the given code, or nil if this type cannot be read.
func elementOf(code string) *element {
	at := slices.IndexFunc(elements, func(e element) bool { return e.code == code })
	if at < 0 {
		return nil
	}
	return &elements[at]
}

// elementError says that an array has elements of a type that cannot be read.
type elementError struct{ code string }

// Error names the type by NumPy's code.
func (e *elementError) Error() string {
	return fmt.Sprintf("header: elements of type %s, want bool, a whole number, float32 or float64", e.code)
}

// Hint says how to convert the elements of an array x of features to a type that can be read.
func (e *elementError) Hint() string {
	switch e.code[0] {
	case 'U', 'S', 'a':
		return "text is not a number: save the samples as CSV, where columns may hold words, or save numbers with " +
			"x.astype('float32')"
	case 'O':
		return "an array of objects: save an array of numbers with numpy.array(x.tolist(), 'float32')"
	case 'c':
		return "save real and imaginary parts as separate features with numpy.concatenate((x.real, x.imag), 1)"
	case 'M', 'm':
		return "save the times as numbers with x.astype('int64')"
	}
	return "convert it, for example with x.astype('float32')"
}

// labels returns the same error with another hint. The hint says how to convert an array y of labels.
func (e *elementError) labels() error {
	switch e.code[0] {
	case 'U', 'S', 'a', 'O', 'M', 'm', 'c':
		return message.WithHint(e, "save the class numbers, numpy.unique(y, return_inverse=True)[1]; they are "+
			"in the order of the names numpy.unique(y)")
	}
	return message.WithHint(e, "save the class numbers with y.astype('int64')")
}
