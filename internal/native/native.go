// Package native compiles netlists to machine code, without any compiler in between.
//
// [Compile] lowers a netlist to a program of bitwise operations (package wordcode), and this to straight code for an
// [ISA]: one instruction an operation on as many samples as a vector has bits. What the operations read and write
// stands in rows of that many bits. The samples of a row are a block; the rows of a block lie one after the other, and
// so do the blocks:
//
//   - input rows, one for each input bit that the network reads ([Code.Rows] says which);
//   - state rows, first those of the outputs, then values that pass from one segment to a later one;
//   - local rows, of values that do not fit the registers within a segment. All blocks share them.
//
// The code is cut into segments that fit the first instruction cache. A [Segment] is a function that runs over several
// blocks, so that the instructions are fetched once for all of them: whoever calls runs the segments in their order,
// each over the same blocks.
//
// A function follows the System V calling convention on x86-64 and AAPCS64 on arm64: the first argument is the address
// of the input rows, the second that of the state rows, the third that of the local rows, the fourth the number of
// blocks, at least 1. It needs no stack but for registers that it saves, keeps nothing and calls nothing, and does not
// depend on where it lies.
package native

import (
	"fmt"
	"math"

	"ialgn/internal/native/rows"
	"ialgn/internal/wordcode"
	"ialgn/netlist"
)

// Code is a netlist as machine code.
type Code struct {
	ISA      *ISA
	Text     []byte
	Segments []Segment

	Rows    []int // for each input row, the bit of the input ports that it is, counted through all; of equal ones, one
	Outputs int   // the bits of the output ports and the probes, in port order: the first state rows
	State   int   // state rows
	Local   int   // local rows

	// Of [CompileLooped]: the convolutions, before the segments. Rows are then the first image, in which those of zeros
	// have -1, and the segments read the last one, of which Last is the number of rows. Without convolutions Last is the
	// number of Rows.
	Stages []Stage
	Last   int

	Edges *Edges // nil of [Compile]
	Cost  Cost
}

// Segment is a function in the text.
type Segment struct {
	Offset int // in the text
	Ops    int // operations of the program
}

// Cost says what instructions the code consists of.
type Cost struct {
	Operations int // of the program
	Compute    int // instructions that compute
	Loads      int // instructions that load and no more
	Operands   int // operands in memory of instructions that compute
	Stores     int
	Copies     int // between registers
}

// Features says what the bits of the input port are of feature words, so that code is made that computes rows of them.
type Features struct {
	Count int         // features of a sample
	Wide  bool        // words of 16 bits, else of 8
	Bits  []rows.Pair // of each input bit: the feature that is compared, and with what
}

// FeaturesOf returns the features of networks whose input bits are the comparisons with these thresholds,
// [feature][threshold], of words of 16 bits if wide.
func FeaturesOf(thresholds [][]uint16, wide bool) *Features {
	f := &Features{Count: len(thresholds), Wide: wide}
	for i, of := range thresholds {
		for _, t := range of {
			f.Bits = append(f.Bits, rows.Pair{Feature: i, Threshold: t})
		}
	}
	return f
}

// Compile returns the machine code of n, which must be valid. It returns an error if n has registers or is too large.
//
// It costs about 60 bytes an operation: a gate or two, or half a full adder.
func Compile(n *netlist.Netlist, isa *ISA) (*Code, error) { return compile(n, isa, nil) }

// CompileClassifier is [Compile] for a netlist with class index and counts, together with the functions that make
// input rows of feature words and numbers of output rows.
func CompileClassifier(n *netlist.Netlist, isa *ISA, f *Features) (*Code, error) {
	classifier := wordcode.NewClassifier(n)
	if classifier == nil || len(f.Bits) != len(n.InputPorts()[0].Nets) {
		return nil, fmt.Errorf("native: %s is no classifier of %d input bits with a class and counts", n.Name, len(f.Bits))
	}
	c, err := compile(n, isa, func(m *memory) { m.arrange(f) })
	if err != nil {
		return nil, err
	}
	if err := c.addEdges(f.inputOf(c.Rows), classifier); err != nil {
		return nil, fmt.Errorf("native: %s: %w: use the simulator", n.Name, err)
	}
	return c, nil
}

// lowered returns the program of a netlist for an instruction set.
func lowered(n *netlist.Netlist, isa *ISA) (*wordcode.Program, error) {
	lower := wordcode.Lower
	if isa.tables {
		lower = wordcode.LowerTables
	}
	p, err := lower("native", n)
	if err != nil {
		return nil, err
	}
	if !isa.tables {
		p = narrow(p, isa.forms)
	}
	if len(p.Ops) > math.MaxInt32/4 {
		return nil, fmt.Errorf("native: %s needs %d operations, more than %d: use the simulator", n.Name, len(p.Ops),
			math.MaxInt32/4)
	}
	return p, nil
}

func compile(n *netlist.Netlist, isa *ISA, arrange func(m *memory)) (*Code, error) {
	p, err := lowered(n, isa)
	if err != nil {
		return nil, err
	}
	return assemble(n.Name, p, isa, arrange)
}

// assemble returns the code of a netlist's program.
func assemble(name string, p *wordcode.Program, isa *ISA, arrange func(m *memory)) (*Code, error) {
	c, err := generate(p, isa, isa.segment, arrange)
	if err != nil {
		return nil, fmt.Errorf("native: %s: %w: use the simulator", name, err)
	}
	if largest := max(len(c.Rows), c.State, c.Local); largest > math.MaxInt32/isa.RowBytes {
		return nil, fmt.Errorf("native: %s needs %d rows at a time, more than instructions reach: use the simulator", name,
			largest)
	}
	return c, nil
}
