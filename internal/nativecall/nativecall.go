// Package nativecall runs machine code that this program has generated: [Map] copies code into
// memory that the processor can execute, and [Call] calls a function in it.
//
// The memory is writable while the code is copied into it. Then it is made executable and
// read-only; it is never both writable and executable. If a system forbids that, Map returns an
// error and the caller has to do without machine code. [Available] says whether this package
// supports the system at all: Linux on x86-64 and on 64-bit Arm.
//
// A called function follows the system's C calling convention. On x86-64 this is System V:
// arguments in rdi, rsi, rdx, rcx, r8, r9; the function keeps rbx, rbp and r12 to r15, and clears
// the upper halves of the vector registers and the direction flag. On Arm it is AAPCS64: arguments
// in x0 to x5; the function keeps x19 to x29 and the lower halves of v8 to v15. It must not change
// x28 even temporarily, because Go's signal handlers find the goroutine there. The function returns
// nothing and leaves its results in memory.
//
// The function runs on the goroutine's stack, of which it may use 2 KiB, and Go's runtime does not
// know about it. So it must not call Go, must not keep pointers after its return, and must end
// soon, within 100 us: it cannot be preempted, and garbage collection waits for it. A profiler's
// signal that arrives during a call is counted as external code. A fault in the function ends the
// process.
package nativecall

import "fmt"

// Call calls the function at entry with up to six arguments. Pass a pointer as
// uintptr(unsafe.Pointer(p)), written in the argument list itself: then the object it points to
// stays alive and is not moved until Call returns. Memory outside the Go heap needs no such care.
// The race detector does not see the function's reads and writes.
//
//go:uintptrescapes
func Call(entry uintptr, args ...uintptr) {
	var registers [6]uintptr
	if copy(registers[:], args) < len(args) {
		panic(fmt.Sprintf("nativecall: %d arguments, but a function has 6 at most", len(args)))
	}
	call(entry, &registers)
}

// Code is code in executable memory.
type Code struct{ memory []byte }

// Entry returns the address of the function at an offset in the code. It panics if the offset is outside.
func (c *Code) Entry(offset int) uintptr {
	if offset < 0 || offset >= len(c.memory) {
		panic(fmt.Sprintf("nativecall: no function at offset %d of %d bytes of code", offset, len(c.memory)))
	}
	return address(c.memory) + uintptr(offset)
}
