package rows

import "ialgn/backend/native/x86"

// Row is a row of the network's state by its number, or one of the constants.
type Row int32

// The rows that do not stand in the state.
const (
	Zeros Row = -1
	Ones  Row = -2
)

// Output is the making of numbers from the rows of their binary digits, the least significant first: Class is the
// class index, up to 16 digits, and Counts are the counts of the classes, up to 32 digits each.
type Output struct {
	Class  []Row
	Counts [][]Row
}

// AVX512 appends the function for blocks of 512 samples and returns its entry:
//
//	void numbers(const uint8_t *state, uint64_t samples, uint16_t *class_index, uint32_t *counts);
//
// Row r of state is at 64 r. Samples are 1 to 512, and only theirs is written: class_index[sample], and, unless it is
// null, counts[sample][class]. The code needs AVX-512 F and BW, and BMI2.
func (o *Output) AVX512(a *x86.Asm) x86.Label {
	constants := newPool(a)
	return o.generate(a, x86.ZMM, constants, &spreader512{a: a, pool: constants})
}

// AVX2 is [Output.AVX512] for blocks of 256 samples with AVX2, row r of state at 32 r.
func (o *Output) AVX2(a *x86.Asm) x86.Label {
	constants := newPool(a)
	return o.generate(a, x86.YMM, constants, &spreader256{a: a, pool: constants})
}

// spreader appends the code that makes numbers of digits, and stores some elements of a vector.
type spreader interface {
	// prepare loads constants for elements of size bytes.
	prepare(size int)
	// digit adds a digit, whose bits are in memory, to the numbers of neighbouring samples in a vector.
	digit(size int, numbers x86.Vec, bits x86.Mem)
	// one adds the digit 1.
	one(size int, numbers x86.Vec)
	// storeClasses stores the class indices of as many samples as the register left says, less than a vector has.
	storeClasses(to x86.Reg, numbers x86.Vec)
	// few prepares for storeFew, which stores the first n elements of 32 bits.
	few(n int)
	storeFew(to x86.Mem, numbers x86.Vec)
}

// The registers of the function. The samples of a vector are a step.
const (
	state  = x86.RDI
	left   = x86.RSI // samples that are still to be done
	class  = x86.RDX
	counts = x86.RCX
	place  = x86.R9  // of the step's bits in a row
	line   = x86.R10 // the counts of the step's first sample
	saved  = x86.R8  // all samples
	free   = x86.R11 // between instructions of a step
)

// outputCode is the function in the making.
type outputCode struct {
	*Output
	a        *x86.Asm
	w        x86.Width
	spreader spreader
}

func (o *Output) generate(a *x86.Asm, w x86.Width, constants *pool, s spreader) x86.Label {
	c := &outputCode{o, a, w, s}
	done := a.NewLabel()
	a.Align(64)
	entry := a.Here()
	a.Mov(saved, left)
	c.classes()
	a.OpImm(x86.Compare, counts, 0)
	a.JumpIf(x86.Zero, done)
	tile := w.Bytes() / 4
	s.prepare(4)
	for tiles := (len(o.Counts) + tile - 1) / tile; tiles > 0; tiles-- {
		from := (tiles - 1) * tile
		c.counts(from, min(tile, len(o.Counts)-from))
	}
	a.Bind(done)
	a.ZeroUpper()
	a.Return()
	constants.emit()
	return entry
}

// classes appends the making of all class indices.
func (c *outputCode) classes() {
	a, step := c.a, c.w.Bytes()/2
	next, last, done := a.NewLabel(), a.NewLabel(), a.NewLabel()
	c.spreader.prepare(2)
	a.Op(x86.XorGPR, place, place)
	a.Bind(next)
	c.number(2, 0, c.Class)
	a.OpImm(x86.Compare, left, int32(step))
	a.JumpIf(x86.Below, last)
	store(a, c.w, x86.At(class, 0), 0)
	a.OpImm(x86.Add, class, int32(c.w.Bytes()))
	a.OpImm(x86.Add, place, int32(step/8))
	a.OpImm(x86.Subtract, left, int32(step))
	a.JumpIf(x86.NotZero, next)
	a.Jump(done)
	a.Bind(last)
	c.spreader.storeClasses(class, 0)
	a.Bind(done)
}

// number appends the making of a step's numbers from their digits.
func (c *outputCode) number(size int, to x86.Vec, digits []Row) {
	combine(c.a, c.w, x86.Xor, to, to, to)
	started := false
	for i := len(digits) - 1; i >= 0; i-- {
		if started {
			c.a.Packed(c.w, sized(x86.AddBytes, size), to, to, to)
		}
		switch row := digits[i]; row {
		case Zeros:
			continue
		case Ones:
			c.spreader.one(size, to)
		default:
			c.spreader.digit(size, to, x86.Indexed(state, place, 1, int32(row)*int32(c.w.Bytes())))
		}
		started = true
	}
}

// counts appends the making of the counts of n classes, no more than a vector has elements of 32 bits, for all
// samples. A step makes the numbers of as many samples, transposes them, and stores them sample by sample.
//
// Whole vectors are stored where that is no harm: what is too much is in the next samples, or in the same classes of a
// later step, or in those of classes that come later in the code, the first ones. Near the end of the samples just the
// numbers are stored.
func (c *outputCode) counts(from, n int) {
	a, step, all := c.a, c.w.Bytes()/4, len(c.Counts)
	next, careful, finished, done := a.NewLabel(), a.NewLabel(), a.NewLabel(), a.NewLabel()
	a.Mov(left, saved)
	a.Lea(line, x86.At(counts, int32(4*from)))
	a.Op(x86.XorGPR, place, place)
	c.spreader.few(n)
	a.Bind(next)
	registers := numbered(0, step)
	for i, r := range registers[:n] {
		c.number(4, r, c.Counts[from+i])
	}
	transpose(a, c.w, 4, stages(c.w, 4), registers, 1, x86.Vec(step))
	a.OpImm(x86.Compare, left, int32(step+(step-n+all-1)/all))
	a.JumpIf(x86.Below, careful)
	for s, r := range registers {
		store(a, c.w, x86.At(line, int32(4*all*s)), r)
	}
	a.OpImm(x86.Subtract, left, int32(step))
	a.Jump(finished)
	a.Bind(careful)
	for s, r := range registers {
		c.spreader.storeFew(x86.At(line, int32(4*all*s)), r)
		a.OpImm(x86.Subtract, left, 1)
		a.JumpIf(x86.Zero, done)
	}
	a.Bind(finished)
	a.OpImm(x86.Add, line, int32(4*all*step))
	a.OpImm(x86.Add, place, int32(step/8))
	a.OpImm(x86.Compare, left, 0)
	a.JumpIf(x86.NotZero, next)
	a.Bind(done)
}
