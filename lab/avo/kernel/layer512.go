package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// layers512 emits the kernel for layers whose gates have no relaxed pin. It gathers the gradient of a gate into
// registers and computes the sums S from the registers. It does not compute the gradients of the pins, because the
// gates at the other end of these pins gather them.
func layers512(table Mem) {
	k := fused{ops: true}
	k.begin("AVX512")
	k.softmax512(table)
	k.gathers512()
	k.updatesAlone512()
	k.end()
}

// rowBlocks is the number of blocks of 16 samples that the usual batch of 100 needs.
const rowBlocks = 7

// gathers512 gathers the gradients of the block's gates, writes their sums s, and stores the data that the preceding
// layer needs.
func (k fused) gathers512() {
	n, g, gate := load(k.f, "n"), load(k.f, "gate"), k.first()
	one := broadcast(1)
	var d [vectors]reg.VecVirtual
	for v := range d {
		d[v] = ZMM()
	}
	var done [4]reg.VecVirtual // sums of the preceding gate; at first there are none
	for i := range done {
		done[i] = zero512()
	}
	c := newPair512()
	loop(n, func() {
		k.gather512Gate(g, d, c)
		a, b := k.pinRow(g, "rowsA", "bitA"), k.pinRow(g, "rowsB", "bitB")
		CMPQ(in(k.f, "keep"), U8(0))
		unless(JEQ, func() { k.leave512(g, gate, d, a, b) })
		var s [4]reg.VecVirtual
		weave(func(pause func()) { s = k.sums512(d, a, b, one, pause) },
			func(pause func()) { foldBins512(gate, -gateBytes, done, pause) })
		for i := range s {
			VMOVAPS(s[i], done[i])
		}
		k.next(g)
		k.nextScratch(gate)
	})
	foldBins512(gate, -gateBytes, done, func() {})
}

// last16 emits the body for the last block of 16 samples. The body runs only if the batch has this block.
func (k fused) last16(body func()) {
	CMPQ(in(k.f, "samples"), U8(16*rowBlocks))
	unless(JLE, body)
}

// gather512Gate sums the contributions of the gates that read gate g, and prefetches the rows of some later edges.
func (k fused) gather512Gate(g reg.Register, d [vectors]reg.VecVirtual, c pair512) {
	for v := range d {
		VXORPS(d[v], d[v], d[v])
	}
	k.eachEdge(g, func(edge reg.Register) {
		row, bits, coef := k.reader(edge, 0)
		c.load(coef)
		for v := range rowBlocks {
			c.add(d[v], row, bits, v)
		}
		k.last16(func() { c.add(d[rowBlocks], row, bits, rowBlocks) })
		row, bits, coef = k.reader(edge, edgesAhead)
		for v := range rowBlocks {
			PREFETCHT0(Mem{Base: row, Disp: zmm * v})
		}
		PREFETCHT0(Mem{Base: bits})
		PREFETCHT0(Mem{Base: coef})
	})
}

// eachEdge emits the body for each edge of gate g.
func (k fused) eachEdge(g reg.Register, body func(edge reg.Register)) {
	starts, edge, n := load(k.f, "starts"), GP64(), GP64()
	MOVL(index(starts, g, 4, 0), edge.As32())
	MOVL(index(starts, g, 4, 4), n.As32())
	SUBQ(edge, n)
	SHLQ(U8(3), edge)
	ADDQ(in(k.f, "edges"), edge)
	TESTQ(n, n)
	unless(JZ, func() {
		loop(n, func() {
			body(edge)
			ADDQ(U8(edgeBytes), edge)
		})
	})
}

// reader returns the addresses of the data that an edge needs. The argument after is the distance, in edges, from the
// edge in the register edge to this edge.
func (k fused) reader(edge reg.Register, after int) (row, bits, coef reg.GPVirtual) {
	row, bits, coef = GP64(), GP64(), GP64()
	MOVL(Mem{Base: edge, Disp: edgeBytes * after}, bits.As32())
	MOVL(bits.As32(), row.As32())
	SHRL(U8(1), row.As32())
	SHLQ(U8(9), row)
	ADDQ(in(k.f, "nextDelta"), row)
	XORL(U8(1), bits.As32())
	SHLQ(U8(4), bits)
	ADDQ(in(k.f, "nextBits"), bits)
	MOVL(Mem{Base: edge, Disp: edgeBytes*after + edgeSlot}, coef.As32())
	SHLQ(U8(3), coef)
	ADDQ(in(k.f, "nextCoef"), coef)
	return row, bits, coef
}

// pinRow returns the row that a pin of gate g has selected.
func (k fused) pinRow(g reg.Register, rows, bit string) Mem {
	row := GP64()
	MOVL(index(load(k.f, bit), g, 4, 0), row.As32())
	SHLQ(U8(4), row)
	ADDQ(in(k.f, rows), row)
	return Mem{Base: row}
}

// leave512 stores the data of gate g that the preceding layer needs.
func (k fused) leave512(g, gate reg.Register, d [vectors]reg.VecVirtual, a, b Mem) {
	row := shifted(g, 9)
	ADDQ(in(k.f, "ownDelta"), row)
	for v := range rowBlocks {
		VMOVUPS(d[v], Mem{Base: row, Disp: zmm * v})
	}
	k.last16(func() { VMOVUPS(d[rowBlocks], Mem{Base: row, Disp: zmm * rowBlocks}) })
	bits := shifted(g, 5)
	ADDQ(in(k.f, "ownBits"), bits)
	for i, pin := range []Mem{a, b} {
		x := XMM()
		VMOVDQU32(pin, x)
		VMOVDQU32(x, Mem{Base: bits, Disp: 16 * i})
	}
	k.leaveCoefficients(g, gate)
}

// leaveCoefficients stores the derivatives of gate g's output with respect to the gate's pins.
func (k fused) leaveCoefficients(g, gate reg.Register) {
	ca, cb := coefficients(at(gate, "t", 0))
	VMOVLHPS(cb, ca, ca)
	coef := shifted(g, 4)
	ADDQ(in(k.f, "ownCoef"), coef)
	VMOVUPS(ca, Mem{Base: coef})
}

// sums512 returns the sums of d for each combination of the pins' values. The lanes are not yet added up.
func (k fused) sums512(d [vectors]reg.VecVirtual, a, b Mem, one reg.VecVirtual, pause func()) (s [4]reg.VecVirtual) {
	masks := k.masks512(a, b)
	for i := range s {
		s[i] = zero512()
	}
	block := func(v int) {
		for i := range s {
			m := K()
			KMOVW(masks.Offset(16*i+2*v), m)
			if i%2 == 0 {
				VADDPS(d[v], s[i], m, s[i])
			} else {
				VFMADD231PS(one, d[v], m, s[i]) // an addition that runs on other execution units than VADDPS
			}
		}
	}
	for v := range rowBlocks {
		block(v)
		pause()
		pause()
	}
	k.last16(func() { block(rowBlocks) })
	return s
}

// updatesAlone512 updates the block's gates and prefetches the parameters of later gates.
func (k fused) updatesAlone512() {
	n, g, gate := load(k.f, "n"), load(k.f, "gate"), k.first()
	m := [4]reg.OpmaskVirtual{opmask(0xaaaa), opmask(0xcccc), opmask(0xf0f0), opmask(0xff00)}
	loop(n, func() {
		k.prefetch(g)
		k.update512(g, 0, gate, m, func() {})
		k.next(g)
		k.nextScratch(gate)
	})
}
