package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// candidates writes the sums r of the candidates of the block's gates. It prefetches the parameters of later gates.
// It also prefetches the rows of the next gate, because with many inputs most rows are not in the L1 cache.
func (k kernel2) candidates() {
	n, g, gate, beta := load(k.f, "n"), load(k.f, "gate"), k.last("block", gateBytes), k.upstream()
	loop(n, func() {
		k.prefetch(g)
		k.gather(k.wires(g))
		k.pairs(beta)
		x, wires := load(k.f, "x"), k.wires(before(g))
		parts := (k.vectors() + 1) / 2
		for part := range parts { // sixteen candidates at a time, because more do not fit into the registers
			n := min(2, k.vectors())
			r := [2][]reg.VecVirtual{eight(n), eight(n)} // sums of even groups and of odd groups
			for _, v := range append(r[0], r[1]...) {
				VXORPS(v, v, v)
			}
			var bits []*passing
			for h := range n {
				word := func(w int) Mem { return in(k.f, "words").Offset(4*candidates*w + ymm*(2*part+h)) }
				bits = append(bits, &passing{word: word})
			}
			for i := range doneAt {
				k.group(i, beta, bits, r[i%2])
				if j := parts*i + part; j < k.k {
					PREFETCHT0(k.rowOf(wires, j, x))
				}
			}
			CMPQ(in(k.f, "samples"), U8(5*doneAt))
			unless(JLE, func() {
				for i := doneAt; i < fiveGroups; i++ {
					k.group(i, beta, bits, r[i%2])
				}
			})
			for h := range n {
				VADDPS(r[1][h], r[0][h], r[0][h])
				VMOVUPS(r[0][h], at(gate, "r", 8*(2*part+h)))
			}
		}
		DECQ(g)
		SUBQ(U32(gateBytes), gate)
		SUBQ(U32(betaRow), beta)
	})
}

// group adds one group of samples of the gradient beta to the sums of some candidates. The argument i is the group's
// number.
func (k kernel2) group(i int, beta reg.Register, bits []*passing, sums []reg.VecVirtual) {
	value := eight(len(sums))
	for part := range 2 {
		table := YMM()
		VBROADCASTF128(in(k.f, "pairs").Offset(ymm*i+16*part), table)
		for h := range value {
			two := bits[h].pair(5*i + 2*part)
			if part == 0 {
				VPERMILPS(two, table, value[h])
			} else {
				x := YMM()
				VPERMILPS(two, table, x)
				VADDPS(x, value[h], value[h])
			}
		}
	}
	fifth := YMM()
	VBROADCASTSS(Mem{Base: beta, Disp: 4 * (5*i + 4)}, fifth)
	for h := range value {
		x := bits[h].selected(5*i+4, fifth, k.c)
		VADDPS(x, value[h], value[h])
	}
	for h := range value {
		VADDPS(value[h], sums[h], sums[h])
	}
}

// pairs writes the subset sums of the two pairs of samples in each group of beta. Each half of a vector has the four
// sums of one pair, which are zero, the first sample, the second sample, and the sum of both.
func (k kernel2) pairs(beta reg.Register) {
	zero := zero8()
	group := func(i int) {
		four, first, second := YMM(), YMM(), YMM()
		VBROADCASTF128(Mem{Base: beta, Disp: 4 * 5 * i}, four)
		VPERMILPS(k.c["firsts"], four, first)
		VPERMILPS(k.c["seconds"], four, second)
		VBLENDPS(U8(0x55), zero, first, first)   // 0, d0, 0, d0
		VBLENDPS(U8(0x33), zero, second, second) // 0, 0, d1, d1
		VADDPS(second, first, first)
		VMOVUPS(first, in(k.f, "pairs").Offset(ymm*i))
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

// gather loads the rows of the candidates. For every 32 samples, it writes one word per candidate.
func (k kernel2) gather(wires reg.Register) {
	x := load(k.f, "x")
	for v := range k.vectors() {
		z := eight(4)
		for r := range z {
			for half := range min(2, k.k/4) {
				row := k.rowOf(wires, 8*v+4*half+r, x)
				if half == 0 {
					VBROADCASTI128(row, z[r])
				} else {
					VINSERTI128(U8(1), row, z[r], z[r])
				}
			}
		}
		for i, w := range transpose8(z) {
			VMOVDQU(w, in(k.f, "words").Offset(4*candidates*i+ymm*v))
		}
	}
}

// rowOf returns the memory operand for the row of candidate j. The gate has the given wires.
func (k fused) rowOf(wires reg.Register, j int, x reg.Register) Mem {
	i, wire := GP64(), Mem{Base: wires, Disp: k.wireBytes() * j}
	if k.wide {
		MOVLQZX(wire, i)
	} else {
		MOVWQZX(wire, i)
	}
	SHLQ(U8(4), i)
	return index(x, i, 1, 0)
}
