//go:build linux

package nativecall

// synchronise makes code that was written as data visible to instruction fetches.
//
//go:noescape
func synchronise(start, size uintptr)
