package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// candidates writes the sums r of the candidates of the block's gates, and fetches the
// parameters of gates to come and the rows of the next one: of many inputs, most are not in
// the L1 cache.
func (k kernel2) candidates() {
	n, g, gate, beta := load(k.f, "n"), load(k.f, "gate"), k.last("block", gateBytes), k.upstream()
	loop(n, func() {
		k.prefetch(g)
		k.gather(k.wires(g))
		k.pairs(beta)
		x, wires := load(k.f, "x"), k.wires(before(g))
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
				if i < candidates/2 {
					PREFETCHT0(k.rowOf(wires, 2*i+half, x))
				}
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
				row := k.rowOf(wires, 8*v+4*half+r, x)
				if half == 0 {
					VBROADCASTI128(row, z[r])
				} else {
					VINSERTI128(U8(1), row, z[r], z[r])
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

// rowOf returns the place of the row of candidate j of the gate with the given wires.
func (k kernel2) rowOf(wires reg.Register, j int, x reg.Register) Mem {
	i, wire := GP64(), Mem{Base: wires, Disp: k.wireBytes() * j}
	if k.wide {
		MOVLQZX(wire, i)
	} else {
		MOVWQZX(wire, i)
	}
	SHLQ(U8(4), i)
	return index(x, i, 1, 0)
}
