package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// relaxed512 holds the steps that are specific to AVX-512.
type relaxed512 struct{ width }

func (r relaxed512) bins() {
	step("relaxedBins", "AVX512", relaxedBinsSignature, relaxedBinsDoc)
	alpha, beta, delta, a, b, n := general("alpha"), general("beta"), general("delta"), general("a"), general("b"),
		general("blocks")
	p := r.plane()
	s := [4]reg.VecVirtual{zero512(), zero512(), zero512(), zero512()}
	loop(n, func() {
		d, x, y := ZMM(), ZMM(), ZMM()
		VMOVUPS(Mem{Base: delta}, d)
		VMOVUPS(Mem{Base: a}, x)
		VMOVUPS(Mem{Base: b}, y)
		u, v, part := ZMM(), ZMM(), ZMM()
		VMULPS(x, d, u)
		VSUBPS(u, d, v)
		for i, w := range []reg.VecVirtual{v, u} {
			VMULPS(y, w, part)
			VADDPS(part, s[2*i+1], s[2*i+1])
			VSUBPS(part, w, w)
			VADDPS(w, s[2*i], s[2*i])
		}
		da, db := r.line(p.a, p.ab, y), r.line(p.b, p.ab, x)
		VMULPS(d, da, da)
		VMULPS(d, db, db)
		VMOVUPS(da, Mem{Base: alpha})
		VMOVUPS(db, Mem{Base: beta})
		advance(zmm, alpha, beta, delta, a, b)
	})
	sums := foldFour(r.fold(s[:1]), r.fold(s[1:2]), r.fold(s[2:3]), r.fold(s[3:]))
	VMOVUPS(sums, Mem{Base: general("s")})
	VZEROUPPER()
	RET()
}

func (relaxed512) spread() {
	step("spread", "AVX512", spreadSignature, spreadDoc)
	dst, from, n, one := general("dst"), general("bits"), general("blocks"), broadcast(1)
	loop(n, func() {
		bits, x := K(), ZMM()
		KMOVW(Mem{Base: from}, bits)
		VMOVAPS_Z(one, bits, x)
		VMOVUPS(x, Mem{Base: dst})
		advance(zmm, dst)
		advance(2, from)
	})
	VZEROUPPER()
	RET()
}

// mean512 holds constants that meanBits loads once.
type mean512 struct {
	bits       [4]reg.OpmaskVirtual // lanes whose number has bit i set
	first      [2]reg.VecVirtual    // moves byte i of eight rows into word i, for bytes 0 to 7 and 8 to 15
	identity   reg.VecVirtual       // identity matrix of bits in each word
	interleave reg.VecVirtual       // permutation that moves byte i of each 128-bit lane into lane i
}

func newMean512() (m mean512) {
	m.bits = [4]reg.OpmaskVirtual{opmask(0xaaaa), opmask(0xcccc), opmask(0xf0f0), opmask(0xff00)}
	for h := range m.first {
		m.first[h] = bytes512(fmt.Sprintf("words%d", h), func(i int) uint8 { return uint8(16*(7-i%8) + i/8 + 8*h) })
	}
	m.identity = bytes512("identity", func(i int) uint8 { return 1 << (i % 8) })
	m.interleave = bytes512("interleave", func(i int) uint8 { return uint8(i%4*16 + i/4) })
	return m
}

// bytes512 returns a vector of constant bytes.
func bytes512(name string, f func(i int) uint8) reg.VecVirtual {
	m, z := GLOBL(name, 8|16), ZMM() // RODATA|NOPTR
	for i := range zmm {
		DATA(i, U8(f(i)))
	}
	VMOVDQU8(m, z)
	return z
}

// meanBits handles eight candidates at a time. It turns their rows into one byte for each sample. Each half of the
// byte selects a sum of probabilities.
func (r relaxed512) meanBits() {
	step("meanBits", "AVX512", meanBitsSignature, meanBitsDoc)
	dst, q, k, x, offsets, n := general("dst"), general("q"), general("k"), general("x"), general("offsets"),
		general("blocks")
	m := newMean512()
	ADDQ(U8(meanSet-1), k)
	SHRQ(U8(log2(meanSet)), k)
	chunks(n, r.chunk, func(n int) {
		sums, p, to := r.zeros(n), copied(q), copied(offsets)
		loop(copied(k), func() {
			samples := m.samples(x, to, n)
			low, high := m.subsets(p, 0), m.subsets(p, 4)
			for i, sum := range sums {
				at := samples[i/4]
				if i%4 > 0 {
					at = right512(at, 8*(i%4))
				}
				part, other := ZMM(), ZMM()
				VPERMPS(low, at, part)
				VADDPS(part, sum, sum)
				VPERMPS(high, right512(samples[i/4], 8*(i%4)+4), other)
				VADDPS(other, sum, sum)
			}
			advance(4*meanSet, to, p)
		})
		r.store(sums, dst)
	}, func() {
		advance(zmm*r.chunk, dst)
		advance(2*r.chunk, x)
	})
}

// right512 returns the lanes shifted to the right.
func right512(z reg.VecVirtual, by int) reg.VecVirtual {
	y := ZMM()
	VPSRLD(U8(by), z, y)
	return y
}

// samples returns the bits of eight candidates for n blocks of samples, beginning at address x. Each vector of the
// result has 64 samples. Byte v of lane l holds the bits for sample 16 v + l.
func (m *mean512) samples(x, offsets reg.Register, n int) (z []reg.VecVirtual) {
	var rows [2]reg.VecVirtual
	for h := range rows {
		rows[h] = ZMM()
		for j := range 4 {
			at, row := GP64(), XMM()
			MOVL(Mem{Base: offsets, Disp: 4 * (4*h + j)}, at.As32())
			switch from := index(x, at, 1, 0); {
			case n <= 4 && j == 0: // the row may have only one word
				VMOVQ(from, rows[h].AsX())
			case n <= 4:
				VMOVQ(from, row)
				VINSERTI32X4(U8(j), row, rows[h], rows[h])
			case j == 0:
				VMOVDQU32(from, rows[h].AsX())
			default:
				VINSERTI32X4(U8(j), from, rows[h], rows[h])
			}
		}
	}
	for h := range (n + 3) / 4 {
		y := ZMM()
		VMOVDQA64(m.first[h], y)
		VPERMI2B(rows[1], rows[0], y)
		VGF2P8AFFINEQB(U8(0), y, m.identity, y)
		VPERMB(y, m.interleave, y)
		z = append(z, y)
	}
	return z
}

// subsets returns the sums of the subsets of four probabilities. The first probability is the entry of q with the
// index from.
func (m *mean512) subsets(q reg.Register, from int) reg.VecVirtual {
	at := func(i int) Mem { return Mem{Base: q, Disp: 4 * (from + i)} }
	low, high := ZMM(), ZMM()
	VBROADCASTSS_Z(at(0), m.bits[0], low)
	VADDPS_BCST(at(1), low, m.bits[1], low)
	VBROADCASTSS_Z(at(2), m.bits[2], high)
	VADDPS_BCST(at(3), high, m.bits[3], high)
	VADDPS(high, low, low)
	return low
}
