// Package arm64 assembles AArch64 machine code. It supports the instructions that straight-line code of logic gates
// needs. These are bitwise operations on the 128-bit vector registers, loads and stores, instructions that turn bytes
// into rows of bits, and the few general instructions around a loop.
//
// An [Asm] appends instructions to a buffer. Each method writes one instruction and has the instruction's name. If
// the architecture uses one name for several instructions, a letter distinguishes the methods. For example, StrQ
// stores a vector register, and StrW stores 32 bits of a general register. Operands have the order of assembler text,
// with the destination first. Only MovImm writes more than one instruction, up to four.
//
// An operand that cannot be encoded, such as too large an offset, does not stop the assembler. The assembler keeps
// the first error, which [Asm.Err] returns at the end. Instead of the instruction, it writes a zero word, which every
// processor refuses to execute.
//
// The package does not check the use of registers. A function that follows the calling convention must keep x18 to
// x29, the stack pointer and the lower halves of v8 to v15.
//
// The encodings are from the Arm Architecture Reference Manual for A-profile (DDI 0487).
package arm64

import (
	"encoding/binary"
	"fmt"
)

// wordSize is the size of every instruction in bytes.
const wordSize = 4

// Asm is an assembler. It holds the code so far, the labels, and the first error. The zero value is ready for use.
type Asm struct {
	code   []byte
	labels []target
	err    error
}

// Bytes returns the code so far, with instructions in little-endian order. The caller must not change the slice. The
// next instruction or call of [Asm.Bind] may change it.
func (a *Asm) Bytes() []byte { return a.code }

// Len returns the length of the code so far in bytes, which is the position of the next instruction.
func (a *Asm) Len() int { return len(a.code) }

// Err returns the first error. Errors are operands that cannot be encoded, and branches that are too far from their
// labels. If there is no such error but a label is used and not bound, Err returns an error for this label. The code
// must not be executed unless Err returns nil.
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

// Word appends 32 bits of data, or an instruction that has no method.
func (a *Asm) Word(w uint32) { a.code = binary.LittleEndian.AppendUint32(a.code, w) }

// emit appends an instruction.
func (a *Asm) emit(i insn) {
	if i.fault != "" {
		a.fail(i.name, a.Len(), i.fault)
		i.bits = 0
	}
	a.Word(i.bits)
}

// fail records an error of the named instruction at the given position in bytes, if it is the first
// error.
func (a *Asm) fail(name string, at int, fault string) {
	if a.err == nil {
		a.err = fmt.Errorf("arm64: %s at byte %d: %s", name, at, fault)
	}
}
