package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// tree emits the evaluation of a node's table. The table is a binary tree, whose nodes are called points here. Each
// pin selects between the two halves of each point. The last pin makes the first selection. At k steps from the root
// there are 2^k points. The value of point a is the value of half 2a, plus the value of pin k times the difference
// between halves 2a+1 and 2a.
type tree struct {
	isa
	pins   int
	table  reg.Register // truth values
	apart  Mem          // the differences between neighbouring truth values; each fills all lanes
	values [maxPins]Op  // values of the pins
	// The remaining fields are for gradients.
	keep   func(k, a int) Mem               // memory for the differences of halves that are not in apart, or nil
	slopes [maxPins]reg.VecVirtual          // for each pin, the sum of the products of gradients and differences
	leaf   func(line int, b reg.VecVirtual) // handles the gradient of a line
}

const maxPins = 6

// writeApart emits the differences between neighbouring truth values.
func (t *tree) writeApart() {
	for i := 0; i < 1<<t.pins; i += 8 {
		low, high, even := XMM(), XMM(), XMM()
		VMOVUPS(Mem{Base: t.table, Disp: wordBytes * i}, low)
		VMOVUPS(Mem{Base: t.table, Disp: wordBytes * (i + 4)}, high)
		VSHUFPS(U8(0x88), high, low, even)
		VSHUFPS(U8(0xdd), high, low, low)
		VSUBPS(even, low, low)
		VMOVUPS(low, t.apart.Offset(wordBytes*i/2))
	}
}

// times returns the product of a vector and a float32 from memory.
func (t *tree) times(factor Mem, v Op) reg.VecVirtual {
	if r, ok := v.(reg.VecVirtual); ok && t.bytes == rowBytes {
		y := t.vector()
		VMULPS_BCST(factor, r, y)
		return y
	}
	y := t.broadcast(factor)
	VMULPS(v, y, y)
	return y
}

// value returns the value of a point.
func (t *tree) value(k, a int) reg.VecVirtual {
	if k < t.pins-1 {
		low, apart := t.halves(k, a)
		VMULPS(t.values[k], apart, apart)
		VADDPS(apart, low, low)
		return low
	}
	y, line := t.times(t.apart.Offset(wordBytes*a), t.values[k]), Mem{Base: t.table, Disp: wordBytes * 2 * a}
	if t.bytes == rowBytes {
		VADDPS_BCST(line, y, y)
	} else {
		VADDPS(t.broadcast(line), y, y)
	}
	return y
}

// halves returns the first half of a point and the difference of both halves.
func (t *tree) halves(k, a int) (low, apart reg.VecVirtual) {
	low, apart = t.value(k+1, 2*a), t.value(k+1, 2*a+1)
	VSUBPS(low, apart, apart)
	if t.keep != nil {
		VMOVUPS(apart, t.keep(k, a))
	}
	return low, apart
}

// back passes the gradient of a point on to the lines. It changes the register of the gradient.
func (t *tree) back(k, a int, b reg.VecVirtual) {
	if k == t.pins {
		t.leaf(a, b)
		return
	}
	high := t.vector()
	VMULPS(t.values[k], b, high)
	if t.keep != nil {
		var part reg.VecVirtual
		if k == t.pins-1 {
			part = t.times(t.apart.Offset(wordBytes*a), b)
		} else {
			part = t.vector()
			VMULPS(t.keep(k, a), b, part)
		}
		VADDPS(part, t.slopes[k], t.slopes[k])
	}
	VSUBPS(high, b, b)
	t.back(k+1, 2*a, b)
	t.back(k+1, 2*a+1, high)
}

// aligned reserves the given number of bytes on the stack and returns their address, aligned to a cache line. Without
// alignment, a number could be stored across two cache lines, which makes it slow to load.
func aligned(bytes int) reg.GPVirtual {
	base := GP64()
	LEAQ(AllocLocal(bytes+rowBytes).Offset(rowBytes-1), base)
	ANDQ(I32(-rowBytes), base)
	return base
}

// forwardTable emits the plain function of the same name, for the nodes of a list.
func (x isa) forwardTable(pins int) {
	x.begin(fmt.Sprintf("forward%d", pins), forwardSignature,
		fmt.Sprintf("does Forward for at least one node of %d pins, at one position or more.", pins))
	arena, n := general("x"), newNodes(pins, tablesAhead)
	t := &tree{isa: x, pins: pins, table: n.tables, apart: Mem{Base: aligned(wordBytes << (pins - 1))}}
	n.walk(func() {
		n.fetch(arena)
		t.writeApart()
		rows := []reg.Register{n.output(arena)}
		for k := range pins {
			rows = append(rows, n.pin(arena, k))
		}
		vectors := x.vectorsOf(address("positions"))
		loop(vectors, func() {
			for k, row := range rows[1:] {
				t.values[k] = x.load(Mem{Base: row})
			}
			VMOVUPS(t.value(0, 0), Mem{Base: rows[0]})
			for _, row := range rows {
				ADDQ(U8(x.bytes), row)
			}
		})
	})
	end()
}

// vectorsOf returns the number of vectors in a row with the given number of positions.
func (x isa) vectorsOf(positions Op) reg.GPVirtual {
	n := copied(positions)
	if x.parts() == 2 {
		SHLQ(U8(1), n)
	}
	return n
}

// tableFrame is the stack frame of backwardTable.
type tableFrame struct {
	*tree
	arena, g, sums reg.Register
	nodes          *nodes
	rows           Mem              // addresses of the rows of the output, of the pins, and of the gradients
	base           reg.Register     // address of the lines' sums; the other data follow these sums
	at             reg.Register     // offset of the current position in the rows
	half           reg.Register     // byte offset of the current part of a row, or nil if a row is one vector
	held           []reg.VecVirtual // the sums of the lines if they fit in registers, otherwise nil
}

// These constants are the indices of addresses in a frame.
const (
	rowOutput = 0
	rowPins   = 1
	rowTo     = rowPins + maxPins
	rowsEnd   = rowTo + maxPins
)

func (f *tableFrame) row(i int) Mem { return f.rows.Offset(8 * i) }

// sum returns the memory operand for the sum of a line. The method kept returns the operand for a difference of
// halves, and the method pin returns the operand for the value of a pin.
func (f *tableFrame) sum(line int) Mem {
	m := Mem{Base: f.base, Disp: rowBytes * line}
	if f.half != nil {
		m.Index, m.Scale = f.half, 1
	}
	return m
}

func (f *tableFrame) kept(k, a int) Mem { return f.sum(1<<f.pins + 1<<k + a) }

func (f *tableFrame) pin(k int) Mem { return f.sum(1<<f.pins + 1<<(f.pins-1) + k) }

// heldLines is the largest number of lines whose sums fit into the 32 registers together with all other values. Sums
// on the stack are slower, because a write delays later reads from addresses with the same low 12 bits.
const heldLines = 16

// backwardTable emits the plain function of the same name, for the nodes of a list. If the sums of lines are in
// memory, the first position stores them and the other positions add to them.
func (x isa) backwardTable(pins int) {
	x.beginLarge(fmt.Sprintf("backward%d", pins), backwardSignature,
		fmt.Sprintf("does Backward for at least one node of %d pins, at one position or more.", pins))
	lines := 1 << pins
	f := &tableFrame{
		arena: general("x"), g: general("grads"), sums: general("sums"), nodes: newNodes(pins, tablesAhead),
		rows: AllocLocal(8 * rowsEnd), base: aligned(rowBytes*(lines+lines/2+pins) + wordBytes*lines/2), at: GP64(),
	}
	if x.parts() == 2 {
		f.half = GP64()
		XORQ(f.half, f.half)
	}
	f.nodes.withGradients()
	f.tree = &tree{
		isa: x, pins: pins, table: f.nodes.tables, apart: Mem{Base: f.base, Disp: rowBytes * (lines + lines/2 + pins)},
	}
	f.nodes.walk(func() {
		dropped, done := label(), label()
		XORQ(f.at, f.at)
		f.beginNode()
		if lines == heldLines && x.parts() == 1 {
			f.held = x.zeroVectors(lines)
		}
		CMPQ(address("do"), U8(gradientsDropped))
		JE(LabelRef(dropped))
		f.beginGradients()
		f.tree.keep = f.kept
		f.positions()
		JMP(LabelRef(done))
		Label(dropped)
		f.tree.keep = nil
		f.positions()
		Label(done)
		f.fold()
	})
	end()
}

// beginNode prefetches the data that a node needs for its sums, and stores their addresses in the frame. The method
// beginGradients does the same for the node's gradients.
func (f *tableFrame) beginNode() {
	put := func(row reg.GPVirtual, i int) { MOVQ(row, f.row(i)) }
	put(f.nodes.output(f.g), rowOutput)
	for k := range f.pins {
		put(f.nodes.pin(f.arena, k), rowPins+k)
	}
	f.nodes.fetch(f.arena)
}

func (f *tableFrame) beginGradients() {
	for k := range f.pins {
		MOVQ(f.nodes.gradient(f.g, k), f.row(rowTo+k))
	}
	f.nodes.fetchGradients(f.g)
	f.writeApart()
}

// positions emits the work at all positions.
func (f *tableFrame) positions() {
	if f.held != nil {
		f.loop(func(n reg.GPVirtual) { MOVQ(address("positions"), n) }, func(line int, b reg.VecVirtual) {
			VADDPS(b, f.held[line], f.held[line])
		})
		return
	}
	f.loop(func(n reg.GPVirtual) { MOVQ(U32(f.parts()), n) }, func(line int, b reg.VecVirtual) {
		VMOVUPS(b, f.sum(line))
	})
	f.loop(func(n reg.GPVirtual) {
		MOVQ(address("positions"), n)
		DECQ(n)
		if f.parts() == 2 {
			SHLQ(U8(1), n)
		}
	}, func(line int, b reg.VecVirtual) {
		VADDPS(f.sum(line), b, b)
		VMOVUPS(b, f.sum(line))
	})
}

// loop emits a loop over a number of vectors of rows. This number may be zero. The function leaf handles the
// gradients of the lines.
func (f *tableFrame) loop(count func(n reg.GPVirtual), leaf func(line int, b reg.VecVirtual)) {
	done, n := label(), GP64()
	count(n)
	TESTQ(n, n)
	JZ(LabelRef(done))
	f.leaf = leaf
	loop(n, func() {
		f.loadValues()
		if f.keep != nil {
			f.halves(0, 0)
			for k := range f.pins {
				f.slopes[k] = f.zero()
			}
		}
		f.back(0, 0, f.load(f.rowHere(rowOutput)))
		if f.keep != nil {
			f.put()
		}
		ADDQ(U8(f.bytes), f.at)
		if f.half != nil {
			XORQ(U8(f.bytes), f.half)
		}
	})
	Label(done)
}

// rowHere returns the memory operand for the current position in a row.
func (f *tableFrame) rowHere(i int) Mem {
	r := GP64()
	MOVQ(f.row(i), r)
	return Mem{Base: r, Index: f.at, Scale: 1}
}

// loadValues loads the values of pins. If there are few registers, it moves the values to the frame.
func (f *tableFrame) loadValues() {
	for k := range f.pins {
		v := f.load(f.rowHere(rowPins + k))
		f.values[k] = v
		if f.parts() == 2 {
			VMOVUPS(v, f.pin(k))
			f.values[k] = f.pin(k)
		}
	}
}

// put stores or adds the gradients of pins.
func (f *tableFrame) put() {
	add, done := label(), label()
	CMPQ(address("do"), U8(gradientsAdded))
	JE(LabelRef(add))
	for k := range f.pins {
		VMOVUPS(f.slopes[k], f.rowHere(rowTo+k))
	}
	JMP(LabelRef(done))
	Label(add)
	for k := range f.pins {
		to := f.rowHere(rowTo + k)
		VADDPS(to, f.slopes[k], f.slopes[k])
		VMOVUPS(f.slopes[k], to)
	}
	Label(done)
}

// fold adds the sums of a node to the sums in memory.
func (f *tableFrame) fold() {
	fold, zero := f.isa.fold(), XMM()
	VXORPS(zero, zero, zero)
	for line := 0; line < 1<<f.pins; line += 4 {
		var sums [4][]reg.VecVirtual
		for i := range sums {
			if f.held != nil {
				sums[i] = f.held[line+i:][:1]
				continue
			}
			for part := range f.parts() {
				sums[i] = append(sums[i], f.load(Mem{Base: f.base, Disp: rowBytes*(line+i) + f.bytes*part}))
			}
		}
		addFolded(f.sums, fold(sums), zero)
	}
}
