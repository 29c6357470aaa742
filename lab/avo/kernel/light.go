package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Light gates have four logits, so a vector holds the logits of four gates.

// lightGates is the number of gates in a vector. lightBytes is the size of a gate's logits.
const (
	lightGates = 4
	lightBytes = 16
)

// lightLayer512 emits the kernel for layers of light gates without relaxed pins.
func lightLayer512(table Mem) {
	k := fused{ops: true, light: true}
	k.begin("AVX512")
	k.sigmoids512(table)
	k.gathers512()
	k.lightUpdates512()
	k.end()
}

// lights emits the body once for every four gates of a block. The body gets four arguments:
//
//   - the scratch memory of the gates;
//   - the byte offset of their logits;
//   - the number of gates left;
//   - the mask of the lanes that belong to the block.
func (k fused) lights(body func(gate, at, left reg.GPVirtual, mask reg.OpmaskVirtual)) {
	gate, at, left := k.first(), shifted(load(k.f, "gate"), 4), load(k.f, "n")
	again := label()
	Label(again)
	bits, full, mask := GP32(), label(), K()
	MOVL(U32(0xffff), bits)
	CMPQ(left, U8(lightGates))
	JGE(LabelRef(full))
	MOVQ(left, reg.RCX)
	SHLQ(U8(2), reg.RCX)
	MOVL(U32(1), bits)
	SHLL(reg.CL, bits)
	DECL(bits)
	Label(full)
	KMOVW(bits, mask)
	body(gate, at, left, mask)
	ADDQ(U32(lightGates*gateBytes), gate)
	ADDQ(U8(zmm), at)
	SUBQ(U8(lightGates), left)
	JG(LabelRef(again))
}

// sigmoids512 writes the truth values of the block's gates to t and the derivatives of these sigmoids to p.
func (k fused) sigmoids512(table Mem) {
	z := newExponentials512(table)
	k.lights(func(gate, at, _ reg.GPVirtual, mask reg.OpmaskVirtual) {
		t, slope := z.sigmoid(load512(index(load(k.f, "w"), at, 1, 0), mask))
		for j := range lightGates {
			store := func(v reg.VecVirtual, field string) {
				to := at4(gate, field, j)
				if j == 0 {
					VMOVUPS(v.AsX(), to)
				} else {
					VEXTRACTF32X4(U8(j), v, to)
				}
			}
			store(t, "t")
			store(slope, "p")
		}
	})
}

// at4 returns the memory of the first four words of a field. after is the distance, in gates, from gate to the gate
// that has the field.
func at4(gate reg.Register, field string, after int) Mem {
	return at(gate, field, 0).Offset(after * gateBytes)
}

// sigmoid returns the sigmoids of x and their slopes.
func (z exponentials512) sigmoid(x reg.VecVirtual) (t, slope reg.VecVirtual) {
	e, minus, zero, negative := ZMM(), ZMM(), ZMM(), K()
	t, slope = ZMM(), ZMM()
	VXORPS(zero, zero, zero)
	VSUBPS(x, zero, minus)
	VMINPS(minus, x, e)
	z.write([]reg.VecVirtual{e}, func() {})
	VADDPS(e, z.one, t)
	VDIVPS(t, z.one, t)
	VMULPS(t, e, e)
	VMULPS(e, t, slope)
	VCMPPS(U8(1), zero, x, negative) // less
	VMOVAPS(e, negative, t)
	return t, slope
}

// lightUpdates512 updates the block's gates and prefetches the parameters of later gates.
func (k fused) lightUpdates512() {
	c := loadAdam512(in(k.f, "adam"))
	zero := zero512()
	k.lights(func(gate, off, left reg.GPVirtual, mask reg.OpmaskVirtual) {
		four := func(field string) reg.VecVirtual {
			v := ZMM()
			VMOVUPS(at4(gate, field, 0), v.AsX())
			for j := 1; j < lightGates; j++ {
				VINSERTF32X4(U8(j), at4(gate, field, j), v, v)
			}
			return v
		}
		g := four("s")
		VMULPS(four("p"), g, g)
		field := func(name string) Mem {
			base := load(k.f, name)
			PREFETCHT0(index(base, off, 1, blockGates*lightBytes))
			return index(base, off, 1, 0)
		}
		ops := lightOps512(c.update(field("w"), field("m"), field("v"), g, mask), zero)
		k.storeOps(off, left, ops)
	})
}

// lightOps512 returns the operations of several gates, four bits each, given their logits. The first logit of a gate
// gives the highest bit.
func lightOps512(w, zero reg.VecVirtual) reg.GPVirtual {
	turned, above, ops := ZMM(), K(), GP32()
	VPERMILPS(U8(0x1b), w, turned)
	VCMPPS(U8(0x1e), zero, turned, above) // greater, ordered
	KMOVW(above, ops)
	return ops
}

// storeOps stores the operations of four gates, or of the last gates if fewer than four are left.
func (k fused) storeOps(off, left, ops reg.GPVirtual) {
	t, to := GP32(), GP64()
	for _, spread := range []struct {
		by   uint8
		mask uint32
	}{{8, 0x00ff00ff}, {4, 0x0f0f0f0f}} {
		MOVL(ops, t)
		SHLL(U8(spread.by), t)
		ORL(t, ops)
		ANDL(U32(spread.mask), ops)
	}
	MOVQ(off, to)
	SHRQ(U8(4), to)
	ADDQ(in(k.f, "op"), to)
	some, end := label(), label()
	CMPQ(left, U8(lightGates))
	JL(LabelRef(some))
	MOVL(ops, Mem{Base: to})
	JMP(LabelRef(end))
	Label(some)
	n := GP64()
	MOVQ(left, n)
	loop(n, func() {
		MOVB(ops.As8(), Mem{Base: to})
		SHRL(U8(8), ops)
		INCQ(to)
	})
	Label(end)
}

// lightStep512 emits the steps of one light gate.
func lightStep512(table Mem) {
	step("light", "AVX512", lightSignature, lightDoc)
	slopes, w, ts := general("p"), general("w"), general("t")
	t, slope := newExponentials512(table).sigmoid(load512(Mem{Base: w}, opmask(0xf)))
	VMOVUPS(t.AsX(), Mem{Base: ts})
	VMOVUPS(slope.AsX(), Mem{Base: slopes})
	VZEROUPPER()
	RET()

	step("lightStep", "AVX512", lightStepSignature, lightStepDoc)
	g, p, m := ZMM(), ZMM(), opmask(0xf)
	VMOVUPS_Z(Mem{Base: general("s")}, m, g)
	VMOVUPS_Z(Mem{Base: general("p")}, m, p)
	VMULPS(p, g, g)
	c := loadAdam512(Mem{Base: general("adam")})
	Store(lightOps512(c.update(Mem{Base: general("w")}, Mem{Base: general("m")}, Mem{Base: general("v")}, g, m),
		zero512()).As64(), ReturnIndex(0))
	VZEROUPPER()
	RET()
}

// sigmoid returns the sigmoids of x and their slopes. It overwrites x.
func (k kernel2) sigmoid(x reg.VecVirtual) (t, slope reg.VecVirtual) {
	e, t, zero, one := YMM(), YMM(), zero8(), YMM()
	VSUBPS(x, zero, e)
	VMINPS(e, x, e)
	k.exp([]reg.VecVirtual{e})
	VBROADCASTSS(k.c["one"], one)
	VADDPS(e, one, t)
	VDIVPS(t, one, t)
	VMULPS(t, e, e)
	VMULPS(e, t, one)
	VCMPPS(U8(1), zero, x, x) // less
	VBLENDVPS(x, e, t, t)
	return t, one
}

// lightOps2 replaces logits by the bits of their operations. Each bit is the sign of a lane. The first logit of a
// gate gives the highest bit.
func lightOps2(logits, zero reg.VecVirtual) {
	VPERMILPS(U8(0x1b), logits, logits)
	VCMPPS(U8(0x1e), zero, logits, logits) // greater, ordered
}

// lightLayer emits the kernel for layers of light gates without relaxed pins, like lightLayer512. A vector holds the
// logits of two gates.
func (k kernel2) lightLayer(tails Mem) {
	k.begin("AVX2")
	k.lightPairs(func(gate, off reg.Register, gates int) {
		x := YMM()
		field := index(load(k.f, "w"), off, 1, 0)
		if gates == 2 {
			VMOVUPS(field, x)
		} else {
			VBROADCASTF128(field, x)
		}
		t, slope := k.sigmoid(x)
		for i, v := range []reg.VecVirtual{t, slope} {
			name := []string{"t", "p"}[i]
			VMOVUPS(v.AsX(), at(gate, name, 0))
			if gates == 2 {
				VEXTRACTF128(U8(1), v, at4(gate, name, 1))
			}
		}
	})
	k.gathers()
	k.lightPairs(func(gate, off reg.Register, gates int) {
		four := func(name string) reg.VecVirtual {
			v := YMM()
			VBROADCASTF128(at(gate, name, 0), v) // avo believes that loading half of a vector reads the old vector
			if gates == 2 {
				VINSERTF128(U8(1), at4(gate, name, 1), v, v)
			}
			return v
		}
		g := four("s")
		VMULPS(four("p"), g, g)
		var mask reg.VecVirtual
		if gates == 1 {
			mask = YMM()
			VMOVUPS(tails.Offset(lightBytes), mask)
		}
		field := func(name string) Mem {
			base := load(k.f, name)
			PREFETCHT0(index(base, off, 1, blockGates*lightBytes))
			return index(base, off, 1, 0)
		}
		logits := update8(in(k.f, "adam"), field("w"), field("m"), field("v"), g, mask)
		lightOps2(logits, zero8())
		ops, low, to := GP32(), GP32(), GP64()
		MOVQ(off, to)
		SHRQ(U8(4), to)
		ADDQ(in(k.f, "op"), to)
		VMOVMSKPS(logits, ops)
		MOVL(ops, low)
		ANDL(U8(15), low)
		MOVB(low.As8(), Mem{Base: to})
		if gates == 2 {
			SHRL(U8(4), ops)
			MOVB(ops.As8(), Mem{Base: to, Disp: 1})
		}
	})
	k.end()
}

// lightPairs emits the body for every two gates of a block, and once more for a single last gate. The body gets the
// byte offset of the logits.
func (k kernel2) lightPairs(body func(gate, off reg.Register, gates int)) {
	gate, off, left := k.first(), shifted(load(k.f, "gate"), 4), load(k.f, "n")
	again, odd, end := label(), label(), label()
	Label(again)
	CMPQ(left, U8(2))
	JL(LabelRef(odd))
	body(gate, off, 2)
	ADDQ(U32(2*gateBytes), gate)
	ADDQ(U8(ymm), off)
	SUBQ(U8(2), left)
	JMP(LabelRef(again))
	Label(odd)
	TESTQ(left, left)
	JZ(LabelRef(end))
	body(gate, off, 1)
	Label(end)
}

// lightStep emits the steps of one light gate in AVX2.
func (k *steps2) lightStep() {
	step("light", "AVX2", lightSignature, lightDoc)
	slopes, w, ts := general("p"), general("w"), general("t")
	x := YMM()
	VMOVUPS(Mem{Base: w}, x.AsX())
	t, slope := k.sigmoid(x)
	VMOVUPS(slope.AsX(), Mem{Base: slopes})
	VMOVUPS(t.AsX(), Mem{Base: ts})
	VZEROUPPER()
	RET()

	step("lightStep", "AVX2", lightStepSignature, lightStepDoc)
	g, p, mask, ops := YMM(), YMM(), YMM(), GP64()
	VMOVUPS(Mem{Base: general("s")}, g.AsX())
	VMOVUPS(Mem{Base: general("p")}, p.AsX())
	VMULPS(p, g, g)
	VMOVUPS(k.tails.Offset(lightBytes), mask)
	none := zero8()
	logits := k.update(Mem{Base: general("w")}, Mem{Base: general("m")}, Mem{Base: general("v")}, g, mask)
	lightOps2(logits, none)
	VMOVMSKPS(logits.AsX(), ops.As32())
	Store(ops, ReturnIndex(0))
	VZEROUPPER()
	RET()
}
