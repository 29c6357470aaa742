package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// gradients replaces the probabilities p and the sums r of the block's gates by the gradients of the gates' logits.
func (k kernel2) gradients() {
	n, gate := load(k.f, "n"), k.first()
	if !k.pin {
		g := load(k.f, "gate")
		loop(n, func() {
			k.prefetch(g)
			k.opGradients(gate)
			k.next(g)
			k.nextScratch(gate)
		})
		return
	}
	loop(n, func() {
		if k.ops {
			k.opGradients(gate)
		}
		v := k.vectors()
		q, r, prod := eight(v), eight(v), eight(v)
		for i := range q {
			VMOVUPS(at(gate, "q", 8*i), q[i])
			VMOVUPS(at(gate, "r", 8*i), r[i])
			VMULPS(q[i], r[i], prod[i])
		}
		for half := v / 2; half > 0; half /= 2 {
			for i := range half {
				VADDPS(prod[half+i], prod[i], prod[i])
			}
		}
		mean4, mean := k.foldPin(prod[0]), YMM()
		VBROADCASTSS(foldFour(mean4, mean4, mean4, mean4), mean)
		for i := range r {
			VSUBPS(mean, r[i], r[i])
			VMULPS(q[i], r[i], r[i])
			VMOVUPS(r[i], at(gate, "r", 8*i))
		}
		SUBQ(U32(gateBytes), gate)
	})
}

func (k kernel2) opGradients(gate reg.Register) {
	st, x, mean := XMM(), XMM(), YMM()
	VMOVUPS(at(gate, "s", 0), st)
	VMULPS(at(gate, "t", 0), st, st)
	VPERMILPS(U8(0xb1), st, x)
	VADDPS(x, st, st)
	VPERMILPS(U8(0x4e), st, x)
	VADDPS(x, st, st)
	VBROADCASTSS(st, mean)
	var s [4]reg.VecVirtual
	for i := range s {
		s[i] = YMM()
		VBROADCASTSS(at(gate, "s", i), s[i])
	}
	VANDPS(k.c["op1"], s[3], s[3])
	VANDPS(k.c["op2"], s[2], s[2])
	VANDPS(k.c["op4"], s[1], s[1])
	VADDPS(s[2], s[3], s[3])
	VADDPS(s[1], s[0], s[0])
	for i, rest := range []reg.VecVirtual{s[1], s[0]} { // operations without and with bit 3
		VADDPS(rest, s[3], rest)
		VSUBPS(mean, rest, rest)
		VMULPS(at(gate, "p", 8*i), rest, rest)
		VMOVUPS(rest, at(gate, "p", 8*i))
	}
}

// adam makes one Adam step for the block's gates and leaves the new logits in p and r.
func (k kernel2) adam() {
	n, g, gate := load(k.f, "n"), load(k.f, "gate"), k.first()
	c := eight(7)
	for i := range c {
		VBROADCASTSS(adamAt(k.f, i), c[i])
	}
	loop(n, func() {
		at64 := shifted(g, 6)
		if k.ops {
			for i := range 2 {
				k.step("w", "m", "v", at64, 1, ymm*i, at(gate, "p", 8*i), c, true)
			}
		}
		if k.pin {
			place, scale := k.place(g, at64, 4*k.k)
			for i := range k.vectors() {
				k.step("u", "um", "uv", place, scale, ymm*i, at(gate, "r", 8*i), c, k.whole())
			}
		}
		k.next(g)
		k.nextScratch(gate)
	})
}

// largest stores the largest logits of the block's gates, and the operations and candidates that these logits select.
func (k kernel2) largest() {
	n, g, gate := load(k.f, "n"), load(k.f, "gate"), k.first()
	op, top, utop := load(k.f, "op"), load(k.f, "top"), load(k.f, "utop")
	loop(n, func() {
		logits := func(field string, n int, whole bool) (v []reg.VecVirtual, max4 reg.VecVirtual) {
			v = eight(n)
			most := YMM()
			for i := range v {
				VMOVUPS(at(gate, field, 8*i), v[i])
				if i == 1 {
					VMAXPS(v[1], v[0], most)
				} else if i > 1 {
					VMAXPS(v[i], most, most)
				}
			}
			if n == 1 {
				most = v[0]
			}
			max4 = XMM()
			if !whole {
				VMOVAPS(most.AsX(), max4)
				return v, max4
			}
			VEXTRACTF128(U8(1), most, max4)
			VMAXPS(most.AsX(), max4, max4)
			return v, max4
		}
		equal := func(x reg.VecVirtual, v []reg.VecVirtual, whole bool) reg.GPVirtual {
			all, mask := YMM(), GP64()
			VBROADCASTSS(x, all)
			for i, z := range v {
				t := mask
				if i > 0 {
					t = GP64()
				}
				VCMPPS(U8(0), all, z, z)
				VMOVMSKPS(part(z, whole), t.As32())
				if i > 0 {
					SHLL(U8(8*i), t.As32())
					ORL(t.As32(), mask.As32())
				}
			}
			return mask
		}
		var u, w []reg.VecVirtual
		var umax, wmax reg.VecVirtual
		if k.pin {
			u, umax = logits("r", k.vectors(), k.whole())
			wmax = umax
		}
		if k.ops {
			w, wmax = logits("p", 2, true)
		}
		if !k.pin {
			umax = wmax
		}
		largest, high := maxTwo(wmax, umax), XMM()
		if k.pin {
			VMOVHLPS(largest, largest, high)
		}
		if k.ops {
			arg := lowest(equal(largest, w, true))
			MOVB(arg.As8(), index(op, g, 1, 0))
			storeTop(index(top, g, 4, 0), largest)
		}
		if k.pin {
			k.storeBit(lowest(equal(high, u, k.whole())), g, 0)
			storeTop(index(utop, g, 4, 0), high)
		}
		k.next(g)
		k.nextScratch(gate)
	})
}

// step makes one Adam step on a vector of logits, or on the lower half of the vector if whole is false. It replaces
// the gradient by the new logits.
func (k kernel2) step(w, m, v string, i reg.Register, scale uint8, disp int, grad Mem, c []reg.VecVirtual, whole bool) {
	wm, mm, vm := index(load(k.f, w), i, scale, disp), index(load(k.f, m), i, scale, disp),
		index(load(k.f, v), i, scale, disp)
	y := func() reg.Register { return part(YMM(), whole) }
	constant := func(j int) reg.Register { return part(c[j], whole) }
	g, ms, vs, t, ws := y(), y(), y(), y(), y()
	VMOVUPS(grad, g)
	VMULPS(mm, constant(beta1), ms)
	VMULPS(vm, constant(beta2), vs)
	VMOVUPS(wm, ws)
	VMULPS(constant(rest1), g, t)
	VMULPS(g, g, g)
	VADDPS(t, ms, ms)
	VMULPS(constant(rest2), g, g)
	VADDPS(g, vs, vs)
	VSQRTPS(vs, g)
	VMOVUPS(ms, mm)
	VMOVUPS(vs, vm)
	VMULPS(constant(root), g, g)
	VMULPS(constant(rate), ms, ms)
	VADDPS(constant(eps), g, g)
	VDIVPS(g, ms, ms)
	VSUBPS(ms, ws, ws)
	VMOVUPS(ws, wm)
	VMOVUPS(ws, grad)
}
