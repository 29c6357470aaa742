// Package chain works on the chains of two-input gates in a netlist: it finds them, brings them
// into a normal form, and removes steps that do not affect the output.
//
// A [Chain] in normal form starts from a literal, its base. It continues with steps. Each step is an AND, OR or XOR
// with a literal, which is called the step's side. At the end, the result may be inverted:
//
//	h0 = base,  hi = hi-1 op side_i,  output = hn XOR Inverted
//
// Every chain of two-input gates has this form. Consider a gate that negates its spine, which is the input from the
// chain before it. By De Morgan's laws, the negation can be moved toward the base: AND and OR are exchanged and their
// sides and the base are inverted, while XOR stays. So inversions move along the chain, and at most one remains at
// its end. Two rules make the form unique for a sequence of gates. First, an XOR never inverts its side. Second, the
// first step that is not an XOR is an AND. If all steps are XORs, the base is not inverted.
//
// [Find] finds the chains, [Simplifier] shortens a chain, and [Remove] is the compiler's pass over
// a whole netlist. An [Order] says what [Simplifier] may assume about thermometer bits.
package chain

import (
	"fmt"

	"ialgn/netlist"
)

// Literal is a net or its complement.
type Literal struct {
	Net      netlist.Net
	Inverted bool
}

// not returns the complement of a literal. The complement of a constant is the other constant.
func (l Literal) not() Literal { return Literal{l.Net, !l.Inverted}.settled() }

// settled replaces an inverted constant by the other constant. It returns other literals unchanged.
func (l Literal) settled() Literal {
	if l.Inverted && l.constant() {
		return Literal{Net: l.Net ^ 1}
	}
	return l
}

// constant reports whether the literal is one of the constant nets.
func (l Literal) constant() bool { return l.Net <= netlist.True }

// constantOf returns the literal of a constant.
func constantOf(bit bool) Literal {
	if bit {
		return Literal{Net: netlist.True}
	}
	return Literal{Net: netlist.False}
}

// Op is the operation of a step.
type Op uint8

// These are the operations of a step.
const (
	And Op = iota
	Or
	Xor
)

// dual returns the operation that replaces op when its inputs and output are inverted (De Morgan's law).
func (op Op) dual() Op {
	switch op {
	case And:
		return Or
	case Or:
		return And
	default:
		return op
	}
}

// Step is one gate of a chain in normal form: it combines the result of the steps before it with a side.
type Step struct {
	Op     Op
	Side   Literal
	Origin netlist.Origin // the gate that became this step
}

// not returns the step that computes the complement of s's result when the spine is also complemented.
func (s Step) not() Step {
	if s.Op != Xor {
		s.Op, s.Side = s.Op.dual(), s.Side.not()
	}
	return s
}

// Chain is a chain in normal form; see the package comment. A constant is a chain without steps
// whose base is the net [netlist.False].
type Chain struct {
	Base     Literal
	Steps    []Step
	Inverted bool
}

// start sets c to the chain without gates that begins at net v.
func (c *Chain) start(v netlist.Net) {
	*c = Chain{Base: Literal{Net: v}, Steps: c.Steps[:0]}
}

// gate appends a gate with the given table of two inputs: input 0 is the spine, and input 1 is the net side. The
// function must depend on both inputs.
func (c *Chain) gate(table uint64, side netlist.Net, o netlist.Origin) {
	// f[s] says what the gate does to its spine if the side is s. With 0b10 it passes the spine on, and with 0b01 it
	// negates the spine. With 0b00 and 0b11 its output is constant.
	f := [2]uint64{table & 3, table >> 2 & 3}
	constant := 0
	switch {
	case f[0] != 0b00 && f[0] != 0b11:
		constant = 1
		if f[1] == 0b01 || f[1] == 0b10 {
			c.Inverted = c.Inverted != (f[0] == 0b01)
			c.Steps = append(c.Steps, Step{Xor, Literal{Net: side}, o})
			return
		}
	case f[1] == 0b00 || f[1] == 0b11:
		panic(fmt.Sprintf("chain: gate with table %#x does not depend on its spine", table))
	}
	c.Inverted = c.Inverted != (f[1-constant] == 0b01)
	if forced := f[constant] == 0b11; forced == c.Inverted { // apart from the inversion, the side forces 0
		c.Steps = append(c.Steps, Step{And, Literal{side, constant == 1}, o})
		return
	}
	c.Steps = append(c.Steps, Step{Or, Literal{side, constant == 0}, o})
}

// normalise applies the two rules that make the normal form unique.
func (c *Chain) normalise() {
	if c.Base.constant() {
		return
	}
	inverted := c.Base.Inverted
	for _, s := range c.Steps {
		if s.Op != Xor {
			inverted = s.Op == Or
			break
		}
	}
	if !inverted {
		return
	}
	c.Base.Inverted, c.Inverted = !c.Base.Inverted, !c.Inverted
	for i := range c.Steps {
		c.Steps[i] = c.Steps[i].not()
	}
}

// Table returns the function of gate i of the chain, for building a netlist with one cell for each gate. Input 0 of
// the function is the spine, and input 1 is the net of the side. The first gate's function includes the inversion of
// the base, and the last gate's function includes the inversion of the output.
func (c *Chain) Table(i int) uint64 {
	spine, side := uint64(0b1010), uint64(0b1100)
	s := c.Steps[i]
	if i == 0 && c.Base.Inverted {
		spine ^= 0b1111
	}
	if s.Side.Inverted {
		side ^= 0b1111
	}
	var table uint64
	switch s.Op {
	case And:
		table = spine & side
	case Or:
		table = spine | side
	case Xor:
		table = spine ^ side
	}
	if i == len(c.Steps)-1 && c.Inverted {
		table ^= 0b1111
	}
	return table
}
