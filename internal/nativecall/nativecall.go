// Package nativecall runs machine code that this program has made itself: [Map] puts code into memory that the
// processor executes, and [Call] calls a function in it.
//
// Memory is writable while the code is copied into it, and is then made executable and read-only; it is never both.
// Where a system forbids that, Map returns an error and the caller does the work another way. [Available] says whether
// there is a trampoline for this system at all: for Linux on x86-64 and on 64-bit Arm.
//
// A called function follows the C convention of the system: System V on x86-64 (arguments in rdi, rsi, rdx, rcx, r8,
// r9; it keeps rbx, rbp and r12 to r15, clears the upper halves of the vector registers and the direction flag),
// AAPCS64 on Arm (arguments in x0 to x5; it keeps x19 to x29 and the lower halves of v8 to v15, and never changes x28
// even for a while: Go's signal handlers find the goroutine there). It returns nothing and leaves results in memory.
//
// It runs on the goroutine's stack, of which it has 2 KiB, and Go's runtime knows nothing of it. Hence it calls nothing
// in Go, keeps no pointers after its return, and ends soon, 100 us at most: it cannot be preempted, and a garbage
// collection waits for it. A profiler's signal that meets it is counted as external code. A fault in it ends the
// process.
package nativecall

import "fmt"

// Call calls the function at entry with up to six arguments. A pointer is passed as uintptr(unsafe.Pointer(p)) written
// in the argument list itself: then what it points to stays alive and in its place until Call returns. Memory that was
// made outside the Go heap needs no such care. The race detector does not see what the function reads and writes.
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
