package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// These are the signatures of the steps of nodes. Both SIMD paths have the same signatures.
const (
	nodeForwardSignature   = "func(out *uint64, rows **uint64, pins int, table uint64, words int)"
	nodeLinesSignature     = "func(line *uint8, rows **uint64, pins, words int)"
	sigmoidsSignature      = "func(t, slope, w *float32, lines int)"
	lineSumsSignature      = "func(s, delta *float32, line *uint8, blocks, lines int, scratch *float32)"
	pinGradientSignature   = "func(beta, delta *float32, line *uint8, t *float32, bit, blocks int) (largest float32)"
	quantiseSignature      = "func(q *int8, values, dither *float32, blocks int, scale float32)"
	integerSumsSignature   = "func(r *float32, q *int8, blocks int, x *uint64, offsets *uint32, k, last int, bits *uint32, step float32)"
	addProductsSignature   = "func(sums *float32, sources int, q *int8, samples, pins int, steps *float32, x *uint32, stride, n int)"
	gatherRoundedSignature = "func(dst *float32, edges *uint32, n int, rounded *int8, share, steps *float32, row, blocks int)"
	tableStepSignature     = "func(w, m, v, s, slope *float32, lines int, adam *float32) (table uint64)"
)

// These are the doc comments of the steps of nodes.
const (
	nodeForwardDoc   = "does look for rows of the given number of words."
	nodeLinesDoc     = "does lines for rows of the given number of words."
	sigmoidsDoc      = "does sigmoids."
	lineSumsDoc      = "does sumLines for blocks of 16 samples; scratch has room for all of its sums."
	pinGradientDoc   = "does pinGradient for blocks of 16 samples, and returns the largest size of a gradient."
	quantiseDoc      = "rounds values for blocks of 32 samples, whose order it changes as fourth does."
	integerSumsDoc   = "writes the integer sums of up to 16 candidates to r, times step, and anything after the last."
	addProductsDoc   = "adds the products of some pins with n sources, a multiple of 16, whose bits are words of 32 samples."
	gatherRoundedDoc = "does gatherRounded for blocks of 32 samples; edges are pairs of a pin and a slot."
	tableStepDoc     = "makes the step of Adam on the lines of a table, and returns what it is then."
)

// productPins is the number of pins that are multiplied together in one pass.
const productPins = 8

// lineRow is the size in bytes of a row that holds one interleaved sum of each line.
const lineRow = 4 * 64

// lineSums emits the sums of the lines. Each interleaved sum has its own row. Samples are added one by one.
func (w width) lineSums() {
	step("lineSums", w.path, lineSumsSignature, lineSumsDoc)
	to, delta, line, n := general("s"), general("delta"), general("line"), general("blocks")
	lines, scratch, zero, at := general("lines"), general("scratch"), w.zero(), GP64()
	blocksUp(lines, at, func() {
		for i := range 8 {
			for h := range w.halves {
				VMOVUPS(zero, index(scratch, at, 1, lineRow*i+w.bytes*h))
			}
		}
	})
	addLines(delta, line, n, scratch)
	blocksUp(lines, at, func() {
		for h := range w.halves {
			var sum [8]reg.VecVirtual
			for i := range sum {
				sum[i] = w.reg()
				VMOVUPS(index(scratch, at, 1, lineRow*i+w.bytes*h), sum[i])
			}
			for n := 4; n > 0; n /= 2 {
				for i := range n {
					VADDPS(sum[2*i+1], sum[2*i], sum[2*i])
					sum[i] = sum[2*i]
				}
			}
			VMOVUPS(sum[0], index(to, at, 1, w.bytes*h))
		}
	})
	VZEROUPPER()
	RET()
}

// blocksUp emits the body for every 16 lines. There must be at least one line. In the body, the register at holds the
// byte offset of the lines.
func blocksUp(lines, at reg.GPVirtual, body func()) {
	left := GP64()
	MOVQ(lines, left)
	XORQ(at, at)
	again := label()
	Label(again)
	body()
	ADDQ(U8(zmm), at)
	SUBQ(U8(16), left)
	JGT(LabelRef(again))
}

// addLines adds blocks of 16 values to the interleaved sums of their lines.
func addLines(delta, line, blocks, scratch reg.GPVirtual) {
	ADDQ(blocks, blocks)
	loop(blocks, func() {
		eight := GP64()
		MOVQ(Mem{Base: line}, eight)
		for i := range 8 {
			a, x := GP64(), XMM()
			MOVBQZX(eight.As8(), a)
			if i < 7 {
				SHRQ(U8(8), eight)
			}
			VMOVSS(Mem{Base: delta, Disp: 4 * i}, x)
			VADDSS(index(scratch, a, 4, lineRow*i), x, x)
			VMOVSS(x, index(scratch, a, 4, lineRow*i))
		}
		ADDQ(U8(8), line)
		ADDQ(U8(32), delta)
	})
}
