package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// relaxed2 holds the steps that are specific to AVX2.
type relaxed2 struct {
	width
	k     steps2
	bytes Mem // in every group of four lanes, moves byte i of lane j to byte j of lane i
	swaps [3]Mem
	lanes [2]Mem // lanes[0] moves lane 4 i + j to lane 2 j + i; lanes[1] does the reverse
}

// writeRelaxed2 emits the steps in AVX2.
func writeRelaxed2() {
	extract128 = func(ops ...Op) { VEXTRACTF128(ops[0], ops[1], ops[2]) }
	r := relaxed2{width: inAVX2, k: steps2{kernel2: kernel2{c: constants2()}}}
	r.bytes = words2("bytes", func(i int) uint32 { return 0x0c080400 + 0x01010101*uint32(i%4) })
	for i, word := range [3]uint64{0x00aa00aa00aa00aa, 0x0000cccc0000cccc, 0x00000000f0f0f0f0} {
		r.swaps[i] = words2(fmt.Sprintf("swap%d", i), func(i int) uint32 { return uint32(word >> (i % 2 * 32)) })
	}
	r.lanes[0] = words2("pairUp", func(i int) uint32 { return uint32(i%2*4 + i/2) })
	r.lanes[1] = words2("part", func(i int) uint32 { return uint32(i%4*2 + i/4) })
	relaxed(inAVX2, r)
}

// words2 writes a vector of constants to memory.
func words2(name string, f func(i int) uint32) Mem {
	m := GLOBL(name, 8|16) // RODATA|NOPTR
	for i := range 8 {
		DATA(4*i, U32(f(i)))
	}
	return m
}

// bins goes over the samples twice, first for the sums and then for the gradients, because there are too few
// registers for both at once.
func (r relaxed2) bins() {
	step("relaxedBins", "AVX2", relaxedBinsSignature, relaxedBinsDoc)
	alpha, beta, delta, a, b, n := general("alpha"), general("beta"), general("delta"), general("a"), general("b"),
		general("blocks")
	var s [4][]reg.VecVirtual // lanes 0 to 7 and lanes 8 to 15 of each sum
	for i := range s {
		s[i] = r.zeros(1)
	}
	at, rest := GP64(), copied(n)
	XORQ(at, at)
	loop(rest, func() {
		for h := range 2 {
			from := func(base reg.Register) Mem { return index(base, at, 1, ymm*h) }
			u, v, y, part := YMM(), YMM(), YMM(), YMM()
			VMOVUPS(from(delta), v)
			VMOVUPS(from(b), y)
			VMULPS(from(a), v, u)
			VSUBPS(u, v, v)
			for i, w := range []reg.VecVirtual{v, u} {
				VMULPS(y, w, part)
				VADDPS(part, s[2*i+1][h], s[2*i+1][h])
				VSUBPS(part, w, w)
				VADDPS(w, s[2*i][h], s[2*i][h])
			}
		}
		ADDQ(U8(2*ymm), at)
	})
	var sums [4]reg.VecVirtual
	for i := range s {
		sums[i] = r.fold(s[i])
	}
	VMOVUPS(foldFour(sums[0], sums[1], sums[2], sums[3]), Mem{Base: general("s")})
	p := r.plane()
	loop(n, func() {
		for h := range 2 {
			at := func(base reg.Register) Mem { return Mem{Base: base, Disp: ymm * h} }
			d, x, y := YMM(), YMM(), YMM()
			VMOVUPS(at(delta), d)
			VMOVUPS(at(a), x)
			VMOVUPS(at(b), y)
			da, db := r.line(p.a, p.ab, y), r.line(p.b, p.ab, x)
			VMULPS(d, da, da)
			VMULPS(d, db, db)
			VMOVUPS(da, at(alpha))
			VMOVUPS(db, at(beta))
		}
		advance(2*ymm, alpha, beta, delta, a, b)
	})
	VZEROUPPER()
	RET()
}

func (r relaxed2) spread() {
	step("spread", "AVX2", spreadSignature, spreadDoc)
	dst, from, n := general("dst"), general("bits"), general("blocks")
	loop(n, func() {
		for h := range 2 {
			x := r.k.spread(Mem{Base: from}, h)
			VANDPS(r.k.c["one"], x, x)
			VMOVUPS(x, Mem{Base: dst, Disp: ymm * h})
		}
		advance(2*ymm, dst)
		advance(2, from)
	})
	VZEROUPPER()
	RET()
}

// meanBits handles eight candidates and 32 samples at a time. It turns the candidates' rows into one byte for each
// sample. Every two bits of the byte select a sum of probabilities.
func (r relaxed2) meanBits() {
	step("meanBits", "AVX2", meanBitsSignature, meanBitsDoc)
	dst, q, k, x, offsets, n := general("dst"), general("q"), general("k"), general("x"), general("offsets"),
		general("blocks")
	var lanes [2]reg.VecVirtual
	for i, m := range r.lanes {
		lanes[i] = YMM()
		VMOVDQU(m, lanes[i])
	}
	ADDQ(U8(meanSet-1), k)
	SHRQ(U8(log2(meanSet)), k)
	chunks(n, 2, func(n int) {
		sums, p, to := r.zeros(n), copied(q), copied(offsets)
		loop(copied(k), func() {
			samples := r.samples(x, to, n, lanes)
			for half := range 2 {
				low, high := pairSums(p, 4*half), pairSums(p, 4*half+2)
				for i, sum := range sums {
					part, other := YMM(), YMM()
					VPERMILPS(right2(samples, 8*i+4*half), low, part)
					VPERMILPS(right2(samples, 8*i+4*half+2), high, other)
					VADDPS(other, part, part)
					VADDPS(part, sum, sum)
				}
			}
			advance(4*meanSet, to, p)
		})
		r.store(sums, dst)
	}, func() {
		advance(4*ymm, dst)
		advance(4, x)
	})
}

// right2 returns the lanes shifted to the right.
func right2(y reg.VecVirtual, by int) reg.VecVirtual {
	if by == 0 {
		return y
	}
	z := YMM()
	VPSRLD(U8(by), y, z)
	return z
}

// samples returns the bits of eight candidates for 16 n samples, beginning at address x. Byte v of lane l holds the
// bits for sample 8 v + l.
func (r relaxed2) samples(x, offsets reg.Register, n int, lanes [2]reg.VecVirtual) reg.VecVirtual {
	var half [2]reg.VecVirtual
	for h := range half {
		half[h] = XMM()
		for j := range 4 {
			at, row := GP64(), GP32()
			MOVL(Mem{Base: offsets, Disp: 4 * (4*h + j)}, at.As32())
			if n == 1 { // the row may end after these samples
				MOVWLZX(index(x, at, 1, 0), row)
			} else {
				MOVL(index(x, at, 1, 0), row)
			}
			if j == 0 {
				VMOVD(row, half[h])
			} else {
				VPINSRD(U8(j), row, half[h], half[h])
			}
		}
	}
	y := YMM()
	VINSERTI128(U8(1), half[1], half[0].AsY(), y)
	// Move byte i of each candidate into word i.
	VPSHUFB(r.bytes, y, y)
	VPERMD(y, lanes[0], y)
	// Transpose the bits of a word, which are eight bytes of eight bits.
	for i, by := range []uint8{7, 14, 28} {
		z, t := YMM(), YMM()
		VPSRLQ(U8(by), y, z)
		VPXOR(y, z, z)
		VPAND(r.swaps[i], z, z)
		VPSLLQ(U8(by), z, t)
		VPXOR(t, z, z)
		VPXOR(z, y, y)
	}
	// Move byte i of each word into lane i.
	VPERMD(y, lanes[1], y)
	VPSHUFB(r.bytes, y, y)
	return y
}

// pairSums returns the sums of all subsets of two probabilities. The first probability is the entry of q with the
// index from, and the second is the next entry.
func pairSums(q reg.Register, from int) reg.VecVirtual {
	x, y, z := XMM(), XMM(), YMM()
	VMOVSD(Mem{Base: q, Disp: 4 * from}, x)
	VPERMILPS(U8(0x5a), x, y) // 0, 0, q1, q1
	VPERMILPS(U8(0x22), x, x) // 0, q0, 0, q0
	VADDPS(y, x, x)
	VINSERTF128(U8(1), x, x.AsY(), z)
	return z
}
