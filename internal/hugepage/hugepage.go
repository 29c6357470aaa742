// Package hugepage asks the system for large pages. Arrays that are walked in several
// streams at once cost a walk of the page tables every few steps otherwise.
package hugepage

import "unsafe"

// size is the size of a large page.
const size = 2 << 20

// Advise asks for large pages where the slice covers them. It is a hint: nothing is
// said when the system refuses.
func Advise[T any](s []T) {
	if n := uintptr(len(s)) * unsafe.Sizeof(*new(T)); n >= size {
		advise(unsafe.Pointer(unsafe.SliceData(s)), n)
	}
}
