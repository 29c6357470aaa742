//go:build linux

package nativecall

// synchronise does nothing, because x86-64 processors detect changed code by themselves.
func synchronise(uintptr, uintptr) {}
