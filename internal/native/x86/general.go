package x86

import "encoding/binary"

// rex appends the prefix that makes an instruction 64 bits wide and holds bit 3 of its registers.
func (a *Asm) rex(reg, index, base uint8) { a.emit(0x48 | reg>>3&1<<2 | index&1<<1 | base&1) }

// general appends a 64-bit instruction with a register field and a memory operand.
func (a *Asm) general(code, reg uint8, m Mem) {
	base, index := m.high()
	a.rex(reg, index, base)
	a.emit(code)
	a.modMem(reg, m, 1, 0)
}

// Mov copies a register.
func (a *Asm) Mov(dst, src Reg) {
	a.rex(uint8(src), 0, uint8(dst)>>3)
	a.emit(0x89)
	a.modRM(uint8(src), uint8(dst))
}

// MovImm sets a register to a constant.
func (a *Asm) MovImm(dst Reg, v uint64) {
	if v == uint64(int64(int32(v))) {
		a.rex(0, 0, uint8(dst)>>3)
		a.emit(0xc7)
		a.modRM(0, uint8(dst))
		a.emit32(uint32(v))
		return
	}
	a.rex(0, 0, uint8(dst)>>3)
	a.emit(0xb8 | uint8(dst)&7)
	a.code = binary.LittleEndian.AppendUint64(a.code, v)
}

// Load loads 64 bits.
func (a *Asm) Load(dst Reg, src Mem) { a.general(0x8b, uint8(dst), src) }

// Store stores 64 bits.
func (a *Asm) Store(dst Mem, src Reg) { a.general(0x89, uint8(src), dst) }

// OrMem computes dst = dst | src, where src is 64 bits in memory.
func (a *Asm) OrMem(dst Reg, src Mem) { a.general(0x0b, uint8(dst), src) }

// AddMem adds the register src to 64 bits in memory.
func (a *Asm) AddMem(dst Mem, src Reg) { a.general(0x01, uint8(src), dst) }

// LoadByte loads 8 bits into a register and clears its other bits.
func (a *Asm) LoadByte(dst Reg, src Mem) { a.extend(0xb6, dst, src) }

// LoadWord loads 16 bits into a register and clears its other bits.
func (a *Asm) LoadWord(dst Reg, src Mem) { a.extend(0xb7, dst, src) }

func (a *Asm) extend(code uint8, dst Reg, src Mem) {
	base, index := src.high()
	a.rex(uint8(dst), index, base)
	a.emit(0x0f, code)
	a.modMem(uint8(dst), src, 1, 0)
}

// MulImm computes dst = src * constant.
func (a *Asm) MulImm(dst, src Reg, v int32) {
	a.rex(uint8(dst), 0, uint8(src)>>3)
	a.emit(0x69)
	a.modRM(uint8(dst), uint8(src))
	a.emit32(uint32(v))
}

// Lea sets a register to the address of an operand.
func (a *Asm) Lea(dst Reg, of Mem) { a.general(0x8d, uint8(dst), of) }

// Arithmetic is an operation on general registers. Its value is the value of the operation field in the instruction.
type Arithmetic uint8

// These are the operations. Compare only sets the flags.
const (
	Add      Arithmetic = 0
	OrGPR    Arithmetic = 1
	AndGPR   Arithmetic = 4
	Subtract Arithmetic = 5
	Compare  Arithmetic = 7
)

// Op computes dst = dst op src.
func (a *Asm) Op(op Arithmetic, dst, src Reg) {
	a.rex(uint8(src), 0, uint8(dst)>>3)
	a.emit(uint8(op)<<3 | 1)
	a.modRM(uint8(src), uint8(dst))
}

// OpImm computes dst = dst op constant.
func (a *Asm) OpImm(op Arithmetic, dst Reg, v int32) {
	a.rex(0, 0, uint8(dst)>>3)
	if v == int32(int8(v)) {
		a.emit(0x83)
		a.modRM(uint8(op), uint8(dst))
		a.emit(uint8(v))
		return
	}
	a.emit(0x81)
	a.modRM(uint8(op), uint8(dst))
	a.emit32(uint32(v))
}

// Push pushes a register.
func (a *Asm) Push(r Reg) { a.short(0x50, r) }

// Pop pops a register.
func (a *Asm) Pop(r Reg) { a.short(0x58, r) }

func (a *Asm) short(code uint8, r Reg) {
	if r >= R8 {
		a.emit(0x41)
	}
	a.emit(code | uint8(r)&7)
}

// Return writes ret.
func (a *Asm) Return() { a.emit(0xc3) }

// Condition is the condition of a jump. Its value is the value of the condition field in the instruction.
type Condition uint8

// These are the conditions. They refer to a comparison of unsigned numbers, or to the result of an operation.
const (
	Below   Condition = 2
	Zero    Condition = 4
	NotZero Condition = 5
)

// JumpIf jumps to a label if the condition holds.
func (a *Asm) JumpIf(c Condition, to Label) {
	a.emit(0x0f, 0x80|uint8(c))
	a.relative(to)
}

// Jump jumps to a label.
func (a *Asm) Jump(to Label) {
	a.emit(0xe9)
	a.relative(to)
}

// Call calls the function at a label.
func (a *Asm) Call(to Label) {
	a.emit(0xe8)
	a.relative(to)
}

// ShiftRight shifts a register right by n places and fills with zeros.
func (a *Asm) ShiftRight(dst Reg, n uint8) {
	a.rex(0, 0, uint8(dst)>>3)
	a.emit(0xc1)
	a.modRM(5, uint8(dst))
	a.emit(n)
}

// MoveBytes writes rep movsb, which copies rcx bytes from rsi to rdi. It advances rsi and rdi past the copied bytes.
func (a *Asm) MoveBytes() { a.emit(0xf3, 0xa4) }

// Prefetch writes prefetcht1, which requests the cache line of an operand for the second-level
// cache. An invalid address does not fault.
func (a *Asm) Prefetch(of Mem) {
	base, index := of.high()
	if base|index != 0 {
		a.emit(0x40 | index<<1 | base)
	}
	a.emit(0x0f, 0x18)
	a.modMem(2, of, 1, 0)
}
