package torchfile

import (
	"fmt"
	"math"
	"math/bits"

	"ialgn/internal/message"
)

// Tensor is a view of a storage. Its element (i, j, ...) is the storage's element Offset + i*Stride[0] + j*Stride[1]
// + .... All elements are within the storage. If a stride is 0, elements of the storage occur several times.
type Tensor struct {
	Shape  []int
	Stride []int
	Offset int
	DType  DType

	storage *storage
	whole   bool // the value is the storage itself, not a tensor
	array   bool // a numpy array whose state was not set yet
	large   bool // has more elements than a tensor may have
	unread  *unread
}

// maxRank is the largest number of dimensions of a tensor, as in PyTorch.
const maxRank = 64

// view returns a tensor of the storage. It returns an error if the tensor's elements are not all within the storage.
func (s *storage) view(shape, stride []int, offset int) (*Tensor, error) {
	if len(shape) != len(stride) {
		return nil, fmt.Errorf("a tensor with %d dimensions and %d strides", len(shape), len(stride))
	}
	elements, last := uint64(1), uint64(offset)
	empty, over := false, false
	for i, n := range shape {
		if n == 0 {
			empty = true
			continue
		}
		var hi, carry uint64
		hi, elements = bits.Mul64(elements, uint64(n))
		over = over || hi != 0 || elements > math.MaxInt
		hi, reach := bits.Mul64(uint64(n-1), uint64(stride[i]))
		last, carry = bits.Add64(last, reach, 0)
		over = over || hi != 0 || carry != 0
	}
	t := &Tensor{Shape: shape, Stride: stride, Offset: offset, DType: s.dtype, storage: s}
	if empty {
		return t, nil
	}
	if over || last >= uint64(s.numel) {
		return nil, fmt.Errorf("a tensor of shape %v, strides %v and offset %d lies outside its storage of %d elements",
			shape, stride, offset, s.numel)
	}
	return t, nil
}

// Elements returns the number of elements, which is the product of the shape.
func (t *Tensor) Elements() int {
	n := 1
	for _, d := range t.Shape {
		if d == 0 {
			return 0
		}
		n *= d
	}
	return n
}

// Float32 returns the elements in C order. It rounds elements of type float64. It returns an error for types other
// than float16, bfloat16, float32 and float64. It also returns an error for too many elements, as [Tensor.Int64]
// does.
func (t *Tensor) Float32() ([]float32, error) {
	decode := decodeFloat(t.DType)
	if decode == nil {
		return nil, t.otherType("floating-point numbers")
	}
	return gather(t, func(b []byte) float32 { return float32(decode(b)) })
}

// Float64 is like [Tensor.Float32], but it does not round.
func (t *Tensor) Float64() ([]float64, error) {
	decode := decodeFloat(t.DType)
	if decode == nil {
		return nil, t.otherType("floating-point numbers")
	}
	return gather(t, decode)
}

// Int64 returns the elements in C order. The boolean true becomes 1. Int64 returns an error for floating-point and
// complex numbers, and for a number that does not fit into int64.
//
// It also returns an error for a tensor with very many elements. The limit is the file's size in bytes plus 8 Mi. A
// tensor above this limit can only repeat one element.
func (t *Tensor) Int64() ([]int64, error) {
	decode := decodeInt(t.DType)
	if decode == nil {
		return nil, t.otherType("integers")
	}
	out, err := gather(t, decode)
	if err != nil || t.DType != Uint64 {
		return out, err
	}
	for i, v := range out {
		if v < 0 {
			return nil, fmt.Errorf("%s: element %d is %d, which int64 does not hold", t.storage.name, i, uint64(v))
		}
	}
	return out, nil
}

func (t *Tensor) otherType(want string) error {
	if t.unread != nil {
		return t.unread.err()
	}
	return fmt.Errorf("a tensor of %v, where %s are wanted", t.DType, want)
}

// gather returns the decoded elements in C order.
func gather[T any](t *Tensor, decode func(b []byte) T) ([]T, error) {
	n := t.Elements()
	if n == 0 {
		return []T{}, nil
	}
	if t.large {
		return nil, message.WithHint(fmt.Errorf("a tensor of shape %v has %d elements, more than the file has bytes and 8 Mi",
			t.Shape, n), "save the tensor before it is expanded")
	}
	raw, err := t.storage.data.bytes()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", t.storage.name, err)
	}
	size := int(t.DType.size())
	raw = raw[t.Offset*size:]
	out := make([]T, 0, n)
	if len(t.Shape) == 0 {
		return append(out, decode(raw)), nil
	}
	at, place := 0, make([]int, len(t.Shape))
	inner := len(t.Shape) - 1
	for {
		for i := range t.Shape[inner] {
			out = append(out, decode(raw[(at+i*t.Stride[inner])*size:]))
		}
		d := inner - 1
		for ; d >= 0; d-- {
			at += t.Stride[d]
			if place[d]++; place[d] < t.Shape[d] {
				break
			}
			at -= place[d] * t.Stride[d]
			place[d] = 0
		}
		if d < 0 {
			return out, nil
		}
	}
}
