// This file lowers netlists to programs that classify one sample at a time on small processors.
//
// A [Program] is a sequence of decision lists. A list computes one bit. It reads bits one after another. Each bit
// either decides the result, or the rest of the list decides it. In the second case, the result of the rest may be
// inverted. A chain of gates, read from its last gate, is a decision list. For example, if an input of an AND is 0,
// the chain before the AND does not matter. Therefore only about two bits of a chain are read on average, even if the
// chain is long, and no intermediate result is stored. A look-up table of several inputs is a step that reads several
// bits and takes its decision from a table.
//
// The result of a list is either counted for a class or stored in one bit of scratch memory, from which several lists
// read it. This bit is reused after the last list that reads it.
//
// [Lower] recognises popcounts and argmax and replaces them by counting. If the popcounts and the argmax of a netlist
// were mapped to look-up tables or adders, the netlist is lowered operation by operation. The results are the same,
// but the program is larger and slower.

package ccode

import (
	"ialgn/internal/wordcode"
	"ialgn/netlist"
)

// Program is a netlist as decision lists over an array of bits. The first bits are the inputs. The bits from
// [Program.FirstSlot] on are slots for intermediate results. They are used as a ring: after the last slot, the first
// slot is written again.
type Program struct {
	Inputs  []Input // the bits of the inputs
	Packed  bool    // the inputs come as bits, in port order
	Compare bool    // used if Packed is false: whether Input.Param is a threshold (true) or a bit number (false)

	Slots int // number of bits in the ring
	Lists []List
	Multi bool // whether a step reads several bits
	Wide  bool // whether the numbers of [Program.Code] have 32 bits instead of 16

	Runs    []Run   // the lists, in groups
	Classes []Class // the results that each class counts; nil means the program has Outputs instead
	Margin  *Margin // when the class is uncertain; nil means that the program has Outputs or that it does not say

	// Outputs lists the bits of the output ports, followed by the bits of the probes. An element is 2 * (bit number +
	// 1), or 0 for the constant 0. If the bit is inverted, the element is larger by 1.
	Outputs []uint32
}

// List is a decision list. The last step reads one bit, and both actions of this step end the list with a result.
type List []Step

// Step reads one to five bits as a binary number, with the highest bit first, and has an [Action] for each number. An
// action takes two bits. The action for 0 is in the lowest two bits.
type Step struct {
	Bits    []uint32
	Actions uint64
}

// Input is a bit computed from a feature. It is either the comparison value > Param or the bit with number Param of
// the value.
type Input struct{ Feature, Param uint32 }

// Action is the decision of a step. Bit 0 says whether the list goes on. If the list ends, bit 1 is the list's
// result. If the list goes on, bit 1 says whether the result of the remaining steps is inverted.
type Action uint32

// The actions.
const (
	Result0 Action = 0b00
	Result1 Action = 0b10
	Go      Action = 0b01
	Invert  Action = 0b11
)

// Run is a group of lists with the same number of code words. The results of the lists either go into the next slots
// of the ring or are counted.
type Run struct {
	Slots        bool
	Words, Lists int
}

// Margin says when a class is uncertain. If Constant is false, the class is uncertain if the largest count leads the
// second largest by less than Lead. Otherwise Always says whether the class is uncertain.
type Margin struct {
	Lead             int
	Constant, Always bool
}

// Class is a class of a program. Its count is Base plus the results of the class's runs. The field Runs is the number
// of these runs, which come after the runs of the preceding class.
type Class struct{ Base, Runs int }

// Lower returns the program of n, which must be valid. It returns the errors of [wordcode.Lower]
// for the named format.
//
// If n is a classifier ([wordcode.NewClassifier]) whose features have several bits, the program
// takes features. Otherwise it takes the bits of the input ports.
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
