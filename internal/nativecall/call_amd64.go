//go:build linux

package nativecall

// synchronise does nothing, because the processor itself notices that code was written.
func synchronise(uintptr, uintptr) {}
