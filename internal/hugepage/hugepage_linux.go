package hugepage

import (
	"syscall"
	"unsafe"
)

// The kernel's numbers (Linux 6.1 for the second).
const (
	madvHugepage = 14
	madvCollapse = 25
)

func advise(p unsafe.Pointer, bytes uintptr) {
	from := (uintptr(p) + size - 1) &^ (size - 1)
	to := (uintptr(p) + bytes) &^ (size - 1)
	if from >= to {
		return
	}
	b := unsafe.Slice((*byte)(unsafe.Add(p, from-uintptr(p))), to-from)
	if syscall.Madvise(b, madvHugepage) == nil {
		_ = syscall.Madvise(b, madvCollapse) // not before Linux 6.1; then it happens in time
	}
}
