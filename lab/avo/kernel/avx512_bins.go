package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// bins512 writes the sums s of the block's gates and the gradients of their pins B, which it may round. The gradient of
// a chain stays in registers from gate to gate. It is stored in out at the end of a chain or block.
func (k fused) bins512() {
	var d [vectors]reg.VecVirtual
	for v := range d {
		d[v] = ZMM()
	}
	one := broadcast(1)
	n, gate, beta := load(k.f, "n"), k.last("block", gateBytes), k.last("beta", betaRow)
	row, layer, chain := load(k.f, "row"), load(k.f, "layer"), load(k.f, "chain")
	out := GP64()
	IMUL3Q(U32(betaRow), chain, out)
	ADDQ(in(k.f, "out"), out)
	move512(out, d, VMOVUPS)
	var done [4]reg.VecVirtual // sums of the preceding gate; at first there are none
	for i := range done {
		done[i] = ZMM()
		VXORPS(done[i], done[i], done[i])
	}
	var round *rounding512
	if k.round {
		round = k.newRounding512(one)
	}
	loop(n, func() {
		CMPQ(layer, in(k.f, "layers"))
		unless(JNE, func() {
			from := GP64()
			MOVQ(in(k.f, "from").Idx(chain, 8), from)
			move512(from, d, VMOVUPS)
		})
		var s [4]reg.VecVirtual // sums for each combination of the pins' values
		// The rounding of the preceding gate begins at the first pause, before this gate replaces the largest values.
		weave(func(pause func()) { s = k.bins512Gate(gate, beta, row, d, one, round, pause) },
			func(pause func()) {
				if k.round {
					round.write(at(gate, "step", 0).Offset(gateBytes), beta, beta, betaRow, pause)
				}
				foldBins512(gate, gateBytes, done, pause)
			})
		if k.round {
			round.locate(layer, chain)
		}
		for i := range s {
			VMOVAPS(s[i], done[i])
		}
		SUBQ(U8(16), row)
		SUBQ(U32(gateBytes), gate)
		SUBQ(U32(betaRow), beta)
		DECQ(layer)
		unless(JNZ, func() {
			CMPQ(in(k.f, "keep"), U8(0))
			unless(JEQ, func() { move512(out, d, store) })
			SUBQ(in(k.f, "gap"), row)
			MOVQ(in(k.f, "layers"), layer)
			DECQ(chain)
			SUBQ(U32(betaRow), out)
		})
	})
	if k.round {
		round.write(at(gate, "step", 0).Offset(gateBytes), beta, beta, betaRow, func() {})
	}
	foldBins512(gate, gateBytes, done, func() {})
	CMPQ(layer, in(k.f, "layers"))
	unless(JEQ, func() { move512(out, d, store) })
	MOVQ(row, in(k.f, "row"))
	MOVQ(layer, in(k.f, "layer"))
	MOVQ(chain, in(k.f, "chain"))
}

// store is VMOVUPS with the operands swapped.
func store(ops ...Op) { VMOVUPS(ops[1], ops[0]) }

// move512 loads or stores the gradient of a gate, depending on the function move.
func move512(base reg.Register, d [vectors]reg.VecVirtual, move func(...Op)) {
	for v := range d {
		move(Mem{Base: base, Disp: zmm * v}, d[v])
	}
}

// bins512Gate emits the phase for one gate with the gradient d. It returns sums whose lanes are not yet added up. If
// round is not nil, it collects the largest gradient of pin B.
func (k fused) bins512Gate(gate, beta, row reg.Register, d [vectors]reg.VecVirtual, one reg.VecVirtual,
	round *rounding512, pause func(),
) (s [4]reg.VecVirtual) {
	ca, cb := XMM(), XMM()
	t, hi := XMM(), XMM()
	VMOVUPS(at(gate, "t", 0), t)
	VMOVHLPS(t, t, hi)
	VSUBPS(t, hi, ca) // T10 - T00, T11 - T01
	VSHUFPS(U8(0x88), t, t, hi)
	VSHUFPS(U8(0xdd), t, t, cb)
	VSUBPS(hi, cb, cb) // T01 - T00, T11 - T10
	pause()
	lane := func(x reg.VecVirtual, i uint8) reg.VecVirtual {
		y, z := XMM(), ZMM()
		VPERMILPS(U8(0x55*i), x, y)
		VBROADCASTSS(y, z)
		return z
	}
	ca0, ca1, cb0, cb1 := lane(ca, 0), lane(ca, 1), lane(cb, 0), lane(cb, 1)
	pause()
	for i := range s {
		s[i] = ZMM()
		VXORPS(s[i], s[i], s[i])
	}
	c := ZMM() // one register for all uses, because avo believes that a blend reads it first
	a, b := load(k.f, "a"), load(k.f, "b")
	masks := k.masks512(index(a, row, 1, 0), index(b, row, 1, 0))
	for v := range vectors {
		step := func() {
			x, y := K(), K()
			m := [4]reg.OpmaskVirtual{K(), K(), K(), K()}
			KMOVW(index(a, row, 1, 2*v), x)
			KMOVW(index(b, row, 1, 2*v), y)
			for i := range m {
				KMOVW(masks.Offset(16*i+2*v), m[i])
			}
			for i := range 3 {
				VADDPS(d[v], s[i], m[i], s[i])
			}
			VFMADD231PS(one, d[v], m[3], s[3]) // an addition that runs on other execution units than VADDPS
			VBLENDMPS(cb1, cb0, x, c)
			VMULPS(d[v], c, c)
			VMOVUPS(c, Mem{Base: beta, Disp: zmm * v})
			if round != nil {
				round.add(v, c)
			}
			VBLENDMPS(ca1, ca0, y, c)
			VMULPS(c, d[v], d[v])
		}
		if v == vectors-1 {
			CMPQ(in(k.f, "samples"), U8(5*doneAt))
			unless(JLE, step)
		} else {
			step()
			pause()
			pause()
		}
	}
	return s
}

// foldBins512 adds up the lanes of the sums and stores the results at an offset from a gate.
func foldBins512(gate reg.Register, off int, s [4]reg.VecVirtual, pause func()) {
	var four [4]reg.VecVirtual
	for i := range s {
		half := fold8(s[i])
		pause()
		four[i] = fold4(half)
		pause()
	}
	sums := foldFour(four[0], four[1], four[2], four[3])
	pause()
	VMOVUPS(sums, at(gate, "s", 0).Offset(off))
}

// masks512 returns the masks of the four combinations of pin values. The masks are written to memory and loaded
// again. This takes fewer mask operations than computing each mask in mask registers.
func (k fused) masks512(a, b Mem) Mem {
	xa, xb, xm := XMM(), XMM(), XMM()
	VMOVDQU32(a, xa)
	VMOVDQU32(b, xb)
	masks := in(k.f, "masks")
	VPANDD(xa, xb, xm)
	VMOVDQU32(xm, masks.Offset(48))
	VPANDND(xa, xb, xm)
	VMOVDQU32(xm, masks.Offset(32))
	VPANDND(xb, xa, xm)
	VMOVDQU32(xm, masks.Offset(16))
	VPTERNLOGD(U8(0x11), xb, xa, xm) // samples in which both pins are 0
	VMOVDQU32(xm, masks)
	return masks
}
