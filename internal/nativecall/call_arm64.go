//go:build linux

package nativecall

// synchronise makes code that was written as data visible to the fetching of instructions.
//
//go:noescape
func synchronise(start, size uintptr)
