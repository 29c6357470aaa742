package x86

var vpcmpu = map[int]opcode{1: {1, 3, 0, 0x3e}, 2: {1, 3, 1, 0x3e}}

// Above512 writes vpcmpub or vpcmpuw, for elements of 1 or 2 bytes. The bit of dst for an element is 1 if first >
// second, unsigned.
func (a *Asm) Above512(size int, dst Mask, first, second Vec) {
	a.evex(vpcmpu[size], ZMM, masking{}, uint8(dst), uint8(first), inReg(uint8(second)), 64, 1)
	a.emit(6) // predicate 6 is "not less or equal"
}

var vpblendm = map[int]opcode{1: {1, 2, 0, 0x66}, 2: {1, 2, 1, 0x66}}

// Select512 writes vpblendmb or vpblendmw, for elements of 1 or 2 bytes. An element of the result comes from second
// if its mask bit is 1, and from first otherwise.
func (a *Asm) Select512(size int, k Mask, dst, first, second Vec) {
	a.evex(vpblendm[size], ZMM, masking{k: k}, uint8(dst), uint8(first), inReg(uint8(second)), 64, 0)
}

var vmovdquStore = map[int]opcode{2: {3, 1, 1, 0x7f}, 4: {2, 1, 0, 0x7f}}

// StoreMasked512 writes vmovdqu16 or vmovdqu32, which stores the elements of 2 or 4 bytes whose mask bit is 1. The
// instruction does not touch the memory of the other elements.
func (a *Asm) StoreMasked512(size int, dst Mem, k Mask, src Vec) {
	a.evex(vmovdquStore[size], ZMM, masking{k: k}, uint8(src), 0, inMem(dst), 64, 0)
}

var (
	kmovw    = opcode{0, 1, 0, 0x90}
	kmovd    = opcode{1, 1, 1, 0x90}
	kmovdGPR = opcode{3, 1, 0, 0x92}
)

// LoadMask16 writes kmovw from memory.
func (a *Asm) LoadMask16(dst Mask, src Mem) { a.vex(kmovw, kmovw.w, XMM, uint8(dst), 0, inMem(src), 0) }

// LoadMask32 writes kmovd from memory.
func (a *Asm) LoadMask32(dst Mask, src Mem) { a.vex(kmovd, kmovd.w, XMM, uint8(dst), 0, inMem(src), 0) }

// Mask32 writes kmovd from the lower half of a general register.
func (a *Asm) Mask32(dst Mask, src Reg) {
	a.vex(kmovdGPR, kmovdGPR.w, XMM, uint8(dst), 0, inReg(uint8(src)), 0)
}

var bzhi = opcode{0, 2, 1, 0xf5}

// LowBits writes bzhi (BMI2), which copies the lowest bits of src to dst. The lowest byte of count is the number of
// bits.
func (a *Asm) LowBits(dst, src, count Reg) {
	a.vex(bzhi, bzhi.w, XMM, uint8(dst), uint8(count), inReg(uint8(src)), 0)
}
