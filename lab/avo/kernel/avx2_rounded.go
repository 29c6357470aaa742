package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// rounded2 is a kernel2 that rounds the gradients of pins to 8 bits before it sums them.
type rounded2 struct {
	kernel2
	size, order, pairs Mem
	factor             [4]Mem // masks of the bits 0 to 3 of each byte
}

// roundedConstants2 writes the constants of rounded2.
func roundedConstants2() (k rounded2) {
	bytes := func(name string, f func(i int) uint8) Mem {
		m := GLOBL(name, 8|16) // RODATA|NOPTR
		for i := range ymm {
			DATA(i, U8(f(i)))
		}
		return m
	}
	k.size = bytes("absolute2", func(i int) uint8 { return [4]uint8{0xff, 0xff, 0xff, 0x7f}[i%4] })
	k.order = bytes("fourth2", func(i int) uint8 { return uint8(i%4*4 + i%16/4) })
	k.pairs = bytes("ones2", func(i int) uint8 { return uint8(1 - i%2) })
	for t, name := range []string{"first2", "second2", "third2", "last2"} {
		k.factor[t] = bytes(name, func(int) uint8 { return 1 << t })
	}
	return k
}

// update emits the phases that update the block's gates.
func (k rounded2) update() {
	if k.ops {
		k.bins(&k)
	} else {
		k.roundPins()
	}
	k.integers()
	k.gradients()
	k.adam()
	k.largest()
}

// roundPins rounds the gradients of the block's pins in a kernel that updates pins only.
func (k rounded2) roundPins() {
	n, gate, to, from := load(k.f, "n"), k.last("block", gateBytes), k.last("beta", betaRow), k.upstream()
	chain, layer := load(k.f, "chain"), GP64()
	MOVQ(U32(1), layer)
	loop(n, func() {
		k.round(gate, from, to, layer, chain)
		SUBQ(U32(gateBytes), gate)
		SUBQ(U32(betaRow), to)
		SUBQ(U32(betaRow), from)
		DECQ(chain)
	})
	MOVQ(chain, in(k.f, "chain"))
}

// round rounds the gradients of a pin of the gate in a layer and chain. It writes the bytes to a row, in the order of the
// function fourth, and the value of one integer step to the gate.
func (k rounded2) round(gate, from, to, layer, chain reg.Register) {
	largest := eight(2)
	size := func(v int, x reg.VecVirtual) {
		VMOVUPS(k.size, x)
		VANDPS(Mem{Base: from, Disp: ymm * v}, x, x)
	}
	larger := func(v int) {
		x := YMM()
		size(v, x)
		VMAXPS(x, largest[v%2], largest[v%2])
	}
	size(0, largest[0])
	size(1, largest[1])
	for v := 2; v < 14; v++ {
		larger(v)
	}
	k.unlessFew(func() {
		larger(14)
		larger(15)
	})
	VMAXPS(largest[1], largest[0], largest[0])
	four := XMM()
	VEXTRACTF128(U8(1), largest[0], four)
	VMAXPS(largest[0].AsX(), four, four)
	x, full, scale, step := XMM(), XMM(), XMM(), XMM()
	VMAXSS(float32Constant("least2", 1e-30), maxTwo(four, four), x)
	VMOVSS(float32Constant("full2", 126.5), full)
	VDIVSS(x, full, scale)
	VDIVSS(full, x, step)
	VMOVSS(step, at(gate, "step", 0))
	scales, dither := YMM(), GP64()
	VBROADCASTSS(scale, scales)
	IMUL3Q(U8(29), layer, dither)
	ADDQ(in(k.f, "start").Idx(chain, 8), dither)
	SUBQ(U8(29), dither)
	ANDQ(U32(255), dither)
	SHLQ(U8(6), dither)
	ADDQ(in(k.f, "dither"), dither)
	for w := range 4 {
		x := eight(4)
		eightSamples := func(i int) {
			VMULPS(Mem{Base: from, Disp: ymm * (4*w + i)}, scales, x[i])
			VADDPS(Mem{Base: dither, Disp: ymm * (4*w + i)}, x[i], x[i])
			VCVTPS2DQ(x[i], x[i])
		}
		eightSamples(0)
		eightSamples(1)
		rest := func() {
			eightSamples(2)
			eightSamples(3)
		}
		if w < 3 {
			rest()
		} else {
			VXORPS(x[2], x[2], x[2])
			VXORPS(x[3], x[3], x[3])
			k.unlessFew(rest)
		}
		VPACKSSDW(x[1], x[0], x[0])
		VPACKSSDW(x[3], x[2], x[2])
		VPACKSSWB(x[2], x[0], x[0])
		VPSHUFB(k.order, x[0], x[0])
		VMOVDQU(x[0], Mem{Base: to, Disp: ymm * w})
	}
}

// unlessFew emits code for the samples and bits of samples that batches of up to 100 samples lack: samples 112 to 127,
// and the bits 4 to 7 of the bytes of the last word.
func (k rounded2) unlessFew(body func()) {
	CMPQ(in(k.f, "samples"), U8(5*doneAt))
	unless(JLE, body)
}

// integers writes the sums r of the candidates of the block's gates. It does the same as integers512, but adds products
// of bytes in lanes of 16 bits. A sum for the factor 8 is at most 16 * 8 * 127.
func (k rounded2) integers() {
	n, g, gate, q := load(k.f, "n"), load(k.f, "gate"), k.last("block", gateBytes), k.last("beta", betaRow)
	loop(n, func() {
		k.prefetch(g)
		k.gather(k.wires(g))
		for part := range (k.vectors() + 1) / 2 { // sixteen candidates at a time, because more do not fit into the registers
			sums := make([][4]reg.VecVirtual, min(2, k.vectors()))
			for h := range sums {
				for t := range sums[h] {
					sums[h][t] = zero8()
				}
			}
			for w := range 4 {
				words := eight(len(sums))
				for h, x := range words {
					VMOVDQU(in(k.f, "words").Offset(4*candidates*w+ymm*(2*part+h)), x)
				}
				four := func(from int) {
					for t, mask := range k.factor {
						values := YMM()
						VPBROADCASTD(Mem{Base: q, Disp: 32*w + 4*(from+t)}, values)
						for h, x := range words {
							y := YMM()
							VPAND(mask, x, y)
							VPMADDUBSW(values, y, y)
							VPADDW(y, sums[h][t], sums[h][t])
						}
					}
				}
				high := func() {
					for _, x := range words {
						VPSRLD(U8(4), x, x)
					}
					four(4)
				}
				if four(0); w < 3 {
					high()
				} else {
					k.unlessFew(high)
				}
			}
			for h, s := range sums {
				for t := 3; t > 0; t-- {
					VPSRAW(U8(1), s[t], s[t])
					VPADDW(s[t], s[t-1], s[t-1])
				}
				VPMADDWD(k.pairs, s[0], s[0])
				VCVTDQ2PS(s[0], s[0])
				step := YMM()
				VBROADCASTSS(at(gate, "step", 0), step)
				VMULPS(step, s[0], s[0])
				VMOVUPS(s[0], at(gate, "r", 8*(2*part+h)))
			}
		}
		DECQ(g)
		SUBQ(U32(gateBytes), gate)
		SUBQ(U32(betaRow), q)
	})
}
