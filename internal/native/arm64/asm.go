// Package arm64 writes the machine code of AArch64, as far as straight code of logic gates needs it: bitwise
// operations on the 128-bit vector registers, loads and stores, what turns bytes into rows of bits, and the few
// general instructions around a loop.
//
// An [Asm] appends instructions to a buffer. Each method writes one instruction and has its name; where the
// architecture has one name for several, a letter tells them apart (StrQ stores a vector register, StrW 32 bits of a
// general one). Operands stand in the order of assembler text, the destination first. MovImm alone writes up to four
// instructions.
//
// An operand that cannot be encoded, such as an offset that is too large, does not stop anything: the first such
// error is kept, and [Asm.Err] returns it at the end. A zero word, which every processor refuses to execute, stands
// in the place of that instruction.
//
// The code keeps no rules about registers. A function that others call must keep x18 to x29, the stack pointer and
// the lower halves of v8 to v15.
//
// Encodings are those of the Arm Architecture Reference Manual for A-profile (DDI 0487).
package arm64

import (
	"encoding/binary"
	"fmt"
)

// wordSize is the size of every instruction in bytes.
const wordSize = 4

// Asm is an assembler: code so far, its labels, and the first error. Its zero value is ready for use.
type Asm struct {
	code   []byte
	labels []target
	err    error
}

// Bytes returns the code so far, instructions in little-endian order. The caller must not change it, and the next
// instruction or [Asm.Bind] may.
func (a *Asm) Bytes() []byte { return a.code }

// Len returns the length of the code so far in bytes, which is the position of the next instruction.
func (a *Asm) Len() int { return len(a.code) }

// Err returns the first error: an operand that cannot be encoded, a branch that is too far from its label, or else a
// label that is used and not bound. The code must not be executed unless it is nil.
func (a *Asm) Err() error {
	if a.err != nil {
		return a.err
	}
	for i, t := range a.labels {
		if len(t.uses) > 0 {
			u := t.uses[0]
			return fmt.Errorf("arm64: %s at byte %d: label %d is nowhere: call Bind where it belongs", u.name, u.at, i+1)
		}
	}
	return nil
}

// Word appends 32 bits as they are: an instruction that has no method, or data.
func (a *Asm) Word(w uint32) { a.code = binary.LittleEndian.AppendUint32(a.code, w) }

// emit appends an instruction.
func (a *Asm) emit(i insn) {
	if i.fault != "" {
		a.fail(i.name, a.Len(), i.fault)
		i.bits = 0
	}
	a.Word(i.bits)
}

// fail keeps an error of the instruction of that name at the position in bytes, if it is the first.
func (a *Asm) fail(name string, at int, fault string) {
	if a.err == nil {
		a.err = fmt.Errorf("arm64: %s at byte %d: %s", name, at, fault)
	}
}
