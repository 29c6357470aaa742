package torchfile

import (
	"encoding/binary"
	"fmt"
	"math"
)

// DType is the type of a tensor's elements.
type DType uint8

// These are the element types. The types after BFloat16 are recognised, but their elements are not converted.
const (
	Invalid DType = iota
	Bool
	Uint8
	Int8
	Int16
	Uint16
	Int32
	Uint32
	Int64
	Uint64
	Float16
	Float32
	Float64
	BFloat16
	Complex64
	Complex128
	Complex32
	Float8E4M3FN
	Float8E4M3FNUZ
	Float8E5M2
	Float8E5M2FNUZ
	QInt8
	QUInt8
	QInt32
	QUInt4x2
	QUInt2x4
)

// dtypes has a row for each element type. A row has the type's name in PyTorch, the size of an element in bytes, the
// name of the storage class, and the type's code in numpy. The storage class is empty for types that are newer than
// the storage classes.
var dtypes = [...]struct {
	name    string
	size    int64
	storage string
	numpy   string
}{
	Invalid:        {name: "invalid", size: 1},
	Bool:           {"bool", 1, "BoolStorage", "b1"},
	Uint8:          {"uint8", 1, "ByteStorage", "u1"},
	Int8:           {"int8", 1, "CharStorage", "i1"},
	Int16:          {"int16", 2, "ShortStorage", "i2"},
	Uint16:         {"uint16", 2, "", "u2"},
	Int32:          {"int32", 4, "IntStorage", "i4"},
	Uint32:         {"uint32", 4, "", "u4"},
	Int64:          {"int64", 8, "LongStorage", "i8"},
	Uint64:         {"uint64", 8, "", "u8"},
	Float16:        {"float16", 2, "HalfStorage", "f2"},
	Float32:        {"float32", 4, "FloatStorage", "f4"},
	Float64:        {"float64", 8, "DoubleStorage", "f8"},
	BFloat16:       {"bfloat16", 2, "BFloat16Storage", ""},
	Complex64:      {"complex64", 8, "ComplexFloatStorage", "c8"},
	Complex128:     {"complex128", 16, "ComplexDoubleStorage", "c16"},
	Complex32:      {"complex32", 4, "ComplexHalfStorage", ""},
	Float8E4M3FN:   {name: "float8_e4m3fn", size: 1},
	Float8E4M3FNUZ: {name: "float8_e4m3fnuz", size: 1},
	Float8E5M2:     {name: "float8_e5m2", size: 1},
	Float8E5M2FNUZ: {name: "float8_e5m2fnuz", size: 1},
	QInt8:          {"qint8", 1, "QInt8Storage", ""},
	QUInt8:         {"quint8", 1, "QUInt8Storage", ""},
	QInt32:         {"qint32", 4, "QInt32Storage", ""},
	QUInt4x2:       {"quint4x2", 1, "QUInt4x2Storage", ""},
	QUInt2x4:       {"quint2x4", 1, "QUInt2x4Storage", ""},
}

// String returns PyTorch's name, such as "float32".
func (d DType) String() string {
	if int(d) < len(dtypes) {
		return dtypes[d].name
	}
	return fmt.Sprintf("DType(%d)", uint8(d))
}

// size returns the number of bytes of an element.
func (d DType) size() int64 { return dtypes[d].size }

// dtypeOf returns the first element type for which match returns true.
func dtypeOf(match func(i DType) bool) (DType, bool) {
	for i := range dtypes {
		if d := DType(i); d != Invalid && match(d) {
			return d, true
		}
	}
	return Invalid, false
}

// decodeFloat returns a function that reads a floating-point element, or nil for other types.
func decodeFloat(d DType) func(b []byte) float64 {
	switch d {
	case Float16:
		return func(b []byte) float64 { return halfValue(binary.LittleEndian.Uint16(b)) }
	case BFloat16:
		return func(b []byte) float64 {
			return float64(math.Float32frombits(uint32(binary.LittleEndian.Uint16(b)) << 16))
		}
	case Float32:
		return func(b []byte) float64 { return float64(math.Float32frombits(binary.LittleEndian.Uint32(b))) }
	case Float64:
		return func(b []byte) float64 { return math.Float64frombits(binary.LittleEndian.Uint64(b)) }
	}
	return nil
}

// halfValue returns the value of a number in the binary16 format of IEEE 754.
func halfValue(h uint16) float64 {
	sign, exponent, fraction := h>>15, int(h>>10&31), float64(h&1023)
	var v float64
	switch exponent {
	case 0:
		v = math.Ldexp(fraction, -24)
	case 31:
		v = math.Inf(1)
		if fraction != 0 {
			v = math.NaN()
		}
	default:
		v = math.Ldexp(1024+fraction, exponent-25)
	}
	if sign != 0 {
		return math.Copysign(v, -1)
	}
	return v
}

// decodeInt returns a function that reads an integer or a truth value, or nil for other types. An unsigned number
// from 2^63 on becomes negative, and [Tensor.Int64] checks for this.
func decodeInt(d DType) func(b []byte) int64 {
	switch d {
	case Bool:
		return func(b []byte) int64 { return int64(min(b[0], 1)) }
	case Uint8:
		return func(b []byte) int64 { return int64(b[0]) }
	case Int8:
		return func(b []byte) int64 { return int64(int8(b[0])) }
	case Int16:
		return func(b []byte) int64 { return int64(int16(binary.LittleEndian.Uint16(b))) }
	case Uint16:
		return func(b []byte) int64 { return int64(binary.LittleEndian.Uint16(b)) }
	case Int32:
		return func(b []byte) int64 { return int64(int32(binary.LittleEndian.Uint32(b))) }
	case Uint32:
		return func(b []byte) int64 { return int64(binary.LittleEndian.Uint32(b)) }
	case Int64, Uint64:
		return func(b []byte) int64 { return int64(binary.LittleEndian.Uint64(b)) }
	}
	return nil
}
