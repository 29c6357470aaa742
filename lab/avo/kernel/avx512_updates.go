package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// updates512 emits the update of a block's gates. The update consists of the sums of the candidates, the Adam step,
// the selection by the largest logits, and the prefetch of later gates' parameters. The step of a gate is a chain of
// dependent instructions, which leaves execution units idle. The sums for the candidates use many units at the same
// time. Therefore the step of each gate is interleaved with the sums of the next gate.
func (k fused) updates512() {
	n, g, gate, beta := load(k.f, "n"), load(k.f, "gate"), k.last("block", gateBytes), k.upstream()
	m := [4]reg.OpmaskVirtual{opmask(0xaaaa), opmask(0xcccc), opmask(0xf0f0), opmask(0xff00)}
	part := [3]reg.OpmaskVirtual{1: opmask(0x00f0), 2: opmask(0x0f00)}
	one := broadcast(1)
	k.rows512(g)
	k.candidates512(g, gate, beta, one, m, part, nothing)
	last := GP64()
	DECQ(n)
	unless(JZ, func() {
		loop(n, func() {
			MOVQ(gate, last)
			DECQ(g)
			SUBQ(U32(gateBytes), gate)
			SUBQ(U32(betaRow), beta)
			k.candidates512(g, gate, beta, one, m, part, func(pause func()) { k.update512(g, 1, last, m, pause) })
		})
	})
	k.update512(g, 0, gate, m, func() {})
}

// candidates512 writes the sums r of the candidates of a gate, interleaved with another body. The frame must hold the
// offsets of the gate's rows. Afterwards the frame holds the offsets of the preceding gate's rows, which are
// prefetched.
func (k fused) candidates512(g, gate, beta reg.Register, one reg.VecVirtual, m [4]reg.OpmaskVirtual,
	part [3]reg.OpmaskVirtual, other body,
) {
	k.prefetch(g)
	x := load(k.f, "x")
	words := k.gather512(x, part)
	k.rows512(before(g))
	var r [4]reg.VecVirtual // sums of even groups for candidates 0 to 15 and 16 to 31, then sums of odd groups
	for i := range r {
		r[i] = ZMM()
		VXORPS(r[i], r[i], r[i])
	}
	group := func(i int, pause func()) {
		d := func(j int) Mem { return Mem{Base: beta, Disp: 4 * (5*i + j)} }
		t0, t1, t := ZMM(), ZMM(), ZMM()
		VBROADCASTSS_Z(d(0), m[0], t)
		VADDPS_BCST(d(1), t, m[1], t)
		VBROADCASTSS_Z(d(2), m[2], t0)
		VADDPS_BCST(d(3), t0, m[3], t0)
		VFMADD231PS(t, one, t0) // an addition in effect, since the product with 1 is exact
		VADDPS_BCST(d(4), t0, t1)
		word, bit := 5*i/32, 5*i%32
		for h := range 2 {
			at := ZMM()
			switch {
			case bit == 0:
				VMOVDQA32(words[word][h], at)
			case bit > 27:
				VPSHRDD(U8(bit), words[(word+1)%4][h], words[word][h], at)
			default:
				VPSRLD(U8(bit), words[word][h], at)
			}
			VPERMI2PS(t1, t0, at)
			VFMADD231PS(at, one, r[i%2*2+h])
			k.fetchRow(x, 2*i+h)
			pause()
			pause()
		}
	}
	weave(func(pause func()) {
		for i := range doneAt {
			group(i, pause)
		}
	}, other)
	CMPQ(in(k.f, "samples"), U8(5*doneAt))
	unless(JLE, func() {
		for i := doneAt; i < fiveGroups; i++ {
			group(i, func() {})
		}
	})
	for h := range 2 {
		VADDPS(r[h+2], r[h], r[h])
		VMOVUPS(r[h], at(gate, "r", 16*h))
	}
}

// rows512 writes the offsets of the candidates' rows of gate g to the frame.
func (k fused) rows512(g reg.Register) {
	wires, rows := k.wires(g), in(k.f, "rows")
	for h := range 2 {
		z := ZMM()
		if k.wide {
			VPSLLD(U8(4), Mem{Base: wires, Disp: zmm * h}, z)
		} else {
			VPMOVZXWD(Mem{Base: wires, Disp: zmm / 2 * h}, z)
			VPSLLD(U8(4), z, z)
		}
		VMOVDQU32(z, rows.Offset(zmm*h))
	}
}

// row returns the memory of candidate j's row.
func (k fused) row(x reg.Register, j int) Mem {
	i := GP32()
	MOVL(in(k.f, "rows").Offset(4*j), i)
	return index(x, i.As64(), 1, 0)
}

// fetchRow prefetches candidate j's row. With many inputs, most rows are not in the L1 cache.
func (k fused) fetchRow(x reg.Register, j int) {
	if j < candidates {
		PREFETCHT0(k.row(x, j))
	}
}

// before returns the index of the gate before g. If g is the first gate, it returns g.
func before(g reg.Register) reg.GPVirtual {
	r := GP64()
	MOVQ(g, r)
	SUBQ(U8(1), r)
	ADCQ(U8(0), r)
	return r
}

// gather512 loads the rows of the candidates. For every 32 samples, it returns one vector, which has one lane per
// candidate.
func (k fused) gather512(x reg.Register, part [3]reg.OpmaskVirtual) (words [4][2]reg.VecVirtual) {
	for h := range 2 {
		var z [4]reg.VecVirtual
		for r := range z {
			z[r] = ZMM()
			for l := range 4 {
				row := k.row(x, 16*h+4*l+r)
				switch l {
				case 0:
					VBROADCASTI32X4(row, z[r])
				case 3: // this case needs one mask register less
					VINSERTI32X4(U8(3), row, z[r], z[r])
				default:
					VBROADCASTI32X4(row, part[l], z[r])
				}
			}
		}
		x0, x1, x2, x3 := ZMM(), ZMM(), ZMM(), ZMM()
		VPUNPCKLDQ(z[1], z[0], x0)
		VPUNPCKHDQ(z[1], z[0], x1)
		VPUNPCKLDQ(z[3], z[2], x2)
		VPUNPCKHDQ(z[3], z[2], x3)
		for i := range words {
			words[i][h] = ZMM()
		}
		VPUNPCKLQDQ(x2, x0, words[0][h])
		VPUNPCKHQDQ(x2, x0, words[1][h])
		VPUNPCKLQDQ(x3, x1, words[2][h])
		VPUNPCKHQDQ(x3, x1, words[3][h])
	}
	return words
}

// update512 makes the Adam step of the gate at distance off from g. Unless the kernel rounds gradients, it also stores
// the gate's largest logits, and the operation and candidates that these logits select.
func (k fused) update512(g reg.Register, off int, gate reg.Register, bit [4]reg.OpmaskVirtual, pause func()) {
	var opGradient reg.VecVirtual
	if k.ops {
		opGradient = k.opGradient512(gate, bit, pause)
	}
	var gradients [2]reg.VecVirtual
	if k.pin {
		gradients = k.gradients512(gate, pause)
	}
	at64 := shifted(g, 6)
	var w reg.VecVirtual
	if k.ops {
		w = k.step512("w", "m", "v", at64, 1, zmm*off, opGradient, pause)
	}
	if !k.pin {
		largest := fold4With(VMAXPS, w)
		pause()
		largest = maxTwo(largest, largest)
		pause()
		k.largestOp512(g, off, w, largest, pause)
		return
	}
	var u [2]reg.VecVirtual
	for h := range u {
		u[h] = k.step512("u", "um", "uv", at64, 2, zmm*(2*off+h), gradients[h], pause)
	}
	if !k.round {
		k.largest512(g, off, w, u, pause)
	}
}

// opGradient512 returns the gradient of the operation logits of a gate.
func (k fused) opGradient512(gate reg.Register, bit [4]reg.OpmaskVirtual, pause func()) reg.VecVirtual {
	st, x := XMM(), XMM()
	VMOVUPS(at(gate, "s", 0), st)
	VMULPS(at(gate, "t", 0), st, st)
	pause()
	VPERMILPS(U8(0xb1), st, x)
	VADDPS(x, st, st)
	pause()
	VPERMILPS(U8(0x4e), st, x)
	VADDPS(x, st, st)
	pause()
	mean, sf, t := ZMM(), ZMM(), ZMM()
	VBROADCASTSS(st, mean)
	VBROADCASTSS_Z(at(gate, "s", 3), bit[0], sf)
	pause()
	VADDPS_BCST(at(gate, "s", 2), sf, bit[1], sf)
	VBROADCASTSS_Z(at(gate, "s", 1), bit[2], t)
	pause()
	VADDPS_BCST(at(gate, "s", 0), t, bit[3], t)
	VADDPS(t, sf, sf)
	pause()
	VSUBPS(mean, sf, sf)
	VMULPS(at(gate, "p", 0), sf, sf)
	pause()
	return sf
}

// gradients512 returns the gradients of the selection logits of a gate.
func (k fused) gradients512(gate reg.Register, pause func()) (r [2]reg.VecVirtual) {
	var q, prod [2]reg.VecVirtual
	for h := range 2 {
		q[h], r[h], prod[h] = ZMM(), ZMM(), ZMM()
		VMOVUPS(at(gate, "q", 16*h), q[h])
		VMOVUPS(at(gate, "r", 16*h), r[h])
		pause()
		VMULPS(q[h], r[h], prod[h])
	}
	VADDPS(prod[1], prod[0], prod[0])
	pause()
	half := fold8(prod[0])
	pause()
	mean4, odd := fold4(half), XMM()
	pause()
	VPERMILPS(U8(0x4e), mean4, odd)
	VADDPS(odd, mean4, mean4)
	pause()
	VPERMILPS(U8(0xb1), mean4, odd)
	VADDPS(odd, mean4, mean4)
	pause()
	mean := ZMM()
	VBROADCASTSS(mean4, mean)
	for h := range 2 {
		VSUBPS(mean, r[h], r[h])
		VMULPS(q[h], r[h], r[h])
		pause()
	}
	return r
}

// step512 makes one Adam step on 16 logits with the gradient g and returns the logits.
func (k fused) step512(w, m, v string, i reg.Register, scale uint8, disp int, g reg.VecVirtual,
	pause func(),
) reg.VecVirtual {
	ms, vs, t, ws, x := ZMM(), ZMM(), ZMM(), ZMM(), ZMM()
	mm := index(load(k.f, m), i, scale, disp)
	VMOVUPS(mm, ms)
	VMULPS_BCST(adamAt(k.f, beta1), ms, ms)
	pause()
	VMULPS_BCST(adamAt(k.f, rest1), g, t)
	VMULPS(g, g, g)
	pause()
	vm := index(load(k.f, v), i, scale, disp)
	VMOVUPS(vm, vs)
	VMULPS_BCST(adamAt(k.f, beta2), vs, vs)
	pause()
	VMULPS_BCST(adamAt(k.f, rest2), g, g)
	VADDPS(t, ms, ms)
	pause()
	VMOVUPS(ms, mm)
	VADDPS(g, vs, vs)
	pause()
	VMULPS_BCST(adamAt(k.f, rate), ms, ms)
	VMOVUPS(vs, vm)
	VSQRTPS(vs, x)
	pause()
	wm := index(load(k.f, w), i, scale, disp)
	VMOVUPS(wm, ws)
	pause()
	VMULPS_BCST(adamAt(k.f, root), x, x)
	VADDPS_BCST(adamAt(k.f, eps), x, x)
	pause()
	VDIVPS(x, ms, ms)
	pause()
	VSUBPS(ms, ws, ws)
	VMOVUPS(ws, wm)
	pause()
	return ws
}

// largest512 stores the largest logits of a gate, and the operation and candidates that these logits select.
func (k fused) largest512(g reg.Register, off int, w reg.VecVirtual, u [2]reg.VecVirtual, pause func()) {
	both := ZMM()
	VMAXPS(u[1], u[0], both)
	pause()
	low4 := fold4With(VMAXPS, both)
	pause()
	high := low4
	if k.ops {
		low4 = fold4With(VMAXPS, w)
		pause()
	}
	largest := maxTwo(low4, high)
	pause()
	high = XMM()
	VMOVHLPS(largest, largest, high)
	if k.ops {
		k.largestOp512(g, off, w, largest, pause)
	}
	low, up := equal512(high, u[0]), equal512(high, u[1])
	pause()
	SHLQ(U8(16), up)
	ORQ(up, low)
	k.storeBit(lowest(low), g, off)
	storeTop(index(load(k.f, "utop"), g, 4, 4*off), high)
}

// largestOp512 stores the operation of a gate and the logit of this operation, which is in lane 0 of largest.
func (k fused) largestOp512(g reg.Register, off int, w, largest reg.VecVirtual, pause func()) {
	arg := lowest(equal512(largest, w))
	pause()
	MOVB(arg.As8(), index(load(k.f, "op"), g, 1, off))
	storeTop(index(load(k.f, "top"), g, 4, 4*off), largest)
	pause()
}

// fold4With combines lanes at distance 8, then lanes at distance 4, with the given operation.
func fold4With(op func(...Op), z reg.VecVirtual) reg.VecVirtual {
	y, x := YMM(), XMM()
	VEXTRACTF64X4(U8(1), z, y)
	op(z.AsY(), y, y)
	VEXTRACTF32X4(U8(1), y, x)
	op(y.AsX(), x, x)
	return x
}

// equal512 compares the lanes of z with lane 0 of x. It returns the mask of the equal lanes.
func equal512(x, z reg.VecVirtual) reg.GPVirtual {
	all, k, r := ZMM(), K(), GP64()
	VBROADCASTSS(x, all)
	VCMPPS(U8(0), all, z, k)
	KMOVQ(k, r)
	return r
}
