package native

// ISA is an instruction set.
type ISA struct {
	Name     string // name in the messages about --engine, and in file names
	Arch     string // name of the processor family in Go (GOARCH)
	RowBytes int

	available func() bool // the processor that runs this program has it
	registers int
	tables    bool  // any function of three values is one instruction
	forms     forms // if tables is false: the functions of three values that are one instruction
	segment   int   // number of operations in a segment
	edges     edgeWriter
	encoder   func(rows []int) encoder // rows: the input rows that are read, ascending
}

// ISAs are all instruction sets, faster ones of a processor family first.
var ISAs = []*ISA{AVX512, AVX2, NEONSHA3, NEON}

// Available reports whether the processor that runs this program has the instructions, and the
// operating system saves their registers.
func (i *ISA) Available() bool { return i.available() }

// Samples returns the number of samples in a block.
func (i *ISA) Samples() int { return 8 * i.RowBytes }
