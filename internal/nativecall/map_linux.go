//go:build linux && (amd64 || arm64)

package nativecall

import (
	"errors"
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Available reports whether [Map] and [Call] work on this system.
const Available = true

// Map copies code into executable memory, where it stays until Close. Several goroutines may call
// mapped code at once.
func Map(code []byte) (*Code, error) {
	if len(code) == 0 {
		return nil, errors.New("nativecall: there is no code to map")
	}
	memory, err := unix.Mmap(-1, 0, len(code), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
	if err != nil {
		return nil, fmt.Errorf("nativecall: no memory for %d bytes of machine code: %v", len(code), err)
	}
	copy(memory, code)
	if err := unix.Mprotect(memory, unix.PROT_READ|unix.PROT_EXEC); err != nil {
		_ = unix.Munmap(memory)
		return nil, fmt.Errorf("nativecall: the system does not let a program execute code that it has made (%v): "+
			"SELinux (deny_execmem), systemd (MemoryDenyWriteExecute) or a seccomp filter may forbid it", err)
	}
	synchronise(address(memory), uintptr(len(memory)))
	return &Code{memory}, nil
}

// Close frees the memory. No goroutine may be executing the code or call it afterwards.
func (c *Code) Close() error {
	if c.memory == nil {
		return nil
	}
	memory := c.memory
	c.memory = nil
	if err := unix.Munmap(memory); err != nil {
		return fmt.Errorf("nativecall: cannot give back %d bytes of machine code: %v", len(memory), err)
	}
	return nil
}

func address(memory []byte) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(memory))) }

// call loads the argument registers and calls the function at the address entry.
//
//go:noescape
func call(entry uintptr, registers *[6]uintptr)
