package native

// ISA is an instruction set that code can be made for.
type ISA struct {
	Name     string // as --engine's messages and files name it
	Arch     string // the processors that have it, by Go's name
	RowBytes int

	available func() bool // on this processor
	registers int
	tables    bool  // any function of three values is one instruction
	forms     forms // without tables: functions of three values that are one instruction
	segment   int   // operations in a segment
	edges     edgeWriter
	encoder   func(rows []int) encoder // with the input rows that are read, ascending
}

// ISAs are all instruction sets, the faster ones of a processor first.
var ISAs = []*ISA{AVX512, AVX2, NEONSHA3, NEON}

// Available reports whether the processor that this program runs on has the instructions, and the system keeps their
// registers.
func (i *ISA) Available() bool { return i.available() }

// Samples returns the number of samples in a block.
func (i *ISA) Samples() int { return 8 * i.RowBytes }
