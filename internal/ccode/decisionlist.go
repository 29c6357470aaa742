// This file lowers netlists to programs that classify one sample at a time on small
// processors, for the back ends that write software for microcontrollers.
//
// A [Program] is a row of decision lists. A list gives one bit: it reads bits one after the
// other, and each either settles the result or passes the rest of the list on, as it is or
// inverted. A chain of gates is such a list when read from its last gate: an AND whose input is
// 0 need not know what the chain before it says. So about two bits of a chain are read, however
// long it is, and no intermediate result is ever stored. A look-up table of several inputs is a
// step of several bits, with the decision in a table.
//
// What a list gives is counted for its class, or, where several readers need it, kept in one bit
// of scratch memory that is used again when its last reader is done.
//
// [Lower] recognises popcounts and argmax and replaces them by counting. A netlist whose head was
// mapped to look-up tables or adders is lowered operation by operation, which gives the same
// results by a larger and slower program.

package ccode

import (
	"ialgn/internal/wordcode"
	"ialgn/netlist"
)

// Program is a netlist as decision lists over an array of bits: those of the inputs first, then, from
// [Program.FirstSlot] on, the slots of intermediate results, which are a ring.
type Program struct {
	Inputs  []Input // the bits of the inputs
	Packed  bool    // they come as bits, in port order
	Compare bool    // if not packed: the parameter of an input is a threshold, else a bit's number

	Slots int // bits of the ring
	Lists []List
	Multi bool // some step reads several bits
	Wide  bool // a number of the [Program.Code] has 32 bits, else 16

	Runs    []Run   // the lists, many at a time
	Classes []Class // what each class counts; nil: there are Outputs

	// Outputs are the bits of the output ports and then of the probes: 0, or the number of a bit plus one, twice, plus one
	// if it is inverted.
	Outputs []uint32
}

// List is a decision list. All actions of its last step are results, and that step reads one bit.
type List []Step

// Step reads one to five bits, of which the first is the highest digit of a number, and has an [Action] for each
// number: two bits each, that for 0 in the lowest ones.
type Step struct {
	Bits    []uint32
	Actions uint64
}

// Input is a bit that is made of a feature: value > Param, or bit Param of the value.
type Input struct{ Feature, Param uint32 }

// Action is what a step of a list decides: bit 0 is whether the list goes on, bit 1 the result, or whether it is to be
// inverted.
type Action uint32

// The actions.
const (
	Result0 Action = 0b00
	Result1 Action = 0b10
	Go      Action = 0b01
	Invert  Action = 0b11
)

// Run is a number of lists that take the same number of words of the code. Their results go into the
// next slots of the ring, or are counted.
type Run struct {
	Slots        bool
	Words, Lists int
}

// Class is a class of a program: its count starts at Base and adds what the next Runs count.
type Class struct{ Base, Runs int }

// Lower returns the program of n, which must be valid. It returns the errors of [wordcode.Lower]
// for the named format.
//
// If n is a classifier ([wordcode.NewClassifier]) whose features have several bits, the program
// takes features, and else the bits of the input ports.
func Lower(format string, n *netlist.Netlist) (*Program, error) {
	c := wordcode.NewClassifier(n)
	g, ok := fromNetlist(n, c)
	if !ok {
		p, err := wordcode.Lower(format, n)
		if err != nil {
			return nil, err
		}
		g = fromProgram(p, c)
	}
	return newSchedule(g).program(), nil
}
