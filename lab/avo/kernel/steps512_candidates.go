package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// offsets512 emits the step that converts wires to offsets. The argument bytes is the size of a wire.
func offsets512(name, signature string, bytes int) {
	step(name, "AVX512", signature, offsetsDoc)
	to, wires, k := general("offsets"), general("wires"), general("k")
	rows, size, beyond := ZMM(), ZMM(), GP64()
	VPBROADCASTD(address("rows"), rows)
	VPBROADCASTD(address("bytes"), size)
	XORQ(beyond, beyond)
	blocks512(k, func(at reg.GPVirtual, mask reg.OpmaskVirtual) {
		z, out, bits := ZMM(), K(), GP32()
		switch {
		case bytes == 2 && mask == nil:
			VPMOVZXWD(index(wires, at, 1, 0), z)
		case bytes == 2:
			VPMOVZXWD_Z(index(wires, at, 1, 0), mask, z)
		case mask == nil:
			VMOVDQU32(index(wires, at, 1, 0), z)
		default:
			VMOVDQU32_Z(index(wires, at, 1, 0), mask, z)
		}
		VPCMPUD(U8(5), rows, z, out) // 5: not below
		KMOVW(out, bits)
		ORL(bits, beyond.As32())
		VPMULLD(size, z, z)
		VMOVDQU32(z, index(to, at, 1, 0)) // there are zeros after the last offset
		if bytes == 2 && mask == nil {
			SUBQ(U8(zmm/2), wires) // narrow wires take half the bytes
		}
	})
	Store(beyond, ReturnIndex(0))
	VZEROUPPER()
	RET()
}

// candidatesStep512 emits the sums for candidates. Each vector holds the sums of up to 16 candidates. The argument
// halves is the number of vectors, 1 or 2.
func candidatesStep512(halves int) {
	step(fmt.Sprintf("candidates%d", 16*halves), "AVX512", candidatesSignature,
		fmt.Sprintf("writes the sums of up to %d candidates to r, and anything after the last, up to a multiple of 16.",
			16*halves))
	words := zmm * halves // bytes of one word of all candidates
	gatherStep512(words)
	m := [4]reg.OpmaskVirtual{opmask(0xaaaa), opmask(0xcccc), opmask(0xf0f0), opmask(0xff00)}
	beta, bits, samples, one := general("values"), general("bits"), general("samples"), broadcast(1)
	var sums [2][]reg.VecVirtual // sums of even groups, sums of odd groups
	for range halves {
		sums[0], sums[1] = append(sums[0], zero512()), append(sums[1], zero512())
	}
	advance := func() {
		ADDQ(U32(4*groupSize*chunk), beta)
		ADDQ(U32(groupSize*words), bits)
	}
	sumLoop(samples, advance, func(i int) {
		d := func(j int) Mem { return Mem{Base: beta, Disp: 4 * (groupSize*i + j)} }
		t0, t1, t := ZMM(), ZMM(), ZMM()
		VBROADCASTSS_Z(d(0), m[0], t)
		VADDPS_BCST(d(1), t, m[1], t)
		VBROADCASTSS_Z(d(2), m[2], t0)
		VADDPS_BCST(d(3), t0, m[3], t0)
		VFMADD231PS(t, one, t0) // an addition in effect, since the product with 1 is exact
		VADDPS_BCST(d(4), t0, t1)
		word, bit := groupSize*i/32, uint8(groupSize*i%32)
		for h, sum := range sums[i%2] {
			at, from := ZMM(), func(w int) Mem { return Mem{Base: bits, Disp: words*w + zmm*h} }
			switch {
			case bit == 0:
				VMOVDQU32(from(word), at)
			case bit > 32-groupSize:
				VMOVDQU32(from(word), at)
				VPSHRDD(U8(bit), from(word+1), at, at)
			default:
				VPSRLD(U8(bit), from(word), at)
			}
			VPERMI2PS(t1, t0, at)
			VFMADD231PS(at, one, sum)
		}
	})
	r, left := general("r"), general("k")
	end := label()
	for h := range halves {
		VADDPS(sums[1][h], sums[0][h], sums[0][h])
		VMOVUPS(sums[0][h], Mem{Base: r, Disp: zmm * h})
		if h < halves-1 {
			CMPQ(left, U8(16*(h+1)))
			JLE(LabelRef(end))
		}
	}
	Label(end)
	VZEROUPPER()
	RET()
}

// gatherStep512 writes the rows of the candidates to the array bits. For every 32 samples, it writes one word for
// each candidate. The argument words is the size in bytes of one word of all candidates.
func gatherStep512(words int) {
	part := [4]reg.OpmaskVirtual{nil, opmask(0x00f0), opmask(0x0f00), opmask(0xf000)}
	x, offsets, left, to := general("x"), general("offsets"), general("k"), general("bits")
	again := label()
	Label(again)
	gatherLoop(x, to, words, func(from, to reg.GPVirtual) {
		var z [4]reg.VecVirtual
		for r := range z {
			z[r] = ZMM()
			for l := range 4 {
				i := GP64()
				MOVL(Mem{Base: offsets, Disp: 4 * (4*l + r)}, i.As32())
				if l == 0 {
					VBROADCASTI32X4(index(from, i, 1, 0), z[r])
				} else {
					VBROADCASTI32X4(index(from, i, 1, 0), part[l], z[r])
				}
			}
		}
		for i, w := range transpose512(z) {
			VMOVDQU32(w, Mem{Base: to, Disp: words * i})
		}
	})
	ADDQ(U8(zmm), offsets)
	ADDQ(U8(zmm), to)
	SUBQ(U8(16), left)
	JGT(LabelRef(again))
}

// transpose512 transposes words in each 128-bit lane. In each lane, result i holds word i of each of the four
// vectors.
func transpose512(z [4]reg.VecVirtual) (w [4]reg.VecVirtual) {
	x0, x1, x2, x3 := ZMM(), ZMM(), ZMM(), ZMM()
	VPUNPCKLDQ(z[1], z[0], x0)
	VPUNPCKHDQ(z[1], z[0], x1)
	VPUNPCKLDQ(z[3], z[2], x2)
	VPUNPCKHDQ(z[3], z[2], x3)
	for i := range w {
		w[i] = ZMM()
	}
	VPUNPCKLQDQ(x2, x0, w[0])
	VPUNPCKHQDQ(x2, x0, w[1])
	VPUNPCKLQDQ(x3, x1, w[2])
	VPUNPCKHQDQ(x3, x1, w[3])
	return w
}
