package native

import (
	"fmt"
	"math"

	"ialgn/internal/native/x86"
	"ialgn/internal/wordcode"
	"ialgn/netlist"
)

// Function is a complete classifier as one C function on x86-64:
//
//	int classify(const void *x, size_t samples, uint16_t *class_index, uint32_t *counts, void *scratch);
//
// The argument x is [sample][feature], and counts is [sample][class] or null. The memory at scratch must be aligned
// to a cache line. The function returns 0, or -1 if a feature does not fit in its number of bits.
//
// If the classifier says whether a class is uncertain, there is a second function, which stores this for each sample
// as 0 or 1. Its argument uncertain is [sample] or null:
//
//	int classify_uncertain(const void *x, size_t samples, uint16_t *class_index, uint32_t *counts,
//	                       uint16_t *uncertain, void *scratch);
type Function struct {
	Text      []byte
	Entry     int // offset of the function in the text
	Uncertain int // offset of the second function; 0: there is none
	Scratch   int // bytes
}

// driverBlocks is the number of blocks that a call of a segment computes.
const driverBlocks = 8

// CompileFunction returns the function of a classifier. The input bits of the classifier are comparisons of feature
// words, which have the given number of bits. It returns the errors of [CompileClassifier].
func CompileFunction(n *netlist.Netlist, isa *ISA, f *Features, featureBits int) (*Function, error) {
	if isa.Arch != "amd64" {
		return nil, fmt.Errorf("native: there is no function of C for %s, only for x86-64", isa.Name)
	}
	c, err := CompileClassifier(n, isa, f)
	if err != nil {
		return nil, err
	}
	d := driver{c: c, f: f, classes: len(wordcode.NewClassifier(n).Counts), size: 1}
	if f.Wide {
		d.size = 2
	}
	d.layOut()
	if most := max(d.scratch, isa.Samples()*d.f.Count*d.size); most > math.MaxInt32 {
		return nil, fmt.Errorf("native: %s needs %d bytes of memory, more than instructions reach", n.Name, most)
	}
	d.a.Data(c.Text...)
	d.a.Align(entryAlignment)
	function := &Function{Entry: d.a.Len(), Scratch: d.scratch}
	if c.Edges.Uncertain > 0 {
		d.a.Mov(x86.R9, x86.R8)
		d.a.MovImm(x86.R8, 0)
		function.Uncertain = d.a.Len()
	}
	d.write(featureBits)
	function.Text = d.a.Bytes()
	return function, nil
}

// driver writes the function that calls all other functions. Register r12 holds the address of the samples, and r13
// holds the number of samples left. Register rbx holds the address for classes, and rbp holds the address for counts.
// Register r14 holds the address of the scratch memory, and r15 counts blocks.
type driver struct {
	a       x86.Asm
	c       *Code
	f       *Features
	classes int
	size    int // bytes of a feature word

	state, local, temp int // offsets in the scratch memory, after the input rows
	scratch            int
}

func (d *driver) layOut() {
	row := d.c.ISA.RowBytes
	lines := func(n int) int { return (n + entryAlignment - 1) / entryAlignment * entryAlignment }
	d.state = lines(driverBlocks * len(d.c.Rows) * row)
	d.local = d.state + lines(driverBlocks*d.c.State*row)
	d.temp = d.local + lines(d.c.Local*row)
	d.scratch = max(entryAlignment, d.temp+lines(d.c.Edges.Temp))
}

// saved lists the registers that the function must keep.
var saved = [...]x86.Reg{x86.RBX, x86.RBP, x86.R12, x86.R13, x86.R14, x86.R15}

// These are the offsets of variables on the stack. The variables hold the samples of the current blocks, the rows of a
// block, the samples of a block and, if the classifier says whether a class is uncertain, the address for this. The
// number of variables is odd, which aligns the stack to 16 bytes.
const (
	batchVariable = 8 * iota
	rowsVariable
	countVariable
	variables
	uncertainVariable  = variables
	uncertainVariables = variables + 16
)

// variables returns the number of bytes of all variables.
func (d *driver) variables() int32 {
	if d.c.Edges.Uncertain > 0 {
		return uncertainVariables
	}
	return variables
}

func (d *driver) write(featureBits int) {
	a := &d.a
	for _, r := range saved {
		a.Push(r)
	}
	a.OpImm(x86.Subtract, x86.RSP, d.variables())
	if d.c.Edges.Uncertain > 0 {
		a.Store(x86.At(x86.RSP, uncertainVariable), x86.R8)
		a.Mov(x86.R8, x86.R9)
	}
	for i, r := range []x86.Reg{x86.RDI, x86.RSI, x86.RDX, x86.RCX, x86.R8} {
		a.Mov([]x86.Reg{x86.R12, x86.R13, x86.RBX, x86.RBP, x86.R14}[i], r)
	}
	fits, leave := a.NewLabel(), a.NewLabel()
	if featureBits != 8*d.size {
		d.check(featureBits, fits)
		a.MovImm(x86.RAX, math.MaxUint64)
		a.Jump(leave)
	}
	a.Bind(fits)
	batch, done := a.Here(), a.NewLabel()
	a.OpImm(x86.Compare, x86.R13, 0)
	a.JumpIf(x86.Zero, done)
	d.inputs()
	d.segments()
	d.outputs()
	a.Jump(batch)
	a.Bind(done)
	a.MovImm(x86.RAX, 0)
	a.Bind(leave)
	a.OpImm(x86.Add, x86.RSP, d.variables())
	for i := len(saved) - 1; i >= 0; i-- {
		a.Pop(saved[i])
	}
	a.Return()
}

// check writes a test whether every feature fits in its number of bits. If this is true, the code jumps to the given
// label.
func (d *driver) check(featureBits int, fits x86.Label) {
	a := &d.a
	const at, left, seen, word = x86.RSI, x86.RCX, x86.RAX, x86.RDX
	a.Mov(at, x86.R12)
	a.MulImm(left, x86.R13, int32(d.f.Count*d.size))
	a.MovImm(seen, 0)
	rest, end := a.NewLabel(), a.NewLabel()
	eight := a.Here()
	a.OpImm(x86.Compare, left, 8)
	a.JumpIf(x86.Below, rest)
	a.OrMem(seen, x86.At(at, 0))
	a.OpImm(x86.Add, at, 8)
	a.OpImm(x86.Subtract, left, 8)
	a.Jump(eight)
	a.Bind(rest)
	a.OpImm(x86.Compare, left, 0)
	a.JumpIf(x86.Zero, end)
	if d.size == 1 {
		a.LoadByte(word, x86.At(at, 0))
	} else {
		a.LoadWord(word, x86.At(at, 0))
	}
	a.Op(x86.OrGPR, seen, word)
	a.OpImm(x86.Add, at, int32(d.size))
	a.OpImm(x86.Subtract, left, int32(d.size))
	a.Jump(rest)
	a.Bind(end)
	above, bits := uint64(0), 8*d.size
	for i := 0; i < 64; i += bits {
		above |= (1<<bits - 1<<featureBits) << i
	}
	a.MovImm(word, above)
	a.Op(x86.AndGPR, seen, word)
	a.JumpIf(x86.Zero, fits)
}

// count sets rsi and countVariable to the number of samples of the next block.
func (d *driver) count() {
	a := &d.a
	a.Mov(x86.RSI, x86.R13)
	whole := a.NewLabel()
	a.OpImm(x86.Compare, x86.RSI, int32(d.c.ISA.Samples()))
	a.JumpIf(x86.Below, whole)
	a.MovImm(x86.RSI, uint64(d.c.ISA.Samples()))
	a.Bind(whole)
	a.Store(x86.At(x86.RSP, countVariable), x86.RSI)
}

// called writes the code after a call: it subtracts a block's samples from the number of samples left and advances to
// the rows of the next block.
func (d *driver) called(rows int) {
	a := &d.a
	a.Load(x86.RSI, x86.At(x86.RSP, countVariable))
	a.Op(x86.Subtract, x86.R13, x86.RSI)
	a.MovImm(x86.RAX, uint64(rows*d.c.ISA.RowBytes))
	a.AddMem(x86.At(x86.RSP, rowsVariable), x86.RAX)
}

// inputs computes the input rows of up to driverBlocks blocks and counts these blocks in r15.
func (d *driver) inputs() {
	a := &d.a
	a.Store(x86.At(x86.RSP, batchVariable), x86.R13)
	a.Store(x86.At(x86.RSP, rowsVariable), x86.R14)
	a.MovImm(x86.R15, 0)
	block, full := a.Here(), a.NewLabel()
	d.count()
	for _, input := range d.c.Edges.Inputs {
		a.Mov(x86.RDI, x86.R12)
		a.Load(x86.RSI, x86.At(x86.RSP, countVariable))
		a.Load(x86.RDX, x86.At(x86.RSP, rowsVariable))
		a.Lea(x86.RCX, x86.At(x86.R14, int32(d.temp)))
		a.Call(a.LabelAt(input))
	}
	d.called(len(d.c.Rows))
	a.OpImm(x86.Add, x86.R12, int32(d.c.ISA.Samples()*d.f.Count*d.size))
	a.OpImm(x86.Add, x86.R15, 1)
	a.OpImm(x86.Compare, x86.R13, 0)
	a.JumpIf(x86.Zero, full)
	a.OpImm(x86.Compare, x86.R15, driverBlocks)
	a.JumpIf(x86.Below, block)
	a.Bind(full)
}

// segments runs the network on the blocks.
func (d *driver) segments() {
	a, row := &d.a, d.c.ISA.RowBytes
	for _, s := range d.c.Segments {
		a.Mov(x86.RDI, x86.R14)
		a.Lea(x86.RSI, x86.At(x86.R14, int32(d.state)))
		a.Lea(x86.RDX, x86.At(x86.R14, int32(d.local)))
		a.Mov(x86.RCX, x86.R15)
		a.MovImm(x86.R8, uint64(d.c.State*row))
		a.MovImm(x86.R9, uint64(len(d.c.Rows)*row))
		a.Call(a.LabelAt(s.Offset))
	}
}

// uncertain writes for each sample of a block whether its class is uncertain, unless the address for this is null.
func (d *driver) uncertain() {
	a, skip := &d.a, d.a.NewLabel()
	a.Load(x86.RDX, x86.At(x86.RSP, uncertainVariable))
	a.OpImm(x86.Compare, x86.RDX, 0)
	a.JumpIf(x86.Zero, skip)
	a.Load(x86.RDI, x86.At(x86.RSP, rowsVariable))
	a.Load(x86.RSI, x86.At(x86.RSP, countVariable))
	a.MovImm(x86.RCX, 0)
	a.Call(a.LabelAt(d.c.Edges.Uncertain))
	a.MovImm(x86.RAX, uint64(2*d.c.ISA.Samples()))
	a.AddMem(x86.At(x86.RSP, uncertainVariable), x86.RAX)
	a.Bind(skip)
}

// outputs writes the classes and counts of the blocks.
func (d *driver) outputs() {
	a := &d.a
	a.Load(x86.R13, x86.At(x86.RSP, batchVariable))
	a.Lea(x86.RAX, x86.At(x86.R14, int32(d.state)))
	a.Store(x86.At(x86.RSP, rowsVariable), x86.RAX)
	block, uncounted := a.Here(), a.NewLabel()
	d.count()
	a.Load(x86.RDI, x86.At(x86.RSP, rowsVariable))
	a.Mov(x86.RDX, x86.RBX)
	a.Mov(x86.RCX, x86.RBP)
	a.Call(a.LabelAt(d.c.Edges.Output))
	if d.c.Edges.Uncertain > 0 {
		d.uncertain()
	}
	d.called(d.c.State)
	a.OpImm(x86.Add, x86.RBX, int32(2*d.c.ISA.Samples()))
	a.OpImm(x86.Compare, x86.RBP, 0)
	a.JumpIf(x86.Zero, uncounted)
	a.OpImm(x86.Add, x86.RBP, int32(4*d.classes*d.c.ISA.Samples()))
	a.Bind(uncounted)
	a.OpImm(x86.Subtract, x86.R15, 1)
	a.JumpIf(x86.NotZero, block)
}
