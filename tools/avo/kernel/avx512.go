package main

import (
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Bytes of a vector, and the vectors of a batch.
const (
	zmm     = 64
	vectors = 8
)

// fused is a kernel that updates the gates of some chains side by side, layer by layer
// from the last one: the phases of a gate wait for each other, those of different chains
// do not.
type fused struct {
	f    reg.GPVirtual // the frame
	ops  bool          // the gate with its operations, or a pin alone
	wide bool          // wires of 32 bits
}

func avx512() {
	ConstraintExpr("amd64")
	table := constants512()
	for _, k := range []fused{{ops: true}, {ops: true, wide: true}, {}, {wide: true}} {
		k.begin("AVX512")
		k.softmax512(table)
		if k.ops {
			k.bins512()
		}
		k.updates512()
		k.largest512()
		k.end()
	}
}

// begin begins the function and its loop over layers.
func (k *fused) begin(path string) {
	name, what := "gates", "updates the gates of some chains"
	if !k.ops {
		name, what = "pin", "updates a pin of one gate a chain from the gradient in the frame"
	}
	if k.wide {
		name, what = name+"Wide", what+" with wires of 32 bits"
	}
	k.f = text(name+path, "frame", name+path+" "+what+".")
	Label("layer")
}

// end ends the loop over layers and the function.
func (k *fused) end() {
	if k.ops {
		DECQ(in(k.f, "gate"))
		DECQ(in(k.f, "layers"))
		JNZ(LabelRef("layer"))
	}
	VZEROUPPER()
	RET()
}

// constants512 writes 2^(i/16) as package detmath has it, for a permutation.
func constants512() Mem {
	m := GLOBL("exp512", 8|16) // RODATA|NOPTR
	for i := range 16 {
		DATA(4*i, U32(math.Float32bits(float32(math.Exp2(float64(i)/16)))))
	}
	return m
}

// broadcast returns a vector of a float32 constant.
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

// shifted returns x << by in a new register.
func shifted(x reg.Register, by uint8) reg.GPVirtual {
	r := GP64()
	MOVQ(x, r)
	SHLQ(U8(by), r)
	return r
}

// index returns the memory at base + i*scale + disp.
func index(base, i reg.Register, scale uint8, disp int) Mem {
	return Mem{Base: base, Index: i, Scale: scale, Disp: disp}
}

// exponentials does detmath.Exp on all of x.
func exponentials(x []reg.VecVirtual, table Mem) func() {
	least, scale, magic := broadcast(-80), broadcast(23.083120654223414), broadcast(3<<22)
	step, sixth, half, one := broadcast(0.04332169878499658), broadcast(1.0/6), broadcast(0.5), broadcast(1)
	powers := ZMM()
	VMOVUPS(table, powers)
	return func() {
		n := len(x)
		y, r, p, e := make([]reg.VecVirtual, n), make([]reg.VecVirtual, n), make([]reg.VecVirtual, n), make([]reg.VecVirtual, n)
		each := func(f func(i int)) {
			for i := range n {
				f(i)
			}
		}
		each(func(i int) { y[i], r[i], p[i], e[i] = ZMM(), ZMM(), ZMM(), ZMM() })
		each(func(i int) { VMAXPS(least, x[i], x[i]) })
		each(func(i int) { VMULPS(scale, x[i], x[i]) })
		each(func(i int) { VADDPS(magic, x[i], y[i]) })
		each(func(i int) { VSUBPS(magic, y[i], r[i]) })
		each(func(i int) { VPERMPS(powers, y[i], e[i]) })
		each(func(i int) { VSUBPS(r[i], x[i], r[i]) })
		each(func(i int) { VPSRAD(U8(4), y[i], y[i]) })
		each(func(i int) { VMULPS(step, r[i], r[i]) })
		each(func(i int) { VPSLLD(U8(23), y[i], y[i]) })
		each(func(i int) { VMULPS(sixth, r[i], p[i]) })
		each(func(i int) { VPADDD(y[i], e[i], e[i]) })
		each(func(i int) { VADDPS(half, p[i], p[i]) })
		each(func(i int) { VMULPS(r[i], p[i], p[i]) })
		each(func(i int) { VADDPS(one, p[i], p[i]) })
		each(func(i int) { VMULPS(r[i], p[i], p[i]) })
		each(func(i int) { VMULPS(e[i], p[i], p[i]) })
		each(func(i int) { VADDPS(p[i], e[i], x[i]) })
	}
}

// fold8 returns the sums of the lanes i and i+8 of z.
func fold8(z reg.VecVirtual) reg.VecVirtual {
	y := YMM()
	VEXTRACTF64X4(U8(1), z, y)
	VADDPS(z.AsY(), y, y)
	return y
}

// extract128 is the instruction that extracts half of a YMM, in the encoding of the path.
var extract128 = VEXTRACTF32X4

// fold4 returns the sums of the lanes i and i+4 of y.
func fold4(y reg.VecVirtual) reg.VecVirtual {
	x := XMM()
	extract128(U8(1), y, x)
	VADDPS(y.AsX(), x, x)
	return x
}

// foldFour ends four lane sums: lane i of the result is (0 + 2) + (1 + 3) of the i-th.
func foldFour(a, b, c, d reg.VecVirtual) reg.VecVirtual {
	two := func(a, b reg.VecVirtual) reg.VecVirtual {
		lo, hi := XMM(), XMM()
		VUNPCKLPD(b, a, lo)
		VUNPCKHPD(b, a, hi)
		VADDPS(lo, hi, lo)
		return lo
	}
	ab, cd := two(a, b), two(c, d)
	even, odd := XMM(), XMM()
	VSHUFPS(U8(0x88), cd, ab, even)
	VSHUFPS(U8(0xdd), cd, ab, odd)
	VADDPS(even, odd, even)
	return even
}

// softmax512 writes p, q and the truth values t of the layer's gates.
func (k fused) softmax512(table Mem) {
	n, g, gate := load(k.f, "chains"), load(k.f, "gate"), GP64()
	LEAQ(in(k.f, "block"), gate)
	w, top, u, utop := load(k.f, "w"), load(k.f, "top"), load(k.f, "u"), load(k.f, "utop")
	p, q0, q1 := ZMM(), ZMM(), ZMM()
	x := []reg.VecVirtual{q0, q1}
	if k.ops {
		x = append(x, p)
	}
	exp := exponentials(x, table)
	one := XMM()
	t := GP32()
	MOVL(U32(math.Float32bits(1)), t)
	VPBROADCASTD(t, one)
	loop(n, func() {
		at64 := shifted(g, 6)
		shift := ZMM()
		VBROADCASTSS(index(utop, g, 4, 0), shift)
		for i, q := range []reg.VecVirtual{q0, q1} {
			VMOVUPS(index(u, at64, 2, zmm*i), q)
			VSUBPS(shift, q, q)
		}
		if k.ops {
			VMOVUPS(index(w, at64, 1, 0), p)
			VSUBPS_BCST(index(top, g, 4, 0), p, p)
		}
		exp()
		sum := ZMM()
		VADDPS(q1, q0, sum)
		qs := fold4(fold8(sum))
		inv := XMM()
		if k.ops {
			// f_k(0,0) is bit 3 of k, f_k(0,1) bit 2, and so on: the folds are shared.
			high, high8 := YMM(), XMM()
			VEXTRACTF64X4(U8(1), p, high)
			t00 := fold4(high)
			VADDPS(p.AsY(), high, high)
			VEXTRACTF32X4(U8(1), high, high8)
			c := XMM()
			VADDPS(high.AsX(), high8, c)
			four := foldFour(c, qs, t00, high8) // sum of p, of q, T00, T01
			even, odd := XMM(), XMM()
			VSHUFPS(U8(0x06), c, c, even) // 2, 1
			VSHUFPS(U8(0x0f), c, c, odd)  // 3, 3
			VADDPS(even, odd, even)       // T10, T11
			VDIVPS(four, one, inv)
			VSHUFPS(U8(0x4e), even, four, four)
			ip, iq := ZMM(), XMM()
			VBROADCASTSS(inv, ip)
			VMULPS(ip.AsX(), four, four)
			VMOVUPS(four, at(gate, "t", 0))
			VMULPS(ip, p, p)
			VMOVUPS(p, at(gate, "p", 0))
			VPERMILPS(U8(0x55), inv, iq)
			inv = iq
		} else {
			VDIVPS(foldFour(qs, qs, qs, qs), one, inv)
		}
		iq := ZMM()
		VBROADCASTSS(inv, iq)
		for i, q := range []reg.VecVirtual{q0, q1} {
			VMULPS(iq, q, q)
			VMOVUPS(q, at(gate, "q", 16*i))
		}
		ADDQ(in(k.f, "stride"), g)
		ADDQ(U32(gateBytes), gate)
	})
}

// bins512 writes the sums s of the layer's gates and the gradients of their pins B,
// and replaces delta by that of the last pin A.
func (k fused) bins512() {
	n, gate, beta := load(k.f, "chains"), GP64(), GP64()
	LEAQ(in(k.f, "block"), gate)
	LEAQ(in(k.f, "beta"), beta)
	a, b, delta, samples := load(k.f, "a"), load(k.f, "b"), load(k.f, "delta"), load(k.f, "samples")
	row := load(k.f, "row")
	loop(n, func() {
		t, hi := XMM(), XMM()
		ca, cb := XMM(), XMM()
		VMOVUPS(at(gate, "t", 0), t)
		VMOVHLPS(t, t, hi)
		VSUBPS(t, hi, ca) // T10 - T00, T11 - T01
		VSHUFPS(U8(0x88), t, t, hi)
		VSHUFPS(U8(0xdd), t, t, cb)
		VSUBPS(hi, cb, cb) // T01 - T00, T11 - T10
		lane := func(x reg.VecVirtual, i uint8) reg.VecVirtual {
			y, z := XMM(), ZMM()
			VPERMILPS(U8(0x55*i), x, y)
			VBROADCASTSS(y, z)
			return z
		}
		ca0, ca1, cb0, cb1 := lane(ca, 0), lane(ca, 1), lane(cb, 0), lane(cb, 1)
		var s [4]reg.VecVirtual // by the pins' values
		for i := range s {
			s[i] = ZMM()
			VXORPS(s[i], s[i], s[i])
		}
		// The masks of the four bins come through memory: that takes fewer operations
		// on mask registers than their logic.
		xa, xb, xm := XMM(), XMM(), XMM()
		ones := XMM()
		VPCMPEQD(ones, ones, ones)
		VMOVDQU(index(a, row, 1, 0), xa)
		VMOVDQU(index(b, row, 1, 0), xb)
		masks := in(k.f, "masks")
		VPAND(xa, xb, xm)
		VMOVDQU(xm, masks.Offset(48))
		VPANDN(xa, xb, xm)
		VMOVDQU(xm, masks.Offset(32))
		VPANDN(xb, xa, xm)
		VMOVDQU(xm, masks.Offset(16))
		VPOR(xa, xb, xm)
		VPXOR(ones, xm, xm)
		VMOVDQU(xm, masks)
		for v := range vectors {
			step := func() {
				d, x, y := ZMM(), K(), K()
				VMOVUPS(Mem{Base: delta, Disp: zmm * v}, d)
				m := [4]reg.OpmaskVirtual{K(), K(), K(), K()}
				KMOVW(index(a, row, 1, 2*v), x)
				KMOVW(index(b, row, 1, 2*v), y)
				for i := range m {
					KMOVW(masks.Offset(16*i+2*v), m[i])
				}
				for i := range s {
					VADDPS(d, s[i], m[i], s[i])
				}
				db := ZMM()
				VMULPS(cb0, d, db)
				VMULPS(cb1, d, x, db)
				VMOVUPS(db, Mem{Base: beta, Disp: zmm * v})
				da := ZMM()
				VMULPS(ca0, d, da)
				VMULPS(ca1, d, y, da)
				VMOVUPS(da, Mem{Base: delta, Disp: zmm * v})
			}
			if v == vectors-1 {
				CMPQ(samples, U8(5*doneAt))
				unless(JLE, step)
			} else {
				step()
			}
		}
		sums := foldFour(fold4(fold8(s[0])), fold4(fold8(s[1])), fold4(fold8(s[2])), fold4(fold8(s[3])))
		VMOVUPS(sums, at(gate, "s", 0))
		ADDQ(in(k.f, "rows"), row)
		ADDQ(U32(4*16*vectors), delta)
		ADDQ(U32(gateBytes), gate)
		ADDQ(U32(betaRow), beta)
	})
	SUBQ(U8(16), in(k.f, "row"))
}

// fiveGroups is the number of groups of five samples, and doneAt a smaller one that is
// enough for the usual batch of 100.
const (
	fiveGroups = 26
	doneAt     = 20
)

// updates512 sums the candidates of the layer's gates and makes the step of Adam, and
// fetches the parameters of gates to come. The step of a gate waits for the divider and
// the sums of the next gate for everything else, so they are written interleaved.
func (k fused) updates512() {
	k.plan()
	n, gate, beta := load(k.f, "chains"), GP64(), GP64()
	LEAQ(in(k.f, "block"), gate)
	LEAQ(in(k.f, "beta"), beta)
	g := load(k.f, "gate")
	m := [4]reg.OpmaskVirtual{opmask(0xaaaa), opmask(0xcccc), opmask(0xf0f0), opmask(0xff00)}
	part := [4]reg.OpmaskVirtual{nil, opmask(0x00f0), opmask(0x0f00), opmask(0xf000)}
	one := broadcast(1)
	k.candidates512(g, gate, beta, one, m, part, nil)
	last := GP64()
	DECQ(n)
	unless(JZ, func() {
		loop(n, func() {
			MOVQ(gate, last)
			k.gradients512(last, m)
			at64 := shifted(g, 6)
			ADDQ(in(k.f, "stride"), g)
			ADDQ(U32(gateBytes), gate)
			ADDQ(U32(betaRow), beta)
			k.candidates512(g, gate, beta, one, m, part, k.adam512(last, at64))
		})
	})
	k.gradients512(gate, m)
	for _, instruction := range k.adam512(gate, shifted(g, 6)) {
		instruction()
	}
}

// candidates512 writes the sums r of the candidates of a gate, among the instructions of
// another's update.
func (k fused) candidates512(g, gate, beta reg.Register, one reg.VecVirtual, m, part [4]reg.OpmaskVirtual, among []func()) {
	k.prefetch(g)
	words := gather512(load(k.f, "x"), k.wires(g), k.wireBytes(), part)
	var r [4]reg.VecVirtual // even groups of the candidates 0 and 16, odd ones
	for i := range r {
		r[i] = ZMM()
		VXORPS(r[i], r[i], r[i])
	}
	group := func(i int) {
		d := func(j int) Mem { return Mem{Base: beta, Disp: 4 * (5*i + j)} }
		t0, t1, t := ZMM(), ZMM(), ZMM()
		VBROADCASTSS_Z(d(0), m[0], t)
		VADDPS_BCST(d(1), t, m[1], t)
		VBROADCASTSS_Z(d(2), m[2], t0)
		VADDPS_BCST(d(3), t0, m[3], t0)
		VFMADD231PS(t, one, t0) // an addition: the product is exact
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
		}
	}
	for i := range doneAt {
		group(i)
		for from := i * len(among) / doneAt; from < (i+1)*len(among)/doneAt; from++ {
			among[from]()
		}
	}
	CMPQ(in(k.f, "samples"), U8(5*doneAt))
	unless(JLE, func() {
		for i := doneAt; i < fiveGroups; i++ {
			group(i)
		}
	})
	for h := range 2 {
		VADDPS(r[h+2], r[h], r[h])
		VMOVUPS(r[h], at(gate, "r", 16*h))
	}
}

func (k fused) wireBytes() int {
	if k.wide {
		return 4
	}
	return 2
}

// wires returns the address of the wires of gate g.
func (k fused) wires(g reg.Register) reg.GPVirtual {
	field, shift := "narrow", uint8(6)
	if k.wide {
		field, shift = "wide", 7
	}
	r := shifted(g, shift)
	ADDQ(in(k.f, field), r)
	return r
}

// gather512 loads the rows of 32 candidates and returns, for each 32 samples, a lane
// for each candidate.
func gather512(x, wires reg.Register, bytes int, part [4]reg.OpmaskVirtual) (words [4][2]reg.VecVirtual) {
	for h := range 2 {
		var z [4]reg.VecVirtual
		for r := range z {
			z[r] = ZMM()
			for l := range 4 {
				i := GP64()
				m := Mem{Base: wires, Disp: bytes * (16*h + 4*l + r)}
				if bytes == 4 {
					MOVLQZX(m, i)
				} else {
					MOVWQZX(m, i)
				}
				SHLQ(U8(4), i)
				if l == 0 {
					VBROADCASTI32X4(index(x, i, 1, 0), z[r])
				} else {
					VBROADCASTI32X4(index(x, i, 1, 0), part[l], z[r])
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

// plan decides which gates to fetch during the layer.
func (k fused) plan() {
	left, next := load(k.f, "layers"), load(k.f, "wrap")
	CMPQ(left, in(k.f, "near"))
	CMOVQGT(in(k.f, "ahead"), next)
	MOVQ(next, in(k.f, "fetch"))
}

// prefetch fetches the parameters of the gate that the frame names for gate g.
func (k fused) prefetch(g reg.Register) {
	next := load(k.f, "fetch")
	ADDQ(g, next)
	SHLQ(U8(6), next)
	fetch := func(lines uint8, fields ...string) {
		for _, field := range fields {
			base := load(k.f, field)
			for i := range lines {
				PREFETCHT0(index(base, next, lines, zmm*int(i)))
			}
		}
	}
	if k.ops {
		fetch(1, "w", "m", "v")
	}
	fetch(2, "u", "um", "uv")
	if k.wide {
		fetch(2, "wide")
	} else {
		fetch(1, "narrow")
	}
}

// gradients512 replaces p and r of a gate by the gradients of its logits.
func (k fused) gradients512(gate reg.Register, bit [4]reg.OpmaskVirtual) {
	if k.ops {
		st, x := XMM(), XMM()
		VMOVUPS(at(gate, "s", 0), st)
		VMULPS(at(gate, "t", 0), st, st)
		VPERMILPS(U8(0xb1), st, x)
		VADDPS(x, st, st)
		VPERMILPS(U8(0x4e), st, x)
		VADDPS(x, st, st)
		mean, sf, t := ZMM(), ZMM(), ZMM()
		VBROADCASTSS(st, mean)
		VBROADCASTSS_Z(at(gate, "s", 3), bit[0], sf)
		VADDPS_BCST(at(gate, "s", 2), sf, bit[1], sf)
		VBROADCASTSS_Z(at(gate, "s", 1), bit[2], t)
		VADDPS_BCST(at(gate, "s", 0), t, bit[3], t)
		VADDPS(t, sf, sf)
		VSUBPS(mean, sf, sf)
		VMULPS(at(gate, "p", 0), sf, sf)
		VMOVUPS(sf, at(gate, "p", 0))
	}
	q, r, prod := [2]reg.VecVirtual{}, [2]reg.VecVirtual{}, [2]reg.VecVirtual{}
	for h := range 2 {
		q[h], r[h], prod[h] = ZMM(), ZMM(), ZMM()
		VMOVUPS(at(gate, "q", 16*h), q[h])
		VMOVUPS(at(gate, "r", 16*h), r[h])
		VMULPS(q[h], r[h], prod[h])
	}
	VADDPS(prod[1], prod[0], prod[0])
	mean4, odd := fold4(fold8(prod[0])), XMM()
	VPERMILPS(U8(0x4e), mean4, odd)
	VADDPS(odd, mean4, mean4)
	VPERMILPS(U8(0xb1), mean4, odd)
	VADDPS(odd, mean4, mean4)
	mean := ZMM()
	VBROADCASTSS(mean4, mean)
	for h := range 2 {
		VSUBPS(mean, r[h], r[h])
		VMULPS(q[h], r[h], r[h])
		VMOVUPS(r[h], at(gate, "r", 16*h))
	}
}

// adam512 returns the instructions of one step of Adam on a gate, which leaves the
// logits in p and r.
func (k fused) adam512(gate, at64 reg.Register) []func() {
	var all []func()
	if k.ops {
		all = k.step512("w", "m", "v", at64, 1, 0, at(gate, "p", 0))
	}
	for h := range 2 {
		all = append(all, k.step512("u", "um", "uv", at64, 2, zmm*h, at(gate, "r", 16*h))...)
	}
	return all
}

// step512 returns the instructions of one step of Adam on 16 logits, which replaces the
// gradient by them.
func (k fused) step512(w, m, v string, i reg.Register, scale uint8, disp int, grad Mem) []func() {
	g, ms, vs, t, ws, x := ZMM(), ZMM(), ZMM(), ZMM(), ZMM(), ZMM()
	var wm, mm, vm Mem
	return []func(){
		func() { mm = index(load(k.f, m), i, scale, disp) },
		func() { VMOVUPS(grad, g) },
		func() { VMOVUPS(mm, ms) },
		func() { VMULPS_BCST(adamAt(k.f, beta1), ms, ms) },
		func() { VMULPS_BCST(adamAt(k.f, rest1), g, t) },
		func() { vm = index(load(k.f, v), i, scale, disp) },
		func() { VMOVUPS(vm, vs) },
		func() { VMULPS(g, g, g) },
		func() { VMULPS_BCST(adamAt(k.f, beta2), vs, vs) },
		func() { VADDPS(t, ms, ms) },
		func() { VMULPS_BCST(adamAt(k.f, rest2), g, g) },
		func() { VMOVUPS(ms, mm) },
		func() { VADDPS(g, vs, vs) },
		func() { VMULPS_BCST(adamAt(k.f, rate), ms, ms) },
		func() { VMOVUPS(vs, vm) },
		func() { VSQRTPS(vs, x) },
		func() { wm = index(load(k.f, w), i, scale, disp) },
		func() { VMOVUPS(wm, ws) },
		func() { VMULPS_BCST(adamAt(k.f, root), x, x) },
		func() { VADDPS_BCST(adamAt(k.f, eps), x, x) },
		func() { VDIVPS(x, ms, ms) },
		func() { VSUBPS(ms, ws, ws) },
		func() { VMOVUPS(ws, wm) },
		func() { VMOVUPS(ws, grad) },
	}
}

// largest512 stores the largest logits of the layer's gates and what they select.
func (k fused) largest512() {
	n, g, gate := load(k.f, "chains"), load(k.f, "gate"), GP64()
	LEAQ(in(k.f, "block"), gate)
	op, top, utop, bit := load(k.f, "op"), load(k.f, "top"), load(k.f, "utop"), load(k.f, "bit")
	loop(n, func() {
		w, both := ZMM(), ZMM()
		u := [2]reg.VecVirtual{ZMM(), ZMM()}
		for h := range u {
			VMOVUPS(at(gate, "r", 16*h), u[h])
		}
		VMAXPS(u[1], u[0], both)
		low4 := fold4With(VMAXPS, both)
		high := low4
		if k.ops {
			VMOVUPS(at(gate, "p", 0), w)
			low4 = fold4With(VMAXPS, w)
		}
		largest := maxTwo(low4, high)
		high = XMM()
		VMOVHLPS(largest, largest, high)
		if k.ops {
			arg := lowest(equal512(largest, w))
			MOVB(arg.As8(), index(op, g, 1, 0))
			storeTop(index(top, g, 4, 0), largest)
		}
		low, up := equal512(high, u[0]), equal512(high, u[1])
		SHLQ(U8(16), up)
		ORQ(up, low)
		k.storeBit(lowest(low), g, bit)
		storeTop(index(utop, g, 4, 0), high)
		ADDQ(in(k.f, "stride"), g)
		ADDQ(U32(gateBytes), gate)
	})
}

// fold4With folds the lanes 8 and 4 apart with the operation.
func fold4With(op func(...Op), z reg.VecVirtual) reg.VecVirtual {
	y, x := YMM(), XMM()
	VEXTRACTF64X4(U8(1), z, y)
	op(z.AsY(), y, y)
	VEXTRACTF32X4(U8(1), y, x)
	op(y.AsX(), x, x)
	return x
}

// maxTwo returns the largest of the four lanes of a in lanes 0 and 1, of b in 2 and 3.
func maxTwo(a, b reg.VecVirtual) reg.VecVirtual {
	lo, hi := XMM(), XMM()
	VUNPCKLPD(b, a, lo)
	VUNPCKHPD(b, a, hi)
	VMAXPS(lo, hi, lo)
	VPERMILPS(U8(0xb1), lo, hi)
	VMAXPS(hi, lo, lo)
	return lo
}

// equal512 returns the mask of the lanes of z that equal the lane 0 of x.
func equal512(x, z reg.VecVirtual) reg.GPVirtual {
	all, k, r := ZMM(), K(), GP64()
	VBROADCASTSS(x, all)
	VCMPPS(U8(0), all, z, k)
	KMOVQ(k, r)
	return r
}

// lowest returns the lowest index of the mask, 0 if there is none.
func lowest(mask reg.GPVirtual) reg.GPVirtual {
	arg, zero := GP64(), GP64()
	XORQ(zero, zero)
	TZCNTQ(mask, arg)
	CMOVQCS(zero, arg)
	return arg
}

// storeTop stores the lane 0 of x, a zero as +0.
func storeTop(m Mem, x reg.VecVirtual) {
	zero := XMM()
	VXORPS(zero, zero, zero)
	VADDSS(zero, x, zero)
	VMOVSS(zero, m)
}

// storeBit stores the input bit that candidate arg of gate g reads.
func (k fused) storeBit(arg, g, bit reg.Register) {
	wire := GP32()
	if k.wide {
		MOVL(index(k.wires(g), arg, 4, 0), wire)
	} else {
		MOVWLZX(index(k.wires(g), arg, 2, 0), wire)
	}
	MOVL(wire, index(bit, g, 4, 0))
}
