package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// These are the signatures of the steps of gates with relaxed values. Both SIMD paths have the same signatures.
const (
	mixSignature         = "func(dst, a, b *float32, blocks int, t *float32)"
	relaxedBinsSignature = "func(alpha, beta, delta, a, b *float32, blocks int, t, s *float32)"
	spreadSignature      = "func(dst *float32, bits *uint64, blocks int)"
	meanBitsSignature    = "func(dst, q *float32, k int, x *uint64, offsets *uint32, blocks int)"
	meanRowsSignature    = "func(dst, q *float32, k int, rows *float32, offsets *uint32, blocks int)"
	rowSumsSignature     = "func(r *float32, k int, grad, rows *float32, offsets *uint32, blocks int)"
	shareSignature       = "func(dst *float32, edges *uint32, n int, pins, share *float32, row, blocks int)"
)

// These are the doc comments of the steps of gates with relaxed values.
const (
	mixDoc         = "does mix for blocks of 16 samples."
	relaxedBinsDoc = "does relaxedBins for blocks of 16 samples."
	spreadDoc      = "does spread for blocks of 16 samples."
	meanBitsDoc    = "does meanBits for blocks of 16 samples and rows at the given offsets in bytes, both q and " +
		"offsets with zeros after the last up to a multiple of 8."
	meanRowsDoc = "does meanRows for blocks of 16 samples and rows at the given offsets in bytes."
	rowSumsDoc  = "does rowSums for blocks of 16 samples and rows at the given offsets in bytes, and writes " +
		"anything after the last of r, up to a multiple of 4."
	shareDoc = "does gatherRelaxed for blocks of 16 samples; edges are pairs of a pin and a slot, row is in bytes."
)

// sumsAtOnce is the number of candidates whose sums rowSums computes side by side.
const sumsAtOnce = 4

// meanSet is the number of candidates that meanBits handles at a time.
const meanSet = 8

// relaxed emits the steps of gates with relaxed values. The argument w is the instruction set, and own has the steps
// that are specific to this instruction set.
func relaxed(w width, own interface {
	bins()
	spread()
	meanBits()
},
) {
	ConstraintExpr("amd64")
	w.mix()
	own.bins()
	own.spread()
	own.meanBits()
	w.meanRows()
	w.rowSums()
	w.gather()
	fetchSteps(w.path)
}

// width describes an instruction set for steps that differ only in the number of vectors for a block of 16 samples.
// This number is one or two.
type width struct {
	path   string
	halves int // number of vectors in a block
	bytes  int // number of bytes in a vector
	chunk  int // number of blocks whose sums fill the registers
	reg    func() reg.VecVirtual
	fold   func(block []reg.VecVirtual) reg.VecVirtual // adds the lanes of a block, down to four lanes
}

var (
	inAVX2 = width{
		path: "AVX2", halves: 2, bytes: ymm, chunk: 4, reg: YMM,
		fold: func(block []reg.VecVirtual) reg.VecVirtual {
			VADDPS(block[1], block[0], block[0])
			return fold4(block[0])
		},
	}
	inAVX512 = width{
		path: "AVX512", halves: 1, bytes: zmm, chunk: 8, reg: ZMM,
		fold: func(block []reg.VecVirtual) reg.VecVirtual { return fold4(fold8(block[0])) },
	}
)

// zeros returns vectors of zeros for n blocks.
func (w width) zeros(n int) []reg.VecVirtual {
	v := make([]reg.VecVirtual, w.halves*n)
	for i := range v {
		v[i] = w.zero()
	}
	return v
}

// zero returns a vector of zeros.
func (w width) zero() reg.VecVirtual {
	v := w.reg()
	VXORPS(v, v, v) // avo would take VPXORD for a read of v
	return v
}

// store stores vectors at consecutive addresses.
func (w width) store(v []reg.VecVirtual, to reg.Register) {
	for i, x := range v {
		VMOVUPS(x, Mem{Base: to, Disp: w.bytes * i})
	}
}

// addProducts adds to the sums the products of a factor and the vectors at row.
func (w width) addProducts(sums []reg.VecVirtual, factor reg.VecVirtual, row func(i int) Mem) {
	for i, sum := range sums {
		product := w.reg()
		VMULPS(row(i), factor, product)
		VADDPS(product, sum, sum)
	}
}

// plane holds the coefficients of a gate's output, which is one + a·A + b·B + ab·A·B for the pins A and B.
type plane struct{ one, a, b, ab reg.VecVirtual }

// plane loads the coefficients of the truth values t.
func (w width) plane() plane {
	t := general("t")
	ca, cb := coefficients(Mem{Base: t})
	ab := XMM()
	VMOVSHDUP(cb, ab)
	VSUBSS(cb, ab, ab)
	p := plane{w.reg(), w.reg(), w.reg(), w.reg()}
	VBROADCASTSS(Mem{Base: t}, p.one)
	VBROADCASTSS(ca, p.a)
	VBROADCASTSS(cb, p.b)
	VBROADCASTSS(ab, p.ab)
	return p
}

// line returns c + d x.
func (w width) line(c, d, x reg.VecVirtual) reg.VecVirtual {
	y := w.reg()
	VMULPS(x, d, y)
	VADDPS(y, c, y)
	return y
}

func (w width) mix() {
	step("mix", w.path, mixSignature, mixDoc)
	dst, a, b, p, n := general("dst"), general("a"), general("b"), w.plane(), general("blocks")
	loop(n, func() {
		for h := range w.halves {
			at := func(base reg.Register) Mem { return Mem{Base: base, Disp: w.bytes * h} }
			y := w.reg()
			VMOVUPS(at(b), y)
			low, slope := w.line(p.one, p.b, y), w.line(p.a, p.ab, y)
			VMULPS(at(a), slope, slope)
			VADDPS(slope, low, low)
			VMOVUPS(low, at(dst))
		}
		advance(w.halves*w.bytes, dst, a, b)
	})
	VZEROUPPER()
	RET()
}

func (w width) meanRows() {
	step("meanRows", w.path, meanRowsSignature, meanRowsDoc)
	dst, q, k, x, offsets, n := general("dst"), general("q"), general("k"), general("rows"), general("offsets"),
		general("blocks")
	chunks(n, w.chunk, func(n int) {
		sums, p, to := w.zeros(n), copied(q), copied(offsets)
		loop(copied(k), func() {
			at, share := offset(to), w.reg()
			VBROADCASTSS(Mem{Base: p}, share)
			advance(4, p)
			w.addProducts(sums, share, func(i int) Mem { return index(x, at, 1, w.bytes*i) })
		})
		w.store(sums, dst)
	}, func() { advance(w.halves*w.bytes*w.chunk, dst, x) })
}

func (w width) rowSums() {
	step("rowSums", w.path, rowSumsSignature, rowSumsDoc)
	r, k, grad, rows, offsets, n := general("r"), general("k"), general("grad"), general("rows"), general("offsets"),
		general("blocks")
	again := label()
	Label(again)
	var sums [sumsAtOnce][]reg.VecVirtual
	var row [sumsAtOnce]reg.GPVirtual
	for j := range row {
		row[j], sums[j] = offset(offsets), w.zeros(1)
		ADDQ(rows, row[j])
	}
	at := GP64()
	XORQ(at, at)
	loop(copied(n), func() {
		for h := range w.halves {
			g := w.reg()
			VMOVUPS(index(grad, at, 1, w.bytes*h), g)
			for j := range row {
				product := w.reg()
				VMULPS(index(row[j], at, 1, w.bytes*h), g, product)
				VADDPS(product, sums[j][h], sums[j][h])
			}
		}
		ADDQ(U8(w.halves*w.bytes), at)
	})
	var x [sumsAtOnce]reg.VecVirtual
	for j := range x {
		x[j] = w.fold(sums[j])
	}
	VMOVUPS(foldFour(x[0], x[1], x[2], x[3]), Mem{Base: r})
	advance(4*sumsAtOnce, r)
	SUBQ(U8(sumsAtOnce), k)
	JGT(LabelRef(again))
	VZEROUPPER()
	RET()
}

func (w width) gather() {
	step("gatherRelaxed", w.path, shareSignature, shareDoc)
	dst, edges, count := general("dst"), general("edges"), general("n")
	pins, share, row, n := general("pins"), general("share"), general("row"), general("blocks")
	chunks(n, w.chunk, func(n int) {
		sums, e := w.zeros(n), copied(edges)
		loop(copied(count), func() {
			from, factor := edge(e, pins, row, share)
			q := w.reg()
			VBROADCASTSS(factor, q)
			w.addProducts(sums, q, func(i int) Mem { return Mem{Base: from, Disp: w.bytes * i} })
		})
		w.store(sums, dst)
	}, func() { advance(w.halves*w.bytes*w.chunk, dst, pins) })
}

// chunks emits a loop over chunks of blocks. The argument most is the number of blocks in a chunk. The sums of this
// many blocks fill the registers of the path. The function chunks also emits the body for every possible number of
// remaining blocks. The function next emits the code that goes on to the next chunk. The register blocks must be at
// least 1 and is changed.
func chunks(blocks reg.Register, most int, body func(n int), next func()) {
	again, rest, end := label(), label(), label()
	Label(again)
	CMPQ(blocks, U8(most))
	JL(LabelRef(rest))
	body(most)
	SUBQ(U8(most), blocks)
	JEQ(LabelRef(end))
	next()
	JMP(LabelRef(again))
	Label(rest)
	for n := most - 1; n >= 1; n-- {
		other := label()
		if n > 1 {
			CMPQ(blocks, U8(n))
			JNE(LabelRef(other))
		}
		body(n)
		if n > 1 {
			JMP(LabelRef(end))
		}
		Label(other)
	}
	Label(end)
	VZEROUPPER()
	RET()
}

// copied returns a copy of a register, for code that changes the copy.
func copied(r reg.Register) reg.GPVirtual {
	c := GP64()
	MOVQ(r, c)
	return c
}

// offset loads the offset of the current row and advances the pointer to the next offset.
func offset(offsets reg.Register) reg.GPVirtual {
	at := GP64()
	MOVL(Mem{Base: offsets}, at.As32())
	ADDQ(U8(4), offsets)
	return at
}

// edge returns the address of the row of the current edge's pin, and the memory of the edge's share. It advances the
// register edges to the next edge.
func edge(edges, pins, row, share reg.Register) (from reg.GPVirtual, factor Mem) {
	slot := GP64()
	from = GP64()
	MOVL(Mem{Base: edges}, from.As32())
	MOVL(Mem{Base: edges, Disp: 4}, slot.As32())
	ADDQ(U8(8), edges)
	IMULQ(row, from)
	ADDQ(pins, from)
	return from, Mem{Base: share, Index: slot, Scale: 4}
}

// fetchSteps emits the steps that prefetch cache lines.
func fetchSteps(path string) {
	step("fetch", path, "func(places *int, n, i int)",
		"asks for the lines of element i in each of n places: bytes an element, lines, and pointers of which one is not nil.")
	places, n, i := general("places"), general("n"), general("i")
	loop(n, func() {
		at, lines := GP64(), GP64()
		base := GP64()
		MOVQ(Mem{Base: places}, at)
		MOVQ(Mem{Base: places, Disp: 8}, lines)
		MOVQ(Mem{Base: places, Disp: 16}, base)
		ORQ(Mem{Base: places, Disp: 24}, base)
		ORQ(Mem{Base: places, Disp: 32}, base)
		IMULQ(i, at)
		ADDQ(base, at)
		fetchLines(at, lines)
		advance(40, places)
	})
	RET()
	step("fetchRow", path, "func(row *float32, lines int)", "asks for the lines of a row.")
	fetchLines(general("row"), general("lines"))
	RET()
	step("fetchEdges", path, "func(edges *uint32, n int, pins *float32, row, lines int)",
		"asks for the lines of the rows of edges.")
	edges, n, pins, row, lines := general("edges"), general("n"), general("pins"), general("row"), general("lines")
	loop(n, func() {
		at := GP64()
		MOVL(Mem{Base: edges}, at.As32())
		IMULQ(row, at)
		ADDQ(pins, at)
		fetchLines(at, copied(lines))
		advance(8, edges)
	})
	RET()
}

// fetchLines prefetches a number of cache lines. It changes both registers.
func fetchLines(at, lines reg.GPVirtual) {
	loop(lines, func() {
		PREFETCHT0(Mem{Base: at})
		ADDQ(U8(zmm), at)
	})
}

// advance adds a number of bytes to pointers.
func advance(bytes int, pointers ...reg.Register) {
	var by Constant = U32(bytes)
	if bytes < 128 {
		by = I8(bytes)
	}
	for _, p := range pointers {
		ADDQ(by, p)
	}
}
