package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// pairBytes is the size of a group's subset sums in AVX2: the sums of two pairs, and the fifth sample.
const pairBytes = 48

// offsets emits the step that converts wires to offsets. The argument bytes is the size of a wire.
func (k *steps2) offsets(name, signature string, bytes int) {
	step(name, "AVX2", signature, offsetsDoc)
	to, wires, n := general("offsets"), general("wires"), general("k")
	rows, size, beyond, result := YMM(), YMM(), zero8(), GP64()
	VPBROADCASTD(address("rows"), rows)
	VPBROADCASTD(address("bytes"), size)
	put := func(z reg.VecVirtual, m Mem) {
		most := YMM()
		VPMAXUD(rows, z, most)
		VPCMPEQD(z, most, most) // lanes whose wire is beyond the rows
		VPOR(most, beyond, beyond)
		VPMULLD(size, z, z)
		VMOVDQU(z, m)
	}
	blocks(n, 8, func(at reg.GPVirtual) {
		z := YMM()
		if bytes == 2 {
			VPMOVZXWD(index(wires, at, 1, 0), z)
			SUBQ(U8(ymm/2), wires) // narrow wires take half the bytes
		} else {
			VMOVDQU(index(wires, at, 1, 0), z)
		}
		put(z, index(to, at, 1, 0))
	}, func(at reg.GPVirtual) {
		// Write zeros first: loading a vector would read past the last wire.
		z, i := zero8(), GP64()
		VMOVDQU(z, index(to, at, 1, 0))
		ADDQ(at, to)
		ADDQ(at, wires)
		XORQ(i, i)
		loop(reg.RCX, func() {
			wire := GP32()
			if bytes == 2 {
				MOVWLZX(index(wires, i, 2, 0), wire)
			} else {
				MOVL(index(wires, i, 4, 0), wire)
			}
			MOVL(wire, index(to, i, 4, 0))
			INCQ(i)
		})
		VMOVDQU(Mem{Base: to}, z)
		put(z, Mem{Base: to})
	})
	VMOVMSKPS(beyond, result.As32())
	Store(result, ReturnIndex(0))
	VZEROUPPER()
	RET()
}

// pairsStep emits the subset sums of the pairs of each group. It also stores the fifth sample of each group.
func (k *steps2) pairsStep() {
	step("pairs", "AVX2", "func(to, values *float32, groups int)",
		"writes the subset sums of two pairs and of the fifth for each group of five values.")
	to, values, n := general("to"), general("values"), general("groups")
	loop(n, func() {
		for part := range 3 {
			d, x := Mem{Base: values, Disp: 8 * part}, XMM()
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
			VMOVUPS(x, Mem{Base: to, Disp: 16 * part})
		}
		ADDQ(U8(4*groupSize), values)
		ADDQ(U8(pairBytes), to)
	})
	VZEROUPPER()
	RET()
}

// candidatesStep emits the sums for candidates. Each vector holds the sums of up to 8 candidates. Its input is the
// output of pairsStep.
func (k *steps2) candidatesStep(vectors int) {
	step(fmt.Sprintf("candidates%d", 8*vectors), "AVX2", candidatesSignature,
		fmt.Sprintf("writes the sums of up to %d candidates to r, and anything after the last, up to a multiple of 8.",
			8*vectors))
	words := ymm * vectors // bytes of one word of all candidates
	k.gatherStep(words)
	pairs, bits, samples := general("values"), general("bits"), general("samples")
	var sums [2][]reg.VecVirtual // sums of even groups, sums of odd groups
	for range vectors {
		sums[0], sums[1] = append(sums[0], zero8()), append(sums[1], zero8())
	}
	advance := func() {
		ADDQ(U32(pairBytes*chunk), pairs)
		ADDQ(U32(groupSize*words), bits)
	}
	sumLoop(samples, advance, func(i int) {
		value := eight(vectors)
		for part := range 3 {
			table := YMM()
			VBROADCASTF128(Mem{Base: pairs, Disp: pairBytes*i + 16*part}, table)
			for h := range value {
				from := func(w int) Mem { return Mem{Base: bits, Disp: words*w + ymm*h} }
				at := bitsFrom(from, groupSize*i+2*part, part < 2)
				if part == 0 {
					VPERMILPS(at, table, value[h])
				} else {
					VPERMILPS(at, table, at)
					VADDPS(at, value[h], value[h])
				}
			}
		}
		for h, sum := range sums[i%2] {
			VADDPS(value[h], sum, sum)
		}
	})
	r, left := general("r"), general("k")
	end := label()
	for h := range vectors {
		VADDPS(sums[1][h], sums[0][h], sums[0][h])
		VMOVUPS(sums[0][h], Mem{Base: r, Disp: ymm * h})
		if h < vectors-1 {
			CMPQ(left, U8(8*(h+1)))
			JLE(LabelRef(end))
		}
	}
	Label(end)
	VZEROUPPER()
	RET()
}

// bitsFrom returns the bits of all candidates for the given sample. If pair is true, the lanes also hold the bits for
// the next sample.
func bitsFrom(from func(w int) Mem, sample int, pair bool) reg.VecVirtual {
	x, w, bit := YMM(), sample/32, sample%32
	VMOVDQU(from(w), x)
	if bit > 0 {
		VPSRLD(U8(bit), x, x)
	}
	if pair && bit == 31 {
		next := YMM()
		VMOVDQU(from(w+1), next)
		VPADDD(next, next, next)
		VPOR(next, x, x)
	}
	return x
}

// gatherStep writes the rows of the candidates to the array bits. For every 32 samples, it writes one word for each
// candidate. The argument words is the size in bytes of one word of all candidates.
func (k *steps2) gatherStep(words int) {
	x, offsets, left, to := general("x"), general("offsets"), general("k"), general("bits")
	again := label()
	Label(again)
	gatherLoop(x, to, words, func(from, to reg.GPVirtual) {
		z := eight(4)
		for r := range z {
			for half := range 2 {
				i := GP64()
				MOVL(Mem{Base: offsets, Disp: 4 * (4*half + r)}, i.As32())
				if half == 0 {
					VBROADCASTI128(index(from, i, 1, 0), z[r])
				} else {
					VINSERTI128(U8(1), index(from, i, 1, 0), z[r], z[r])
				}
			}
		}
		for i, w := range transpose8(z) {
			VMOVDQU(w, Mem{Base: to, Disp: words * i})
		}
	})
	ADDQ(U8(ymm), offsets)
	ADDQ(U8(ymm), to)
	SUBQ(U8(8), left)
	JGT(LabelRef(again))
}

// transpose8 transposes words in each 128-bit lane. In each lane, result i holds word i of each of the four vectors.
func transpose8(z []reg.VecVirtual) []reg.VecVirtual {
	y, w := eight(4), eight(4)
	VPUNPCKLDQ(z[1], z[0], y[0])
	VPUNPCKHDQ(z[1], z[0], y[1])
	VPUNPCKLDQ(z[3], z[2], y[2])
	VPUNPCKHDQ(z[3], z[2], y[3])
	VPUNPCKLQDQ(y[2], y[0], w[0])
	VPUNPCKHQDQ(y[2], y[0], w[1])
	VPUNPCKLQDQ(y[3], y[1], w[2])
	VPUNPCKHQDQ(y[3], y[1], w[3])
	return w
}
