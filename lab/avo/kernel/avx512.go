package main

import (
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

func avx512() {
	ConstraintExpr("amd64")
	table := constants512()
	for _, k := range append(pinKernels(candidates), roundingKernels(candidates)...) {
		k.begin("AVX512")
		k.softmax512(table)
		switch {
		case k.ops:
			k.bins512()
		case k.round:
			k.round512()
		}
		if k.round {
			k.roundedUpdates512()
		} else {
			k.updates512()
		}
		k.end()
	}
	layers512(table)
	lightLayer512(table)
}

// constants512 writes a table for a permutation. Entry i holds the bits of 2^(i/16) minus i << 19. The comment of
// exponentials512.write explains the subtraction.
func constants512() Mem {
	m := GLOBL("exp512", 8|16) // RODATA|NOPTR
	for i := range 16 {
		DATA(4*i, U32(power(i)))
	}
	return m
}

// broadcast returns a vector with a float32 constant in all lanes.
func broadcast(x float32) reg.VecVirtual {
	z, t := ZMM(), GP32()
	MOVL(U32(math.Float32bits(x)), t)
	VPBROADCASTD(t, z)
	return z
}

// opmask returns a mask register with the given bits.
func opmask(bits uint32) reg.OpmaskVirtual {
	k, t := K(), GP32()
	MOVL(U32(bits), t)
	KMOVW(t, k)
	return k
}

// softmax512 writes p, q and the truth values t of the block's gates. The sums of a gate depend on one another, so
// their instructions are interleaved with the exponentials of the next gate.
func (k fused) softmax512(table Mem) {
	n, g, gate := load(k.f, "n"), load(k.f, "gate"), k.first()
	z := newExponentials512(table)
	x, e := []reg.VecVirtual{ZMM(), ZMM(), ZMM()}, []reg.VecVirtual{ZMM(), ZMM(), ZMM()}
	switch {
	case !k.ops:
		x, e = x[:2], e[:2]
	case !k.pin:
		x, e = x[:1], e[:1]
	}
	step := func(other body) {
		weave(func(pause func()) {
			k.logits512(g, x)
			z.write(x, pause)
		}, other)
		for i := range e {
			VMOVAPS(x[i], e[i])
		}
	}
	step(nothing)
	DECQ(n)
	unless(JZ, func() {
		loop(n, func() {
			k.next(g)
			step(func(pause func()) { k.scale512(gate, e, z.one, pause) })
			k.nextScratch(gate)
		})
	})
	k.scale512(gate, e, z.one, func() {})
}

// logits512 loads the selection and operation logits of a gate. It subtracts the largest selection logit and the
// largest operation logit.
func (k fused) logits512(g reg.Register, x []reg.VecVirtual) {
	at64 := shifted(g, 6)
	if k.pin {
		u, utop := load(k.f, "u"), load(k.f, "utop")
		for i := range 2 {
			VMOVUPS(index(u, at64, 2, zmm*i), x[i])
			VSUBPS_BCST(index(utop, g, 4, 0), x[i], x[i])
		}
	}
	if k.ops {
		w := x[len(x)-1]
		VMOVUPS(index(load(k.f, "w"), at64, 1, 0), w)
		VSUBPS_BCST(index(load(k.f, "top"), g, 4, 0), w, w)
	}
}

// exponentials512 holds the constants that detmath.Exp uses.
type exponentials512 struct {
	least, scale, magic, step, sixth, half, one, powers reg.VecVirtual
}

func newExponentials512(table Mem) exponentials512 {
	z := exponentials512{
		least: broadcast(-80), scale: broadcast(23.083120654223414), magic: broadcast(3 << 22),
		step: broadcast(0.04332169878499658), sixth: broadcast(1.0 / 6), half: broadcast(0.5), one: broadcast(1),
		powers: ZMM(),
	}
	VMOVUPS(table, z.powers)
	return z
}

// write computes detmath.Exp of each vector in x, in place. The package detmath splits an integer. Its low four bits
// i select 2^(i/16) from a table, and the other bits are added to the exponent. In contrast, write adds the whole
// integer to the table entry. To compensate for the low four bits, each table entry is lower by i << 19.
func (z exponentials512) write(x []reg.VecVirtual, pause func()) {
	n := len(x)
	y, r, p, e := make([]reg.VecVirtual, n), make([]reg.VecVirtual, n), make([]reg.VecVirtual, n),
		make([]reg.VecVirtual, n)
	each := func(f func(i int)) {
		for i := range n {
			f(i)
		}
		pause()
	}
	each(func(i int) { VMAXPS(z.least, x[i], x[i]) })
	each(func(i int) { VMULPS(z.scale, x[i], x[i]) })
	each(func(i int) { y[i] = ZMM(); VADDPS(z.magic, x[i], y[i]) })
	each(func(i int) { r[i] = ZMM(); VSUBPS(z.magic, y[i], r[i]) })
	each(func(i int) { e[i] = ZMM(); VPERMPS(z.powers, y[i], e[i]) })
	each(func(i int) { VSUBPS(r[i], x[i], r[i]) })
	each(func(i int) { VPSLLD(U8(19), y[i], y[i]) })
	each(func(i int) { VMULPS(z.step, r[i], r[i]) })
	each(func(i int) { VPADDD(y[i], e[i], e[i]) })
	each(func(i int) { p[i] = y[i]; VMULPS(z.sixth, r[i], p[i]) })
	each(func(i int) { VADDPS(z.half, p[i], p[i]) })
	each(func(i int) { VMULPS(r[i], p[i], p[i]) })
	each(func(i int) { VADDPS(z.one, p[i], p[i]) })
	each(func(i int) { VMULPS(r[i], p[i], p[i]) })
	each(func(i int) { VMULPS(e[i], p[i], p[i]) })
	each(func(i int) { VADDPS(p[i], e[i], x[i]) })
}

// scale512 writes p, q and t of a gate, computed from its exponentials.
func (k fused) scale512(gate reg.Register, e []reg.VecVirtual, one reg.VecVirtual, pause func()) {
	var qs reg.VecVirtual
	if k.pin {
		sum := ZMM()
		VADDPS(e[1], e[0], sum)
		pause()
		half := fold8(sum)
		pause()
		qs = fold4(half)
		pause()
	}
	inv := XMM()
	if k.ops {
		// Bit 3 of k is f_k(0,0), bit 2 is f_k(0,1), and so on. Therefore the sums over lanes share their first
		// steps.
		p, high, high8 := e[len(e)-1], YMM(), XMM()
		VEXTRACTF64X4(U8(1), p, high)
		pause()
		t00 := fold4(high)
		VADDPS(p.AsY(), high, high)
		pause()
		VEXTRACTF32X4(U8(1), high, high8)
		pause()
		c := XMM()
		VADDPS(high.AsX(), high8, c)
		pause()
		if !k.pin {
			qs = c // a register that is not used
		}
		four := foldFour(c, qs, t00, high8) // sums of p, of q, T00, T01
		pause()
		even, odd := XMM(), XMM()
		VSHUFPS(U8(0x06), c, c, even) // 2, 1
		VSHUFPS(U8(0x0f), c, c, odd)  // 3, 3
		VADDPS(even, odd, even)       // T10, T11
		VDIVPS(four, one.AsX(), inv)
		pause()
		VSHUFPS(U8(0x4e), even, four, four)
		ip := ZMM()
		VBROADCASTSS(inv, ip)
		pause()
		VMULPS(ip.AsX(), four, four)
		VMOVUPS(four, at(gate, "t", 0))
		pause()
		VMULPS(ip, p, p)
		VMOVUPS(p, at(gate, "p", 0))
		pause()
		if !k.pin {
			return
		}
		VPERMILPS(U8(0x55), inv, inv)
	} else {
		VDIVPS(foldFour(qs, qs, qs, qs), one.AsX(), inv)
		pause()
	}
	iq := ZMM()
	VBROADCASTSS(inv, iq)
	pause()
	for i, q := range e[:2] {
		VMULPS(iq, q, q)
		VMOVUPS(q, at(gate, "q", 16*i))
		pause()
	}
}

// fold8 returns the sums of lanes i and i+8 of z.
func fold8(z reg.VecVirtual) reg.VecVirtual {
	y := YMM()
	VEXTRACTF64X4(U8(1), z, y)
	VADDPS(z.AsY(), y, y)
	return y
}
