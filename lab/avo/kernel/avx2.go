package main

import (
	"fmt"
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// ymm is the number of bytes in a vector.
const ymm = 32

// kernel2 is a kernel in AVX2. It has the same phases as the AVX-512 kernel. A sum over samples has sixteen lanes,
// which are two vectors of eight lanes.
type kernel2 struct {
	fused
	c constants
}

// constants maps names to vectors of constants in memory.
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
	for j := range 3 {
		add(fmt.Sprintf("bit%d", j), func(int) uint32 { return 1 << j })
	}
	add("firsts", func(i int) uint32 { return uint32(i / 4 * 2) }) // indices of two pairs, one pair for each half
	add("seconds", func(i int) uint32 { return uint32(i/4*2 + 1) })
	for j, name := range shiftNames {
		add(name, func(i int) uint32 { return uint32(8*j + i) })
	}
	return c
}

var (
	bitNames   = [4]string{"bits0", "bits8", "bits16", "bits24"}     // masks of single bits, eight in each vector
	shiftNames = [4]string{"shift0", "shift8", "shift16", "shift24"} // shifts that move a byte to the lowest
	opBits     = [3]string{"op1", "op2", "op4"}                      // lanes whose index has the bit 1, 2 or 4 set
)

func avx2() {
	extract128 = func(ops ...Op) { VEXTRACTF128(ops[0], ops[1], ops[2]) }
	ConstraintExpr("amd64")
	forward()
	forwardLayer()
	c := constants2()
	for n := candidates; n >= 4; n /= 2 {
		for _, f := range pinKernels(n) {
			f.begin("AVX2")
			k := kernel2{f, c}
			k.softmax()
			if k.ops {
				k.bins(nil)
			}
			k.candidates()
			k.gradients()
			k.adam()
			k.largest()
			k.end()
		}
	}
	r := roundedConstants2()
	for n := candidates; n >= 4; n /= 2 {
		for _, f := range roundingKernels(n) {
			f.begin("AVX2")
			r.kernel2 = kernel2{f, c}
			r.softmax()
			r.update()
			r.end()
		}
	}
	kernel2{fused{ops: true}, c}.layer()
	kernel2{fused{ops: true, light: true}, c}.lightLayer(tails2())
}

// eight returns n new vectors of eight lanes.
func eight(n int) []reg.VecVirtual {
	v := make([]reg.VecVirtual, n)
	for i := range v {
		v[i] = YMM()
	}
	return v
}

// exp computes detmath.Exp of x, in place.
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
	// The table of 2^(i/16) has two halves. The low three bits of i select an entry of each half, and the fourth bit
	// chooses between both.
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

// softmax writes p, q and the truth values t of the block's gates.
func (k kernel2) softmax() {
	n, g, gate := load(k.f, "n"), load(k.f, "gate"), k.first()
	w, top, u, utop := load(k.f, "w"), load(k.f, "top"), load(k.f, "u"), load(k.f, "utop")
	loop(n, func() {
		at64 := shifted(g, 6)
		shift := YMM()
		var qs reg.VecVirtual
		if k.pin {
			VBROADCASTSS(index(utop, g, 4, 0), shift)
			i, scale := k.place(g, at64, 4*k.k)
			qs = k.selection(gate, u, i, scale, shift)
		}
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
			if !k.pin {
				qs = c // a register that is not used
			}
			four := foldFour(c, qs, t00, high) // sums of p, of q, T00, T01
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
		if k.pin {
			iq := YMM()
			VBROADCASTSS(inv, iq)
			for i := range k.vectors() {
				q := YMM()
				VMULPS(at(gate, "q", 8*i), iq, q)
				VMOVUPS(q, at(gate, "q", 8*i))
			}
		}
		k.next(g)
		k.nextScratch(gate)
	})
}

// vectors returns the number of vectors that hold the values for a pin's candidates.
func (k kernel2) vectors() int { return max(1, k.k/8) }

// whole reports whether the candidates fill their vectors. With four candidates, the upper half of the vector has no
// meaning and must not enter a result.
func (k kernel2) whole() bool { return k.k >= 8 }

// part returns the vector y if whole is true, and otherwise its lower half.
func part(y reg.VecVirtual, whole bool) reg.Register {
	if whole {
		return y
	}
	return y.AsX()
}

// foldPin adds lane i + 4 to lane i in a vector with a value for each candidate.
func (k kernel2) foldPin(y reg.VecVirtual) reg.VecVirtual {
	if k.whole() {
		return fold4(y)
	}
	x := XMM()
	VMOVAPS(y.AsX(), x)
	return x
}

// loadPin loads a vector with a value for each candidate. Four candidates are loaded into both halves.
func (k kernel2) loadPin(m Mem, y reg.VecVirtual) {
	if k.whole() {
		VMOVUPS(m, y)
	} else {
		VBROADCASTF128(m, y)
	}
}

// selection writes the exponentials of a gate's selection logits to q. The logits begin at index i of the array u. It
// returns a vector whose lanes add up to the sum of the exponentials.
func (k kernel2) selection(gate, u, i reg.Register, scale uint8, shift reg.VecVirtual) reg.VecVirtual {
	lanes := eight(2)
	for first := 0; first < k.vectors(); first += 2 {
		q := eight(min(2, k.vectors()))
		for j := range q {
			k.loadPin(index(u, i, scale, ymm*(first+j)), q[j])
			VSUBPS(shift, q[j], q[j])
		}
		k.exp(q)
		for j := range q {
			VMOVUPS(q[j], at(gate, "q", 8*(first+j)))
			if first == 0 {
				VMOVAPS(q[j], lanes[j])
			} else {
				VADDPS(q[j], lanes[j], lanes[j])
			}
		}
	}
	if k.vectors() > 1 {
		VADDPS(lanes[1], lanes[0], lanes[0])
	}
	return k.foldPin(lanes[0])
}

// bins writes the sums s of the block's gates and the gradients of their pins B. It also computes the gradients of
// the pins A, which replace the gates' own gradients in the array out. In the last layer, the gates' gradients come
// from the array named from. If round is not nil, it rounds the gradients of the pins B.
func (k kernel2) bins(round *rounded2) {
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
		// Lane 0 has the coefficient for a bit and lane 3 the coefficient for its complement. A mask of ones or zeros
		// selects between them.
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
		s := newSums2()
		eightSamples := func(v int) {
			d, x, y, part := s.add(k.c, Mem{Base: from}, index(a, row, 1, 0), index(b, row, 1, 0), v)
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
		VMOVUPS(s.fold(), at(gate, "s", 0))
		if round != nil {
			round.round(gate, beta, beta, layer, chain)
		}
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

// sums2 holds the sums of a gradient for each combination of the values of two pins. Each sum has two vectors, for
// lanes 0 to 7 and for lanes 8 to 15.
type sums2 [4][2]reg.VecVirtual

func newSums2() sums2 {
	var s sums2
	for i := range s {
		for h := range s[i] {
			s[i][h] = zero8()
		}
	}
	return s
}

// add adds samples 8v to 8v + 7 of the gradient d to the sums. The rows a and b hold the values of the two pins. It
// returns registers with the samples and with the masks of both pins' values, and a free register.
func (s sums2) add(c constants, d, a, b Mem, v int) (x, maskA, maskB, free reg.VecVirtual) {
	bits := c[bitNames[v%4]]
	maskA, maskB = YMM(), YMM()
	for _, m := range []struct {
		row  Mem
		mask reg.VecVirtual
	}{{a, maskA}, {b, maskB}} {
		VPBROADCASTD(m.row.Offset(v/4*4), m.mask)
		VPAND(bits, m.mask, m.mask)
		VPCMPEQD(bits, m.mask, m.mask)
	}
	x, free = s.split(v%2, d.Offset(ymm*v), maskA, maskB)
	return x, maskA, maskB, free
}

// split adds eight samples of a gradient to four sums, selected by the masks of the pins' values. The argument h
// selects lanes 0 to 7 or lanes 8 to 15. It returns the register with the samples and a free register.
func (s sums2) split(h int, d Mem, maskA, maskB reg.VecVirtual) (x, part reg.VecVirtual) {
	x, part = YMM(), YMM()
	t := YMM()
	VMOVUPS(d, x)
	VANDPS(x, maskA, part)
	VANDPS(part, maskB, t)
	VADDPS(t, s[3][h], s[3][h])
	VANDNPS(part, maskB, t)
	VADDPS(t, s[2][h], s[2][h])
	VANDNPS(x, maskA, part)
	VANDPS(part, maskB, t)
	VADDPS(t, s[1][h], s[1][h])
	VANDNPS(part, maskB, t)
	VADDPS(t, s[0][h], s[0][h])
	return x, part
}

// fold adds up the lanes and returns the four sums.
func (s sums2) fold() reg.VecVirtual {
	var four [4]reg.VecVirtual
	for i := range s {
		VADDPS(s[i][1], s[i][0], s[i][0])
		four[i] = fold4(s[i][0])
	}
	return foldFour(four[0], four[1], four[2], four[3])
}
