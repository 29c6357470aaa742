package native

// ISA is an instruction set.
type ISA struct {
	Name     string // name in messages about --engine, and in file names
	Arch     string // name of the processor family in Go (GOARCH)
	RowBytes int

	available func() bool // whether this processor has the instruction set
	registers int
	tables    bool  // whether every function of three values is one instruction
	forms     forms // used if tables is false: the functions of three values that are one instruction
	segment   int   // number of operations in a segment
	edges     edgeWriter
	encoder   func(rows []int) encoder // rows lists the input rows that are read, in ascending order
}

// ISAs lists all instruction sets. In each processor family, faster ones come first.
var ISAs = []*ISA{AVX512, AVX2, NEONSHA3, NEON}

// Available reports whether the processor that runs this program has the instructions, and whether the operating
// system saves the registers that they use.
func (i *ISA) Available() bool { return i.available() }

// Samples returns the number of samples in a block.
func (i *ISA) Samples() int { return 8 * i.RowBytes }
