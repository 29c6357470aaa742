package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// layer emits the kernel for layers whose gates have no relaxed pin. It gathers the gradient of a gate into registers
// and stores it where the preceding layer expects it. The sums S are then computed from the stored gradient.
func (k kernel2) layer() {
	k.begin("AVX2")
	k.softmax()
	k.gathers()
	k.gradients()
	k.adam()
	k.largest()
	k.end()
}

// gathers gathers the gradients of the block's gates, writes their sums s, and stores the data that the preceding
// layer needs.
func (k kernel2) gathers() {
	n, g, gate := load(k.f, "n"), load(k.f, "gate"), k.first()
	kept := func(body func()) {
		CMPQ(in(k.f, "keep"), U8(0))
		unless(JEQ, body)
	}
	loop(n, func() {
		d := GP64()
		LEAQ(in(k.f, "beta"), d)
		kept(func() {
			MOVQ(g, d)
			SHLQ(U8(9), d)
			ADDQ(in(k.f, "ownDelta"), d)
		})
		k.gatherGate(g, d, 0, 2*rowBlocks)
		k.last16(func() { k.gatherGate(g, d, 2*rowBlocks, 2) })
		a, b := k.pinRow(g, "rowsA", "bitA"), k.pinRow(g, "rowsB", "bitB")
		kept(func() { k.leave(g, gate, a, b) })
		s := newSums2()
		for v := range 2 * rowBlocks {
			s.add(k.c, Mem{Base: d}, a, b, v)
		}
		k.last16(func() {
			s.add(k.c, Mem{Base: d}, a, b, 2*rowBlocks)
			s.add(k.c, Mem{Base: d}, a, b, 2*rowBlocks+1)
		})
		VMOVUPS(s.fold(), at(gate, "s", 0))
		k.next(g)
		k.nextScratch(gate)
	})
}

// gatherGate gathers the gradient of gate g, which is the sum of the contributions of the gates that read g. It
// handles n groups of eight samples, beginning with the group whose number is from. It prefetches the rows of some
// later edges.
func (k kernel2) gatherGate(g, dst reg.Register, from, n int) {
	d := make([]reg.VecVirtual, n)
	for v := range d {
		d[v] = zero8()
	}
	k.eachEdge(g, func(edge reg.Register) {
		row, bits, coef := k.reader(edge, edgesAhead)
		for v := 0; v < n; v += 2 {
			PREFETCHT0(Mem{Base: row, Disp: ymm * (from + v)})
		}
		PREFETCHT0(Mem{Base: bits})
		PREFETCHT0(Mem{Base: coef})
		row, bits, coef = k.reader(edge, 0)
		table := YMM() // indexed by the two low bits of a lane; an entry depends only on the lowest bit
		VBROADCASTSD(Mem{Base: coef}, table)
		for v := range d {
			w, z := from+v, YMM()
			VPBROADCASTD(Mem{Base: bits, Disp: w / 4 * 4}, z)
			VPSRLVD(k.c[shiftNames[w%4]], z, z)
			VPERMILPS(z, table, z)
			VMULPS(Mem{Base: row, Disp: ymm * w}, z, z)
			VADDPS(z, d[v], d[v])
		}
	})
	for v := range d {
		VMOVUPS(d[v], Mem{Base: dst, Disp: ymm * (from + v)})
	}
}

// leave stores the data of gate g that the preceding layer needs, except the gradient of g.
func (k kernel2) leave(g, gate reg.Register, a, b Mem) {
	bits := shifted(g, 5)
	ADDQ(in(k.f, "ownBits"), bits)
	for i, pin := range []Mem{a, b} {
		x := XMM()
		VMOVDQU(pin, x)
		VMOVDQU(x, Mem{Base: bits, Disp: 16 * i})
	}
	k.leaveCoefficients(g, gate)
}
