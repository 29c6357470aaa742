package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// nodes512 emits the steps of nodes in AVX-512 with VBMI and VNNI.
func nodes512() {
	ConstraintExpr("amd64")
	table := constants512()
	nodeLines512("nodeForward", true)
	nodeLines512("nodeLines", false)
	sigmoidsStep512(table)
	inAVX512.lineSums()
	pinGradient512("pinGradient16", 1)
	pinGradient512("pinGradient64", 4)
	quantise512()
	integerSums512()
	nodeProducts512()
	tableStep512()
	for _, candidates := range []int{16, 32} {
		nodePins512(table, candidates, 1)
		nodePins512(table, candidates, 4)
	}
}

// byte512 returns a vector in which every byte is x.
func byte512(x uint8) reg.VecVirtual {
	z, t := ZMM(), GP32()
	MOVL(U32(x), t)
	VPBROADCASTB(t, z)
	return z
}

// nodeLines512 emits a step that computes the lines of a node. If look is true, the step also replaces each line by
// its value in a table.
func nodeLines512(name string, look bool) {
	signature, doc, to := nodeLinesSignature, nodeLinesDoc, "line"
	if look {
		signature, doc, to = nodeForwardSignature, nodeForwardDoc, "out"
	}
	step(name, "AVX512", signature, doc)
	out, rows, words := general(to), general("rows"), general("words")
	one, bits := byte512(1), ZMM()
	if look {
		k := K()
		KMOVQ(general("table"), k)
		VPMOVM2B(k, bits)
	}
	at := GP64()
	XORQ(at, at)
	loop(words, func() {
		line, n, pin := ZMM(), general("pins"), GP64()
		VPXORD(line, line, line)
		MOVQ(rows, pin)
		loop(n, func() {
			row, k := GP64(), K()
			MOVQ(Mem{Base: pin}, row)
			KMOVQ(index(row, at, 8, 0), k)
			VPADDB(line, line, line)
			VPADDB(one, line, k, line)
			ADDQ(U8(8), pin)
		})
		if look {
			k, v := K(), ZMM()
			VPERMB(bits, line, v)
			VPMOVB2M(v, k)
			KMOVQ(k, index(out, at, 8, 0))
		} else {
			VMOVDQU32(line, Mem{Base: out})
			ADDQ(U8(zmm), out)
		}
		INCQ(at)
	})
	VZEROUPPER()
	RET()
}

func sigmoidsStep512(table Mem) {
	step("sigmoids", "AVX512", sigmoidsSignature, sigmoidsDoc)
	ts, slopes, w, n := general("t"), general("slope"), general("w"), general("lines")
	z := newExponentials512(table)
	blocks512(n, func(at reg.GPVirtual, mask reg.OpmaskVirtual) {
		t, slope := z.sigmoid(load512(index(w, at, 1, 0), mask))
		store512(t, mask, index(ts, at, 1, 0))
		store512(slope, mask, index(slopes, at, 1, 0))
	})
	VZEROUPPER()
	RET()
}

// pinGradient512 emits the gradient of a pin, for nodes whose lines fill the given number of vectors.
func pinGradient512(name string, vectors int) {
	step(name, "AVX512", pinGradientSignature, pinGradientDoc)
	beta, delta, line, ts := general("beta"), general("delta"), general("line"), general("t")
	bit, n := general("bit"), general("blocks")
	t, d := make([]reg.VecVirtual, vectors), make([]reg.VecVirtual, vectors)
	for i := range t {
		t[i], d[i] = load512(Mem{Base: ts, Disp: zmm * i}, nil), ZMM()
	}
	linesApart(t, d, bit)
	largest, size, high := zero512(), ZMM(), ZMM()
	sign, top := GP32(), GP32()
	MOVL(U32(0x7fffffff), sign)
	VPBROADCASTD(sign, size)
	MOVL(U32(32), top)
	VPBROADCASTD(top, high)
	loop(n, func() {
		at, x := ZMM(), ZMM()
		VPMOVZXBD(Mem{Base: line}, at)
		if vectors == 1 {
			VPERMPS(d[0], at, x)
		} else {
			y, k := ZMM(), K()
			VPTESTMD(high, at, k)
			VMOVDQA32(at, x)
			VPERMI2PS(d[1], d[0], x)
			VMOVDQA32(at, y)
			VPERMI2PS(d[3], d[2], y)
			VMOVAPS(y, k, x)
		}
		VMULPS(Mem{Base: delta}, x, x)
		VMOVUPS(x, Mem{Base: beta})
		VPANDD(size, x, x)
		VMAXPS(x, largest, largest)
		ADDQ(U8(16), line)
		ADDQ(U8(zmm), delta)
		ADDQ(U8(zmm), beta)
	})
	most := fold4With(VMAXPS, largest)
	Store(maxTwo(most, most).AsX(), ReturnIndex(0))
	VZEROUPPER()
	RET()
}

// linesApart computes the differences that a pin makes, and writes these differences to d. A difference is between
// two lines whose numbers differ only in the pin's digit. The argument bit is the place value of this digit. The two
// lines may be in different vectors of t or in the same vector.
func linesApart(t, d []reg.VecVirtual, bit reg.GPVirtual) {
	end := label()
	for distance := 1; distance < len(t); distance *= 2 {
		next := label()
		CMPQ(bit, U8(16*distance))
		JNE(LabelRef(next))
		for i := range d {
			VSUBPS(t[i&^distance], t[i|distance], d[i])
		}
		JMP(LabelRef(end))
		Label(next)
	}
	up, down, bits := ZMM(), ZMM(), ZMM()
	VPMOVZXBD(lanes512(), down)
	VPBROADCASTD(bit.As32(), bits)
	VPORD(bits, down, up)
	VPANDND(down, bits, down)
	for i := range d {
		low := ZMM()
		VPERMPS(t[i], up, d[i])
		VPERMPS(t[i], down, low)
		VSUBPS(low, d[i], d[i])
	}
	Label(end)
}

// turned512 writes the order of the bytes of 64 quantised values. In each block of 32, value t + 8 p becomes byte 4 t
// + p.
func turned512() Mem {
	m := GLOBL("turned512", 8|16) // RODATA|NOPTR
	for i := range 64 {
		DATA(i, U8(i&32|i&31/4|i&3*8))
	}
	return m
}

func quantise512() {
	step("quantise", "AVX512", quantiseSignature, quantiseDoc)
	q, values, dither, n := general("q"), general("values"), general("dither"), general("blocks")
	scale, order := ZMM(), YMM()
	broadcastField("scale", scale)
	VMOVDQU32(turned512(), order)
	loop(n, func() {
		both := YMM()
		for i := range 2 {
			x, y := ZMM(), XMM()
			VMULPS(Mem{Base: values, Disp: zmm * i}, scale, x)
			VADDPS(Mem{Base: dither, Disp: zmm * i}, x, x)
			VCVTPS2DQ(x, x)
			VPMOVDB(x, y)
			if i == 0 {
				VMOVDQA32(y, both.AsX())
			} else {
				VINSERTI32X4(U8(1), y, both, both)
			}
		}
		VPERMB(both, order, both)
		VMOVDQU32(both, Mem{Base: q})
		ADDQ(U8(32), q)
		ADDQ(U32(2*zmm), values)
		ADDQ(U32(2*zmm), dither)
	})
	VZEROUPPER()
	RET()
}

// integerSums512 emits the integer sums of up to 16 candidates. It first turns their rows into words of 32 samples,
// so that a vector holds one word for each candidate. After a shift and a mask, each lane holds the bits of four
// samples of one candidate, one bit in each byte.
func integerSums512() {
	step("integerSums", "AVX512", integerSumsSignature, integerSumsDoc)
	gatherStep512(zmm)
	ones := broadcastInteger512(0x01010101)
	q, bits, n := general("q"), general("bits"), general("blocks")
	sums := [2]reg.VecVirtual{zero512(), zero512()}
	loop(n, func() {
		word := ZMM()
		VMOVDQU32(Mem{Base: bits}, word)
		for t := range 8 {
			x := ZMM()
			if t == 0 {
				VPANDD(ones, word, x)
			} else {
				VPSRLD(U8(t), word, x)
				VPANDD(ones, x, x)
			}
			VPDPBUSD_BCST(Mem{Base: q, Disp: 4 * t}, x, sums[t%2])
		}
		ADDQ(U8(32), q)
		ADDQ(U8(zmm), bits)
	})
	VPADDD(sums[1], sums[0], sums[0])
	VCVTDQ2PS(sums[0], sums[0])
	step := ZMM()
	broadcastField("step", step)
	VMULPS(step, sums[0], sums[0])
	VMOVUPS(sums[0], Mem{Base: general("r")})
	VZEROUPPER()
	RET()
}

// broadcastInteger512 returns a vector with an integer in all lanes.
func broadcastInteger512(x uint32) reg.VecVirtual {
	z, t := ZMM(), GP32()
	MOVL(U32(x), t)
	VPBROADCASTD(t, z)
	return z
}

// nodeProducts512 emits the products of up to productPins pins with the sources. It handles 32 sources at a time, and
// 16 at the end.
func nodeProducts512() {
	step("addProducts", "AVX512", addProductsSignature, addProductsDoc)
	for pins := productPins; pins >= 1; pins /= 2 {
		next := label()
		n := general("pins")
		CMPQ(n, U8(pins))
		JLT(LabelRef(next))
		products512(pins)
		RET()
		Label(next)
	}
	RET()
}

// products512 emits the products of exactly the given number of pins.
func products512(pins int) {
	sums, x, n, ones := general("sums"), general("x"), general("n"), broadcastInteger512(0x01010101)
	row, stride, samples := GP64(), general("stride"), general("samples")
	MOVQ(general("sources"), row)
	SHLQ(U8(2), row)
	SHLQ(U8(2), stride)
	again, end := label(), label()
	for _, vectors := range []int{2, 1} {
		last := label()
		Label(again)
		CMPQ(n, U8(16*vectors))
		JLT(LabelRef(last))
		var acc [productPins][2]reg.VecVirtual
		for p := range pins {
			for v := range vectors {
				acc[p][v] = zero512()
			}
		}
		q, at, left := general("q"), GP64(), GP64()
		MOVQ(x, at)
		MOVQ(samples, left)
		SHRQ(U8(5), left)
		loop(left, func() {
			var word [2]reg.VecVirtual
			for v := range vectors {
				word[v] = load512(Mem{Base: at, Disp: zmm * v}, nil)
			}
			for t := range 8 {
				for v := range vectors {
					y := ZMM()
					VPSRLD(U8(t), word[v], y)
					VPANDD(ones, y, y)
					qp := GP64()
					MOVQ(q, qp)
					for p := range pins {
						VPDPBUSD_BCST(Mem{Base: qp, Disp: 4 * t}, y, acc[p][v])
						if p < pins-1 {
							ADDQ(samples, qp)
						}
					}
				}
			}
			ADDQ(stride, at)
			ADDQ(U8(32), q)
		})
		steps, to := general("steps"), GP64()
		MOVQ(sums, to)
		for p := range pins {
			step := ZMM()
			VBROADCASTSS(Mem{Base: steps, Disp: 4 * p}, step)
			for v := range vectors {
				VCVTDQ2PS(acc[p][v], acc[p][v])
				VMULPS(step, acc[p][v], acc[p][v])
				VADDPS(Mem{Base: to, Disp: zmm * v}, acc[p][v], acc[p][v])
				VMOVUPS(acc[p][v], Mem{Base: to, Disp: zmm * v})
			}
			ADDQ(row, to)
		}
		ADDQ(U32(zmm*vectors), x)
		ADDQ(U32(zmm*vectors), sums)
		SUBQ(U8(16*vectors), n)
		JMP(LabelRef(again))
		Label(last)
		again = label()
	}
	Label(end)
	VZEROUPPER()
}

func tableStep512() {
	step("tableStep", "AVX512", tableStepSignature, tableStepDoc)
	w, m, v, s, slope := general("w"), general("m"), general("v"), general("s"), general("slope")
	c, zero, table := loadAdam512(Mem{Base: general("adam")}), zero512(), GP64()
	XORQ(table, table)
	blocks512(general("lines"), func(at reg.GPVirtual, mask reg.OpmaskVirtual) {
		g, y := load512(index(s, at, 1, 0), mask), load512(index(slope, at, 1, 0), mask)
		VMULPS(y, g, g)
		ws := c.update(index(w, at, 1, 0), index(m, at, 1, 0), index(v, at, 1, 0), g, mask)
		for _, a := range []reg.GPVirtual{w, m, v} { // logits and moments of a line further on
			PREFETCHT0(index(a, at, 1, lineRow))
		}
		above, bits, shift := K(), GP64(), GP64()
		if mask == nil {
			VCMPPS(U8(0x1e), zero, ws, above) // greater, ordered
		} else {
			VCMPPS(U8(0x1e), zero, ws, mask, above)
		}
		KMOVW(above, bits.As32())
		MOVQ(at, shift)
		SHRQ(U8(2), shift)
		SHLXQ(shift, bits, bits)
		ORQ(bits, table)
	})
	Store(table, ReturnIndex(0))
	VZEROUPPER()
	RET()
}
