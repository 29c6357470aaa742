package rows

import (
	"fmt"
	"math"
	"math/bits"

	"ialgn/internal/native/arm64"
	"ialgn/internal/native/x86"
)

// AVX512 appends functions for blocks of 512 samples, each of which makes some of the rows, and returns their entries:
//
//	void rows(const uint8_t *x, uint64_t samples, uint8_t *rows, void *temp);
//
// x has [sample][feature], words of 16 bits if wide. Samples are 1 to 512; the bits of others in the rows are
// unspecified. temp has [Input.Temp] bytes, which nothing is kept in. All functions have the same arguments, and can be
// called in any order; there are as many as it takes for each to be done soon ([longest]), one for a few hundred
// features. The code needs AVX-512 F and BW.
func (in *Input) AVX512(a *x86.Asm) []x86.Label { return generate[x86.Label](in, newAVX512(a)) }

// AVX2 is [Input.AVX512] for blocks of 256 samples with AVX2.
func (in *Input) AVX2(a *x86.Asm) []x86.Label { return generate[x86.Label](in, newAVX2(a)) }

// NEON is [Input.AVX512] for blocks of 128 samples on 64-bit Arm.
func (in *Input) NEON(a *arm64.Asm) []arm64.Label { return generate[arm64.Label](in, &neon{a: a}) }

// Temp returns the bytes of temporary memory that the functions need.
func (in *Input) Temp() (most int) {
	for _, s := range []shape{shape512, shape256, shape128} {
		for _, p := range in.parts(s) {
			most = max(most, p.temp())
		}
	}
	return most
}

// Check returns an error if samples are so long that instructions do not reach from one to another.
func (in *Input) Check() error {
	if stride := in.features * in.size; stride > math.MaxInt32/(ahead+8*in.size) {
		return fmt.Errorf("samples of %d features, more than instructions reach", in.features)
	}
	return nil
}

// What a function should take at most and what it takes, in picoseconds: for each sample, of each unit, and of each
// window, whose features come from memory. They are about the most that AVX-512 was seen to take (docs/BENCHMARKS.md).
// A goroutine cannot be preempted in such a function: it should end within 100 us. Functions much shorter than this are
// slower, since they read the memory less in order; longer ones are not faster.
const (
	longest   = 60_000_000
	perUnit   = 2_000
	perWindow = 4_000
)

// cost returns what a unit takes with vectors of a shape, at most, if it is its window's first or not.
func (s shape) cost(first bool) int {
	perSample := perUnit
	if first {
		perSample += perWindow * s.bytes / shape512.bytes
	}
	return 8 * s.bytes * perSample
}

// parts returns the layouts of all functions.
func (in *Input) parts(s shape) (all []*layout) {
	units := in.units(s.bytes / in.size)
	from, cost := 0, 0
	for i := range units {
		more := s.cost(i == from || units[i].start != units[i-1].start)
		if i > from && cost+more > longest {
			all = append(all, in.layout(s, units[from:i]))
			from, cost, more = i, 0, s.cost(true)
		}
		cost += more
	}
	if len(units) > 0 {
		all = append(all, in.layout(s, units[from:]))
	}
	return all
}

// layout is where things are for vectors of one shape, in a function that makes the rows of some units. Samples come in
// groups, as many as an element has bits.
type layout struct {
	shape
	in         *Input
	units      []unit
	elements   int // of a vector; also the groups of a block
	group      int // samples in a group
	stride     int // bytes from sample to sample
	overreach  int // samples at the end of which whole vectors would reach beyond all samples, less one
	planeBytes int
}

// ahead is how many samples before their use the features are prefetched, into the second cache: in the first they
// would take the place of others. From memory, 64 are enough. batch is how many samples go through all windows before
// the next ones, few enough to stay in the caches near to the core; with fewer, the memory is read less in order, and
// slower.
const (
	ahead = 128
	batch = 64
)

func (in *Input) layout(s shape, units []unit) *layout {
	n := s.bytes / in.size
	return &layout{
		shape: s, in: in, units: units, elements: n, group: 8 * in.size, stride: in.features * in.size,
		planeBytes: n * s.bytes, overreach: (reach(units)+in.features-1)/in.features - 1,
	}
}

// planesAt returns where the planes begin in temporary memory, behind the copy of the last samples and what a vector
// reads after it.
func (l *layout) planesAt() int {
	copied := (l.group - 1 + l.overreach + l.group - 1) / l.group * l.group
	return ((copied+l.overreach)*l.stride+l.bytes-1)/l.bytes*l.bytes + l.bytes
}

// planeOffset returns where a unit's first plane is from the first plane of all.
func (l *layout) planeOffset(unit int) (at int) {
	for _, u := range l.units[:unit] {
		at += u.planes * l.planeBytes
	}
	return at
}

func (l *layout) temp() int { return l.planesAt() + l.planeOffset(len(l.units)) }

// inputCode is the function in the making, with the functions inside it, which use registers as their comments say.
type inputCode struct {
	*layout
	machine
	stages  []stage
	gather  label
	level   [1 + maxPlanes]label // by planes
	early   label
	finish  [1 + maxPlanes]label // by planes
	squares [][]vector           // [plane][feature] where finish leaves what it makes
	spare   vector               // which finish leaves free
}

// The registers of the function and of those inside it: first the arguments.
const (
	samples register = iota // the next sample's features
	count                   // of samples; later a place in the planes or the features
	rows                    // where they go
	temp                    // temporary memory
	groups                  // to be gathered
	planes                  // where the next group's elements go, of the first unit
	to
	turns
	some

	at = count
)

func generate[L ~int | ~int32](in *Input, m machine) (entries []L) {
	for _, p := range in.parts(m.shape()) {
		c := &inputCode{layout: p, machine: m, stages: stages(m.shape(), in.size)}
		entries = append(entries, L(c.generate()))
	}
	return entries
}

// generate appends a function, with what it calls and the constants beside it, and returns its entry.
func (c *inputCode) generate() label {
	c.makeGather()
	c.makeEarly()
	for p := 1; p <= maxPlanes; p++ {
		c.makeLevel(p)
		c.makeFinish(p)
	}
	c.constants()
	c.align()
	entry := c.label()
	c.bind(entry)
	c.enter(outermost)
	c.gatherAll()
	for i := range c.units {
		c.makeRows(i)
	}
	c.leave(outermost)
	return entry
}

// begin appends the first instruction of a function, and returns its label.
func (c *inputCode) begin(d depth) label {
	c.align()
	function := c.label()
	c.bind(function)
	c.enter(d)
	return function
}

// here returns a label of what comes next.
func (c *inputCode) here() label {
	l := c.label()
	c.bind(l)
	return l
}

// gatherAll appends the making of all planes: first from the samples where they are, as many whole groups as vectors
// can be read of; then from a copy of the others.
func (c *inputCode) gatherAll() {
	shift := bits.TrailingZeros(uint(c.group))
	few, counted, none, done := c.label(), c.label(), c.label(), c.label()
	c.add(planes, temp, c.planesAt())
	c.jumpBelow(count, c.overreach, few)
	c.add(groups, count, -c.overreach)
	c.shiftRight(groups, shift)
	c.jump(counted)
	c.bind(few)
	c.set(groups, 0)
	c.bind(counted)
	c.times(some, groups, c.group)
	c.minus(count, some)
	c.jumpZero(groups, none)
	c.keep(count)
	c.call(c.gather)
	c.restore(count)
	c.bind(none)
	c.jumpZero(count, done)
	c.add(groups, count, c.group-1)
	c.shiftRight(groups, shift)
	c.copySamples()
	c.move(samples, temp)
	c.call(c.gather)
	c.bind(done)
}

// copySamples appends the copying of as many samples as count says to the temporary memory: of what the units read of
// them, or, where vectors read of several samples at once, of all that they have.
func (c *inputCode) copySamples() {
	if c.overreach > 0 {
		c.times(count, count, c.stride)
		c.copy(temp, samples, count)
		return
	}
	first := c.units[0].start
	c.add(turns, samples, first*c.in.size)
	c.add(to, temp, first*c.in.size)
	c.set(some, (reach(c.units)-first)*c.in.size)
	next := c.here()
	c.copy(to, turns, some)
	c.add(turns, turns, c.stride)
	c.add(to, to, c.stride)
	c.loop(count, 1, next)
}

// makeGather appends the function that makes the planes of some groups: it reads from samples and writes to planes,
// and leaves both behind the last ones.
func (c *inputCode) makeGather() {
	for p := 1; p <= maxPlanes; p++ {
		c.level[p] = c.label()
	}
	c.gather = c.begin(middle)
	c.prepareLevels(c.in.size)
	next, whole, chosen := c.here(), c.label(), c.label()
	c.jumpBelow(groups, batch/c.group, whole)
	c.set(some, batch/c.group)
	c.jump(chosen)
	c.bind(whole)
	c.move(some, groups)
	c.bind(chosen)
	for i := range c.units {
		u := &c.units[i]
		for j := 1; j < 1<<u.planes; j++ {
			c.threshold(c.in.size, j, u)
		}
		c.add(at, samples, u.start*c.in.size)
		c.add(to, planes, c.planeOffset(i))
		c.move(turns, some)
		c.call(c.level[u.planes])
	}
	c.times(to, some, c.group*c.stride)
	c.plus(samples, to)
	c.times(to, some, c.bytes)
	c.plus(planes, to)
	c.minus(groups, some)
	done := c.label()
	c.jumpZero(groups, done)
	c.jump(next)
	c.bind(done)
	c.leave(middle)
}

// makeLevel appends the function that makes the planes of one unit, of as many groups as turns says.
func (c *inputCode) makeLevel(planes int) {
	c.align()
	c.bind(c.level[planes])
	next := c.here()
	for i := range c.group {
		s := i
		if c.descending() {
			s = c.group - 1 - i
		}
		c.prefetch(at, (i+ahead)*c.stride)
		c.sample(c.in.size, s, planes, at, s*c.stride)
	}
	for k := range planes {
		c.store(to, k*c.planeBytes, c.plane(k))
	}
	c.add(at, at, c.group*c.stride)
	c.add(to, to, c.bytes)
	c.loop(turns, 1, next)
	c.leave(innermost)
}

// makeEarly appends the function that does the first stages of the transposition on as many planes from at as `to`
// says, in place.
func (c *inputCode) makeEarly() {
	step := 1 << c.late
	c.early = c.begin(innermost)
	plane := c.here()
	c.set(turns, step)
	next := c.here()
	square := numbered(0, c.elements/step)
	for i, v := range square {
		c.load(v, at, i*step*c.bytes)
	}
	transpose(c, c.in.size, c.stages[:len(c.stages)-c.late], square, step, vector(len(square)))
	for i, v := range square {
		c.store(at, i*step*c.bytes, v)
	}
	c.add(at, at, c.bytes)
	c.loop(turns, 1, next)
	c.add(at, at, c.planeBytes-step*c.bytes)
	c.loop(to, 1, plane)
	c.leave(innermost)
}

// makeFinish appends the function that does the last stages of the transposition on a few features of all planes of a
// unit, from at into vectors. Those of planes are the same, however many more there are.
func (c *inputCode) makeFinish(planes int) {
	square := 1 << c.late
	c.finish[planes] = c.begin(innermost)
	c.squares, c.spare = nil, vector(maxPlanes*square)
	for k := range planes {
		plane := numbered(vector(k*square), square)
		for i, v := range plane {
			c.load(v, at, k*c.planeBytes+i*c.bytes)
		}
		c.spare = transpose(c, c.in.size, c.stages[len(c.stages)-c.late:], plane, 1, c.spare)
		c.squares = append(c.squares, plane)
	}
	c.leave(innermost)
}

// makeRows appends the making of a unit's rows from its planes.
func (c *inputCode) makeRows(i int) {
	u, square := &c.units[i], 1<<c.late
	place := c.planesAt() + c.planeOffset(i)
	c.add(at, temp, place)
	c.set(to, u.planes)
	c.call(c.early)
	for from := 0; from < len(u.lanes); from += square {
		lanes := u.lanes[from:][:square]
		if !anyRow(lanes) {
			continue
		}
		c.add(at, temp, place+from*c.bytes)
		c.call(c.finish[u.planes])
		for f, lane := range lanes {
			for j, row := range lane.row {
				if row >= 0 {
					c.store(rows, c.in.place(row)*c.bytes, c.atLeast(j, f, u.planes))
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

// atLeast appends the comparison of a feature's level, the number in planes, with j, and returns the result's place.
func (c *inputCode) atLeast(j, feature, planes int) vector {
	top, half := c.squares[planes-1][feature], 1<<(planes-1)
	switch {
	case j < half:
		c.or(c.spare, top, c.atLeast(j, feature, planes-1))
	case j > half:
		c.and(c.spare, top, c.atLeast(j-half, feature, planes-1))
	default:
		return top
	}
	return c.spare
}
