// Package hugepage makes arrays in large pages. Arrays that are walked in several
// streams at once cost a walk of the page tables every few steps otherwise: a training
// step takes 15 to 20 % longer.
package hugepage

import "unsafe"

// size is the size of a large page.
const size = 2 << 20

// Make returns n zeros. A long array begins on a large page, and the system is asked
// for large pages before anything touches it; nothing is said when it refuses.
func Make[T uint8 | uint16 | uint32 | float32](n int) []T {
	bytes := uintptr(n) * unsafe.Sizeof(*new(T))
	if bytes < size {
		return make([]T, n)
	}
	whole := (bytes + size - 1) &^ (size - 1)
	room := make([]byte, whole+size)
	from := -uintptr(unsafe.Pointer(unsafe.SliceData(room))) & (size - 1)
	pages := room[from:][:whole]
	advise(pages)
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(pages))), n)
}
