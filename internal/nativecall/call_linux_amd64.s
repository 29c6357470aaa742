#include "textflag.h"
#include "funcdata.h"

// func call(entry uintptr, registers *[6]uintptr)
//
// The frame is the room that the called function has: Go's prologue grows the stack for it, and the stack pointer is
// put at its upper end, at a multiple of 16. Its old value is kept in R12, which a function of the C convention leaves
// as it was. All else may change: Go expects nothing of registers after a function of this kind, and its wrapper sets
// up R14 and X15 again.
TEXT ·call(SB), 0, $4096-16
	NO_LOCAL_POINTERS
	MOVQ entry+0(FP), AX
	MOVQ registers+8(FP), R11
	MOVQ 0(R11), DI
	MOVQ 8(R11), SI
	MOVQ 16(R11), DX
	MOVQ 24(R11), CX
	MOVQ 32(R11), R8
	MOVQ 40(R11), R9
	MOVQ SP, R12
	ADDQ $4080, SP
	ANDQ $~15, SP
	CALL AX
	MOVQ R12, SP
	RET
