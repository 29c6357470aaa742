package rows

import (
	"math/bits"

	"ialgn/backend/native/x86"
)

// AVX512 appends the function for blocks of 512 samples and returns its entry:
//
//	void rows(const uint8_t *x, uint64_t samples, uint8_t *rows, void *temp);
//
// x has [sample][feature], words of 16 bits if wide. Samples are 1 to 512; the bits of others in the rows are
// unspecified. temp has [Input.Temp] bytes. The code needs AVX-512 F and BW.
func (in *Input) AVX512(a *x86.Asm) x86.Label {
	constants := newPool(a)
	return in.generate(a, x86.ZMM, constants, &leveller512{a, constants, in.size})
}

// AVX2 is [Input.AVX512] for blocks of 256 samples with AVX2.
func (in *Input) AVX2(a *x86.Asm) x86.Label {
	constants := newPool(a)
	return in.generate(a, x86.YMM, constants, &leveller256{a, constants, in.size})
}

// Temp returns the bytes of temporary memory that the functions need.
func (in *Input) Temp() int { return max(in.layout(x86.ZMM).temp(), in.layout(x86.YMM).temp()) }

// layout is where things are for vectors of one width. Samples come in groups, as many as an element has bits.
type layout struct {
	in         *Input
	w          x86.Width
	units      []unit
	elements   int // of a vector; also the groups of a block
	group      int // samples in a group
	stride     int // bytes from sample to sample
	overreach  int // samples at the end of which whole vectors would reach beyond all samples, less one
	planeBytes int
	late       int // the last stages of the transposition, which work on 1 << late vectors at once
}

// ahead is how many samples before their use the features are prefetched: from memory, 64 are enough. batch is how
// many samples go through all windows before the next ones, few enough to stay in the caches near to the core; with
// fewer, the memory is read less in order, and slower.
const (
	ahead = 96
	batch = 64
)

func (in *Input) layout(w x86.Width) *layout {
	n := w.Bytes() / in.size
	l := &layout{
		in: in, w: w, units: in.units(n), elements: n, group: 8 * in.size, stride: in.features * in.size,
		planeBytes: n * w.Bytes(), late: 1 + int(w),
	}
	if len(l.units) > 0 {
		l.overreach = (reach(l.units)+in.features-1)/in.features - 1
	}
	return l
}

// planes returns where the planes begin, behind the copy of the last samples and what a vector reads after it.
func (l *layout) planes() int {
	copied := (l.group - 1 + l.overreach + l.group - 1) / l.group * l.group
	return (copied+l.overreach)*l.stride + l.w.Bytes()
}

// plane returns the place of a unit's first plane.
func (l *layout) plane(unit int) (at int) {
	for _, u := range l.units[:unit] {
		at += u.planes * l.planeBytes
	}
	return at
}

func (l *layout) temp() int { return l.planes() + l.plane(len(l.units)) }

// inputCode is the function in the making, with the entries of the functions inside it, which use registers as their
// comments say.
type inputCode struct {
	*layout
	a        *x86.Asm
	leveller leveller
	stages   []stage
	gather   x86.Label
	level    [1 + maxPlanes]x86.Label // by planes
	early    x86.Label
	finish   [1 + maxPlanes]x86.Label // by planes
	squares  [][]x86.Vec              // [plane][feature] where finish leaves rows
	spare    x86.Vec                  // a register that finish leaves free
}

// The registers of the function and of those inside it.
const (
	samples = x86.RDI // the next sample's features
	count   = x86.RSI // of samples; later a place in the planes or the features
	rows    = x86.RDX
	temp    = x86.RCX
	groups  = x86.R8 // to be gathered
	planes  = x86.R9 // where the next group's elements go, of the first unit
	at      = x86.RSI
	to      = x86.R10
	turns   = x86.R11
	some    = x86.RAX
)

func (in *Input) generate(a *x86.Asm, w x86.Width, constants *pool, l leveller) x86.Label {
	c := &inputCode{layout: in.layout(w), a: a, leveller: l, stages: stages(w, in.size)}
	c.gather, c.early = a.NewLabel(), a.NewLabel()
	for p := range c.level {
		c.level[p], c.finish[p] = a.NewLabel(), a.NewLabel()
	}
	// Where finish leaves things is known before the code that reads them. With fewer planes it is the same.
	c.squares, c.spare = c.makeFinish(new(x86.Asm), maxPlanes)
	a.Align(64)
	entry := a.Here()
	if len(c.units) > 0 {
		c.gatherAll()
		for i := range c.units {
			c.makeRows(i)
		}
	}
	a.ZeroUpper()
	a.Return()
	c.makeGather()
	c.makeEarly()
	for p := 1; p <= maxPlanes; p++ {
		c.makeLevel(p)
		a.Align(16)
		a.Bind(c.finish[p])
		c.makeFinish(a, p)
	}
	constants.emit()
	return entry
}

// gatherAll appends the making of all planes: first from the samples where they are, as many whole groups as vectors
// can be read of; then from a copy of the others.
func (c *inputCode) gatherAll() {
	a, shift := c.a, uint8(bits.TrailingZeros(uint(c.group)))
	none, enough, done := a.NewLabel(), a.NewLabel(), a.NewLabel()
	a.Lea(planes, x86.At(temp, int32(c.planes())))
	a.Mov(groups, count)
	a.OpImm(x86.Subtract, groups, int32(c.overreach))
	a.JumpIf(x86.AboveEqual, enough)
	a.Op(x86.XorGPR, groups, groups)
	a.Bind(enough)
	a.ShiftRight(groups, shift)
	a.Multiply(some, groups, int32(c.group))
	a.Op(x86.Subtract, count, some)
	a.Push(count)
	a.OpImm(x86.Compare, groups, 0)
	a.JumpIf(x86.Zero, none)
	a.Call(c.gather)
	a.Bind(none)
	a.Pop(count)
	a.OpImm(x86.Compare, count, 0)
	a.JumpIf(x86.Zero, done)
	a.Lea(groups, x86.At(count, int32(c.group-1)))
	a.ShiftRight(groups, shift)
	a.Mov(some, temp)
	a.Multiply(temp, count, int32(c.stride))
	a.Mov(at, samples)
	a.Mov(samples, some)
	a.MoveBytes()
	a.Mov(temp, some)
	a.Mov(samples, some)
	a.Call(c.gather)
	a.Bind(done)
}

// makeGather appends the function that makes the planes of some groups: it reads from samples and writes to planes,
// and leaves both behind the last ones.
func (c *inputCode) makeGather() {
	a := c.a
	a.Align(16)
	a.Bind(c.gather)
	c.leveller.prepare()
	next, whole := a.Here(), a.NewLabel()
	a.MovImm(some, uint64(batch/c.group))
	a.Op(x86.Compare, groups, some)
	a.JumpIf(x86.AboveEqual, whole)
	a.Mov(some, groups)
	a.Bind(whole)
	for i, u := range c.units {
		for j := 1; j < 1<<u.planes; j++ {
			c.leveller.threshold(j, &c.units[i])
		}
		a.Lea(at, x86.At(samples, int32(u.start*c.in.size)))
		a.Lea(to, x86.At(planes, int32(c.plane(i))))
		a.Mov(turns, some)
		a.Call(c.level[u.planes])
	}
	a.Multiply(to, some, int32(c.group*c.stride))
	a.Op(x86.Add, samples, to)
	a.Multiply(to, some, int32(c.w.Bytes()))
	a.Op(x86.Add, planes, to)
	a.Op(x86.Subtract, groups, some)
	a.JumpIf(x86.NotZero, next)
	a.Return()
}

// makeLevel appends the function that makes the planes of one unit, of as many groups as turns says.
func (c *inputCode) makeLevel(planes int) {
	a := c.a
	a.Align(64)
	a.Bind(c.level[planes])
	next := a.Here()
	for i := range c.group {
		s := i
		if c.leveller.descending() {
			s = c.group - 1 - i
		}
		a.Prefetch(x86.At(at, int32((i+ahead)*c.stride)))
		c.leveller.sample(s, planes, x86.At(at, int32(s*c.stride)))
	}
	for k := range planes {
		store(a, c.w, x86.At(to, int32(k*c.planeBytes)), c.leveller.plane(k))
	}
	a.OpImm(x86.Add, at, int32(c.group*c.stride))
	a.OpImm(x86.Add, to, int32(c.w.Bytes()))
	a.OpImm(x86.Subtract, turns, 1)
	a.JumpIf(x86.NotZero, next)
	a.Return()
}

// makeEarly appends the function that does the first stages of the transposition on as many planes from at as `to`
// says, in place.
func (c *inputCode) makeEarly() {
	a, step := c.a, 1<<c.late
	a.Align(64)
	a.Bind(c.early)
	plane := a.Here()
	a.MovImm(turns, uint64(step))
	next := a.Here()
	registers := numbered(0, c.elements/step)
	for i, r := range registers {
		load(a, c.w, r, x86.At(at, int32(i*step*c.w.Bytes())))
	}
	transpose(a, c.w, c.in.size, c.stages[:len(c.stages)-c.late], registers, step, x86.Vec(len(registers)))
	for i, r := range registers {
		store(a, c.w, x86.At(at, int32(i*step*c.w.Bytes())), r)
	}
	a.OpImm(x86.Add, at, int32(c.w.Bytes()))
	a.OpImm(x86.Subtract, turns, 1)
	a.JumpIf(x86.NotZero, next)
	a.OpImm(x86.Add, at, int32(c.planeBytes-step*c.w.Bytes()))
	a.OpImm(x86.Subtract, to, 1)
	a.JumpIf(x86.NotZero, plane)
	a.Return()
}

// makeFinish appends the function that does the last stages of the transposition on a few features of all planes of a
// unit, from at into registers. It returns these by plane and feature, and a register that is free.
func (c *inputCode) makeFinish(a *x86.Asm, planes int) (squares [][]x86.Vec, spare x86.Vec) {
	square := 1 << c.late
	spare = x86.Vec(maxPlanes * square)
	for k := range planes {
		registers := numbered(x86.Vec(k*square), square)
		for i, r := range registers {
			load(a, c.w, r, x86.At(at, int32(k*c.planeBytes+i*c.w.Bytes())))
		}
		spare = transpose(a, c.w, c.in.size, c.stages[len(c.stages)-c.late:], registers, 1, spare)
		squares = append(squares, registers)
	}
	a.Return()
	return squares, spare
}

// makeRows appends the making of a unit's rows from its planes.
func (c *inputCode) makeRows(i int) {
	a, u, square := c.a, &c.units[i], 1<<c.late
	place := int32(c.planes() + c.plane(i))
	a.Lea(at, x86.At(temp, place))
	a.MovImm(to, uint64(u.planes))
	a.Call(c.early)
	for from := 0; from < len(u.lanes); from += square {
		lanes := u.lanes[from:][:square]
		if !anyRow(lanes) {
			continue
		}
		a.Lea(at, x86.At(temp, place+int32(from*c.w.Bytes())))
		a.Call(c.finish[u.planes])
		for f, lane := range lanes {
			for j, row := range lane.row {
				if row >= 0 {
					r := c.atLeast(j, f, u.planes)
					store(a, c.w, x86.At(rows, int32(row*c.w.Bytes())), r)
				}
			}
		}
	}
}

func anyRow(lanes []lane) bool {
	for _, lane := range lanes {
		for _, row := range lane.row {
			if row >= 0 {
				return true
			}
		}
	}
	return false
}

// atLeast appends the comparison of a feature's level, the number in planes, with j, and returns the register of it.
func (c *inputCode) atLeast(j, feature, planes int) x86.Vec {
	top, half := c.squares[planes-1][feature], 1<<(planes-1)
	switch {
	case j < half:
		combine(c.a, c.w, x86.Or, c.spare, top, c.atLeast(j, feature, planes-1))
	case j > half:
		combine(c.a, c.w, x86.And, c.spare, top, c.atLeast(j-half, feature, planes-1))
	default:
		return top
	}
	return c.spare
}

// numbered returns n registers from one on.
func numbered(from x86.Vec, n int) []x86.Vec {
	registers := make([]x86.Vec, n)
	for i := range registers {
		registers[i] = from + x86.Vec(i)
	}
	return registers
}
