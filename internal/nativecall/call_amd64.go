//go:build linux

package nativecall

// synchronise has nothing to do: the processor sees by itself that code was written.
func synchronise(uintptr, uintptr) {}
