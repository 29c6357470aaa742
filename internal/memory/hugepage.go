// This file makes long arrays for loops that walk through several of them at
// once: in large pages, which saves a walk of the page tables every few steps, and at
// different places in their pages, because a processor takes loads and stores for each
// other whose addresses differ in the upper bits alone. The places alone save a training
// step of 48,000 gates 5 % of its time.

package memory

import (
	"sync/atomic"
	"unsafe"
)

const (
	size  = 2 << 20  // bytes in a large page
	long  = size / 4 // least number of bytes that are worth a large page
	small = 4 << 10  // bytes in an ordinary page
	skew  = 13 * 64  // bytes from one array's place to the next one's
)

// arrays counts the long arrays that were made.
var arrays atomic.Uintptr

// MakeHuge returns n zeros. The system is asked for large pages before anything touches a
// long array; nothing is said when it refuses.
func MakeHuge[T uint8 | uint16 | uint32 | uint64 | float32](n int) []T {
	bytes := uintptr(n) * unsafe.Sizeof(*new(T))
	if bytes < small {
		return make([]T, n)
	}
	at, align := arrays.Add(1)*skew%small, uintptr(small)
	whole := bytes + at
	if bytes >= long {
		align = size
		whole = (whole + size - 1) &^ (size - 1)
	}
	room := make([]byte, whole+align)
	from := -uintptr(unsafe.Pointer(unsafe.SliceData(room))) & (align - 1)
	if align == size {
		advise(room[from:][:whole])
	}
	return unsafe.Slice((*T)(unsafe.Pointer(&room[from+at])), n)
}
