//go:build linux

package nativecall

// synchronise does nothing: the processor itself notices that code was written.
func synchronise(uintptr, uintptr) {}
