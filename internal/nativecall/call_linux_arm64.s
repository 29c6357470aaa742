#include "textflag.h"
#include "funcdata.h"

// func call(entry uintptr, registers *[6]uintptr)
//
// The frame is the room that the called function has: Go's prologue grows the stack for it, and the stack pointer is
// put at its upper end. The function leaves R28, which holds the goroutine, and the stack pointer as they were; the
// link register is at the lower end of the frame.
TEXT ·call(SB), 0, $4096-16
	NO_LOCAL_POINTERS
	MOVD entry+0(FP), R9
	MOVD registers+8(FP), R10
	LDP  0(R10), (R0, R1)
	LDP  16(R10), (R2, R3)
	LDP  32(R10), (R4, R5)
	ADD  $4080, RSP
	BL   (R9)
	SUB  $4080, RSP
	RET

// func synchronise(start, size uintptr)
//
// It cleans the data cache to where instructions are fetched from, and then drops what the instruction cache has. Steps
// of 16 bytes are right for lines of every length.
TEXT ·synchronise(SB), NOSPLIT, $0-16
	MOVD start+0(FP), R0
	MOVD size+8(FP), R1
	ADD  R0, R1
	AND  $~15, R0
	MOVD R0, R2

clean:
	WORD $0xd50b7b22 // dc cvau, x2
	ADD  $16, R2
	CMP  R1, R2
	BLO  clean
	DSB  $11         // inner shareable
	MOVD R0, R2

drop:
	WORD $0xd50b7522 // ic ivau, x2
	ADD  $16, R2
	CMP  R1, R2
	BLO  drop
	DSB  $11
	ISB  $15
	RET
