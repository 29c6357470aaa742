package x86

// Packed is an instruction on the elements of two vectors that has the same form in AVX2 and
// AVX-512.
type Packed uint8

// These are the instructions. Words have 16 bits, and dwords have 32 bits. An unpacking interleaves the elements of
// the lower or the upper half of each 128-bit lane of first and second. A comparison is signed. Its results are
// elements of all ones or all zeros. Comparisons exist only for AVX2.
const (
	AddBytes Packed = iota
	AddWords
	AddDwords
	SubtractBytes
	SubtractWords
	SubtractDwords
	UnpackLowBytes
	UnpackLowWords
	UnpackLowDwords
	UnpackHighBytes
	UnpackHighWords
	UnpackHighDwords
	GreaterBytes
	GreaterWords
	EqualBytes
	EqualWords
	EqualDwords
)

var packed = [...]opcode{
	AddBytes:         {1, 1, 0, 0xfc},
	AddWords:         {1, 1, 0, 0xfd},
	AddDwords:        {1, 1, 0, 0xfe},
	SubtractBytes:    {1, 1, 0, 0xf8},
	SubtractWords:    {1, 1, 0, 0xf9},
	SubtractDwords:   {1, 1, 0, 0xfa},
	UnpackLowBytes:   {1, 1, 0, 0x60},
	UnpackLowWords:   {1, 1, 0, 0x61},
	UnpackLowDwords:  {1, 1, 0, 0x62},
	UnpackHighBytes:  {1, 1, 0, 0x68},
	UnpackHighWords:  {1, 1, 0, 0x69},
	UnpackHighDwords: {1, 1, 0, 0x6a},
	GreaterBytes:     {1, 1, 0, 0x64},
	GreaterWords:     {1, 1, 0, 0x65},
	EqualBytes:       {1, 1, 0, 0x74},
	EqualWords:       {1, 1, 0, 0x75},
	EqualDwords:      {1, 1, 0, 0x76},
}

// Packed writes the instruction with ymm or zmm registers.
func (a *Asm) Packed(w Width, op Packed, dst, first, second Vec) {
	if w != ZMM {
		a.vex(packed[op], 0, w, uint8(dst), uint8(first), inReg(uint8(second)), 0)
		return
	}
	a.PackedMasked(op, 0, dst, first, second)
}

// PackedMasked writes the instruction with zmm registers and a mask. Elements whose mask bit is 0 are unchanged.
func (a *Asm) PackedMasked(op Packed, k Mask, dst, first, second Vec) {
	if op >= GreaterBytes {
		panic("x86: a comparison with AVX-512 gives a mask")
	}
	a.evex(packed[op], ZMM, masking{k: k}, uint8(dst), uint8(first), inReg(uint8(second)), 64, 0)
}

var (
	vperm2i128 = opcode{1, 3, 0, 0x46}
	vshufi64x2 = opcode{1, 3, 1, 0x43}
)

// Lanes256 writes vperm2i128. Each half of dst becomes a half of first or second. The low two bits of choice select
// the lower half of dst, and bits 4 and 5 select the upper half.
func (a *Asm) Lanes256(dst, first, second Vec, choice uint8) {
	a.vex(vperm2i128, 0, YMM, uint8(dst), uint8(first), inReg(uint8(second)), 1)
	a.emit(choice)
}

// Lanes512 writes vshufi64x2. The lower two 128-bit lanes of dst become lanes of first, and the upper two become
// lanes of second. Two bits of choice select each lane.
func (a *Asm) Lanes512(dst, first, second Vec, choice uint8) {
	a.evex(vshufi64x2, ZMM, masking{}, uint8(dst), uint8(first), inReg(uint8(second)), 64, 1)
	a.emit(choice)
}

var vpblendvb = opcode{1, 3, 0, 0x4c}

// Select256 writes vpblendvb. A byte of the result comes from second if the highest bit of the mask's byte is 1, and
// from first otherwise.
func (a *Asm) Select256(dst, first, second, mask Vec) {
	a.vex(vpblendvb, 0, YMM, uint8(dst), uint8(first), inReg(uint8(second)), 1)
	a.emit(uint8(mask) << 4)
}

var (
	vpbroadcast = map[int]opcode{1: {1, 2, 0, 0x78}, 2: {1, 2, 0, 0x79}, 4: {1, 2, 0, 0x58}}
	vpmaskmovd  = opcode{1, 2, 0, 0x8e}
)

// Broadcast256 writes vpbroadcastb, vpbroadcastw or vpbroadcastd of an element of 1, 2 or 4 bytes
// in memory.
func (a *Asm) Broadcast256(size int, dst Vec, src Mem) {
	a.vex(vpbroadcast[size], 0, YMM, uint8(dst), 0, inMem(src), 0)
}

// StoreDwords256 writes vpmaskmovd, which stores the 32-bit elements whose highest bit in mask is 1. The instruction
// does not touch the memory of the other elements.
func (a *Asm) StoreDwords256(dst Mem, mask, src Vec) {
	a.vex(vpmaskmovd, 0, YMM, uint8(src), uint8(mask), inMem(dst), 0)
}
