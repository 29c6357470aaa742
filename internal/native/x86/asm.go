// Package x86 assembles the few x86-64 instructions that straight-line code of networks needs. These are moves,
// bitwise operations and comparisons of vectors with AVX2 and AVX-512, and some general instructions.
//
// An [Asm] appends instructions to a buffer. Operands are in Intel's order, with the destination first. A jump, or an
// operand relative to the instruction pointer, refers to a [Label], which may be bound before or after it. The code
// is position-independent.
//
// The encodings are from Intel's manual (Software Developer's Manual, volume 2). The tests compare them with the
// system's assembler. A method panics if an operand is invalid for the instruction, because this is a programmer's
// mistake.
package x86

import "encoding/binary"

// Reg is a general register.
type Reg uint8

// The general registers.
const (
	RAX Reg = iota
	RCX
	RDX
	RBX
	RSP
	RBP
	RSI
	RDI
	R8
	R9
	R10
	R11
	R12
	R13
	R14
	R15
	noReg
)

// Vec is a vector register, 0 to 31. Instructions with VEX encoding can use 0 to 15.
type Vec uint8

// Mask is a mask register, k0 to k7. If an instruction's mask has the number 0, the instruction has no mask.
type Mask uint8

// Width is the width of vectors.
type Width uint8

// These are the widths. The values of these constants are the values of an instruction's length field.
const (
	XMM Width = iota // 128 bits
	YMM              // 256 bits
	ZMM              // 512 bits
)

// Bytes returns the size of a vector.
func (w Width) Bytes() int { return 16 << w }

// Mem is an operand in memory. Its address is either a label, or a register plus a displacement and an optional
// scaled index.
type Mem struct {
	base, index Reg
	scale       uint8 // log2
	disp        int32
	label       Label
}

// At returns the operand at a register plus a displacement.
func At(base Reg, disp int32) Mem { return Mem{base: base, index: noReg, disp: disp, label: noLabel} }

// Indexed returns [At] plus the index register times scale, which is 1, 2, 4 or 8.
func Indexed(base, index Reg, scale uint8, disp int32) Mem {
	m := At(base, disp)
	if index == RSP {
		panic("x86: rsp cannot be an index")
	}
	for 1<<m.scale != scale {
		if m.scale++; m.scale > 3 {
			panic("x86: a scale is 1, 2, 4 or 8")
		}
	}
	m.index = index
	return m
}

// AtLabel returns the operand at a label.
func AtLabel(l Label) Mem { return Mem{base: noReg, index: noReg, label: l} }

// Label is a place in the code.
type Label int32

const noLabel Label = -1

// fixup is a four-byte field with the distance from the end of its instruction to a label.
type fixup struct {
	at, end int
	label   Label
}

// Asm is code that is being assembled.
type Asm struct {
	code   []byte
	places []int // offset of each label; -1 means not bound yet
	fixups []fixup
}

// Len returns the size of the code so far.
func (a *Asm) Len() int { return len(a.code) }

// Bytes returns the code. It panics if a label is used but not bound.
func (a *Asm) Bytes() []byte {
	for _, f := range a.fixups {
		if a.places[f.label] < 0 {
			panic("x86: a label is bound nowhere")
		}
		binary.LittleEndian.PutUint32(a.code[f.at:], uint32(a.places[f.label]-f.end))
	}
	a.fixups = a.fixups[:0]
	return a.code
}

// NewLabel returns a new label, not yet bound.
func (a *Asm) NewLabel() Label {
	a.places = append(a.places, -1)
	return Label(len(a.places) - 1)
}

// Bind binds a label to the current place.
func (a *Asm) Bind(l Label) {
	if a.places[l] >= 0 {
		panic("x86: a label is bound twice")
	}
	a.places[l] = len(a.code)
}

// LabelAt returns a new label bound to an offset.
func (a *Asm) LabelAt(offset int) Label {
	a.places = append(a.places, offset)
	return Label(len(a.places) - 1)
}

// Offset returns the offset of a bound label.
func (a *Asm) Offset(l Label) int {
	if a.places[l] < 0 {
		panic("x86: a label is bound nowhere")
	}
	return a.places[l]
}

// Here returns a new label bound to the current place.
func (a *Asm) Here() Label {
	l := a.NewLabel()
	a.Bind(l)
	return l
}

// Align appends no-op instructions until the size is a multiple of n, a power of two.
func (a *Asm) Align(n int) {
	for len(a.code)%n != 0 {
		a.emit(0x90)
	}
}

// Data appends bytes unchanged.
func (a *Asm) Data(b ...byte) { a.emit(b...) }

func (a *Asm) emit(b ...byte) { a.code = append(a.code, b...) }

func (a *Asm) emit32(v uint32) { a.code = binary.LittleEndian.AppendUint32(a.code, v) }

// relative appends a four-byte distance to a label.
func (a *Asm) relative(l Label) {
	a.fixups = append(a.fixups, fixup{len(a.code), len(a.code) + 4, l})
	a.emit32(0)
}

// modRM appends the operand bytes for a register field and a register.
func (a *Asm) modRM(reg, rm uint8) { a.emit(0xc0 | reg&7<<3 | rm&7) }

// modMem appends the operand bytes for a register field and memory. A displacement takes one byte if it is a multiple
// of scale whose quotient fits in a signed byte. The argument after is the number of instruction bytes that follow.
func (a *Asm) modMem(reg uint8, m Mem, scale int32, after int) {
	if m.label != noLabel {
		a.emit(reg&7<<3 | 5)
		a.fixups = append(a.fixups, fixup{len(a.code), len(a.code) + 4 + after, m.label})
		a.emit32(0)
		return
	}
	mod, short := uint8(2), m.disp%scale == 0 && m.disp/scale == int32(int8(m.disp/scale))
	switch {
	case m.disp == 0 && m.base&7 != RBP:
		mod = 0
	case short:
		mod = 1
	}
	if m.index == noReg && m.base&7 != RSP {
		a.emit(mod<<6 | reg&7<<3 | uint8(m.base)&7)
	} else {
		index := uint8(RSP)
		if m.index != noReg {
			index = uint8(m.index)
		}
		a.emit(mod<<6|reg&7<<3|4, m.scale<<6|index&7<<3|uint8(m.base)&7)
	}
	switch mod {
	case 1:
		a.emit(uint8(m.disp / scale))
	case 2:
		a.emit32(uint32(m.disp))
	}
}

// high returns bit 3 of the numbers of base and index.
func (m Mem) high() (base, index uint8) {
	if m.base != noReg {
		base = uint8(m.base) >> 3 & 1
	}
	if m.index != noReg {
		index = uint8(m.index) >> 3 & 1
	}
	return base, index
}
