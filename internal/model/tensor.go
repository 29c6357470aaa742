package model

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
)

// Tensor is a named array in a model file. Data is a []uint16, []uint32, []int64, []float32 or []float64. It holds
// all elements of the shape in C order (the last index varies fastest), or only the elements of Runs.
type Tensor struct {
	Name  string
	Shape []int
	Data  any

	// Runs is used when several ranks hold a tensor together. It says which elements this rank's Data holds. Runs are in
	// ascending order and do not overlap. If Runs is nil, Data holds all elements.
	Runs []Run
}

// elementSizes maps each element type of model files to its size in bytes.
var elementSizes = map[string]int64{"U16": 2, "U32": 4, "I64": 8, "F32": 4, "F64": 8}

// dtype returns the name of the element type of data.
func dtype(data any) string {
	switch data.(type) {
	case []uint16:
		return "U16"
	case []uint32:
		return "U32"
	case []int64:
		return "I64"
	case []float32:
		return "F32"
	case []float64:
		return "F64"
	}
	panic(fmt.Sprintf("model: tensor of %T", data))
}

// length returns the number of elements of data.
func length(data any) int {
	switch x := data.(type) {
	case []uint16:
		return len(x)
	case []uint32:
		return len(x)
	case []int64:
		return len(x)
	case []float32:
		return len(x)
	case []float64:
		return len(x)
	}
	panic(fmt.Sprintf("model: tensor of %T", data))
}

// bytes returns the number of bytes of the tensor in a file.
func (t *Tensor) bytes() int64 { return product(t.Shape) * elementSizes[dtype(t.Data)] }

// slice returns elements from .. to-1 of data.
func slice(data any, from, to int) any {
	switch x := data.(type) {
	case []uint16:
		return x[from:to]
	case []uint32:
		return x[from:to]
	case []int64:
		return x[from:to]
	case []float32:
		return x[from:to]
	case []float64:
		return x[from:to]
	}
	panic(fmt.Sprintf("model: tensor of %T", data))
}

// product returns the number of elements of an array with the given shape.
func product(shape []int) int64 {
	n := int64(1)
	for _, d := range shape {
		n *= int64(d)
	}
	return n
}

// codecBytes is the size of the buffer for conversions. Tensors are converted in pieces, so that there is no second
// copy of a tensor.
const codecBytes = 256 << 10

// writeElements writes the elements of data, little-endian. buf holds the converted pieces.
func writeElements(w io.Writer, data any, buf []byte) error {
	switch x := data.(type) {
	case []uint16:
		return encode(w, x, buf, 2, encode16)
	case []uint32:
		return encode(w, x, buf, 4, encode32)
	case []int64:
		return encode(w, x, buf, 8, encodeInt64)
	case []float32:
		return encode(w, x, buf, 4, encodeFloat32)
	case []float64:
		return encode(w, x, buf, 8, encodeFloat64)
	}
	panic(fmt.Sprintf("model: tensor of %T", data))
}

func encode[T any](w io.Writer, x []T, buf []byte, size int, put func([]byte, []T)) error {
	for len(x) > 0 {
		n := min(len(x), len(buf)/size)
		put(buf[:n*size], x[:n])
		if _, err := w.Write(buf[:n*size]); err != nil {
			return err
		}
		x = x[n:]
	}
	return nil
}

// readElements fills data with little-endian elements that begin at offset. buf holds the pieces before their
// conversion.
func readElements(r io.ReaderAt, offset int64, data any, buf []byte) error {
	switch x := data.(type) {
	case []uint16:
		return decode(r, offset, x, buf, 2, decode16)
	case []uint32:
		return decode(r, offset, x, buf, 4, decode32)
	case []int64:
		return decode(r, offset, x, buf, 8, decodeInt64)
	case []float32:
		return decode(r, offset, x, buf, 4, decodeFloat32)
	case []float64:
		return decode(r, offset, x, buf, 8, decodeFloat64)
	}
	panic(fmt.Sprintf("model: tensor of %T", data))
}

func decode[T any](r io.ReaderAt, offset int64, x []T, buf []byte, size int, get func([]T, []byte)) error {
	for len(x) > 0 {
		n := min(len(x), len(buf)/size)
		if k, err := r.ReadAt(buf[:n*size], offset); k < n*size {
			return fmt.Errorf("byte %d: %w", offset+int64(k), err)
		}
		get(x[:n], buf[:n*size])
		x, offset = x[n:], offset+int64(n*size)
	}
	return nil
}

// The converters work on whole pieces, because a call for each element would cost more than the conversion.

func encode16(b []byte, x []uint16) {
	for i, v := range x {
		binary.LittleEndian.PutUint16(b[2*i:], v)
	}
}

func encode32(b []byte, x []uint32) {
	for i, v := range x {
		binary.LittleEndian.PutUint32(b[4*i:], v)
	}
}

func encodeInt64(b []byte, x []int64) {
	for i, v := range x {
		binary.LittleEndian.PutUint64(b[8*i:], uint64(v))
	}
}

func encodeFloat32(b []byte, x []float32) {
	for i, v := range x {
		binary.LittleEndian.PutUint32(b[4*i:], math.Float32bits(v))
	}
}

func encodeFloat64(b []byte, x []float64) {
	for i, v := range x {
		binary.LittleEndian.PutUint64(b[8*i:], math.Float64bits(v))
	}
}

func decode16(x []uint16, b []byte) {
	for i := range x {
		x[i] = binary.LittleEndian.Uint16(b[2*i:])
	}
}

func decode32(x []uint32, b []byte) {
	for i := range x {
		x[i] = binary.LittleEndian.Uint32(b[4*i:])
	}
}

func decodeInt64(x []int64, b []byte) {
	for i := range x {
		x[i] = int64(binary.LittleEndian.Uint64(b[8*i:]))
	}
}

func decodeFloat32(x []float32, b []byte) {
	for i := range x {
		x[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
	}
}

func decodeFloat64(x []float64, b []byte) {
	for i := range x {
		x[i] = math.Float64frombits(binary.LittleEndian.Uint64(b[8*i:]))
	}
}
