// Package nativecall runs machine code that this program has generated. [Map] copies code into memory that the
// processor can execute. [Call] calls a function in this memory.
//
// The memory is writable while the code is copied into it. Then the memory is made executable and read-only. It is
// never both writable and executable. If a system forbids executable memory, Map returns an error, and the caller
// must compute the result without machine code. [Available] reports whether this package supports the system.
// Supported systems are Linux on x86-64 and on 64-bit Arm.
//
// A called function follows the system's C calling convention. On x86-64 the convention is System V. Arguments are in
// rdi, rsi, rdx, rcx, r8 and r9. The function keeps rbx, rbp and r12 to r15, and clears the upper halves of the
// vector registers and the direction flag. On Arm the convention is AAPCS64. Arguments are in x0 to x5. The function
// keeps x19 to x29 and the lower halves of v8 to v15. It must not change x28 even temporarily, because Go's signal
// handlers find the goroutine there. The function returns no value and writes its results to memory.
//
// The function runs on the goroutine's stack and may use 2 KiB of it. Go's runtime does not know about the function.
// Therefore the function must not call Go and must not keep pointers after its return. It must end within 100 us,
// because it cannot be preempted and garbage collection waits for it. If a profiler's signal arrives during a call,
// the profile attributes it to external code. A fault in the function ends the process.
package nativecall

import "fmt"

// Call calls the function at the address entry with up to six arguments. To pass a pointer p, write
// uintptr(unsafe.Pointer(p)) in the argument list itself. This keeps the object at p alive and in place until Call
// returns. Memory outside the Go heap does not need this form. The race detector does not see the function's reads
// and writes.
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

// Entry returns the address of the function at an offset in the code. It panics if the offset is outside the code.
func (c *Code) Entry(offset int) uintptr {
	if offset < 0 || offset >= len(c.memory) {
		panic(fmt.Sprintf("nativecall: no function at offset %d of %d bytes of code", offset, len(c.memory)))
	}
	return address(c.memory) + uintptr(offset)
}
