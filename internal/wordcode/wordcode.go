// Package wordcode lowers netlists to programs of bitwise operations on words, with one bit for
// each sample. Back ends that write a network as software use it.
//
// A [Program] is a list of [Op]s in order of execution. Every value is a word: the constant 0, a row of an input
// port, or the result of an operation. A [Literal] is a value or its complement. All operators of two values return 0
// for 0 and 0. Operations that read a complement include it in their operator. A complement is only computed if a
// full adder or an output needs it. Some machines compute any function of three words in one instruction. For such
// machines, [LowerTables] uses [Lookup] operations, whose tables include complements.
//
// The operations are in the order in which outputs need them. For example, a bit that a popcount adds is computed
// just before it is added. Therefore few values are live at a time in a network of chains. [Program.Place] assigns
// slots in an array to the values that live longer than a section of the program.
//
// [Classifier] says which outputs of a program are the class and the counts. [NewVectors] makes test inputs and
// simulates the outputs with package sim.
package wordcode

import (
	"fmt"

	"ialgn/netlist"
)

// Operator is a bitwise operation on words.
type Operator uint8

// These are the operators. Sum and Carry are the two halves of a full adder. A Carry directly follows the Sum with
// the same inputs, but either may also occur alone.
const (
	And    Operator = iota // A & B
	AndNot                 // A &^ B
	Or                     // A | B
	Xor                    // A ^ B
	Not                    // ^A
	Sum                    // A ^ B ^ C
	Carry                  // A&B | A&C | B&C
	Lookup                 // bit A + 2 B + 4 C of the operation's table; only from [LowerTables]

	operators = int(Lookup) + 1
)

// Operands returns the number of values that the operator reads, beginning with A.
func (o Operator) Operands() int {
	return [operators]int{And: 2, AndNot: 2, Or: 2, Xor: 2, Not: 1, Sum: 3, Carry: 3, Lookup: 3}[o]
}

// Value is the number of a word of a program. Number 0 is the constant 0, and the numbers 1 to Inputs are the rows of
// the inputs. The results of the operations have the following numbers, in order.
type Value uint32

// Literal is a value or its complement. Literal 2v is the value v, and literal 2v+1 is the complement of v.
type Literal uint32

// These literals are constants.
const (
	constant0 Literal = 0
	constant1 Literal = 1
)

// Value returns the value of l, without the complement.
func (l Literal) Value() Value { return Value(l >> 1) }

// Inverted reports whether l is a complement.
func (l Literal) Inverted() bool { return l&1 == 1 }

// Op is an operation on earlier values. Values that the operator does not read are 0.
type Op struct {
	Operator Operator
	Table    uint8 // truth table of a Lookup
	A, B, C  Value
}

// Program computes the output ports and the probes of a netlist.
type Program struct {
	Inputs  int // number of input rows; there is a row for each bit of the input ports, in port order
	Ops     []Op
	Outputs []Literal // the bits of the output ports, then of the probes, in port order
}

// Kinds lists the kinds of cells that can be lowered. These are all kinds except registers, because a program has no
// clock.
var Kinds = []netlist.Kind{
	netlist.Function, netlist.Compare, netlist.Popcount, netlist.Counter, netlist.Argmax,
	netlist.Carry, netlist.Primitive,
}

// maxValues is the maximum number of values, because a literal has 32 bits.
const maxValues = 1 << 31

// Lower returns the program of n, which must be valid. It returns an error if n has registers or is too large. The
// error text begins with the argument format, the name of the output format.
//
// Lowering takes about 16 bytes of memory for each operation and 5 bytes for each net. A gate of two inputs becomes
// at most one operation. A counted bit becomes a full adder, which is two operations and possibly complements.
func Lower(format string, n *netlist.Netlist) (*Program, error) { return lower(format, n, false) }

// LowerTables is like [Lower], but uses a Lookup for a function of three nets, for each half of a full adder and for
// a multiplexer. For all other functions it uses And, AndNot, Or and Xor. It computes complements only for outputs. A
// full adder reads two of its bits twice and the third bit once, so the sum can overwrite the third bit.
//
// Each bit is added to a count as soon as the bit has been computed, instead of in groups of bits. Therefore fewer
// values are live at a time, but full adders and gates alternate.
func LowerTables(format string, n *netlist.Netlist) (*Program, error) { return lower(format, n, true) }

func lower(format string, n *netlist.Netlist, tables bool) (*Program, error) {
	if err := netlist.Refuse(format, n, Kinds...); err != nil {
		return nil, err
	}
	l := newLowering(n)
	l.tables = tables
	for _, ports := range [][]netlist.Port{n.OutputPorts(), n.Probes()} {
		for _, p := range ports {
			for _, v := range p.Nets {
				l.need(v)
				l.p.Outputs = append(l.p.Outputs, l.lits[v])
			}
		}
	}
	if l.tooLarge {
		return nil, fmt.Errorf("%s: %s needs more than %d operations: optimise it, or write a smaller scope", format, n.Name,
			maxValues)
	}
	l.p.sweep()
	return l.p, nil
}

// sweep removes operations that no output depends on.
func (p *Program) sweep() {
	first := Value(p.Inputs + 1)
	used := make([]bool, len(p.Ops))
	mark := func(v Value) {
		if v >= first {
			used[v-first] = true
		}
	}
	for _, o := range p.Outputs {
		mark(o.Value())
	}
	for i := len(p.Ops) - 1; i >= 0; i-- {
		if used[i] {
			mark(p.Ops[i].A)
			mark(p.Ops[i].B)
			mark(p.Ops[i].C)
		}
	}
	place := make([]Value, len(p.Ops))
	moved := func(v Value) Value {
		if v < first {
			return v
		}
		return place[v-first]
	}
	kept := p.Ops[:0]
	for i, op := range p.Ops {
		if used[i] {
			place[i] = first + Value(len(kept))
			kept = append(kept, Op{op.Operator, op.Table, moved(op.A), moved(op.B), moved(op.C)})
		}
	}
	p.Ops = kept
	for i, o := range p.Outputs {
		p.Outputs[i] = Literal(moved(o.Value()))<<1 | o&1
	}
}
