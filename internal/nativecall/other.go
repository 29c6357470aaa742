//go:build !linux || (!amd64 && !arm64)

package nativecall

import (
	"errors"
	"runtime"
)

// Available reports whether [Map] and [Call] work on this system.
const Available = false

// Map returns an error on this system.
func Map([]byte) (*Code, error) {
	return nil, errors.New("nativecall: machine code is run on Linux alone, on x86-64 and 64-bit Arm, not on " +
		runtime.GOOS + "/" + runtime.GOARCH)
}

// Close does nothing on this system.
func (c *Code) Close() error { return nil }

func address([]byte) uintptr { panic("nativecall: there is no code on this system") }

func call(uintptr, *[6]uintptr) { panic("nativecall: there is no code on this system") }
