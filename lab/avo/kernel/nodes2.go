package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// nodes2 holds the steps of nodes in AVX2.
type nodes2 struct {
	steps2
	bytes  Mem // for each byte of a vector, the number of its source byte in a word
	bits   Mem // for each byte of a vector, the mask of its source bit in this byte
	ones   Mem // 1 in each byte
	words  Mem // 1 in each word of 16 bits
	fourth Mem // the byte order that the function fourth defines, in each half
	size   Mem // a mask of all bits except the sign
}

// writeNodes2 emits the steps of nodes in AVX2.
func writeNodes2() {
	extract128 = func(ops ...Op) { VEXTRACTF128(ops[0], ops[1], ops[2]) }
	ConstraintExpr("amd64")
	byteTable := func(name string, f func(i int) uint8) Mem {
		m := GLOBL(name, 8|16) // RODATA|NOPTR
		for i := range ymm {
			DATA(i, U8(f(i)))
		}
		return m
	}
	k := nodes2{
		steps2: steps2{
			kernel2: kernel2{c: constants2()}, tails: tails2(), lanes: eights("lanes", 8, func(i int) uint32 { return uint32(i) }),
		},
		bytes:  byteTable("wordBytes", func(i int) uint8 { return uint8(i / 8) }),
		bits:   byteTable("byteBits", func(i int) uint8 { return 1 << (i % 8) }),
		ones:   byteTable("byteOnes", func(int) uint8 { return 1 }),
		words:  byteTable("wordOnes", func(i int) uint8 { return uint8(1 - i%2) }),
		fourth: byteTable("fourth", func(i int) uint8 { return uint8(i%4*4 + i%16/4) }),
		size:   eights("absolute", 8, func(int) uint32 { return 0x7fffffff }),
	}
	k.nodeLines("nodeForward", true)
	k.nodeLines("nodeLines", false)
	k.sigmoids()
	inAVX2.lineSums()
	k.pinGradient("pinGradient16", 16)
	k.pinGradient("pinGradient64", 64)
	k.quantise()
	k.integerSums()
	k.products()
	k.tableStep()
	k.gatherRounded()
}

// spreadBits returns the 32 bits of m as 32 bytes. If a bit is 1, all bits of its byte are 1.
func (k *nodes2) spreadBits(m Op) reg.VecVirtual {
	y := YMM()
	VPBROADCASTD(m, y)
	VPSHUFB(k.bytes, y, y)
	VPAND(k.bits, y, y)
	VPCMPEQB(k.bits, y, y)
	return y
}

// nodeLines emits a step that computes the lines of a node. If look is true, the step also replaces each line by its
// value in a table.
func (k *nodes2) nodeLines(name string, look bool) {
	signature, doc, to := nodeLinesSignature, nodeLinesDoc, "line"
	if look {
		signature, doc, to = nodeForwardSignature, nodeForwardDoc, "out"
	}
	step(name, "AVX2", signature, doc)
	out, rows, n := general(to), general("rows"), general("words")
	var tables [4]reg.VecVirtual // 16 values each, repeated in both halves
	if look {
		table := general("table")
		for i := range 2 {
			half := XMM()
			VMOVD(table.As32(), half)
			SHRQ(U8(32), table)
			all := k.spreadBits(half)
			tables[2*i], tables[2*i+1] = YMM(), YMM()
			VPERM2I128(U8(0x00), all, all, tables[2*i])
			VPERM2I128(U8(0x11), all, all, tables[2*i+1])
		}
	}
	at := GP64()
	XORQ(at, at)
	ADDQ(n, n) // n becomes the number of words of 32 bits
	loop(n, func() {
		line, left, pin := YMM(), general("pins"), GP64()
		VPXOR(line, line, line)
		MOVQ(rows, pin)
		loop(left, func() {
			row := GP64()
			MOVQ(Mem{Base: pin}, row)
			set := k.spreadBits(index(row, at, 4, 0))
			VPADDB(line, line, line)
			VPSUBB(set, line, line) // subtracts -1, since a byte of ones is -1
			ADDQ(U8(8), pin)
		})
		if look {
			var v [4]reg.VecVirtual
			for i, t := range tables {
				v[i] = YMM()
				VPSHUFB(line, t, v[i])
			}
			bit, bits := YMM(), GP32()
			VPSLLW(U8(3), line, bit)
			VPBLENDVB(bit, v[1], v[0], v[0])
			VPBLENDVB(bit, v[3], v[2], v[2])
			VPSLLW(U8(2), line, bit)
			VPBLENDVB(bit, v[2], v[0], v[0])
			VPMOVMSKB(v[0], bits)
			MOVL(bits, index(out, at, 4, 0))
		} else {
			VMOVDQU(line, Mem{Base: out})
			ADDQ(U8(ymm), out)
		}
		INCQ(at)
	})
	VZEROUPPER()
	RET()
}

func (k *nodes2) sigmoids() {
	step("sigmoids", "AVX2", sigmoidsSignature, sigmoidsDoc)
	ts, slopes, w, n := general("t"), general("slope"), general("w"), general("lines")
	k.blocks(n, func(at reg.GPVirtual, mask reg.VecVirtual) {
		x := load8(index(w, at, 1, 0), mask)
		t, slope := k.sigmoid(x)
		store8(t, mask, index(ts, at, 1, 0))
		store8(slope, mask, index(slopes, at, 1, 0))
	})
	VZEROUPPER()
	RET()
}

// pinGradient emits the gradient of a pin, for nodes with up to the given number of lines. First it computes the
// difference that the pin makes at each line and stores these differences in memory. Then it looks up the difference
// for each sample.
func (k *nodes2) pinGradient(name string, lines int) {
	step(name, "AVX2", pinGradientSignature, pinGradientDoc)
	d := AllocLocal(4 * lines)
	differences := GP64()
	LEAQ(d, differences)
	k.differences(differences, lines)
	beta, delta, line, n := general("beta"), general("delta"), general("line"), general("blocks")
	largest := zero8()
	ADDQ(n, n)
	loop(n, func() {
		at, x, mask := YMM(), YMM(), YMM()
		VPMOVZXBD(Mem{Base: line}, at)
		VPCMPEQD(mask, mask, mask)
		VXORPS(x, x, x)
		VGATHERDPS(mask, Mem{Base: differences, Index: at, Scale: 4}, x)
		VMULPS(Mem{Base: delta}, x, x)
		VMOVUPS(x, Mem{Base: beta})
		VANDPS(k.size, x, x)
		VMAXPS(x, largest, largest)
		ADDQ(U8(8), line)
		ADDQ(U8(ymm), delta)
		ADDQ(U8(ymm), beta)
	})
	Store(largest8(largest).AsX(), ReturnIndex(0))
	VZEROUPPER()
	RET()
}

// differences stores, for each line, the difference that the pin makes.
func (k *nodes2) differences(to reg.GPVirtual, lines int) {
	t, bit := general("t"), general("bit")
	within, end := label(), label()
	CMPQ(bit, U8(8))
	JL(LabelRef(within))
	for i := 0; i < lines; i += 8 { // the lines with the pin at 0 and at 1 are in different vectors
		up, down, y := GP64(), GP64(), YMM()
		MOVQ(bit, up)
		ORQ(U8(i), up)
		MOVQ(bit, down)
		NOTQ(down)
		ANDQ(U8(i), down)
		VMOVUPS(index(t, up, 4, 0), y)
		VSUBPS(index(t, down, 4, 0), y, y)
		VMOVUPS(y, Mem{Base: to, Disp: 4 * i})
	}
	JMP(LabelRef(end))
	Label(within)
	up, down, bits, x := YMM(), YMM(), YMM(), XMM()
	VMOVD(bit.As32(), x)
	VPBROADCASTD(x, bits)
	VMOVDQU(k.lanes, down)
	VPOR(bits, down, up)
	VPANDN(down, bits, down)
	for i := 0; i < lines; i += 8 {
		high, low := YMM(), YMM()
		VPERMPS(Mem{Base: t, Disp: 4 * i}, up, high)
		VPERMPS(Mem{Base: t, Disp: 4 * i}, down, low)
		VSUBPS(low, high, high)
		VMOVUPS(high, Mem{Base: to, Disp: 4 * i})
	}
	Label(end)
}

func (k *nodes2) quantise() {
	step("quantise", "AVX2", quantiseSignature, quantiseDoc)
	q, values, dither, n := general("q"), general("values"), general("dither"), general("blocks")
	scale := YMM()
	broadcastField("scale", scale)
	loop(n, func() {
		x := eight(4)
		for i := range x {
			VMULPS(Mem{Base: values, Disp: ymm * i}, scale, x[i])
			VADDPS(Mem{Base: dither, Disp: ymm * i}, x[i], x[i])
			VCVTPS2DQ(x[i], x[i])
		}
		VPACKSSDW(x[1], x[0], x[0])
		VPACKSSDW(x[3], x[2], x[2])
		VPACKSSWB(x[2], x[0], x[0])
		VPSHUFB(k.fourth, x[0], x[0])
		VMOVDQU(x[0], Mem{Base: q})
		ADDQ(U8(32), q)
		ADDQ(U32(4*ymm), values)
		ADDQ(U32(4*ymm), dither)
	})
	VZEROUPPER()
	RET()
}

// gatherRounded emits the sum of the rounded gradients of readers, each times the share of its edge. An integer's place
// in a word of four is the number of its group of eight samples, so a shift makes a group of a vector of words.
func (k *nodes2) gatherRounded() {
	step("gatherRounded", "AVX2", gatherRoundedSignature, gatherRoundedDoc)
	dst, edges, count, rounded := general("dst"), general("edges"), general("n"), general("rounded")
	share, steps, row, n := general("share"), general("steps"), general("row"), general("blocks")
	chunks(n, 2, func(n int) {
		sums, e := inAVX2.zeros(2*n), copied(edges)
		loop(copied(count), func() {
			ahead, from, slot := GP64(), GP64(), GP64()
			MOVL(Mem{Base: e, Disp: 8*fetchEdges + 4}, ahead.As32())
			PREFETCHT0(Mem{Base: share, Index: ahead, Scale: 4})
			MOVL(Mem{Base: e, Disp: 8 * fetchEdges}, ahead.As32())
			PREFETCHT0(Mem{Base: steps, Index: ahead, Scale: 4})
			IMULQ(row, ahead)
			PREFETCHT0(Mem{Base: rounded, Index: ahead, Scale: 1})
			MOVL(Mem{Base: e}, from.As32())
			MOVL(Mem{Base: e, Disp: 4}, slot.As32())
			ADDQ(U8(8), e)
			one, factor := XMM(), YMM()
			VMOVSS(Mem{Base: share, Index: slot, Scale: 4}, one)
			VMULSS(Mem{Base: steps, Index: from, Scale: 4}, one, one)
			VBROADCASTSS(one, factor)
			IMULQ(row, from)
			for b := range n {
				q := YMM()
				VMOVDQU(Mem{Base: rounded, Index: from, Scale: 1, Disp: ymm * b}, q)
				for p := range 4 {
					x := q
					if p < 3 {
						x = YMM()
						VPSLLD(U8(24-8*p), q, x)
					}
					VPSRAD(U8(24), x, x)
					VCVTDQ2PS(x, x)
					VMULPS(factor, x, x)
					VADDPS(x, sums[4*b+p], sums[4*b+p])
				}
			}
		})
		inAVX2.store(sums, dst)
	}, func() {
		advance(2*4*ymm, dst)
		advance(2*ymm, rounded)
	})
}

// bytesOf returns bit t of each byte of a word.
func (k *nodes2) bytesOf(word reg.VecVirtual, t int) reg.VecVirtual {
	y := YMM()
	if t == 0 {
		VPAND(k.ones, word, y)
	} else {
		VPSRLD(U8(t), word, y)
		VPAND(k.ones, y, y)
	}
	return y
}

// integerSums emits the integer sums of up to 16 candidates. Products of two bytes are added in lanes of 16 bits,
// which can hold the sum over 32 samples.
func (k *nodes2) integerSums() {
	step("integerSums", "AVX2", integerSumsSignature, integerSumsDoc)
	k.gatherStep(2 * ymm)
	q, bits, n := general("q"), general("bits"), general("blocks")
	sums := []reg.VecVirtual{zero8(), zero8()}
	loop(n, func() {
		words, narrow := eight(2), []reg.VecVirtual{zero8(), zero8()}
		for h, w := range words {
			VMOVDQU(Mem{Base: bits, Disp: ymm * h}, w)
		}
		for t := range 8 {
			four := YMM()
			VPBROADCASTD(Mem{Base: q, Disp: 4 * t}, four)
			for h, w := range words {
				y := k.bytesOf(w, t)
				VPMADDUBSW(four, y, y)
				VPADDW(y, narrow[h], narrow[h])
			}
		}
		for h, x := range narrow {
			VPMADDWD(k.words, x, x)
			VPADDD(x, sums[h], sums[h])
		}
		ADDQ(U8(32), q)
		ADDQ(U8(2*ymm), bits)
	})
	step := YMM()
	broadcastField("step", step)
	r := general("r")
	for h, s := range sums {
		VCVTDQ2PS(s, s)
		VMULPS(step, s, s)
		VMOVUPS(s, Mem{Base: r, Disp: ymm * h})
	}
	VZEROUPPER()
	RET()
}

// products2Pins is the number of pins that are multiplied together in one pass in AVX2.
const products2Pins = 4

func (k *nodes2) products() {
	step("addProducts", "AVX2", addProductsSignature, addProductsDoc)
	for pins := products2Pins; pins >= 1; pins /= 2 {
		next := label()
		n := general("pins")
		CMPQ(n, U8(pins))
		JLT(LabelRef(next))
		k.productsOf(pins)
		RET()
		Label(next)
	}
	RET()
}

// productsOf emits the products of exactly the given number of pins.
func (k *nodes2) productsOf(pins int) {
	sums, x, n := general("sums"), general("x"), general("n")
	row, stride, samples := GP64(), general("stride"), general("samples")
	MOVQ(general("sources"), row)
	SHLQ(U8(2), row)
	SHLQ(U8(2), stride)
	SHRQ(U8(3), n)
	loop(n, func() {
		var acc []reg.VecVirtual
		for range pins {
			acc = append(acc, zero8())
		}
		q, at, left := general("q"), GP64(), GP64()
		MOVQ(x, at)
		MOVQ(samples, left)
		SHRQ(U8(5), left)
		loop(left, func() {
			word := load8(Mem{Base: at}, nil)
			var narrow []reg.VecVirtual
			for range pins {
				narrow = append(narrow, zero8())
			}
			for t := range 8 {
				y, qp := k.bytesOf(word, t), GP64()
				MOVQ(q, qp)
				for p := range pins {
					four := YMM()
					VPBROADCASTD(Mem{Base: qp, Disp: 4 * t}, four)
					VPMADDUBSW(four, y, four)
					VPADDW(four, narrow[p], narrow[p])
					if p < pins-1 {
						ADDQ(samples, qp)
					}
				}
			}
			for p, w := range narrow {
				VPMADDWD(k.words, w, w)
				VPADDD(w, acc[p], acc[p])
			}
			ADDQ(stride, at)
			ADDQ(U8(32), q)
		})
		steps, to := general("steps"), GP64()
		MOVQ(sums, to)
		for p, a := range acc {
			step := YMM()
			VBROADCASTSS(Mem{Base: steps, Disp: 4 * p}, step)
			VCVTDQ2PS(a, a)
			VMULPS(step, a, a)
			VADDPS(Mem{Base: to}, a, a)
			VMOVUPS(a, Mem{Base: to})
			ADDQ(row, to)
		}
		ADDQ(U8(ymm), x)
		ADDQ(U8(ymm), sums)
	})
	VZEROUPPER()
}

func (k *nodes2) tableStep() {
	step("tableStep", "AVX2", tableStepSignature, tableStepDoc)
	w, m, v, s, slope := general("w"), general("m"), general("v"), general("s"), general("slope")
	zero, table := zero8(), GP64()
	XORQ(table, table)
	k.blocks(general("lines"), func(at reg.GPVirtual, mask reg.VecVirtual) {
		g, y := load8(index(s, at, 1, 0), mask), load8(index(slope, at, 1, 0), mask)
		VMULPS(y, g, g)
		ws := k.update(index(w, at, 1, 0), index(m, at, 1, 0), index(v, at, 1, 0), g, mask)
		bits := GP64()
		VCMPPS(U8(0x1e), zero, ws, ws) // greater, ordered
		if mask != nil {
			VANDPS(mask, ws, ws)
		}
		VMOVMSKPS(ws, bits.As32())
		MOVQ(at, reg.RCX)
		SHRQ(U8(2), reg.RCX)
		SHLQ(reg.CL, bits)
		ORQ(bits, table)
	})
	Store(table, ReturnIndex(0))
	VZEROUPPER()
	RET()
}
