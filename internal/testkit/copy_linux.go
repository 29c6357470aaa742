package testkit

import (
	"syscall"
	"testing"
	"unsafe"
)

// GuardedCopy returns a copy of v that ends, or begins, at the edge of a memory page that must not be accessed.
func GuardedCopy[T any](t *testing.T, v []T, end bool) []T {
	page := syscall.Getpagesize()
	bytes := len(v) * int(unsafe.Sizeof(v[0]))
	inner := (bytes + page - 1) / page * page
	all, err := syscall.Mmap(-1, 0, inner+2*page, syscall.PROT_READ|syscall.PROT_WRITE,
		syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := syscall.Munmap(all); err != nil {
			t.Error(err)
		}
	})
	for _, guard := range [][]byte{all[:page], all[page+inner:]} {
		if err := syscall.Mprotect(guard, syscall.PROT_NONE); err != nil {
			t.Fatal(err)
		}
	}
	at := page
	if end {
		at += inner - bytes
	}
	c := unsafe.Slice((*T)(unsafe.Pointer(&all[at])), len(v))
	copy(c, v)
	return c
}
