package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// The signatures of the steps of gates with relaxed values, the same on both paths.
const (
	mixSignature         = "func(dst, a, b *float32, blocks int, t *float32)"
	relaxedBinsSignature = "func(alpha, beta, delta, a, b *float32, blocks int, t, s *float32)"
	spreadSignature      = "func(dst *float32, bits *uint64, blocks int)"
	meanBitsSignature    = "func(dst, q *float32, k int, x *uint64, offsets *uint32, blocks int)"
	meanRowsSignature    = "func(dst, q *float32, k int, rows *float32, offsets *uint32, blocks int)"
	rowSumsSignature     = "func(r *float32, k int, grad, rows *float32, offsets *uint32, blocks int)"
	shareSignature       = "func(dst *float32, edges *uint32, n int, pins, share *float32, row, blocks int)"
)

// The documentation of these steps.
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

// sumsAtOnce is the number of candidates whose sums rowSums makes side by side.
const sumsAtOnce = 4

// meanSet is the number of candidates that meanBits takes at a time.
const meanSet = 8

// relaxed writes the steps of gates with relaxed values in the given instruction set.
func relaxed(path string, s relaxedWriter) {
	ConstraintExpr("amd64")
	s.mix()
	s.bins()
	s.spread()
	s.meanBits()
	s.meanRows()
	s.rowSums()
	s.gather()
	fetchSteps(path)
}

// relaxedWriter writes these steps for a path.
type relaxedWriter interface {
	mix()
	bins()
	spread()
	meanBits()
	meanRows()
	rowSums()
	gather()
}

// chunks writes the body for each so many blocks as the sums of a chunk fill the registers
// of the path, and again for the rest, whatever its number; next goes to the next chunk.
// Blocks, at least 1, are used up.
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

// copied returns a copy of a register, to be used up.
func copied(r reg.Register) reg.GPVirtual {
	c := GP64()
	MOVQ(r, c)
	return c
}

// offset loads the offset of the row at hand and goes to the next.
func offset(offsets reg.Register) reg.GPVirtual {
	at := GP64()
	MOVL(Mem{Base: offsets}, at.As32())
	ADDQ(U8(4), offsets)
	return at
}

// edge loads the row of the pin at hand, and returns where its share is, and goes to the
// next edge.
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

// fetchSteps writes the steps that ask for cache lines ahead of their use.
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

// fetchLines asks for a number of lines, which is used up, as the pointer is.
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
