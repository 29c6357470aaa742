package x86

// opcode is the encoding of a vector instruction without its operands.
type opcode struct {
	prefix uint8 // field pp: 0 is no prefix, 1 is 66, 2 is F3, 3 is F2
	page   uint8 // the opcode's map: 1 is 0F, 2 is 0F38, 3 is 0F3A
	w      uint8 // W of EVEX
	code   uint8
}

// operand is the last operand of a vector instruction. It is a register of any kind, or memory.
type operand struct {
	reg    uint8
	mem    Mem
	memory bool
}

func inReg(r uint8) operand { return operand{reg: r} }
func inMem(m Mem) operand   { return operand{mem: m, memory: true} }

// masking is the mask of an EVEX instruction. If zero is true, elements whose mask bit is 0 become zero. Otherwise
// they stay unchanged.
type masking struct {
	k    Mask
	zero bool
}

// evex appends an instruction with EVEX encoding. The argument after is the number of immediate bytes that the caller
// appends. A one-byte displacement counts in units of scale bytes.
func (a *Asm) evex(o opcode, width Width, k masking, reg, second uint8, last operand, scale, after int) {
	r, rr := ^reg>>3&1, ^reg>>4&1
	x, b := ^last.reg>>4&1, ^last.reg>>3&1
	if last.memory {
		base, index := last.mem.high()
		x, b = ^index&1, ^base&1
	}
	zero := uint8(0)
	if k.zero {
		zero = 1
	}
	a.emit(0x62, r<<7|x<<6|b<<5|rr<<4|o.page, o.w<<7|^second&15<<3|4|o.prefix,
		zero<<7|uint8(width)<<5|^second>>4&1<<3|uint8(k.k), o.code)
	if last.memory {
		a.modMem(reg, last.mem, int32(scale), after)
	} else {
		a.modRM(reg, last.reg)
	}
}

// vex appends an instruction with VEX encoding. The argument w is the bit W of VEX.
func (a *Asm) vex(o opcode, w uint8, width Width, reg, second uint8, last operand, after int) {
	base, index := last.reg>>3&1, uint8(0)
	if last.memory {
		base, index = last.mem.high()
	}
	if reg > 15 || second > 15 || !last.memory && last.reg > 15 {
		panic("x86: no such register in VEX encoding")
	}
	third := ^second&15<<3 | uint8(width)<<2 | o.prefix
	if o.page == 1 && w == 0 && base == 0 && index == 0 {
		a.emit(0xc5, ^reg>>3&1<<7|third, o.code)
	} else {
		a.emit(0xc4, ^reg>>3&1<<7|^index&1<<6|^base&1<<5|o.page, w<<7|third, o.code)
	}
	if last.memory {
		a.modMem(reg, last.mem, 1, after)
	} else {
		a.modRM(reg, last.reg)
	}
}

// In both encodings, these instructions have the operands result, first and second.
var (
	vpand  = opcode{1, 1, 1, 0xdb}
	vpandn = opcode{1, 1, 1, 0xdf}
	vpor   = opcode{1, 1, 1, 0xeb}
	vpxor  = opcode{1, 1, 1, 0xef}
)

// Bitwise is a bitwise operation on two vectors.
type Bitwise uint8

// The bitwise operations.
const (
	And    Bitwise = iota // first & second
	AndNot                // ^first & second
	Or                    // first | second
	Xor                   // first ^ second
)

var bitwise = [...]opcode{And: vpand, AndNot: vpandn, Or: vpor, Xor: vpxor}

// Bitwise512 writes vpandq, vpandnq, vporq or vpxorq on zmm registers.
func (a *Asm) Bitwise512(op Bitwise, dst, first, second Vec) {
	a.evex(bitwise[op], ZMM, masking{}, uint8(dst), uint8(first), inReg(uint8(second)), 64, 0)
}

// Bitwise512Mem is like [Asm.Bitwise512], with the second operand in memory.
func (a *Asm) Bitwise512Mem(op Bitwise, dst, first Vec, second Mem) {
	a.evex(bitwise[op], ZMM, masking{}, uint8(dst), uint8(first), inMem(second), 64, 0)
}

// Bitwise256 writes vpand, vpandn, vpor or vpxor on ymm registers.
func (a *Asm) Bitwise256(op Bitwise, dst, first, second Vec) {
	a.vex(bitwise[op], 0, YMM, uint8(dst), uint8(first), inReg(uint8(second)), 0)
}

// Bitwise256Mem is like [Asm.Bitwise256], with the second operand in memory.
func (a *Asm) Bitwise256Mem(op Bitwise, dst, first Vec, second Mem) {
	a.vex(bitwise[op], 0, YMM, uint8(dst), uint8(first), inMem(second), 0)
}

var vpternlogq = opcode{1, 3, 1, 0x25}

// Ternary512 writes vpternlogq. For each bit position, the bits of dst, second and third form the number i = 4 dst +
// 2 second + third, and the bit of dst becomes bit i of table.
func (a *Asm) Ternary512(dst, second, third Vec, table uint8) {
	a.evex(vpternlogq, ZMM, masking{}, uint8(dst), uint8(second), inReg(uint8(third)), 64, 1)
	a.emit(table)
}

// Ternary512Mem is like [Asm.Ternary512], with the third operand in memory.
func (a *Asm) Ternary512Mem(dst, second Vec, third Mem, table uint8) {
	a.evex(vpternlogq, ZMM, masking{}, uint8(dst), uint8(second), inMem(third), 64, 1)
	a.emit(table)
}

var (
	vmovdqa64Load  = opcode{1, 1, 1, 0x6f}
	vmovdqu64Load  = opcode{2, 1, 1, 0x6f}
	vmovdqu64Store = opcode{2, 1, 1, 0x7f}
)

// Move512 writes vmovdqa64 between registers.
func (a *Asm) Move512(dst, src Vec) {
	a.evex(vmovdqa64Load, ZMM, masking{}, uint8(dst), 0, inReg(uint8(src)), 64, 0)
}

// Load512 writes vmovdqu64 from memory, which need not be aligned.
func (a *Asm) Load512(dst Vec, src Mem) {
	a.evex(vmovdqu64Load, ZMM, masking{}, uint8(dst), 0, inMem(src), 64, 0)
}

// Store512 writes vmovdqu64 to memory.
func (a *Asm) Store512(dst Mem, src Vec) {
	a.evex(vmovdqu64Store, ZMM, masking{}, uint8(src), 0, inMem(dst), 64, 0)
}

// Load256 writes vmovdqu from memory.
func (a *Asm) Load256(dst Vec, src Mem) { a.vex(vmovdqu64Load, 0, YMM, uint8(dst), 0, inMem(src), 0) }

// Store256 writes vmovdqu to memory.
func (a *Asm) Store256(dst Mem, src Vec) { a.vex(vmovdqu64Store, 0, YMM, uint8(src), 0, inMem(dst), 0) }

// Ones256 sets all bits of a register, by comparing it with itself (vpcmpeqd).
func (a *Asm) Ones256(dst Vec) {
	a.vex(opcode{1, 1, 0, 0x76}, 0, YMM, uint8(dst), uint8(dst), inReg(uint8(dst)), 0)
}

// ZeroUpper writes vzeroupper. Instructions with legacy encodings then run at full speed.
func (a *Asm) ZeroUpper() { a.emit(0xc5, 0xf8, 0x77) }
