package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// nodePins is the fused kernel for the pins of a node. It handles one pin after the other. For each pin, it computes
// the gradient, the rounding, the sums, the softmax and the Adam step. The pins do not depend on each other.
type nodePins struct {
	f, pin     reg.GPVirtual
	vectors    int // number of vectors that hold the candidates
	lines      int // number of vectors that hold the lines
	words      [4]reg.VecVirtual
	q, r       []reg.VecVirtual
	step, rest reg.VecVirtual
}

// nodePins512 emits the kernel for pins with the given number of candidates. The argument lines is the number of
// vectors that hold a node's lines.
func nodePins512(table Mem, candidates, lines int) {
	name := fmt.Sprintf("nodePins%dLines%dAVX512", candidates, 16*lines)
	f := text(name, "nodeFrame", fmt.Sprintf("%s updates pins of %d candidates of a node with up to %d lines.", name,
		candidates, 16*lines))
	k := nodePins{f: f, pin: GP64(), vectors: candidates / 16, lines: lines}
	LEAQ(k.frame("pin"), k.pin)
	n := GP64()
	MOVQ(k.frame("pins"), n)
	loop(n, func() {
		beta, largest := k.gradient()
		k.round(beta, largest)
		k.sums()
		k.softmax(table)
		k.adam()
		ADDQ(U8(nodePinBytes), k.pin)
	})
	VZEROUPPER()
	RET()
}

// frame returns the memory operand for a field of the frame. The method own returns the memory operand for a field of
// the current pin. The method array loads a pointer from a field of the current pin.
func (k *nodePins) frame(field string) Mem { return in(k.f, field+"!") }
func (k *nodePins) own(field string) Mem   { return in(k.pin, field+"?") }
func (k *nodePins) array(field string) reg.GPVirtual {
	r := GP64()
	MOVQ(k.own(field), r)
	return r
}

// pointer loads a field of the frame.
func (k *nodePins) pointer(field string) reg.GPVirtual {
	r := GP64()
	MOVQ(k.frame(field), r)
	return r
}

// entry returns the byte offset of an entry of an array. The argument named which says whether the entry of the
// current node or of the next node is meant. The argument bytes is the size of an entry, a power of two.
func (k *nodePins) entry(which string, bytes int) reg.GPVirtual {
	r := k.pointer(which)
	if bytes > 1 {
		SHLQ(U8(log2(bytes)), r)
	}
	return r
}

// samples is the number of vectors that hold a batch's samples.
const samples = 8

// gradient returns the gradients of the pin, and their largest absolute value in four lanes.
func (k *nodePins) gradient() (beta [samples]reg.VecVirtual, largest reg.VecVirtual) {
	d := k.differences()
	delta, line := k.pointer("delta"), k.pointer("line")
	high, size := broadcastInteger512(32), broadcastInteger512(0x7fffffff)
	to := k.array("beta")
	keep := label()
	var most reg.VecVirtual
	for s := range beta {
		at, x := ZMM(), ZMM()
		VPMOVZXBD(Mem{Base: line, Disp: 16 * s}, at)
		if k.lines == 1 {
			VPERMPS(d[0], at, x)
		} else {
			y, hi := ZMM(), K()
			VPTESTMD(high, at, hi)
			VMOVDQA32(at, x)
			VPERMI2PS(d[1], d[0], x)
			VMOVDQA32(at, y)
			VPERMI2PS(d[3], d[2], y)
			VMOVAPS(y, hi, x)
		}
		VMULPS(Mem{Base: delta, Disp: zmm * s}, x, x)
		beta[s] = x
		a := ZMM()
		VPANDD(size, x, a)
		if s > 0 {
			VMAXPS(a, most, a)
		}
		most = a
	}
	TESTQ(to, to)
	JZ(LabelRef(keep))
	for s, x := range beta {
		VMOVUPS(x, Mem{Base: to, Disp: zmm * s})
	}
	Label(keep)
	four := fold4With(VMAXPS, most)
	return beta, maxTwo(four, four)
}

// differences returns, for each line, the difference that the pin makes.
func (k *nodePins) differences() []reg.VecVirtual {
	ts, digit := k.pointer("t"), k.array("digit")
	t, d := make([]reg.VecVirtual, k.lines), make([]reg.VecVirtual, k.lines)
	for i := range t {
		t[i], d[i] = load512(Mem{Base: ts, Disp: zmm * i}, nil), ZMM()
	}
	linesApart(t, d, digit)
	return d
}

// round rounds the gradients to bytes and writes the bytes in the order that the function fourth defines. It also
// writes the value of one integer step.
func (k *nodePins) round(beta [samples]reg.VecVirtual, largest reg.VecVirtual) {
	x, full, scale, step := XMM(), XMM(), XMM(), XMM()
	VMAXSS(float32Constant("least512", 1e-30), largest, x)
	VMOVSS(float32Constant("full512", 126.5), full)
	VDIVSS(x, full, scale)
	VDIVSS(full, x, step)
	scales := ZMM()
	VBROADCASTSS(scale, scales)
	k.step = ZMM()
	VBROADCASTSS(step, k.step)
	at, dither := k.array("number"), k.pointer("dither")
	IMUL3Q(U8(37), at, at)
	ADDQ(k.frame("start"), at)
	ANDQ(U32(255), at)
	SHLQ(U8(6), at)
	ADDQ(at, dither)
	for s, b := range beta {
		VMULPS(scales, b, b)
		VADDPS(Mem{Base: dither, Disp: zmm * s}, b, b)
		VCVTPS2DQ(b, b)
	}
	order := ZMM()
	VMOVDQU32(packed512(), order)
	for half := range 2 {
		b := beta[4*half:]
		VPACKSSDW(b[1], b[0], b[0])
		VPACKSSDW(b[3], b[2], b[2])
		VPACKSSWB(b[2], b[0], b[0])
		VPERMB(b[0], order, b[0])
		VMOVDQU32(b[0], k.frame("q").Offset(zmm*half))
	}
}

// packed512 writes a permutation of 64 bytes that were packed from four vectors of integers. It puts the bytes into
// the byte order of the function fourth. After packing, value 4 l + i of vector j is byte 16 l + 4 j + i.
func packed512() Mem {
	const name = "packed512"
	if m, ok := written[name]; ok {
		return m
	}
	m := GLOBL(name, 8|16) // RODATA|NOPTR
	for i := range 64 {
		s := i&32 | i&31/4 | i&3*8
		DATA(i, U8(s%16/4*16|s/16*4|s%4))
	}
	written[name] = m
	return m
}

// sums computes the sums of the candidates, 16 at a time. A vector has a word of 32 samples for each candidate. The
// words are not shifted, so the products for bit t of a byte are too large by the factor 2^t. This factor is removed
// at the end.
func (k *nodePins) sums() {
	wires, x := k.array("wires"), k.pointer("x")
	PREFETCHT0(index(wires, k.entry("next", 32*k.vectors), 1, 0))
	ADDQ(k.entry("node", 32*k.vectors), wires)
	part := [4]reg.OpmaskVirtual{nil, opmask(0x00f0), opmask(0x0f00), opmask(0xf000)}
	k.r = nil
	for v := range k.vectors {
		var z [4]reg.VecVirtual
		for r := range z {
			z[r] = ZMM()
			for l := range 4 {
				i := GP64()
				MOVWQZX(Mem{Base: wires, Disp: 32*v + 2*(4*l+r)}, i)
				SHLQ(U8(4), i)
				if l == 0 {
					VBROADCASTI32X4(index(x, i, 1, 0), z[r])
				} else {
					VBROADCASTI32X4(index(x, i, 1, 0), part[l], z[r])
				}
			}
		}
		words := transpose512(z)
		var sum [8]reg.VecVirtual
		for t := range sum {
			mask := broadcastInteger512(0x01010101 << t)
			sum[t] = zero512()
			for b, w := range words {
				y := ZMM()
				VPANDD(mask, w, y)
				VPDPBUSD_BCST(k.frame("q").Offset(32*b+4*t), y, sum[t])
			}
			if t > 0 {
				VPSRAD(U8(t), sum[t], sum[t])
			}
		}
		for n := 4; n > 0; n /= 2 {
			for i := range n {
				VPADDD(sum[i+n], sum[i], sum[i])
			}
		}
		VCVTDQ2PS(sum[0], sum[0])
		VMULPS(k.step, sum[0], sum[0])
		k.r = append(k.r, sum[0])
	}
}

// softmax computes the probabilities of the candidates.
func (k *nodePins) softmax(table Mem) {
	w, at := k.array("w"), k.entry("node", zmm*k.vectors)
	top := ZMM()
	VBROADCASTSS(index(k.array("top"), k.entry("node", 1), 4, 0), top)
	k.q = nil
	for v := range k.vectors {
		x := ZMM()
		VMOVUPS(index(w, at, 1, zmm*v), x)
		VSUBPS(top, x, x)
		k.q = append(k.q, x)
	}
	newExponentials512(table).write(k.q, func() {})
	sum := k.q[0]
	if k.vectors > 1 {
		sum = ZMM()
		VADDPS(k.q[1], k.q[0], sum)
	}
	inv := reciprocal512(total512(sum))
	for _, q := range k.q {
		VMULPS(inv, q, q)
	}
}

// adam makes the Adam step and selects the candidate with the largest logit again.
func (k *nodePins) adam() {
	sum := zero512()
	for v, q := range k.q {
		x := ZMM()
		VMULPS(k.r[v], q, x)
		VADDPS(x, sum, sum)
	}
	mean, c := total512(sum), loadAdam512(k.frame("adam"))
	w, m, v, at := k.array("w"), k.array("m"), k.array("v"), k.entry("node", zmm*k.vectors)
	next := k.entry("next", zmm*k.vectors)
	var all reg.VecVirtual
	var news []reg.VecVirtual
	for i, q := range k.q {
		g := k.r[i]
		VSUBPS(mean, g, g)
		VMULPS(q, g, g)
		news = append(news, c.update(index(w, at, 1, zmm*i), index(m, at, 1, zmm*i), index(v, at, 1, zmm*i), g, nil))
		for _, a := range []reg.GPVirtual{w, m, v} {
			PREFETCHT0(index(a, next, 1, zmm*i))
		}
		if i == 0 {
			all = news[0]
		} else {
			larger := ZMM()
			VMAXPS(all, news[i], larger)
			all = larger
		}
	}
	largest := fold4With(VMAXPS, all)
	largest = maxTwo(largest, largest)
	var here reg.GPVirtual
	for i := len(news) - 1; i >= 0; i-- {
		bits := equal512(largest, news[i])
		if here != nil {
			SHLQ(U8(16), here)
			ORQ(here, bits.As64())
		}
		here = bits.As64().(reg.GPVirtual)
	}
	arg := lowest(here)
	wires, selected, to := k.array("wires"), GP32(), k.entry("node", 1)
	ADDQ(k.entry("node", 32*k.vectors), wires)
	MOVWLZX(index(wires, arg, 2, 0), selected)
	MOVL(selected, index(k.array("bit"), to, 4, 0))
	zero := XMM()
	VXORPS(zero, zero, zero)
	VADDSS(zero, largest.AsX(), zero)
	VMOVSS(zero, index(k.array("top"), to, 4, 0))
}
