package main

import (
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
	ca, cb := coefficients(t)
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
	alpha, beta, a, b, n := general("alpha"), general("beta"), general("a"), general("b"), general("blocks")
	p := newPlane512()
	s := [4]reg.VecVirtual{zero512(), zero512(), zero512(), zero512()}
	loop(n, func() {
		d, x, y := ZMM(), ZMM(), ZMM()
		VMOVUPS(Mem{Base: alpha}, d)
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
		advance(zmm, alpha, beta, a, b)
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

func (relaxed512) meanBits() {
	step("meanBits", "AVX512", meanBitsSignature, meanBitsDoc)
	dst, q, k, x, offsets, n := general("dst"), general("q"), general("k"), general("x"), general("offsets"), general("blocks")
	chunks(n, chunk512, func(n int) {
		sums, p, to := zeros512(n), copied(q), copied(offsets)
		loop(copied(k), func() {
			at, share := offset(to), ZMM()
			VBROADCASTSS(Mem{Base: p}, share)
			advance(4, p)
			for i, sum := range sums {
				bits := K()
				KMOVW(index(x, at, 1, 2*i), bits)
				VADDPS(share, sum, bits, sum)
			}
		})
		store512s(sums, dst)
	}, func() {
		advance(zmm*chunk512, dst)
		advance(2*chunk512, x)
	})
}

func (relaxed512) meanRows() {
	step("meanRows", "AVX512", meanRowsSignature, meanRowsDoc)
	dst, q, k, x, offsets, n := general("dst"), general("q"), general("k"), general("rows"), general("offsets"), general("blocks")
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
	r, k, grad, rows, offsets, n := general("r"), general("k"), general("grad"), general("rows"), general("offsets"), general("blocks")
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
	step("gather", "AVX512", gatherSignature, gatherDoc)
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
