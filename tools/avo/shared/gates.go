package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

const (
	forwardSignature  = "func(x *float32, wires, out *uint32, tables *float32, nodes, positions int, in, shift uint32)"
	backwardSignature = "func(x, grads *float32, wires, out, to *uint32, tables, sums *float32, nodes, positions int, " +
		"in, shift uint32)"
)

// ahead is the number of nodes after which the rows are read that are fetched now, where nodes have one position. Those
// of nodes of several positions stand one after the other, and the processor fetches them by itself.
const ahead = 16

// The sizes of what a node has in the arrays.
const (
	wireBytes  = 2 * wordBytes
	tableBytes = 4 * wordBytes
)

// plane holds the coefficients of the output of a node as a polynomial of its pins.
type plane struct{ one, a, b, ab reg.VecVirtual }

// plane computes the coefficients from truth values.
func (x isa) plane(t reg.Register) plane {
	at := func(line int) reg.VecVirtual { return x.broadcast(Mem{Base: t, Disp: wordBytes * line}) }
	p := plane{at(0), at(2), at(1), at(3)}
	VSUBPS(p.a, p.ab, p.ab)
	VSUBPS(p.one, p.b, p.b)
	VSUBPS(p.one, p.a, p.a)
	VSUBPS(p.b, p.ab, p.ab)
	return p
}

// nodes walks over a list. Where nodes have one position it fetches what is read later, else it repeats that position.
type nodes struct {
	wires, out, tables reg.Register
	last               reg.Register // where the wires of the last node are
	apart              reg.Register // from wires to offsets of gradients, or nil
	in, shift          Op
}

// walk writes a loop over all nodes, of which there is at least one.
func (n *nodes) walk(body func(), also ...func()) {
	again := label()
	Label(again)
	body()
	ADDQ(U8(wordBytes), n.out)
	ADDQ(U8(tableBytes), n.tables)
	for _, do := range also {
		do()
	}
	ADDQ(U8(wireBytes), n.wires)
	CMPQ(n.wires, n.last)
	JBE(LabelRef(again))
}

func newNodes() *nodes {
	n := &nodes{
		wires: general("wires"), out: general("out"), tables: general("tables"),
		in: address("in"), shift: address("shift"),
	}
	last := general("nodes")
	LEAQ(Mem{Base: n.wires, Index: last, Scale: wireBytes, Disp: -wireBytes}, last)
	n.last = last
	return n
}

// pin returns the address of the row of a pin, gradient that of its gradient.
func (n *nodes) pin(arena reg.Register, pin int) reg.GPVirtual {
	return rowOf(arena, Mem{Base: n.wires, Disp: wordBytes * pin}, n.in)
}

func (n *nodes) gradient(arena reg.Register, pin int) reg.GPVirtual {
	return rowOf(arena, Mem{Base: n.wires, Index: n.apart, Scale: 1, Disp: wordBytes * pin}, n.in)
}

func (n *nodes) output(arena reg.Register) reg.GPVirtual {
	return rowOf(arena, Mem{Base: n.out}, n.shift)
}

// fetch writes what fetches the rows of a node ahead, of the last one near the end.
func (n *nodes) fetch(x, g reg.Register) {
	next := GP64()
	LEAQ(Mem{Base: n.wires, Disp: wireBytes * ahead}, next)
	CMPQ(next, n.last)
	CMOVQHI(n.last, next)
	row := func(arena reg.Register, offset Mem) {
		at := GP64()
		MOVL(offset, at.As32())
		ADDL(n.in, at.As32())
		PREFETCHT0(Mem{Base: arena, Index: at, Scale: wordBytes})
	}
	for pin := range 2 {
		row(x, Mem{Base: next, Disp: wordBytes * pin})
		if n.apart != nil {
			row(g, Mem{Base: next, Index: n.apart, Scale: 1, Disp: wordBytes * pin})
		}
	}
}

// ifOne writes what is done where nodes have one position, and else.
func ifOne(then, otherwise func()) {
	many := label()
	CMPQ(address("positions"), U8(1))
	JNE(LabelRef(many))
	then()
	end()
	Label(many)
	otherwise()
	end()
}

// forward writes forwardGate for the nodes of a list.
func (x isa) forward() {
	x.begin("forward", forwardSignature, "does Forward for at least one node of two pins, at one position or more.")
	arena, n := general("x"), newNodes()
	output := func(p plane, a, b, to reg.Register, at int) {
		for part := range x.parts() {
			row := func(base reg.Register) Mem { return Mem{Base: base, Disp: at + x.bytes*part} }
			y := x.load(row(b))
			low, slope := x.linear(p.one, p.b, y), x.linear(p.a, p.ab, y)
			VMULPS(row(a), slope, slope)
			VADDPS(slope, low, low)
			VMOVUPS(low, row(to))
		}
	}
	ifOne(func() {
		n.walk(func() {
			n.fetch(arena, nil)
			output(x.plane(n.tables), n.pin(arena, 0), n.pin(arena, 1), n.output(arena), 0)
		})
	}, func() {
		n.walk(func() {
			p, a, b, to := x.plane(n.tables), n.pin(arena, 0), n.pin(arena, 1), n.output(arena)
			repeat(address("positions"), 4, func(at int) { output(p, a, b, to, at) }, a, b, to)
		})
	})
}

// What becomes of gradients.
const (
	dropped = iota
	stored
	added
)

var gradients = [...]struct{ name, doc string }{
	dropped: {"backwardDropped", "Backward, gradients being dropped,"},
	stored:  {"backwardStored", "Backward, gradients being stored,"},
	added:   {"backwardAdded", "Backward, gradients being added,"},
}

// backward writes backwardGate for the nodes of a list.
func (x isa) backward(do int) {
	x.begin(gradients[do].name, backwardSignature,
		"does "+gradients[do].doc+" for at least one node of two pins, at one position or more.")
	arena, g, sumsTo, fold, n := general("x"), general("grads"), general("sums"), x.fold(), newNodes()
	if do != dropped {
		apart := general("to")
		SUBQ(n.wires, apart)
		n.apart = apart
	}
	next := func() { ADDQ(U8(tableBytes), sumsTo) }
	ends := func(sums [4][]reg.VecVirtual) {
		all := fold(sums)
		VADDPS(Mem{Base: sumsTo}, all, all)
		VMOVUPS(all, Mem{Base: sumsTo})
	}
	rows := func() backwardRows {
		r := backwardRows{do: do, a: n.pin(arena, 0), b: n.pin(arena, 1), delta: n.output(g)}
		if do != dropped {
			r.to = [2]reg.Register{n.gradient(g, 0), n.gradient(g, 1)}
		}
		return r
	}
	ifOne(func() {
		zero := XMM()
		VXORPS(zero, zero, zero)
		n.walk(func() {
			n.fetch(arena, g)
			r, p := rows(), x.plane(n.tables)
			var sums [4][]reg.VecVirtual
			for part := range x.parts() {
				x.gradients(p, r, x.bytes*part, func(i int, product reg.VecVirtual) {
					sums[i] = append(sums[i], product)
				})
			}
			all := fold(sums)
			VADDPS(zero, all, all) // as from +0: what is 0 is +0
			VADDPS(Mem{Base: sumsTo}, all, all)
			VMOVUPS(all, Mem{Base: sumsTo})
		}, next)
	}, func() {
		n.walk(func() {
			r, p := rows(), x.plane(n.tables)
			sums := [4][]reg.VecVirtual{x.zeros(), x.zeros(), x.zeros(), x.zeros()}
			repeat(address("positions"), 2, func(at int) {
				for part := range x.parts() {
					x.gradients(p, r, at+x.bytes*part, func(i int, product reg.VecVirtual) {
						VADDPS(product, sums[i][part], sums[i][part])
					})
				}
			}, r.all()...)
			ends(sums)
		}, next)
	})
}

// backwardRows is where the rows of a node are.
type backwardRows struct {
	do          int
	a, b, delta reg.Register
	to          [2]reg.Register
}

func (r *backwardRows) all() []reg.Register {
	if r.do == dropped {
		return []reg.Register{r.a, r.b, r.delta}
	}
	return []reg.Register{r.a, r.b, r.delta, r.to[0], r.to[1]}
}

// gradients computes a part of the gradients of both pins, at an offset from the rows, and passes on what is added to
// the sums of the node.
func (x isa) gradients(p plane, r backwardRows, at int, add func(i int, product reg.VecVirtual)) {
	row := func(base reg.Register) Mem { return Mem{Base: base, Disp: at} }
	d, a, b := x.load(row(r.delta)), x.load(row(r.a)), x.load(row(r.b))
	u, v := x.vector(), x.vector()
	VMULPS(a, d, u)
	VMULPS(b, d, v)
	add(0, d)
	add(1, v)
	add(2, u)
	w := x.vector()
	VMULPS(b, u, w)
	add(3, w)
	if r.do == dropped {
		return
	}
	for pin, slope := range []reg.VecVirtual{x.linear(p.a, p.ab, b), x.linear(p.b, p.ab, a)} {
		VMULPS(d, slope, slope)
		if r.do == added {
			VADDPS(row(r.to[pin]), slope, slope)
		}
		VMOVUPS(slope, row(r.to[pin]))
	}
}
