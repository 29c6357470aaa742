package model

import "ialgn/internal/memory"

// Indices is an array of wire indices in the narrowest type that is large enough: 16 bits for up to 65,536 sources,
// and 32 bits for more. Exactly one of the two slices is in use.
type Indices struct {
	Narrow []uint16
	Wide   []uint32
}

// MakeIndices returns n indices that are 0. All indices that are set later must be below the given limit.
func MakeIndices(n, limit int) Indices {
	if narrow(limit) {
		return Indices{Narrow: memory.MakeHuge[uint16](n)}
	}
	return Indices{Wide: memory.MakeHuge[uint32](n)}
}

// narrow reports whether every index below the given limit fits into 16 bits.
func narrow(limit int) bool { return limit <= 1<<16 }

// Len returns the number of indices.
func (x Indices) Len() int { return len(x.Narrow) + len(x.Wide) }

// At returns index i.
func (x Indices) At(i int) uint32 {
	if x.Wide != nil {
		return x.Wide[i]
	}
	return uint32(x.Narrow[i])
}

// Set stores v at index i. It panics if v does not fit.
func (x Indices) Set(i int, v uint32) {
	if x.Wide != nil {
		x.Wide[i] = v
		return
	}
	if v > 0xffff {
		panic("model: index does not fit 16 bits")
	}
	x.Narrow[i] = uint16(v)
}

// Slice returns a view of the indices from .. to-1.
func (x Indices) Slice(from, to int) Indices {
	if x.Wide != nil {
		return Indices{Wide: x.Wide[from:to]}
	}
	return Indices{Narrow: x.Narrow[from:to]}
}

// Max returns the largest index, or 0 if x is empty.
func (x Indices) Max() uint32 {
	if x.Wide != nil {
		return largest(x.Wide)
	}
	return uint32(largest(x.Narrow))
}

func largest[T uint16 | uint32](x []T) T {
	m := T(0)
	for _, v := range x {
		m = max(m, v)
	}
	return m
}
