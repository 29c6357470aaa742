package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// forward emits the forward kernel. It passes rows of 128 samples through the gates of chains. Each gate is computed
// in algebraic normal form, f0 ^ f2 b ^ a (f1 ^ f3 b).
func forward() {
	f := text("forwardAVX2", "walk", "forwardAVX2 computes the bits of both pins and of the output of some chains.")
	field := func(name string) reg.GPVirtual { return load(f, name+":") }
	x, as, bs, out, op, bit := field("x"), field("a"), field("b"), field("out"), field("op"), field("bit")
	firstOp, firstA, firstB := field("firstOp"), field("firstA"), field("firstB")
	fetchBelow(f)
	a, b := XMM(), XMM()
	row := func(bit reg.Register, to reg.VecVirtual) {
		i := GP64()
		MOVLQZX(Mem{Base: bit}, i)
		SHLQ(U8(4), i)
		VMOVDQU(index(x, i, 1, 0), to)
		ADDQ(U8(4), bit)
	}
	store := func(v reg.VecVirtual, to reg.Register) {
		VMOVDQU(v, Mem{Base: to})
		ADDQ(U8(16), to)
	}
	form := GP64() // offset of the next gate's form
	next := func(op reg.Register) {
		MOVBQZX(Mem{Base: op}, form)
		SHLQ(U8(6), form)
		INCQ(op)
	}
	gate := func() { writeForm(load(f, "forms:"), form, a, b) }
	loop(in(f, "chains:"), func() {
		row(firstA, a)
		row(firstB, b)
		next(firstOp)
		layers := field("layers")
		TESTQ(layers, layers)
		unless(JZ, func() {
			loop(layers, func() {
				store(a, as)
				store(b, bs)
				gate()
				row(bit, b)
				next(op)
			})
		})
		store(a, as)
		store(b, bs)
		gate()
		store(a, out)
	})
	RET()
}

// writeForm replaces the row a by an operation of a and b. The argument form is the offset of the operation's normal
// form.
func writeForm(forms, form reg.Register, a, b reg.VecVirtual) {
	low, high := XMM(), XMM()
	c := func(i int) Mem { return index(forms, form, 1, 16*i) }
	VPAND(c(2), b, low)
	VPAND(c(3), b, high)
	VPXOR(c(0), low, low)
	VPXOR(c(1), high, high)
	VPAND(high, a, a)
	VPXOR(low, a, a)
}

// forwardLayer emits the forward kernel of a layer.
func forwardLayer() {
	f := text("forwardLayerAVX2", "layerWalk", "forwardLayerAVX2 computes the outputs of some gates of a layer.")
	field := func(name string) reg.GPVirtual { return load(f, name+"/") }
	rowsA, rowsB, out, forms := field("rowsA"), field("rowsB"), field("out"), field("forms")
	bitA, bitB, op, n := field("bitA"), field("bitB"), field("op"), field("gates")
	i, to := field("from"), GP64()
	MOVQ(i, to)
	SHLQ(U8(4), to)
	ADDQ(to, out)
	row := func(rows, bit reg.Register) reg.VecVirtual {
		x, at := XMM(), GP64()
		MOVL(index(bit, i, 4, 0), at.As32())
		SHLQ(U8(4), at)
		VMOVDQU(index(rows, at, 1, 0), x)
		return x
	}
	loop(n, func() {
		form := GP64()
		MOVBQZX(index(op, i, 1, 0), form)
		SHLQ(U8(6), form)
		a, b := row(rowsA, bitA), row(rowsB, bitB)
		writeForm(forms, form, a, b)
		VMOVDQU(a, Mem{Base: out})
		ADDQ(U8(16), out)
		INCQ(i)
	})
	RET()
}

// fetchBelow prefetches the operations and wires of the chains with lower numbers than the chains of this walk,
// because an update continues there. The number of these chains equals the number of chains of the walk.
func fetchBelow(f reg.GPVirtual) {
	below := func(array string, scale uint8, entries reg.Register) {
		p, n := load(f, array+":"), GP64()
		MOVQ(entries, n)
		if scale > 1 {
			SHLQ(U8(2), n)
		}
		label := fmt.Sprintf("fetch%d", labels)
		labels++
		Label(label)
		SUBQ(U8(64), p)
		PREFETCHT0(Mem{Base: p})
		SUBQ(U8(64), n)
		JGT(LabelRef(label))
	}
	chains, all := load(f, "chains:"), GP64()
	MOVQ(chains, all)
	IMULQ(in(f, "layers:"), all)
	below("firstOp", 1, chains)
	below("firstA", 4, chains)
	below("firstB", 4, chains)
	below("op", 1, all)
	below("bit", 4, all)
}
