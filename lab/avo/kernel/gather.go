package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// edgeBytes is the size of an edge, and edgeSlot is the offset of the edge's slot in it.
const (
	edgeBytes = 8
	edgeSlot  = 4
)

// gatherer holds a SIMD path's code for several blocks of 16 samples. The number of registers limits the number of
// blocks.
type gatherer interface {
	clear(blocks int)                  // sets the sums to zero
	add(row, bits, coef reg.GPVirtual) // adds the contribution of an edge
	store(dst reg.GPVirtual)
}

// gatherStep emits the sums along a gate's edges. It handles only the samples that fit into the registers. It sums
// these samples over all edges and then goes on to the next samples. For the last samples there is code for each
// possible number of blocks.
func gatherStep(path string, most int, g gatherer) {
	step("gather", path, gatherSignature, gatherDoc)
	dst, delta, bits, blocks := general("dst"), general("delta"), general("bits"), general("blocks")
	wide := general("words") // bytes of a row of bits
	SHLQ(U8(3), wide)
	again, end := label(), label()
	Label(again)
	for n := most; n > 0; n-- {
		less := label()
		CMPQ(blocks, U8(n))
		JL(LabelRef(less))
		g.clear(n)
		gatherEdges(g, n, delta, bits, wide)
		g.store(dst)
		if n == most {
			SUBQ(U8(n), blocks)
			JZ(LabelRef(end))
			ADDQ(U32(zmm*n), dst)
			ADDQ(U32(zmm*n), delta)
			ADDQ(U8(2*n), bits)
			JMP(LabelRef(again))
		} else {
			JMP(LabelRef(end))
		}
		Label(less)
	}
	Label(end)
	VZEROUPPER()
	RET()
}

// gatherEdges adds up all edges in the given number of blocks.
func gatherEdges(g gatherer, blocks int, delta, bits, wide reg.GPVirtual) {
	edge := general("edges")
	loop(general("n"), func() {
		row, other, coef := reader(edge, fetchEdges, delta, bits, wide)
		for i := range blocks {
			PREFETCHT0(Mem{Base: row, Disp: zmm * i})
		}
		PREFETCHT0(Mem{Base: other})
		PREFETCHT0(Mem{Base: coef})
		row, other, coef = reader(edge, 0, delta, bits, wide)
		g.add(row, other, coef)
		ADDQ(U8(edgeBytes), edge)
	})
}

// fetchEdges is the number of edges between a prefetch and the use of the prefetched row.
const fetchEdges = 8

// reader returns the addresses of the data that an edge needs. The argument after is the distance, in edges, from the
// edge in the register edge to this edge.
func reader(edge reg.Register, after int, delta, bits, wide reg.Register) (row, other, coef reg.GPVirtual) {
	row, other, coef = GP64(), GP64(), GP64()
	MOVL(Mem{Base: edge, Disp: edgeBytes * after}, other.As32())
	MOVL(other.As32(), row.As32())
	SHRL(U8(1), row.As32())
	SHLQ(U8(5), row) // a gradient has 4 bytes for each bit
	IMULQ(wide, row)
	ADDQ(delta, row)
	XORL(U8(1), other.As32())
	IMULQ(wide, other)
	ADDQ(bits, other)
	MOVL(Mem{Base: edge, Disp: edgeBytes*after + edgeSlot}, coef.As32())
	SHLQ(U8(3), coef)
	ADDQ(general("coef"), coef)
	return row, other, coef
}

// readersStep emits a step that prefetches data into the second-level cache. These are the data that a gather along
// some edges reads later.
func readersStep(path string) {
	step("readers", path, readersSignature, readersDoc)
	delta, bits, edge, blocks, wide := general("delta"), general("bits"), general("edges"), general("blocks"),
		general("words")
	SHLQ(U8(3), wide)
	loop(general("n"), func() {
		row, other, coef := reader(edge, 0, delta, bits, wide)
		PREFETCHT1(Mem{Base: other})
		PREFETCHT1(Mem{Base: coef})
		left := GP64()
		MOVQ(blocks, left)
		loop(left, func() {
			PREFETCHT1(Mem{Base: row})
			ADDQ(U8(zmm), row)
		})
		ADDQ(U8(edgeBytes), edge)
	})
	RET()
}

// gather512 is the gatherer in AVX-512.
type gather512 struct {
	d []reg.VecVirtual
	c pair512
}

func (g *gather512) clear(blocks int) {
	g.d, g.c = nil, newPair512()
	for range blocks {
		g.d = append(g.d, zero512())
	}
}

func (g *gather512) add(row, bits, coef reg.GPVirtual) {
	g.c.load(coef)
	for v := range g.d {
		g.c.add(g.d[v], row, bits, v)
	}
}

func (g *gather512) store(dst reg.GPVirtual) {
	for v, d := range g.d {
		VMOVUPS(d, Mem{Base: dst, Disp: zmm * v})
	}
}

// pair512 holds the two coefficients of an edge, for the values 0 and 1 of the reader's other pin. The register z is
// for products. It is a fixed register, because avo believes that a blend modifies its old value.
type pair512 struct{ zero, one, z reg.VecVirtual }

func newPair512() pair512 { return pair512{ZMM(), ZMM(), ZMM()} }

func (c pair512) load(coef reg.Register) {
	VBROADCASTSS(Mem{Base: coef}, c.zero)
	VBROADCASTSS(Mem{Base: coef, Disp: 4}, c.one)
}

// add adds block v of a reader's row to d.
func (c pair512) add(d reg.VecVirtual, row, bits reg.Register, v int) {
	x := K()
	KMOVW(Mem{Base: bits, Disp: 2 * v}, x)
	VBLENDMPS(c.one, c.zero, x, c.z)
	VMULPS(Mem{Base: row, Disp: zmm * v}, c.z, c.z)
	VADDPS(c.z, d, d)
}

// gather2 is the gatherer in AVX2.
type gather2 struct {
	k *steps2
	d [][2]reg.VecVirtual
}

func (g *gather2) clear(blocks int) {
	g.d = nil
	for range blocks {
		g.d = append(g.d, [2]reg.VecVirtual{zero8(), zero8()})
	}
}

func (g *gather2) add(row, bits, coef reg.GPVirtual) {
	c := XMM()
	VMOVSD(Mem{Base: coef}, c)
	table := selector(c)
	for v := range g.d {
		for h, d := range g.d[v] {
			z := g.k.spread(Mem{Base: bits, Disp: 2 * v}, h)
			VPERMILPS(z, table, z)
			VMULPS(Mem{Base: row, Disp: zmm*v + ymm*h}, z, z)
			VADDPS(z, d, d)
		}
	}
}

func (g *gather2) store(dst reg.GPVirtual) {
	for v := range g.d {
		for h, d := range g.d[v] {
			VMOVUPS(d, Mem{Base: dst, Disp: zmm*v + ymm*h})
		}
	}
}

// selector returns a table for VPERMILPS. With this table, a mask of ones selects lane 1 of c, and a mask of zeros
// selects lane 0.
func selector(c reg.VecVirtual) reg.VecVirtual {
	y := YMM()
	VPERMILPS(U8(0x40), c, c)
	VINSERTF128(U8(1), c, c.AsY(), y)
	return y
}
