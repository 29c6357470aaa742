package rows

import (
	"fmt"
	"math"
	"math/bits"

	"ialgn/internal/native/arm64"
	"ialgn/internal/native/x86"
)

// AVX512 appends functions for blocks of 512 samples. Each function computes some of the rows. AVX512 returns the
// entries of the functions. They have the signature
//
//	void rows(const uint8_t *x, uint64_t samples, uint8_t *rows, void *temp);
//
// The argument x is [sample][feature]. Words have 16 bits if the Input is wide, and 8 bits otherwise. The number of
// samples is 1 to 512. A row has 512 bits, and the bits after the last sample are unspecified. The scratch memory at
// temp has [Input.Temp] bytes. All functions take the same arguments, and can be called in any order. The rows are
// divided among several functions so that each function ends soon ([longest]). One function suffices for a few
// hundred features. The code needs AVX-512 F and BW.
func (in *Input) AVX512(a *x86.Asm) []x86.Label { return generate[x86.Label](in, newAVX512(a)) }

// AVX2 is like [Input.AVX512], for blocks of 256 samples with AVX2.
func (in *Input) AVX2(a *x86.Asm) []x86.Label { return generate[x86.Label](in, newAVX2(a)) }

// NEON is like [Input.AVX512], for blocks of 128 samples on 64-bit Arm.
func (in *Input) NEON(a *arm64.Asm) []arm64.Label { return generate[arm64.Label](in, &neon{a: a}) }

// Temp returns the size in bytes of the scratch memory that the functions need.
func (in *Input) Temp() (most int) {
	for _, s := range []shape{shape512, shape256, shape128} {
		for _, p := range in.parts(s) {
			most = max(most, p.temp())
		}
	}
	return most
}

// Check returns an error if samples are so long that the distance between them is too large for
// instructions.
func (in *Input) Check() error {
	if stride := in.features * in.size; stride > math.MaxInt32/(ahead+8*in.size) {
		return fmt.Errorf("samples of %d features, more than instructions reach", in.features)
	}
	return nil
}

// longest is the maximum time of a function. The other constants estimate a function's time, in picoseconds per
// sample. The constant perUnit is the time of a unit. The constant perWindow is the time of reading a window's
// features from memory. The estimates are about the longest times measured with AVX-512
// (docs/evidence/benchmarks.md). A goroutine cannot be preempted in such a function, so a function should end within
// 100 us. Much shorter functions are slower, since they access memory less sequentially. Longer functions are not
// faster.
const (
	longest   = 60_000_000
	perUnit   = 2_000
	perWindow = 4_000
)

// cost returns the maximum time of a unit with vectors of a shape. The argument first says whether the unit is the
// first unit of its window.
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

// layout describes the registers and the memory of a function that computes the rows of some units with vectors of
// one shape. Samples come in groups. The number of samples in a group is the number of bits of an element.
type layout struct {
	shape
	in         *Input
	units      []unit
	elements   int // number of elements of a vector; also number of groups in a block
	group      int // samples in a group
	stride     int // distance between two samples, in bytes
	overreach  int // a vector read at one of the last overreach + 1 samples could reach beyond the last sample's end
	planeBytes int
}

// ahead is the number of samples between the prefetch of a feature and its use. Features are prefetched into the
// second-level cache, because they would displace other data in the first level. For features in memory, 64 would be
// enough. The constant batch is the number of samples that go through all windows before the next samples do. It is
// so small that the samples stay in the first caches. With smaller batches, memory is accessed less sequentially and
// therefore more slowly.
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

// planesAt returns the offset of the planes in scratch memory, after the copy of the last samples
// and the bytes that vectors read beyond it.
func (l *layout) planesAt() int {
	copied := (l.group - 1 + l.overreach + l.group - 1) / l.group * l.group
	return ((copied+l.overreach)*l.stride+l.bytes-1)/l.bytes*l.bytes + l.bytes
}

// planeOffset returns the offset of a unit's first plane, relative to the first plane of the first unit.
func (l *layout) planeOffset(unit int) (at int) {
	for _, u := range l.units[:unit] {
		at += u.planes * l.planeBytes
	}
	return at
}

func (l *layout) temp() int { return l.planesAt() + l.planeOffset(len(l.units)) }

// inputCode is the state of writing the function and its inner functions. The comments of the methods say which
// registers the inner functions use.
type inputCode struct {
	*layout
	machine
	stages  []stage
	gather  label
	level   [1 + maxPlanes]label // [number of planes]
	early   label
	finish  [1 + maxPlanes]label // [number of planes]
	squares [][]vector           // [plane][feature]: the vector with the result of the function finish
	spare   vector               // a vector that the function finish leaves free
}

// These are the registers of the function and its inner functions. The first registers hold the arguments.
const (
	samples register = iota // address of the next sample's features
	count                   // number of samples; later an address in the planes or the features
	rows                    // destination of the rows
	temp                    // temporary memory
	groups                  // number of groups to gather
	planes                  // destination of the next group's elements, in the first unit
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

// generate appends a function, with its inner functions and the constants next to it, and returns
// its entry.
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

// begin appends the first instruction of a function, and returns the function's label.
func (c *inputCode) begin(d depth) label {
	c.align()
	function := c.label()
	c.bind(function)
	c.enter(d)
	return function
}

// here returns a label for the next instruction.
func (c *inputCode) here() label {
	l := c.label()
	c.bind(l)
	return l
}

// gatherAll appends the computation of all planes. Complete groups are read directly from the samples, as long as no
// vector reaches beyond the samples. All other groups are read from a copy.
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

// copySamples appends code that copies count samples to scratch memory. It copies the features that the units read.
// If vectors read several samples at once, it copies all features.
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

// makeGather appends the function that computes the planes of some groups. The function reads at the register samples
// and writes at the register planes, and advances both registers.
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

// makeLevel appends the function that computes the planes of one unit. The register turns holds the number of groups.
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

// makeEarly appends the function that performs the first stages of the transposition in place. The register at holds
// the address of the planes, and the register to holds the number of planes.
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

// makeFinish appends the function that performs the last stages of the transposition, on a few features of all planes
// of a unit. It loads vectors from the address in the register at. The layout of the vectors does not depend on the
// number of planes.
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

// makeRows appends the computation of a unit's rows from its planes.
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

// atLeast appends the comparison of a feature's level with j and returns the vector that holds the result. The
// argument planes is the number of bits in the level.
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
