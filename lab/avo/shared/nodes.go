package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

const (
	forwardSignature  = "func(x *float32, wires, out *uint32, tables *float32, nodes, positions int, in, shift uint32)"
	backwardSignature = "func(x, grads *float32, wires, out, to *uint32, tables, sums *float32, nodes, positions int, " +
		"in, shift uint32, do int)"
)

// These numbers say how gradients are handled. Go passes them to the kernels.
const (
	gradientsDropped = iota
	gradientsStored
	gradientsAdded
)

// These constants are the number of nodes between a prefetch of rows and their use. Rows of several positions are
// adjacent, so the processor itself prefetches the rows of later positions.
const (
	gatesAhead  = 16
	tablesAhead = 4
)

// nodes walks over a list of nodes. For nodes with one position, it prefetches the data that later nodes read.
type nodes struct {
	pins, ahead        int
	wires, out, tables reg.Register
	last               reg.Register // address of the last node's wires
	apart              reg.Register // distance in memory from the wires to the offsets of gradients, or nil
	in, shift          Op
}

// walk emits a loop over all nodes. There must be at least one node.
func (n *nodes) walk(body func()) {
	again := label()
	Label(again)
	body()
	ADDQ(U8(wordBytes), n.out)
	ADDQ(I32(wordBytes<<n.pins), n.tables)
	ADDQ(U8(wordBytes*n.pins), n.wires)
	CMPQ(n.wires, n.last)
	JBE(LabelRef(again))
}

func newNodes(pins, ahead int) *nodes {
	n := &nodes{
		pins: pins, ahead: ahead, wires: general("wires"), out: general("out"), tables: general("tables"),
		in: address("in"), shift: address("shift"),
	}
	last := general("nodes")
	DECQ(last)
	IMUL3Q(U8(wordBytes*pins), last, last)
	ADDQ(n.wires, last)
	n.last = last
	return n
}

// withGradients prepares the walk for reading the gradients of pins.
func (n *nodes) withGradients() {
	apart := general("to")
	SUBQ(n.wires, apart)
	n.apart = apart
}

// pin returns the address of a pin's row. The method gradient returns the address of the row with the pin's gradient.
func (n *nodes) pin(arena reg.Register, pin int) reg.GPVirtual {
	return rowOf(arena, Mem{Base: n.wires, Disp: wordBytes * pin}, n.in)
}

func (n *nodes) gradient(arena reg.Register, pin int) reg.GPVirtual {
	return rowOf(arena, Mem{Base: n.wires, Index: n.apart, Scale: 1, Disp: wordBytes * pin}, n.in)
}

func (n *nodes) output(arena reg.Register) reg.GPVirtual {
	return rowOf(arena, Mem{Base: n.out}, n.shift)
}

// fetch emits prefetches of the rows that the pins of a later node read. Near the end of the list, it prefetches for
// the last node instead. The method fetchGradients does the same for the rows of gradients.
func (n *nodes) fetch(arena reg.Register) {
	next := n.next()
	for pin := range n.pins {
		n.fetchRow(arena, Mem{Base: next, Disp: wordBytes * pin})
	}
}

func (n *nodes) fetchGradients(arena reg.Register) {
	next := n.next()
	for pin := range n.pins {
		n.fetchRow(arena, Mem{Base: next, Index: n.apart, Scale: 1, Disp: wordBytes * pin})
	}
}

// next returns the address of the wires of the node whose data are prefetched now.
func (n *nodes) next() reg.Register {
	next := GP64()
	LEAQ(Mem{Base: n.wires, Disp: wordBytes * n.pins * n.ahead}, next)
	CMPQ(next, n.last)
	CMOVQHI(n.last, next)
	return next
}

func (n *nodes) fetchRow(arena reg.Register, offset Mem) {
	at := GP64()
	MOVL(offset, at.As32())
	ADDL(n.in, at.As32())
	PREFETCHT0(Mem{Base: arena, Index: at, Scale: wordBytes})
}

// ifOne emits a branch. The first argument emits the code for nodes with one position. The second argument emits the
// code for nodes with several positions.
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
