package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// plane holds the coefficients of the output of a node, which is one + a·A + b·B + ab·A·B for the pins A and B.
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

// forward emits forwardGate for the nodes of a list.
func (x isa) forward() {
	x.begin("forward", forwardSignature, "does Forward for at least one node of two pins, at one position or more.")
	arena, n := general("x"), newNodes(2, gatesAhead)
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
			n.fetch(arena)
			output(x.plane(n.tables), n.pin(arena, 0), n.pin(arena, 1), n.output(arena), 0)
		})
	}, func() {
		n.walk(func() {
			p, a, b, to := x.plane(n.tables), n.pin(arena, 0), n.pin(arena, 1), n.output(arena)
			repeat(address("positions"), 4, func(at int) { output(p, a, b, to, at) }, a, b, to)
		})
	})
}

// backward emits backwardGate for the nodes of a list.
func (x isa) backward() {
	x.begin("backward", backwardSignature, "does Backward for at least one node of two pins, at one position or more.")
	dropped, stored := label(), label()
	CMPQ(address("do"), U8(gradientsStored))
	JB(LabelRef(dropped))
	JE(LabelRef(stored))
	x.backwardOf(gradientsAdded)
	Label(dropped)
	x.backwardOf(gradientsDropped)
	Label(stored)
	x.backwardOf(gradientsStored)
}

// backwardOf emits the part of backward for one way of handling gradients.
func (x isa) backwardOf(do int) {
	arena, g, sumsTo, fold, n := general("x"), general("grads"), general("sums"), x.fold(), newNodes(2, gatesAhead)
	if do != gradientsDropped {
		n.withGradients()
	}
	rows := func() backwardRows {
		r := backwardRows{do: do, a: n.pin(arena, 0), b: n.pin(arena, 1), delta: n.output(g)}
		if do != gradientsDropped {
			r.to = [2]reg.Register{n.gradient(g, 0), n.gradient(g, 1)}
		}
		return r
	}
	ifOne(func() {
		zero := XMM()
		VXORPS(zero, zero, zero)
		n.walk(func() {
			n.fetch(arena)
			if do != gradientsDropped {
				n.fetchGradients(g)
			}
			addFolded(sumsTo, fold(x.onePosition(x.plane(n.tables), rows())), zero)
		})
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
			addFolded(sumsTo, fold(sums), nil)
		})
	})
}

// onePosition computes the gradients of a node with one position. It returns the node's sums, whose lanes are not yet
// added up.
func (x isa) onePosition(p plane, r backwardRows) (sums [4][]reg.VecVirtual) {
	for part := range x.parts() {
		x.gradients(p, r, x.bytes*part, func(i int, product reg.VecVirtual) { sums[i] = append(sums[i], product) })
	}
	return sums
}

// addFolded adds the results of four sums to the sums in memory and advances the pointer. If the register zero is not
// nil, addFolded first adds it to each sum, which turns a sum of -0 into +0.
func addFolded(to, sums, zero reg.Register) {
	if zero != nil {
		VADDPS(zero, sums, sums)
	}
	VADDPS(Mem{Base: to}, sums, sums)
	VMOVUPS(sums, Mem{Base: to})
	ADDQ(U8(4*wordBytes), to)
}

// backwardRows holds the addresses of the rows of a node.
type backwardRows struct {
	do          int
	a, b, delta reg.Register
	to          [2]reg.Register
}

func (r *backwardRows) all() []reg.Register {
	if r.do == gradientsDropped {
		return []reg.Register{r.a, r.b, r.delta}
	}
	return []reg.Register{r.a, r.b, r.delta, r.to[0], r.to[1]}
}

// gradients computes a part of the gradients of both pins. The argument at is the offset of this part in the rows.
// The terms of the node's sums are passed to the function add.
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
	if r.do == gradientsDropped {
		return
	}
	for pin, slope := range []reg.VecVirtual{x.linear(p.a, p.ab, b), x.linear(p.b, p.ab, a)} {
		VMULPS(d, slope, slope)
		if r.do == gradientsAdded {
			VADDPS(row(r.to[pin]), slope, slope)
		}
		VMOVUPS(slope, row(r.to[pin]))
	}
}
