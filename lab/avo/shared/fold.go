package main

import (
	"sync"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// firstOfFour holds the numbers of the lanes that begin each group of four.
var firstOfFour = sync.OnceValue(func() Mem {
	m := GLOBL("firstOfFour", RODATA|NOPTR)
	for i := range 4 {
		DATA(wordBytes*i, U32(4*i))
	}
	return m
})

// fold512 returns a function that adds up the lanes of each of four sums. The function first adds the two halves of
// 256 bits, then the two halves of 128 bits, and so on. The first step handles two sums at once, and each later step
// handles all four sums at once.
func fold512() func(sums [4][]reg.VecVirtual) reg.Register {
	first := XMM()
	VMOVUPS(firstOfFour(), first)
	return func(sums [4][]reg.VecVirtual) reg.Register {
		two := func(low, high uint8, a, b reg.VecVirtual) reg.VecVirtual {
			x, y := ZMM(), ZMM()
			VSHUFF64X2(U8(low), b, a, x)
			VSHUFF64X2(U8(high), b, a, y)
			VADDPS(y, x, x)
			return x
		}
		ab, cd := two(0x44, 0xee, sums[0][0], sums[1][0]), two(0x44, 0xee, sums[2][0], sums[3][0])
		all, turned := two(0x88, 0xdd, ab, cd), ZMM()
		VPERMILPS(U8(0x4e), all, turned)
		VADDPS(turned, all, all)
		VPERMILPS(U8(0xb1), all, turned)
		VADDPS(turned, all, all)
		VPERMPS(all, first.AsZ(), all)
		return all.AsX()
	}
}

// fold2 returns a function that adds up the two vectors of each of four sums and then the lanes. For the lanes, the
// function first adds the two halves of 128 bits, for two sums at once.
func fold2() func(sums [4][]reg.VecVirtual) reg.Register {
	return func(sums [4][]reg.VecVirtual) reg.Register {
		two := func(i int) reg.VecVirtual {
			a, b, y := YMM(), YMM(), YMM()
			VADDPS(sums[i][1], sums[i][0], a)
			VADDPS(sums[i+1][1], sums[i+1][0], b)
			VPERM2F128(U8(0x31), b, a, y)
			VINSERTF128(U8(1), b.AsX(), a, a)
			VADDPS(y, a, a)
			return a
		}
		ab, cd := two(0), two(2)
		all, turned, high := YMM(), YMM(), XMM()
		VUNPCKLPD(cd, ab, all) // each 128-bit lane holds half of a and half of c, or half of b and half of d
		VUNPCKHPD(cd, ab, turned)
		VADDPS(turned, all, all)
		VPERMILPS(U8(0xb1), all, turned)
		VADDPS(turned, all, all)
		VEXTRACTF128(U8(1), all, high)
		VBLENDPS(U8(0b1010), high, all.AsX(), high)
		return high
	}
}
