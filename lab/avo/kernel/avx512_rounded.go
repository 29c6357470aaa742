package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// rounding512 rounds the gradients of pins to bytes. A number is rounded to an integer when magic is added, because the
// sum has no room for a fraction. The lowest byte of the sum is the integer.
type rounding512 struct {
	k                 fused
	order, magic, one reg.VecVirtual
	largest           reg.VecVirtual // the largest absolute values in the lanes of a pin's gradients
	dither            reg.GPVirtual  // the dithers of the pin
}

func (k fused) newRounding512(one reg.VecVirtual) *rounding512 {
	r := &rounding512{k, ZMM(), broadcast(3 << 22), one, ZMM(), load(k.f, "dither")}
	VMOVDQU32(lowBytes512(), r.order)
	VXORPS(r.largest, r.largest, r.largest)
	return r
}

// lowBytes512 writes a permutation of the bytes of two vectors of 32-bit words. It puts the lowest bytes of the words
// into the order of the function fourth.
func lowBytes512() Mem {
	const name = "lowBytes512"
	if m, ok := written[name]; ok {
		return m
	}
	m := GLOBL(name, 8|16) // RODATA|NOPTR
	written[name] = m
	for i := range 64 {
		s := i&31/4 | i&3*8
		DATA(i, U8(s/16*64|s%16*4))
	}
	return m
}

// add makes vector v of a pin's gradients a part of the largest absolute values.
func (r *rounding512) add(v int, x reg.VecVirtual) {
	if v == 0 {
		VRANGEPS(U8(absolute), x, x, r.largest)
	} else {
		VRANGEPS(U8(absolute), x, r.largest, r.largest)
	}
}

// absolute selects the operation of VRANGEPS that returns the larger absolute value.
const absolute = 0x0b

// locate sets the dithers for the gate in a layer and chain.
func (r *rounding512) locate(layer, chain reg.Register) {
	at := GP64()
	IMUL3Q(U8(29), layer, at)
	ADDQ(in(r.k.f, "start").Idx(chain, 8), at)
	SUBQ(U8(29), at)
	ANDQ(U32(255), at)
	SHLQ(U8(6), at)
	MOVQ(in(r.k.f, "dither"), r.dither)
	ADDQ(at, r.dither)
}

// write rounds the gradients of a pin, which are in a row at the distance off from from. It writes the bytes to the row
// at the distance off from to, in the order of the function fourth, and the value of one integer step to the gate.
func (r *rounding512) write(gate Mem, from, to reg.Register, off int, pause func()) {
	x, full, scale, step := XMM(), XMM(), XMM(), XMM()
	four := fold4With(VMAXPS, r.largest)
	pause()
	VMAXSS(float32Constant("least512", 1e-30), maxTwo(four, four), x)
	pause()
	VMOVSS(float32Constant("full512", 126.5), full)
	VDIVSS(x, full, scale)
	VDIVSS(full, x, step)
	pause()
	scales, dither := ZMM(), GP64()
	MOVQ(r.dither, dither)
	VBROADCASTSS(scale, scales)
	VMOVSS(step, gate)
	pause()
	round := func(v int, x reg.VecVirtual, pause func()) {
		VMULPS(Mem{Base: from, Disp: off + zmm*v}, scales, x)
		pause()
		VADDPS(Mem{Base: dither, Disp: zmm * v}, x, x)
		pause()
		VFMADD132PS(r.one, r.magic, x)
		pause()
	}
	for v := 0; v < vectors; v += 2 {
		x, y := ZMM(), ZMM()
		round(v, x, pause)
		if v < vectors-2 {
			round(v+1, y, pause)
		} else {
			VMOVAPS(r.magic, y)
			CMPQ(in(r.k.f, "samples"), U8(5*doneAt))
			unless(JLE, func() { round(v+1, y, func() {}) })
		}
		VPERMT2B(y, r.order, x)
		VMOVDQU32(x.AsY(), Mem{Base: to, Disp: off + ymm*v/2})
		pause()
	}
}

// round512 rounds the gradients of the block's pins to bytes. In a kernel for whole gates, this is a part of bins512.
func (k fused) round512() {
	n, gate, to, beta := load(k.f, "n"), k.last("block", gateBytes), k.last("beta", betaRow), k.upstream()
	chain, layer := load(k.f, "chain"), GP64()
	r := k.newRounding512(broadcast(1))
	MOVQ(U32(1), layer)
	loop(n, func() {
		add := func(v int) {
			x := ZMM()
			VMOVUPS(Mem{Base: beta, Disp: zmm * v}, x)
			r.add(v, x)
		}
		for v := range vectors - 1 {
			add(v)
		}
		CMPQ(in(k.f, "samples"), U8(5*doneAt)) // the last vector of a smaller batch may have numbers of another batch
		unless(JLE, func() { add(vectors - 1) })
		r.locate(layer, chain)
		r.write(at(gate, "step", 0), beta, to, 0, func() {})
		SUBQ(U32(gateBytes), gate)
		SUBQ(U32(betaRow), to)
		SUBQ(U32(betaRow), beta)
		DECQ(chain)
	})
	MOVQ(chain, in(k.f, "chain"))
}

// integers512 writes the sums r of the candidates of a gate, interleaved with another body. The rounded gradients of
// the gate are in q. A vector has a word of 32 samples for each of 16 candidates. A mask selects one bit of each byte of
// a word, and this bit is the factor of the gradient of its sample. Words are shifted only once, by four bits, so a
// factor is 1, 2, 4 or 8. Each factor has its own sum.
//
// The argument words holds the words of the first 16 candidates. Afterwards it holds the words of the preceding gate.
// The sums of 16 candidates are interleaved with the loads of the next 16. Prefetches of these rows would take longer
// than they save, also with CIFAR-10's inputs.
func (k fused) integers512(g, gate, q reg.Register, mask, words [4]reg.VecVirtual, other body) {
	k.prefetch(g)
	x := load(k.f, "x")
	weave(func(pause func()) {
		var high [4]reg.VecVirtual
		for i := range high {
			high[i] = ZMM()
		}
		weave(func(both func()) {
			k.candidateSums512(gate, q, 0, mask, words, func() { both(); pause() })
		}, func(pause func()) { k.words512(x, k.wires(g), 1, high, pause) })
		weave(func(both func()) {
			k.candidateSums512(gate, q, 1, mask, high, func() { both(); pause() })
		}, func(pause func()) {
			k.words512(x, k.wires(before(g)), 0, words, pause)
		})
	}, other)
}

// candidateSums512 writes the sums of 16 candidates, whose words are given.
func (k fused) candidateSums512(gate, q reg.Register, h int, mask, words [4]reg.VecVirtual, pause func()) {
	var sum [4]reg.VecVirtual
	for t := range sum {
		sum[t] = zero512()
	}
	four := func(w, from int, pause func()) {
		for t, m := range mask {
			y := ZMM()
			VPANDD(m, words[w], y)
			VPDPBUSD_BCST(Mem{Base: q, Disp: 32*w + 4*(from+t)}, y, sum[t])
			pause()
		}
	}
	for w := range words {
		four(w, 0, pause)
		high := func(pause func()) {
			VPSRLD(U8(4), words[w], words[w])
			four(w, 4, pause)
		}
		if w < 3 {
			high(pause)
		} else {
			CMPQ(in(k.f, "samples"), U8(5*doneAt)) // these samples have only four bits in the last word
			unless(JLE, func() { high(func() {}) })
		}
	}
	for t := 3; t > 0; t-- {
		VPSRAD(U8(1), sum[t], sum[t])
		VPADDD(sum[t], sum[t-1], sum[t-1])
		pause()
	}
	VCVTDQ2PS(sum[0], sum[0])
	VMULPS_BCST(at(gate, "step", 0), sum[0], sum[0])
	VMOVUPS(sum[0], at(gate, "r", 16*h))
}

// words512 loads the rows of 16 candidates of a gate with the given wires. It writes one vector for every 32 samples,
// which has one lane for each candidate.
func (k fused) words512(x, wires reg.Register, h int, words [4]reg.VecVirtual, pause func()) {
	var z [4]reg.VecVirtual
	for r := range z {
		row := func(l int) Mem { return k.rowOf(wires, 16*h+4*l+r, x) }
		z[r] = zero512() // avo would take the instruction that joins the halves for a read of what was there before
		high := YMM()
		VXORPS(high, high, high)
		VMOVDQU32(row(0), z[r].AsX())
		pause()
		VINSERTI32X4(U8(1), row(1), z[r].AsY(), z[r].AsY())
		pause()
		VMOVDQU32(row(2), high.AsX())
		pause()
		VINSERTI32X4(U8(1), row(3), high, high)
		pause()
		VINSERTI64X4(U8(1), high, z[r], z[r])
		pause()
	}
	for half, unpack := range []func(...Op){VPUNPCKLDQ, VPUNPCKHDQ} {
		a, b := ZMM(), ZMM()
		unpack(z[1], z[0], a)
		pause()
		unpack(z[3], z[2], b)
		pause()
		VPUNPCKLQDQ(b, a, words[2*half])
		pause()
		VPUNPCKHQDQ(b, a, words[2*half+1])
		pause()
	}
}

// roundedUpdates512 emits the update of a block's gates whose gradients are rounded. As in [fused.updates512], the step
// of each gate is interleaved with the sums of the next gate.
func (k fused) roundedUpdates512() {
	n, g, gate, q := load(k.f, "n"), load(k.f, "gate"), k.last("block", gateBytes), k.last("beta", betaRow)
	m := [4]reg.OpmaskVirtual{opmask(0xaaaa), opmask(0xcccc), opmask(0xf0f0), opmask(0xff00)}
	var mask [4]reg.VecVirtual
	for t := range mask {
		mask[t] = broadcastInteger512(0x01010101 << t)
	}
	var words [4]reg.VecVirtual
	for i := range words {
		words[i] = ZMM()
	}
	k.words512(load(k.f, "x"), k.wires(g), 0, words, func() {})
	k.integers512(g, gate, q, mask, words, nothing)
	last := GP64()
	DECQ(n)
	unless(JZ, func() {
		loop(n, func() {
			MOVQ(gate, last)
			DECQ(g)
			SUBQ(U32(gateBytes), gate)
			SUBQ(U32(betaRow), q)
			k.integers512(g, gate, q, mask, words, func(pause func()) { k.update512(g, 1, last, m, pause) })
		})
	})
	k.update512(g, 0, gate, m, func() {})
	k.largestLoop512()
}

// largestLoop512 stores the largest logits of the block's gates, and the operations and candidates that these logits
// select. In update512, this would delay the next gate, because it waits for the new logits.
func (k fused) largestLoop512() {
	n, g := load(k.f, "n"), load(k.f, "gate")
	loop(n, func() {
		at64 := shifted(g, 6)
		w, u := ZMM(), [2]reg.VecVirtual{ZMM(), ZMM()}
		if k.ops {
			VMOVUPS(index(load(k.f, "w"), at64, 1, 0), w)
		}
		for h := range u {
			VMOVUPS(index(load(k.f, "u"), at64, 2, zmm*h), u[h])
		}
		k.largest512(g, 0, w, u, func() {})
		DECQ(g)
	})
}
