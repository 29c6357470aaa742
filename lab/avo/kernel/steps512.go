package main

import (
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// steps512 emits the steps in AVX-512.
func steps512() {
	ConstraintExpr("amd64")
	table := constants512()
	operations512(table)
	selection512(table)
	binsStep512("bins", binsSignature, true)
	binsStep512("binsAlone", aloneSignature, false)
	offsets512("offsets", offsetsSignature, 2)
	offsets512("offsetsWide", wideSignature, 4)
	for _, halves := range []int{1, 2, 4} {
		candidatesStep512(halves)
	}
	opStep512()
	selectStep512()
	lightStep512(table)
	gatherStep("AVX512", 8, &gather512{})
	readersStep("AVX512")
}

// blocks512 calls [blocks] with 16 lanes. The body gets a mask of the lanes that hold floats.
func blocks512(k reg.Register, body func(at reg.GPVirtual, mask reg.OpmaskVirtual)) {
	full := func(at reg.GPVirtual) { body(at, nil) }
	blocks(k, 16, full, func(at reg.GPVirtual) {
		bits, mask := GP32(), K()
		MOVL(U32(1), bits)
		SHLL(reg.CL, bits)
		DECL(bits)
		KMOVW(bits, mask)
		body(at, mask)
	})
}

// load512 loads a vector, with zeros outside the mask.
func load512(m Mem, mask reg.OpmaskVirtual) reg.VecVirtual {
	z := ZMM()
	if mask == nil {
		VMOVUPS(m, z)
	} else {
		VMOVUPS_Z(m, mask, z)
	}
	return z
}

// store512 stores the lanes that the mask selects.
func store512(z reg.VecVirtual, mask reg.OpmaskVirtual, m Mem) {
	if mask == nil {
		VMOVUPS(z, m)
	} else {
		VMOVUPS(z, mask, m)
	}
}

// exponential512 loads the constants of detmath.Exp. It returns a function that emits detmath.Exp of x.
func exponential512(x reg.VecVirtual, table Mem) func() {
	z := newExponentials512(table)
	return func() { z.write([]reg.VecVirtual{x}, func() {}) }
}

// zero512 returns a vector of zeros.
func zero512() reg.VecVirtual {
	z := ZMM()
	VXORPS(z, z, z) // avo would take VPXORD for a read of z
	return z
}

// total512 adds up the lanes of a sum and returns the total in all lanes.
func total512(lanes reg.VecVirtual) reg.VecVirtual {
	x, z := fold4(fold8(lanes)), ZMM()
	VBROADCASTSS(foldFour(x, x, x, x), z)
	return z
}

// reciprocal512 returns 1/x of lane 0 of x, in all lanes.
func reciprocal512(x reg.VecVirtual) reg.VecVirtual {
	one, z := XMM(), ZMM()
	VMOVSS(float32Constant("one512", 1), one)
	VDIVSS(x.AsX(), one, one)
	VBROADCASTSS(one, z)
	return z
}

// float32Constant writes a constant to memory.
func float32Constant(name string, x float32) Mem {
	if m, ok := written[name]; ok {
		return m
	}
	m := GLOBL(name, 8|16) // RODATA|NOPTR
	DATA(0, U32(math.Float32bits(x)))
	written[name] = m
	return m
}

var written = map[string]Mem{}

func operations512(table Mem) {
	step("operations", "AVX512", operationsSignature, operationsDoc)
	to, w, t := general("p"), general("w"), general("t")
	p, shift := ZMM(), ZMM()
	exp := exponential512(p, table)
	broadcastField("top", shift)
	VMOVUPS(Mem{Base: w}, p)
	VSUBPS(shift, p, p)
	exp()
	// The two sums share their first steps, as in the fused kernel.
	high, high8, c := YMM(), XMM(), XMM()
	VEXTRACTF64X4(U8(1), p, high)
	t00 := fold4(high)
	VADDPS(p.AsY(), high, high)
	VEXTRACTF32X4(U8(1), high, high8)
	VADDPS(high.AsX(), high8, c)
	four := foldFour(c, c, t00, high8) // the sum in lanes 0 and 1, then T00 and T01
	even, odd := XMM(), XMM()
	VSHUFPS(U8(0x06), c, c, even) // 2, 1
	VSHUFPS(U8(0x0f), c, c, odd)  // 3, 3
	VADDPS(even, odd, even)       // T10, T11
	inv := reciprocal512(four)
	VSHUFPS(U8(0x4e), even, four, four)
	VMULPS(inv.AsX(), four, four)
	VMOVUPS(four, Mem{Base: t})
	VMULPS(inv, p, p)
	VMOVUPS(p, Mem{Base: to})
	VZEROUPPER()
	RET()
}

func selection512(table Mem) {
	step("selection", "AVX512", selectionSignature, selectionDoc)
	q, u, k := general("q"), general("u"), general("k")
	x, shift, sum, rest := ZMM(), ZMM(), zero512(), zero512()
	exp := exponential512(x, table)
	broadcastField("top", shift)
	blocks512(k, func(at reg.GPVirtual, mask reg.OpmaskVirtual) {
		VMOVAPS(load512(index(u, at, 1, 0), mask), x)
		VSUBPS(shift, x, x)
		exp()
		if mask == nil {
			VADDPS(x, sum, sum)
			VMOVUPS(x, index(q, at, 1, 0))
		} else { // kept in the register, because reading it back from memory so soon would be slow
			VADDPS(x, sum, mask, sum)
			VMOVAPS(x, rest)
		}
	})
	inv := reciprocal512(total512(sum))
	blocks512(k, func(at reg.GPVirtual, mask reg.OpmaskVirtual) {
		z := rest
		if mask == nil {
			z = load512(index(q, at, 1, 0), nil)
		}
		VMULPS(inv, z, z)
		VMOVUPS(z, index(q, at, 1, 0))
	})
	VZEROUPPER()
	RET()
}

// coefficients returns two vectors of differences of truth values, in lanes 0 and 1. ca has T10 - T00 and T11 - T01,
// and cb has T01 - T00 and T11 - T10.
func coefficients(t Mem) (ca, cb reg.VecVirtual) {
	x, hi := XMM(), XMM()
	ca, cb = XMM(), XMM()
	VMOVUPS(t, x)
	VMOVHLPS(x, x, hi)
	VSUBPS(x, hi, ca)
	VSHUFPS(U8(0x88), x, x, hi)
	VSHUFPS(U8(0xdd), x, x, cb)
	VSUBPS(hi, cb, cb)
	return ca, cb
}

// binsStep512 emits Bins with or without the gradient of pin B.
func binsStep512(name, signature string, both bool) {
	step(name, "AVX512", signature, binsDoc)
	delta, a, b, n := general("delta"), general("a"), general("b"), general("blocks")
	ca, cb := coefficients(Mem{Base: general("t")})
	lane := func(x reg.VecVirtual, i uint8) reg.VecVirtual {
		y, z := XMM(), ZMM()
		VPERMILPS(U8(0x55*i), x, y)
		VBROADCASTSS(y, z)
		return z
	}
	ca0, ca1, cb0, cb1 := lane(ca, 0), lane(ca, 1), lane(cb, 0), lane(cb, 1)
	var beta reg.GPVirtual
	if both {
		beta = general("beta")
	}
	s := [4]reg.VecVirtual{zero512(), zero512(), zero512(), zero512()}
	loop(n, func() {
		d, x, y := ZMM(), K(), K()
		VMOVUPS(Mem{Base: delta}, d)
		KMOVW(Mem{Base: a}, x)
		KMOVW(Mem{Base: b}, y)
		m := [4]reg.OpmaskVirtual{K(), K(), K(), K()}
		KORW(x, y, m[0])
		KNOTW(m[0], m[0])
		KANDNW(y, x, m[1])
		KANDNW(x, y, m[2])
		KANDW(x, y, m[3])
		for i := range s {
			VADDPS(d, s[i], m[i], s[i])
		}
		if both {
			db := ZMM()
			VMULPS(cb0, d, db)
			VMULPS(cb1, d, x, db)
			VMOVUPS(db, Mem{Base: beta})
			ADDQ(U8(zmm), beta)
		}
		da := ZMM()
		VMULPS(ca0, d, da)
		VMULPS(ca1, d, y, da)
		VMOVUPS(da, Mem{Base: delta})
		ADDQ(U8(zmm), delta)
		ADDQ(U8(2), a)
		ADDQ(U8(2), b)
	})
	sums := foldFour(fold4(fold8(s[0])), fold4(fold8(s[1])), fold4(fold8(s[2])), fold4(fold8(s[3])))
	VMOVUPS(sums, Mem{Base: general("s")})
	VZEROUPPER()
	RET()
}

// adam512s holds the constants of Adam in vectors.
type adam512s [7]reg.VecVirtual

func loadAdam512(adam Mem) (c adam512s) {
	for i := range c {
		c[i] = ZMM()
		VBROADCASTSS(adam.Offset(4*i), c[i])
	}
	return c
}

// update makes one Adam step with the gradient g, which it overwrites, and returns the logits.
func (c *adam512s) update(w, m, v Mem, g reg.VecVirtual, mask reg.OpmaskVirtual) reg.VecVirtual {
	ms, vs, ws, t := load512(m, mask), load512(v, mask), load512(w, mask), ZMM()
	VMULPS(c[beta1], ms, ms)
	VMULPS(c[beta2], vs, vs)
	VMULPS(c[rest1], g, t)
	VMULPS(g, g, g)
	VADDPS(t, ms, ms)
	VMULPS(c[rest2], g, g)
	VADDPS(g, vs, vs)
	VSQRTPS(vs, g)
	store512(ms, mask, m)
	store512(vs, mask, v)
	VMULPS(c[root], g, g)
	VMULPS(c[rate], ms, ms)
	VADDPS(c[eps], g, g)
	VDIVPS(g, ms, ms)
	VSUBPS(ms, ws, ws)
	store512(ws, mask, w)
	return ws
}

// storeLargest stores arg and top as the results of the function.
func storeLargest(arg reg.GPVirtual, top reg.VecVirtual) {
	zero := XMM()
	VXORPS(zero, zero, zero)
	VADDSS(zero, top.AsX(), zero)
	Store(arg, Return("arg"))
	Store(zero, Return("top"))
}

func opStep512() {
	step("opStep", "AVX512", opStepSignature, opStepDoc)
	s, t, c := general("s"), general("t"), loadAdam512(Mem{Base: general("adam")})
	bit := [4]reg.OpmaskVirtual{opmask(0xaaaa), opmask(0xcccc), opmask(0xf0f0), opmask(0xff00)}
	from := func(i int) Mem { return Mem{Base: s, Disp: 4 * i} }
	mean, sf, high := ZMM(), ZMM(), ZMM()
	VBROADCASTSS(inner(s, t), mean)
	VBROADCASTSS_Z(from(3), bit[0], sf)
	VADDPS_BCST(from(2), sf, bit[1], sf)
	VBROADCASTSS_Z(from(1), bit[2], high)
	VADDPS_BCST(from(0), high, bit[3], high)
	VADDPS(high, sf, sf)
	VSUBPS(mean, sf, sf)
	VMULPS(Mem{Base: general("p")}, sf, sf)
	w := c.update(Mem{Base: general("w")}, Mem{Base: general("m")}, Mem{Base: general("v")}, sf, nil)
	largest := fold4With(VMAXPS, w)
	largest = maxTwo(largest, largest)
	storeLargest(lowest(equal512(largest, w)), largest)
	VZEROUPPER()
	RET()
}

// inner returns (s0 t0 + s1 t1) + (s2 t2 + s3 t3), in all lanes.
func inner(s, t reg.Register) reg.VecVirtual {
	st, x := XMM(), XMM()
	VMOVUPS(Mem{Base: s}, st)
	VMULPS(Mem{Base: t}, st, st)
	VPERMILPS(U8(0xb1), st, x)
	VADDPS(x, st, st)
	VPERMILPS(U8(0x4e), st, x)
	VADDPS(x, st, st)
	return st
}

func selectStep512() {
	step("selectStep", "AVX512", selectStepSignature, selectStepDoc)
	w, m, v, q, r, k := general("w"), general("m"), general("v"), general("q"), general("r"), general("k")
	sum := zero512()
	blocks512(k, func(at reg.GPVirtual, mask reg.OpmaskVirtual) {
		x := load512(index(q, at, 1, 0), mask)
		y := load512(index(r, at, 1, 0), mask)
		VMULPS(y, x, x)
		VADDPS(x, sum, sum)
	})
	mean, c := total512(sum), loadAdam512(Mem{Base: general("adam")})
	best, arg, lane := broadcast(float32(math.Inf(-1))), zero512(), ZMM()
	VPMOVZXBD(lanes512(), lane)
	sixteen, number := ZMM(), GP32()
	MOVL(U32(16), number)
	VPBROADCASTD(number, sixteen)
	blocks512(k, func(at reg.GPVirtual, mask reg.OpmaskVirtual) {
		g, y := load512(index(r, at, 1, 0), mask), load512(index(q, at, 1, 0), mask)
		VSUBPS(mean, g, g)
		VMULPS(y, g, g)
		ws := c.update(index(w, at, 1, 0), index(m, at, 1, 0), index(v, at, 1, 0), g, mask)
		more := K()
		if mask == nil {
			VCMPPS(U8(0x1e), best, ws, more) // greater, ordered
		} else {
			VCMPPS(U8(0x1e), best, ws, mask, more)
		}
		VMOVAPS(ws, more, best)
		VMOVDQA32(lane, more, arg)
		VPADDD(sixteen, lane, lane)
	})
	largest := fold4With(VMAXPS, best)
	largest = maxTwo(largest, largest)
	all, here, none := ZMM(), K(), ZMM()
	VBROADCASTSS(largest, all)
	VCMPPS(U8(0), all, best, here)
	VPTERNLOGD(U8(0xff), none, none, none)
	VMOVDQA32(arg, here, none)
	storeLargest(least(fold4With(VPMINUD, none)), largest)
	VZEROUPPER()
	RET()
}

// least returns the smallest of the four integers in x.
func least(x reg.VecVirtual) reg.GPVirtual {
	y, r := XMM(), GP64()
	VPSHUFD(U8(0x4e), x, y)
	VPMINUD(y, x, x)
	VPSHUFD(U8(0xb1), x, y)
	VPMINUD(y, x, x)
	VMOVD(x, r.As32())
	return r
}

// lanes512 writes the numbers of the lanes as bytes.
func lanes512() Mem {
	if m, ok := written["lanes512"]; ok {
		return m
	}
	m := GLOBL("lanes512", 8|16) // RODATA|NOPTR
	for i := range 16 {
		DATA(i, U8(i))
	}
	written["lanes512"] = m
	return m
}
