// Package native compiles netlists to machine code, without an external compiler.
//
// [Compile] lowers a netlist to a program of bitwise operations (package wordcode), and lowers the program to
// straight-line code for an [ISA]. Each operation is one instruction on a vector, which has one bit for each sample.
// Operations read and write rows of the size of a vector. The samples of a row form a block. The rows of a block are
// consecutive in memory, and blocks follow one another. There are three kinds of rows:
//
//   - input rows, one for each input bit that the network reads (see [Code.Rows]);
//   - state rows, first for the outputs, then for values that pass from one segment to a later segment;
//   - local rows, for values that only one segment uses and that do not fit into registers. All blocks share the
//     local rows.
//
// The code is divided into segments that fit the first-level instruction cache. A [Segment] is a function that runs
// on several blocks, so that its instructions are fetched only once for all blocks. The caller runs the segments in
// order, each on the same blocks.
//
// A function follows the System V calling convention on x86-64 and AAPCS64 on arm64. Its arguments are the addresses
// of the input rows, the state rows and the local rows, and the number of blocks, at least 1. It uses the stack only
// to save registers, keeps no state, calls no other function, and is position-independent.
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

	Rows    []int // [input row]: the input bit, numbered through all ports; equal bits share a row
	Outputs int   // number of bits in the output ports and probes; the first state rows hold these bits, in port order
	State   int   // number of state rows
	Local   int   // number of local rows

	// Stages lists the convolutions of [CompileLooped], which run before the segments. With convolutions, Rows
	// describes the first image, with -1 for rows of zeros. The segments read the last image, which has Last rows.
	// Without convolutions, Last is the length of Rows.
	Stages []Stage
	Last   int

	Edges *Edges // nil from [Compile]
	Cost  Cost
}

// Segment is a function in the text.
type Segment struct {
	Offset int // offset in the text
	Ops    int // number of operations that the segment computes
}

// Cost counts the instructions of the code.
type Cost struct {
	Operations int // operations of the program
	Compute    int // instructions that compute
	Loads      int // instructions that only load
	Operands   int // memory operands of instructions that compute
	Stores     int
	Copies     int // copies between registers
}

// Features says how the bits of the input port depend on feature words, so that code for computing the rows of these
// bits can be compiled. This code is also machine code, because the archive that compile --emit object writes must
// contain it.
type Features struct {
	Count int         // number of features in a sample
	Wide  bool        // words have 16 bits; otherwise 8
	Bits  []rows.Pair // [input bit]: the feature and the threshold that are compared
}

// FeaturesOf returns the features of a network whose input bits are comparisons with thresholds[feature][i]. Words
// have 16 bits if wide is true, and 8 bits otherwise.
func FeaturesOf(thresholds [][]uint16, wide bool) *Features {
	f := &Features{Count: len(thresholds), Wide: wide}
	for i, of := range thresholds {
		for _, t := range of {
			f.Bits = append(f.Bits, rows.Pair{Feature: i, Threshold: t})
		}
	}
	return f
}

// Compile returns the machine code of n, which must be valid. It returns an error if n has
// registers or is too large.
//
// Compiling takes about 60 bytes of memory for each operation. An operation is one or two gates, or half a full
// adder.
func Compile(n *netlist.Netlist, isa *ISA) (*Code, error) { return compile(n, isa, nil) }

// CompileClassifier is like [Compile], for a netlist with a class index and counts. It also compiles the functions
// that compute input rows from feature words, and the function that computes numbers from output rows.
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
