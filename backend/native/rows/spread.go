package rows

import "ialgn/backend/native/x86"

// spreader512 adds digits under masks, which come from memory as they are.
type spreader512 struct {
	a    *x86.Asm
	pool *pool
}

const (
	ones512  x86.Vec  = 31
	digit512 x86.Mask = 1
	few512   x86.Mask = 2
)

func (s *spreader512) prepare(size int) { s.a.Load512(ones512, s.pool.vector(every(x86.ZMM, size, 1))) }

func (s *spreader512) digit(size int, numbers x86.Vec, bits x86.Mem) {
	if size == 2 {
		s.a.LoadMask32(digit512, bits)
	} else {
		s.a.LoadMask16(digit512, bits)
	}
	s.a.PackedMasked(sized(x86.AddBytes, size), digit512, numbers, numbers, ones512)
}

func (s *spreader512) one(size int, numbers x86.Vec) {
	s.a.Packed(x86.ZMM, sized(x86.AddBytes, size), numbers, numbers, ones512)
}

func (s *spreader512) storeClasses(to x86.Reg, numbers x86.Vec) {
	s.a.MovImm(free, ^uint64(0))
	s.a.LowBits(free, free, left)
	s.a.Mask32(few512, free)
	s.a.StoreMasked512(2, x86.At(to, 0), few512, numbers)
}

func (s *spreader512) few(n int) {
	s.a.MovImm(free, 1<<n-1)
	s.a.Mask32(few512, free)
}

func (s *spreader512) storeFew(to x86.Mem, numbers x86.Vec) {
	s.a.StoreMasked512(4, to, few512, numbers)
}

// spreader256 copies the bits of a step's samples into all elements, looks at a different one in each, and subtracts
// the -1 of equality.
type spreader256 struct {
	a    *x86.Asm
	pool *pool
}

const (
	digit256 x86.Vec = 12
	ones256  x86.Vec = 13 // -1
	few256   x86.Vec = 14
	own256   x86.Vec = 15 // the bit of each element's sample
)

func (s *spreader256) prepare(size int) {
	s.a.Load256(ones256, s.pool.vector(every(x86.YMM, size, ^uint32(0))))
	s.a.Load256(own256, s.pool.vector(elements(x86.YMM, size, func(i int) uint32 { return 1 << i })))
}

func (s *spreader256) digit(size int, numbers x86.Vec, bits x86.Mem) {
	s.a.Broadcast256(x86.YMM.Bytes()/size/8, digit256, bits)
	s.a.Bitwise256(x86.And, digit256, digit256, own256)
	s.a.Packed(x86.YMM, sized(x86.EqualBytes, size), digit256, digit256, own256)
	s.a.Packed(x86.YMM, sized(x86.SubtractBytes, size), numbers, numbers, digit256)
}

func (s *spreader256) one(size int, numbers x86.Vec) {
	s.a.Packed(x86.YMM, sized(x86.SubtractBytes, size), numbers, numbers, ones256)
}

// storeClasses copies from the stack, since AVX2 has no masks for elements of 16 bits.
func (s *spreader256) storeClasses(to x86.Reg, numbers x86.Vec) {
	a := s.a
	a.OpImm(x86.Subtract, x86.RSP, int32(x86.YMM.Bytes()))
	a.Store256(x86.At(x86.RSP, 0), numbers)
	a.Mov(line, state)
	a.Mov(free, counts)
	a.Lea(x86.RCX, x86.Indexed(left, left, 1, 0))
	a.Mov(x86.RSI, x86.RSP)
	a.Mov(x86.RDI, to)
	a.MoveBytes()
	a.Mov(state, line)
	a.Mov(counts, free)
	a.OpImm(x86.Add, x86.RSP, int32(x86.YMM.Bytes()))
}

func (s *spreader256) few(n int) {
	mask := elements(x86.YMM, 4, func(i int) uint32 {
		if i < n {
			return ^uint32(0)
		}
		return 0
	})
	s.a.Load256(few256, s.pool.vector(mask))
}

func (s *spreader256) storeFew(to x86.Mem, numbers x86.Vec) { s.a.StoreDwords256(to, few256, numbers) }
