package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// relaxed512 writes the steps in AVX-512.
type relaxed512 struct{}

// chunk512 is the blocks of a chunk.
const chunk512 = 8

// plane512 holds the coefficients of a gate's output as a polynomial of its pins.
type plane512 struct{ one, a, b, ab reg.VecVirtual }

// newPlane512 loads the coefficients of the truth values t.
func newPlane512() (p plane512) {
	t := general("t")
	ca, cb := coefficients(Mem{Base: t})
	ab := XMM()
	VMOVSHDUP(cb, ab)
	VSUBSS(cb, ab, ab)
	p = plane512{ZMM(), ZMM(), ZMM(), ZMM()}
	VBROADCASTSS(Mem{Base: t}, p.one)
	VBROADCASTSS(ca, p.a)
	VBROADCASTSS(cb, p.b)
	VBROADCASTSS(ab, p.ab)
	return p
}

// line returns c + d x.
func line512(c, d, x reg.VecVirtual) reg.VecVirtual {
	y := ZMM()
	VMULPS(x, d, y)
	VADDPS(y, c, y)
	return y
}

func (relaxed512) mix() {
	step("mix", "AVX512", mixSignature, mixDoc)
	dst, a, b, p, n := general("dst"), general("a"), general("b"), newPlane512(), general("blocks")
	loop(n, func() {
		y := ZMM()
		VMOVUPS(Mem{Base: b}, y)
		low, slope := line512(p.one, p.b, y), line512(p.a, p.ab, y)
		VMULPS(Mem{Base: a}, slope, slope)
		VADDPS(slope, low, low)
		VMOVUPS(low, Mem{Base: dst})
		advance(zmm, dst, a, b)
	})
	VZEROUPPER()
	RET()
}

func (relaxed512) bins() {
	step("relaxedBins", "AVX512", relaxedBinsSignature, relaxedBinsDoc)
	alpha, beta, delta, a, b, n := general("alpha"), general("beta"), general("delta"), general("a"), general("b"),
		general("blocks")
	p := newPlane512()
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
		da, db := line512(p.a, p.ab, y), line512(p.b, p.ab, x)
		VMULPS(d, da, da)
		VMULPS(d, db, db)
		VMOVUPS(da, Mem{Base: alpha})
		VMOVUPS(db, Mem{Base: beta})
		advance(zmm, alpha, beta, delta, a, b)
	})
	sums := foldFour(fold4(fold8(s[0])), fold4(fold8(s[1])), fold4(fold8(s[2])), fold4(fold8(s[3])))
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

// zeros512 returns n vectors of zeros.
func zeros512(n int) []reg.VecVirtual {
	z := make([]reg.VecVirtual, n)
	for i := range z {
		z[i] = zero512()
	}
	return z
}

// mean512 is what meanBits takes from memory once.
type mean512 struct {
	bits       [4]reg.OpmaskVirtual // the lanes whose number has the bit
	first      [2]reg.VecVirtual    // moves byte i of eight rows into word i, for bytes 0 to 7 and 8 to 15
	identity   reg.VecVirtual       // identity matrix of bits in each word
	interleave reg.VecVirtual       // permutation that moves byte i of each 128 bits into lane i
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

// meanBits takes eight candidates at a time: it turns their rows into bytes of a sample,
// whose halves select a sum of probabilities.
func (relaxed512) meanBits() {
	step("meanBits", "AVX512", meanBitsSignature, meanBitsDoc)
	dst, q, k, x, offsets, n := general("dst"), general("q"), general("k"), general("x"), general("offsets"),
		general("blocks")
	m := newMean512()
	ADDQ(U8(meanSet-1), k)
	SHRQ(U8(log2(meanSet)), k)
	chunks(n, chunk512, func(n int) {
		sums, p, to := zeros512(n), copied(q), copied(offsets)
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
		store512s(sums, dst)
	}, func() {
		advance(zmm*chunk512, dst)
		advance(2*chunk512, x)
	})
}

// right512 returns the lanes shifted to the right.
func right512(z reg.VecVirtual, by int) reg.VecVirtual {
	y := ZMM()
	VPSRLD(U8(by), z, y)
	return y
}

// samples returns for every 64 samples of n blocks, from x on, what eight candidates have
// there: byte v of lane l is that of sample 16 v + l.
func (m *mean512) samples(x, offsets reg.Register, n int) (z []reg.VecVirtual) {
	var rows [2]reg.VecVirtual
	for h := range rows {
		rows[h] = ZMM()
		for j := range 4 {
			at, row := GP64(), XMM()
			MOVL(Mem{Base: offsets, Disp: 4 * (4*h + j)}, at.As32())
			switch from := index(x, at, 1, 0); {
			case n <= 4 && j == 0: // a row may have a single word
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

// subsets returns the sums of the subsets of four probabilities, from the given one on.
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

func (relaxed512) meanRows() {
	step("meanRows", "AVX512", meanRowsSignature, meanRowsDoc)
	dst, q, k, x, offsets, n := general("dst"), general("q"), general("k"), general("rows"), general("offsets"),
		general("blocks")
	chunks(n, chunk512, func(n int) {
		sums, p, to := zeros512(n), copied(q), copied(offsets)
		loop(copied(k), func() {
			at, share := offset(to), ZMM()
			VBROADCASTSS(Mem{Base: p}, share)
			advance(4, p)
			addProducts512(sums, share, func(i int) Mem { return index(x, at, 1, zmm*i) })
		})
		store512s(sums, dst)
	}, func() { advance(zmm*chunk512, dst, x) })
}

// addProducts512 adds the products of a factor and the vectors at row to the sums.
func addProducts512(sums []reg.VecVirtual, factor reg.VecVirtual, row func(i int) Mem) {
	for i, sum := range sums {
		product := ZMM()
		VMULPS(row(i), factor, product)
		VADDPS(product, sum, sum)
	}
}

// store512s stores vectors one after the other.
func store512s(z []reg.VecVirtual, to reg.Register) {
	for i, v := range z {
		VMOVUPS(v, Mem{Base: to, Disp: zmm * i})
	}
}

func (relaxed512) rowSums() {
	step("rowSums", "AVX512", rowSumsSignature, rowSumsDoc)
	r, k, grad, rows, offsets, n := general("r"), general("k"), general("grad"), general("rows"), general("offsets"),
		general("blocks")
	again := label()
	Label(again)
	var x, sums [sumsAtOnce]reg.VecVirtual
	var row [sumsAtOnce]reg.GPVirtual
	for j := range row {
		row[j], sums[j] = offset(offsets), zero512()
		ADDQ(rows, row[j])
	}
	at := GP64()
	XORQ(at, at)
	loop(copied(n), func() {
		g := ZMM()
		VMOVUPS(index(grad, at, 1, 0), g)
		for j := range row {
			x[j] = ZMM()
			VMULPS(index(row[j], at, 1, 0), g, x[j])
			VADDPS(x[j], sums[j], sums[j])
		}
		ADDQ(U8(zmm), at)
	})
	for j := range x {
		x[j] = fold4(fold8(sums[j]))
	}
	VMOVUPS(foldFour(x[0], x[1], x[2], x[3]), Mem{Base: r})
	advance(4*sumsAtOnce, r)
	SUBQ(U8(sumsAtOnce), k)
	JGT(LabelRef(again))
	VZEROUPPER()
	RET()
}

func (relaxed512) gather() {
	step("gatherRelaxed", "AVX512", shareSignature, shareDoc)
	dst, edges, count := general("dst"), general("edges"), general("n")
	pins, share, row, n := general("pins"), general("share"), general("row"), general("blocks")
	chunks(n, chunk512, func(n int) {
		sums, e := zeros512(n), copied(edges)
		loop(copied(count), func() {
			from, factor := edge(e, pins, row, share)
			q := ZMM()
			VBROADCASTSS(factor, q)
			addProducts512(sums, q, func(i int) Mem { return Mem{Base: from, Disp: zmm * i} })
		})
		store512s(sums, dst)
	}, func() { advance(zmm*chunk512, dst, pins) })
}
