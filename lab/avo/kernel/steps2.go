package main

import (
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// steps2 holds the steps in AVX2. A sum over samples has sixteen lanes, which are two vectors of eight lanes.
type steps2 struct {
	kernel2
	tails Mem // eight ones, eight zeros
	lanes Mem // the numbers of the lanes
	step8 Mem // eight, in each lane
	least Mem // minus infinity
}

// writeSteps2 emits the steps in AVX2.
func writeSteps2() {
	extract128 = func(ops ...Op) { VEXTRACTF128(ops[0], ops[1], ops[2]) }
	ConstraintExpr("amd64")
	k := steps2{
		kernel2: kernel2{c: constants2()},
		tails:   tails2(),
		lanes:   eights("lanes", 8, func(i int) uint32 { return uint32(i) }),
		step8:   eights("step8", 8, func(int) uint32 { return 8 }),
		least:   eights("infinity", 8, func(int) uint32 { return math.Float32bits(float32(math.Inf(-1))) }),
	}
	k.operations()
	k.selection()
	k.binsStep("bins", binsSignature, true)
	k.binsStep("binsAlone", aloneSignature, false)
	k.offsets("offsets", offsetsSignature, 2)
	k.offsets("offsetsWide", wideSignature, 4)
	k.pairsStep()
	for _, vectors := range []int{1, 2} {
		k.candidatesStep(vectors)
	}
	k.opStep()
	k.selectStep()
	k.lightStep()
	gatherStep("AVX2", 4, &gather2{k: &k})
	readersStep("AVX2")
}

// eights returns a constant of n words in memory.
func eights(name string, n int, f func(i int) uint32) Mem {
	m := GLOBL(name, 8|16) // RODATA|NOPTR
	for i := range n {
		DATA(4*i, U32(f(i)))
	}
	return m
}

// tails2 returns eight words of ones and eight zeros.
func tails2() Mem {
	return eights("tails", 16, func(i int) uint32 { return uint32(int32(i-8) >> 31) })
}

// blocks calls the function [blocks] with 8 lanes. The body gets a mask of the lanes that hold floats.
func (k *steps2) blocks(n reg.Register, body func(at reg.GPVirtual, mask reg.VecVirtual)) {
	full := func(at reg.GPVirtual) { body(at, nil) }
	blocks(n, 8, full, func(at reg.GPVirtual) {
		table, mask := GP64(), YMM()
		LEAQ(k.tails.Offset(ymm), table)
		SHLQ(U8(2), reg.RCX)
		SUBQ(reg.RCX, table)
		VMOVUPS(Mem{Base: table}, mask)
		body(at, mask)
	})
}

// load8 loads a vector, with zeros outside the mask.
func load8(m Mem, mask reg.VecVirtual) reg.VecVirtual {
	y := YMM()
	if mask == nil {
		VMOVUPS(m, y)
	} else {
		VMASKMOVPS(m, mask, y)
	}
	return y
}

// store8 stores the lanes that the mask selects.
func store8(y, mask reg.VecVirtual, m Mem) {
	if mask == nil {
		VMOVUPS(y, m)
	} else {
		VMASKMOVPS(y, mask, m)
	}
}

// zero8 returns a vector of zeros.
func zero8() reg.VecVirtual {
	y := YMM()
	VXORPS(y, y, y)
	return y
}

// lanes16 is a sum with sixteen lanes in two vectors. The two vectors swap roles after each addition, which does not
// change the total.
type lanes16 struct{ now, then reg.VecVirtual }

func newLanes16() lanes16 { return lanes16{zero8(), zero8()} }

func (l lanes16) add(x reg.VecVirtual) {
	sum := YMM()
	VADDPS(x, l.now, sum)
	VMOVAPS(l.then, l.now)
	VMOVAPS(sum, l.then)
}

// total adds up the lanes and returns the sum in all lanes of a vector.
func (l lanes16) total() reg.VecVirtual {
	VADDPS(l.then, l.now, l.now)
	x, y := fold4(l.now), YMM()
	VBROADCASTSS(foldFour(x, x, x, x), y)
	return y
}

// reciprocal returns 1/x of lane 0 of x, in all lanes.
func (k *steps2) reciprocal(x reg.VecVirtual) reg.VecVirtual {
	one, y := XMM(), YMM()
	VMOVSS(k.c["one"], one)
	VDIVSS(x.AsX(), one, one)
	VBROADCASTSS(one, y)
	return y
}

func (k *steps2) operations() {
	step("operations", "AVX2", operationsSignature, operationsDoc)
	to, w, t := general("p"), general("w"), general("t")
	p, shift := eight(2), YMM()
	broadcastField("top", shift)
	for i := range p {
		VMOVUPS(Mem{Base: w, Disp: ymm * i}, p[i])
		VSUBPS(shift, p[i], p[i])
	}
	k.exp(p)
	t00, both, high, c := fold4(p[1]), YMM(), XMM(), XMM()
	VADDPS(p[1], p[0], both)
	VEXTRACTF128(U8(1), both, high)
	VADDPS(both.AsX(), high, c)
	four := foldFour(c, c, t00, high) // the sum in lanes 0 and 1, then T00 and T01
	even, odd := XMM(), XMM()
	VSHUFPS(U8(0x06), c, c, even)
	VSHUFPS(U8(0x0f), c, c, odd)
	VADDPS(even, odd, even) // T10, T11
	inv := k.reciprocal(four)
	VSHUFPS(U8(0x4e), even, four, four)
	VMULPS(inv.AsX(), four, four)
	VMOVUPS(four, Mem{Base: t})
	for i := range p {
		VMULPS(inv, p[i], p[i])
		VMOVUPS(p[i], Mem{Base: to, Disp: ymm * i})
	}
	VZEROUPPER()
	RET()
}

func (k *steps2) selection() {
	step("selection", "AVX2", selectionSignature, selectionDoc)
	q, u, n := general("q"), general("u"), general("k")
	shift, rest, sum := YMM(), zero8(), newLanes16()
	broadcastField("top", shift)
	k.blocks(n, func(at reg.GPVirtual, mask reg.VecVirtual) {
		x := load8(index(u, at, 1, 0), mask)
		VSUBPS(shift, x, x)
		k.exp([]reg.VecVirtual{x})
		if mask == nil {
			VMOVUPS(x, index(q, at, 1, 0))
		} else { // kept in the register, because reading it back from memory so soon would be slow
			VANDPS(mask, x, x)
			VMOVAPS(x, rest)
		}
		sum.add(x)
	})
	inv := k.reciprocal(sum.total())
	k.blocks(n, func(at reg.GPVirtual, mask reg.VecVirtual) {
		y := rest
		if mask == nil {
			y = load8(index(q, at, 1, 0), nil)
		}
		VMULPS(inv, y, y)
		VMOVUPS(y, index(q, at, 1, 0))
	})
	VZEROUPPER()
	RET()
}

// binsStep emits Bins with or without the gradient of pin B.
func (k *steps2) binsStep(name, signature string, both bool) {
	step(name, "AVX2", signature, binsDoc)
	delta, a, b, n := general("delta"), general("a"), general("b"), general("blocks")
	ca, cb := coefficients(Mem{Base: general("t")})
	ta, tb := selector(ca), selector(cb)
	var beta reg.GPVirtual
	if both {
		beta = general("beta")
	}
	s := newSums2()
	loop(n, func() {
		for h := range 2 {
			x, y := k.spread(Mem{Base: a}, h), k.spread(Mem{Base: b}, h)
			d, part := s.split(h, Mem{Base: delta, Disp: ymm * h}, x, y)
			if both {
				VPERMILPS(x, tb, part)
				VMULPS(d, part, part)
				VMOVUPS(part, Mem{Base: beta, Disp: ymm * h})
			}
			VPERMILPS(y, ta, part)
			VMULPS(d, part, part)
			VMOVUPS(part, Mem{Base: delta, Disp: ymm * h})
		}
		if both {
			ADDQ(U8(2*ymm), beta)
		}
		ADDQ(U8(2*ymm), delta)
		ADDQ(U8(2), a)
		ADDQ(U8(2), b)
	})
	VMOVUPS(s.fold(), Mem{Base: general("s")})
	VZEROUPPER()
	RET()
}

// spread returns eight of the next sixteen bits of a row as masks, one mask in each lane.
func (k *steps2) spread(row Mem, half int) reg.VecVirtual {
	y, bits := YMM(), k.c[bitNames[half]]
	VPBROADCASTW(row, y) // loading 32 bits might go past the end of the array
	VPAND(bits, y, y)
	VPCMPEQD(bits, y, y)
	return y
}

// update makes one Adam step with the gradient g, which it overwrites, and returns the logits.
func (k *steps2) update(w, m, v Mem, g, mask reg.VecVirtual) reg.VecVirtual {
	return update8(Mem{Base: general("adam")}, w, m, v, g, mask)
}

// update8 does the same as update, with Adam's constants in memory, because there are too few registers.
func update8(adam, w, m, v Mem, g, mask reg.VecVirtual) reg.VecVirtual {
	c := func(i int) reg.VecVirtual {
		y := YMM()
		VBROADCASTSS(adam.Offset(4*i), y)
		return y
	}
	ms, vs, ws, t := load8(m, mask), load8(v, mask), load8(w, mask), YMM()
	VMULPS(c(beta1), ms, ms)
	VMULPS(c(beta2), vs, vs)
	VMULPS(c(rest1), g, t)
	VMULPS(g, g, g)
	VADDPS(t, ms, ms)
	VMULPS(c(rest2), g, g)
	VADDPS(g, vs, vs)
	VSQRTPS(vs, g)
	store8(ms, mask, m)
	store8(vs, mask, v)
	VMULPS(c(root), g, g)
	VMULPS(c(rate), ms, ms)
	VADDPS(c(eps), g, g)
	VDIVPS(g, ms, ms)
	VSUBPS(ms, ws, ws)
	store8(ws, mask, w)
	return ws
}

func (k *steps2) opStep() {
	step("opStep", "AVX2", opStepSignature, opStepDoc)
	from, mean := general("s"), YMM()
	VBROADCASTSS(inner(from, general("t")), mean)
	var s [4]reg.VecVirtual
	for i := range s {
		s[i] = YMM()
		VBROADCASTSS(Mem{Base: from, Disp: 4 * i}, s[i])
	}
	VANDPS(k.c["op1"], s[3], s[3])
	VANDPS(k.c["op2"], s[2], s[2])
	VANDPS(k.c["op4"], s[1], s[1])
	VADDPS(s[2], s[3], s[3])
	VADDPS(s[1], s[0], s[0])
	w, m, v, p := general("w"), general("m"), general("v"), general("p")
	var logits [2]reg.VecVirtual
	for i, g := range []reg.VecVirtual{s[1], s[0]} { // operations without and with bit 3
		at := func(base reg.Register) Mem { return Mem{Base: base, Disp: ymm * i} }
		VADDPS(g, s[3], g)
		VSUBPS(mean, g, g)
		VMULPS(at(p), g, g)
		logits[i] = k.update(at(w), at(m), at(v), g, nil)
	}
	both := YMM()
	VMAXPS(logits[1], logits[0], both)
	largest := largest8(both)
	all, low, high := YMM(), GP64(), GP64()
	VBROADCASTSS(largest, all)
	for i, mask := range []reg.GPVirtual{low, high} {
		VCMPPS(U8(0), all, logits[i], logits[i])
		VMOVMSKPS(logits[i], mask.As32())
	}
	SHLL(U8(8), high.As32())
	ORL(high.As32(), low.As32())
	storeLargest(lowest(low), largest)
	VZEROUPPER()
	RET()
}

// largest8 returns the largest lane of y in lane 0.
func largest8(y reg.VecVirtual) reg.VecVirtual {
	x := XMM()
	VEXTRACTF128(U8(1), y, x)
	VMAXPS(y.AsX(), x, x)
	return maxTwo(x, x)
}

func (k *steps2) selectStep() {
	step("selectStep", "AVX2", selectStepSignature, selectStepDoc)
	w, m, v, q, r, n := general("w"), general("m"), general("v"), general("q"), general("r"), general("k")
	sum := newLanes16()
	k.blocks(n, func(at reg.GPVirtual, mask reg.VecVirtual) {
		x := load8(index(q, at, 1, 0), mask)
		y := load8(index(r, at, 1, 0), mask)
		VMULPS(y, x, x)
		sum.add(x)
	})
	mean, best, arg, lane := sum.total(), YMM(), zero8(), YMM()
	VMOVUPS(k.least, best)
	VMOVDQU(k.lanes, lane)
	k.blocks(n, func(at reg.GPVirtual, mask reg.VecVirtual) {
		g, y := load8(index(r, at, 1, 0), mask), load8(index(q, at, 1, 0), mask)
		VSUBPS(mean, g, g)
		VMULPS(y, g, g)
		ws := k.update(index(w, at, 1, 0), index(m, at, 1, 0), index(v, at, 1, 0), g, mask)
		more := YMM()
		VCMPPS(U8(0x1e), best, ws, more) // greater, ordered
		if mask != nil {
			VANDPS(mask, more, more)
		}
		VBLENDVPS(more, ws, best, best)
		VBLENDVPS(more, lane, arg, arg)
		VPADDD(k.step8, lane, lane)
	})
	largest := largest8(best)
	all, here, low := YMM(), YMM(), XMM()
	VBROADCASTSS(largest, all)
	VCMPPS(U8(4), all, best, here) // 4: not equal
	VPOR(here, arg, arg)           // these lanes can never be the lowest
	VEXTRACTI128(U8(1), arg, low)
	VPMINUD(arg.AsX(), low, low)
	storeLargest(least(low), largest)
	VZEROUPPER()
	RET()
}
