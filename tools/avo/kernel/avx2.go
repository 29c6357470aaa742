package main

import (
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// ymm is the bytes of a vector.
const ymm = 32

// kernel2 is a kernel in AVX2, in the phases of the AVX-512 one. Two vectors of eight
// lanes are the sixteen lanes of a lane sum.
type kernel2 struct {
	fused
	c constants
}

// constants are vectors in memory.
type constants map[string]Mem

func constants2() constants {
	c := constants{}
	base := GLOBL("avx2Constants", 8|16) // RODATA|NOPTR
	at := 0
	add := func(name string, f func(i int) uint32) {
		c[name] = base.Offset(at)
		for i := range 8 {
			DATA(at+4*i, U32(f(i)))
		}
		at += ymm
	}
	each := func(name string, x float32) { add(name, func(int) uint32 { return math.Float32bits(x) }) }
	each("least", -80)
	each("scale", 23.083120654223414)
	each("magic", 3<<22)
	each("step", 0.04332169878499658)
	each("sixth", 1.0/6)
	each("half", 0.5)
	each("one", 1)
	for h, name := range []string{"powers0", "powers8"} {
		add(name, func(i int) uint32 { return power(8*h + i) })
	}
	for j, name := range bitNames {
		add(name, func(i int) uint32 { return 1 << (8*j + i) })
	}
	for b, name := range opBits {
		add(name, func(i int) uint32 { return -uint32(i >> b & 1) })
	}
	return c
}

var (
	bitNames = [4]string{"bits0", "bits8", "bits16", "bits24"} // the bits of a word, eight at a time
	opBits   = [3]string{"op1", "op2", "op4"}                  // the lanes whose index has the bit
)

func avx2() {
	extract128 = func(ops ...Op) { VEXTRACTF128(ops[0], ops[1], ops[2]) }
	ConstraintExpr("amd64")
	forward()
	c := constants2()
	for _, f := range []fused{{ops: true}, {ops: true, wide: true}, {}, {wide: true}} {
		f.begin("AVX2")
		k := kernel2{f, c}
		k.softmax()
		if k.ops {
			k.bins()
		}
		k.candidates()
		k.gradients()
		k.adam()
		k.largest()
		k.end()
	}
}

// eight returns n vectors of eight lanes.
func eight(n int) []reg.VecVirtual {
	v := make([]reg.VecVirtual, n)
	for i := range v {
		v[i] = YMM()
	}
	return v
}

// exp does detmath.Exp on x.
func (k kernel2) exp(x []reg.VecVirtual) {
	n := len(x)
	y, r, t := eight(n), eight(n), eight(n)
	each := func(f func(i int)) {
		for i := range n {
			f(i)
		}
	}
	each(func(i int) { VMAXPS(k.c["least"], x[i], x[i]) })
	each(func(i int) { VMULPS(k.c["scale"], x[i], x[i]) })
	each(func(i int) { VADDPS(k.c["magic"], x[i], y[i]) })
	each(func(i int) { VSUBPS(k.c["magic"], y[i], r[i]) })
	each(func(i int) { VSUBPS(r[i], x[i], r[i]) })
	each(func(i int) { VMULPS(k.c["step"], r[i], r[i]) })
	// 2^(i/16) by the low three bits from two halves, and the fourth chooses.
	each(func(i int) { VPERMPS(k.c["powers0"], y[i], x[i]) })
	each(func(i int) { VPERMPS(k.c["powers8"], y[i], t[i]) })
	each(func(i int) {
		bit := YMM()
		VPSLLD(U8(28), y[i], bit)
		VBLENDVPS(bit, t[i], x[i], x[i])
	})
	each(func(i int) { VPSLLD(U8(19), y[i], y[i]) })
	each(func(i int) { VPADDD(y[i], x[i], x[i]) })
	each(func(i int) { VMULPS(k.c["sixth"], r[i], t[i]) })
	each(func(i int) { VADDPS(k.c["half"], t[i], t[i]) })
	each(func(i int) { VMULPS(r[i], t[i], t[i]) })
	each(func(i int) { VADDPS(k.c["one"], t[i], t[i]) })
	each(func(i int) { VMULPS(r[i], t[i], t[i]) })
	each(func(i int) { VMULPS(x[i], t[i], t[i]) })
	each(func(i int) { VADDPS(t[i], x[i], x[i]) })
}

// softmax writes p, q and the truth values t of the layer's gates.
func (k kernel2) softmax() {
	n, g, gate := load(k.f, "n"), load(k.f, "gate"), k.last("block", gateBytes)
	w, top, u, utop := load(k.f, "w"), load(k.f, "top"), load(k.f, "u"), load(k.f, "utop")
	loop(n, func() {
		at64 := shifted(g, 6)
		shift := YMM()
		VBROADCASTSS(index(utop, g, 4, 0), shift)
		lanes := eight(2) // of the sum of q
		for h := range 2 {
			q := eight(2)
			for i := range q {
				VMOVUPS(index(u, at64, 2, ymm*(2*h+i)), q[i])
				VSUBPS(shift, q[i], q[i])
			}
			k.exp(q)
			for i := range q {
				VMOVUPS(q[i], at(gate, "q", 8*(2*h+i)))
				if h == 0 {
					VMOVAPS(q[i], lanes[i])
				} else {
					VADDPS(q[i], lanes[i], lanes[i])
				}
			}
		}
		VADDPS(lanes[1], lanes[0], lanes[0])
		qs := fold4(lanes[0])
		inv, one := XMM(), XMM()
		VMOVUPS(k.c["one"], one)
		if k.ops {
			p := eight(2)
			VBROADCASTSS(index(top, g, 4, 0), shift)
			for i := range p {
				VMOVUPS(index(w, at64, 1, ymm*i), p[i])
				VSUBPS(shift, p[i], p[i])
			}
			k.exp(p)
			t00, both, high, c := fold4(p[1]), YMM(), XMM(), XMM()
			VADDPS(p[1], p[0], both)
			VEXTRACTF128(U8(1), both, high)
			VADDPS(both.AsX(), high, c)
			four := foldFour(c, qs, t00, high) // sum of p, of q, T00, T01
			even, odd := XMM(), XMM()
			VSHUFPS(U8(0x06), c, c, even)
			VSHUFPS(U8(0x0f), c, c, odd)
			VADDPS(even, odd, even) // T10, T11
			VDIVPS(four, one, inv)
			VSHUFPS(U8(0x4e), even, four, four)
			ip := YMM()
			VBROADCASTSS(inv, ip)
			VMULPS(ip.AsX(), four, four)
			VMOVUPS(four, at(gate, "t", 0))
			for i := range p {
				VMULPS(ip, p[i], p[i])
				VMOVUPS(p[i], at(gate, "p", 8*i))
			}
			VPERMILPS(U8(0x55), inv, inv)
		} else {
			VDIVPS(foldFour(qs, qs, qs, qs), one, inv)
		}
		iq := YMM()
		VBROADCASTSS(inv, iq)
		for i := range 4 {
			q := YMM()
			VMULPS(at(gate, "q", 8*i), iq, q)
			VMOVUPS(q, at(gate, "q", 8*i))
		}
		DECQ(g)
		SUBQ(U32(gateBytes), gate)
	})
}

// bins writes the sums s of the block's gates and the gradients of their pins B, and
// replaces the gradients in out, at first those in from, by those of the pins A.
func (k kernel2) bins() {
	n, gate, beta := load(k.f, "n"), k.last("block", gateBytes), k.last("beta", betaRow)
	a, b, samples := load(k.f, "a"), load(k.f, "b"), load(k.f, "samples")
	row, layer, chain := load(k.f, "row"), load(k.f, "layer"), load(k.f, "chain")
	out := GP64()
	IMUL3Q(U32(betaRow), chain, out)
	ADDQ(in(k.f, "out"), out)
	loop(n, func() {
		from := GP64()
		MOVQ(out, from)
		CMPQ(layer, in(k.f, "layers"))
		CMOVQEQ(in(k.f, "from").Idx(chain, 8), from)
		t, hi := XMM(), XMM()
		VMOVUPS(at(gate, "t", 0), t)
		// The coefficient of a bit in lane 0, of its complement in lane 3: a mask of ones
		// or zeros selects.
		table := func(c reg.VecVirtual) reg.VecVirtual {
			x, y := XMM(), YMM()
			VPERMILPS(U8(0x40), c, x)
			VINSERTF128(U8(1), x, x.AsY(), y)
			return y
		}
		VMOVHLPS(t, t, hi)
		VSUBPS(t, hi, hi) // T10 - T00, T11 - T01
		ca := table(hi)
		lo := XMM()
		VSHUFPS(U8(0x88), t, t, lo)
		VSHUFPS(U8(0xdd), t, t, hi)
		VSUBPS(lo, hi, hi) // T01 - T00, T11 - T10
		cb := table(hi)
		var s [4][2]reg.VecVirtual // by the pins' values, lanes 0 and 8 on
		for i := range s {
			for h := range s[i] {
				s[i][h] = YMM()
				VXORPS(s[i][h], s[i][h], s[i][h])
			}
		}
		eightSamples := func(v int) {
			h, bits := v%2, k.c[bitNames[v%4]]
			x, y := YMM(), YMM()
			for _, m := range []struct {
				row  reg.Register
				mask reg.VecVirtual
			}{{a, x}, {b, y}} {
				VPBROADCASTD(index(m.row, row, 1, v/4*4), m.mask)
				VPAND(bits, m.mask, m.mask)
				VPCMPEQD(bits, m.mask, m.mask)
			}
			d, part, t := YMM(), YMM(), YMM()
			VMOVUPS(Mem{Base: from, Disp: ymm * v}, d)
			VANDPS(d, x, part)
			VANDPS(part, y, t)
			VADDPS(t, s[3][h], s[3][h])
			VANDNPS(part, y, t)
			VADDPS(t, s[2][h], s[2][h])
			VANDNPS(d, x, part)
			VANDPS(part, y, t)
			VADDPS(t, s[1][h], s[1][h])
			VANDNPS(part, y, t)
			VADDPS(t, s[0][h], s[0][h])
			VPERMILPS(x, cb, part)
			VMULPS(d, part, part)
			VMOVUPS(part, Mem{Base: beta, Disp: ymm * v})
			VPERMILPS(y, ca, part)
			VMULPS(d, part, part)
			VMOVUPS(part, Mem{Base: out, Disp: ymm * v})
		}
		for v := range 14 {
			eightSamples(v)
		}
		CMPQ(samples, U8(5*doneAt))
		unless(JLE, func() {
			eightSamples(14)
			eightSamples(15)
		})
		var sums [4]reg.VecVirtual
		for i := range s {
			VADDPS(s[i][1], s[i][0], s[i][0])
			sums[i] = fold4(s[i][0])
		}
		VMOVUPS(foldFour(sums[0], sums[1], sums[2], sums[3]), at(gate, "s", 0))
		SUBQ(U8(16), row)
		SUBQ(U32(gateBytes), gate)
		SUBQ(U32(betaRow), beta)
		DECQ(layer)
		unless(JNZ, func() {
			SUBQ(in(k.f, "gap"), row)
			MOVQ(in(k.f, "layers"), layer)
			DECQ(chain)
			SUBQ(U32(betaRow), out)
		})
	})
	MOVQ(row, in(k.f, "row"))
	MOVQ(layer, in(k.f, "layer"))
	MOVQ(chain, in(k.f, "chain"))
}

// candidates writes the sums r of the candidates of the layer's gates, and fetches the
// parameters of gates to come.
func (k kernel2) candidates() {
	n, g, gate, beta := load(k.f, "n"), load(k.f, "gate"), k.last("block", gateBytes), k.upstream()
	loop(n, func() {
		k.prefetch(g)
		k.gather(k.wires(g))
		k.pairs(beta)
		for half := range 2 { // sixteen candidates at a time, for want of registers
			r := [2][]reg.VecVirtual{eight(2), eight(2)} // even and odd groups
			for _, v := range append(r[0], r[1]...) {
				VXORPS(v, v, v)
			}
			group := func(i int) {
				sums := in(k.f, "pairs").Offset(48 * i)
				value := eight(2)
				for part := range 3 { // two pairs and the fifth
					table := YMM()
					VBROADCASTF128(sums.Offset(16*part), table)
					for h := range value {
						bits := k.bits(2*half+h, 5*i+2*part, part < 2)
						if part == 0 {
							VPERMILPS(bits, table, value[h])
						} else {
							VPERMILPS(bits, table, bits)
							VADDPS(bits, value[h], value[h])
						}
					}
				}
				for h := range value {
					VADDPS(value[h], r[i%2][h], r[i%2][h])
				}
			}
			for i := range doneAt {
				group(i)
			}
			CMPQ(in(k.f, "samples"), U8(5*doneAt))
			unless(JLE, func() {
				for i := doneAt; i < fiveGroups; i++ {
					group(i)
				}
			})
			for h := range 2 {
				VADDPS(r[1][h], r[0][h], r[0][h])
				VMOVUPS(r[0][h], at(gate, "r", 8*(2*half+h)))
			}
		}
		DECQ(g)
		SUBQ(U32(gateBytes), gate)
		SUBQ(U32(betaRow), beta)
	})
}

// bits returns the candidates' bits from the given sample on, in a new register. Of a
// pair, both bits count.
func (k kernel2) bits(vector, sample int, pair bool) reg.VecVirtual {
	word := func(w int) Mem { return in(k.f, "words").Offset(4*32*w + ymm*vector) }
	x, w, bit := YMM(), sample/32, sample%32
	if w > 3 { // past the last sample: there is nothing to select
		VXORPS(x, x, x)
		return x
	}
	VMOVDQU(word(w), x)
	if bit > 0 {
		VPSRLD(U8(bit), x, x)
	}
	if pair && bit == 31 && w < 3 {
		next := YMM()
		VMOVDQU(word(w+1), next)
		VPADDD(next, next, next)
		VPOR(next, x, x)
	}
	return x
}

// pairs writes the subset sums of the pairs and fifths of beta's groups.
func (k kernel2) pairs(beta reg.Register) {
	group := func(i int) {
		for part := range 3 {
			d, x := Mem{Base: beta, Disp: 4 * (5*i + 2*part)}, XMM()
			if part < 2 {
				y := XMM()
				VMOVSD(d, x)
				VPERMILPS(U8(0x5a), x, y) // 0, 0, d1, d1
				VPERMILPS(U8(0x22), x, x) // 0, d0, 0, d0
				VADDPS(y, x, x)
			} else {
				VMOVSS(d, x)
				VPERMILPS(U8(0x11), x, x) // 0, d4, 0, d4
			}
			VMOVUPS(x, in(k.f, "pairs").Offset(48*i+16*part))
		}
	}
	for i := range doneAt {
		group(i)
	}
	CMPQ(in(k.f, "samples"), U8(5*doneAt))
	unless(JLE, func() {
		for i := doneAt; i < fiveGroups; i++ {
			group(i)
		}
	})
}

// gather loads the rows of the candidates and writes, for each 32 samples, a lane for
// each candidate.
func (k kernel2) gather(wires reg.Register) {
	x := load(k.f, "x")
	for v := range 4 {
		z := eight(4)
		for r := range z {
			for half := range 2 {
				i := GP64()
				m := Mem{Base: wires, Disp: k.wireBytes() * (8*v + 4*half + r)}
				if k.wide {
					MOVLQZX(m, i)
				} else {
					MOVWQZX(m, i)
				}
				SHLQ(U8(4), i)
				if half == 0 {
					VBROADCASTI128(index(x, i, 1, 0), z[r])
				} else {
					VINSERTI128(U8(1), index(x, i, 1, 0), z[r], z[r])
				}
			}
		}
		y, w := eight(4), eight(4)
		VPUNPCKLDQ(z[1], z[0], y[0])
		VPUNPCKHDQ(z[1], z[0], y[1])
		VPUNPCKLDQ(z[3], z[2], y[2])
		VPUNPCKHDQ(z[3], z[2], y[3])
		VPUNPCKLQDQ(y[2], y[0], w[0])
		VPUNPCKHQDQ(y[2], y[0], w[1])
		VPUNPCKLQDQ(y[3], y[1], w[2])
		VPUNPCKHQDQ(y[3], y[1], w[3])
		for i := range w {
			VMOVDQU(w[i], in(k.f, "words").Offset(4*32*i+ymm*v))
		}
	}
}

// gradients replaces p and r of the layer's gates by the gradients of their logits.
func (k kernel2) gradients() {
	n, gate := load(k.f, "n"), k.last("block", gateBytes)
	loop(n, func() {
		if k.ops {
			k.opGradients(gate)
		}
		q, r, prod := eight(4), eight(4), eight(4)
		for i := range q {
			VMOVUPS(at(gate, "q", 8*i), q[i])
			VMOVUPS(at(gate, "r", 8*i), r[i])
			VMULPS(q[i], r[i], prod[i])
		}
		VADDPS(prod[2], prod[0], prod[0])
		VADDPS(prod[3], prod[1], prod[1])
		VADDPS(prod[1], prod[0], prod[0])
		mean4, mean := fold4(prod[0]), YMM()
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

// adam makes one step of Adam on the layer's gates, and leaves the logits in p and r.
func (k kernel2) adam() {
	n, g, gate := load(k.f, "n"), load(k.f, "gate"), k.last("block", gateBytes)
	c := eight(7)
	for i := range c {
		VBROADCASTSS(adamAt(k.f, i), c[i])
	}
	loop(n, func() {
		at64 := shifted(g, 6)
		if k.ops {
			for i := range 2 {
				k.step("w", "m", "v", at64, 1, ymm*i, at(gate, "p", 8*i), c)
			}
		}
		for i := range 4 {
			k.step("u", "um", "uv", at64, 2, ymm*i, at(gate, "r", 8*i), c)
		}
		DECQ(g)
		SUBQ(U32(gateBytes), gate)
	})
}

// largest stores the largest logits of the layer's gates and what they select.
func (k kernel2) largest() {
	n, g, gate := load(k.f, "n"), load(k.f, "gate"), k.last("block", gateBytes)
	op, top, utop := load(k.f, "op"), load(k.f, "top"), load(k.f, "utop")
	loop(n, func() {
		logits := func(field string, n int) (v []reg.VecVirtual, max4 reg.VecVirtual) {
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
			max4 = XMM()
			VEXTRACTF128(U8(1), most, max4)
			VMAXPS(most.AsX(), max4, max4)
			return v, max4
		}
		equal := func(x reg.VecVirtual, v []reg.VecVirtual) reg.GPVirtual {
			all, mask := YMM(), GP64()
			VBROADCASTSS(x, all)
			for i, z := range v {
				t := mask
				if i > 0 {
					t = GP64()
				}
				VCMPPS(U8(0), all, z, z)
				VMOVMSKPS(z, t.As32())
				if i > 0 {
					SHLL(U8(8*i), t.As32())
					ORL(t.As32(), mask.As32())
				}
			}
			return mask
		}
		u, umax := logits("r", 4)
		wmax := umax
		var w []reg.VecVirtual
		if k.ops {
			w, wmax = logits("p", 2)
		}
		largest, high := maxTwo(wmax, umax), XMM()
		VMOVHLPS(largest, largest, high)
		if k.ops {
			arg := lowest(equal(largest, w))
			MOVB(arg.As8(), index(op, g, 1, 0))
			storeTop(index(top, g, 4, 0), largest)
		}
		k.storeBit(lowest(equal(high, u)), g, 0)
		storeTop(index(utop, g, 4, 0), high)
		DECQ(g)
		SUBQ(U32(gateBytes), gate)
	})
}

// step makes one step of Adam on a vector of logits, and replaces the gradient by them.
func (k kernel2) step(w, m, v string, i reg.Register, scale uint8, disp int, grad Mem, c []reg.VecVirtual) {
	wm, mm, vm := index(load(k.f, w), i, scale, disp), index(load(k.f, m), i, scale, disp), index(load(k.f, v), i, scale, disp)
	g, ms, vs, t, ws := YMM(), YMM(), YMM(), YMM(), YMM()
	VMOVUPS(grad, g)
	VMULPS(mm, c[beta1], ms)
	VMULPS(vm, c[beta2], vs)
	VMOVUPS(wm, ws)
	VMULPS(c[rest1], g, t)
	VMULPS(g, g, g)
	VADDPS(t, ms, ms)
	VMULPS(c[rest2], g, g)
	VADDPS(g, vs, vs)
	VSQRTPS(vs, g)
	VMOVUPS(ms, mm)
	VMOVUPS(vs, vm)
	VMULPS(c[root], g, g)
	VMULPS(c[rate], ms, ms)
	VADDPS(c[eps], g, g)
	VDIVPS(g, ms, ms)
	VSUBPS(ms, ws, ws)
	VMOVUPS(ws, wm)
	VMOVUPS(ws, grad)
}
