package rows

import (
	"ialgn/internal/native/arm64"
	"ialgn/internal/native/x86"
)

// Row is the number of a row of the network's state, or a constant.
type Row int32

// These rows are constants. They are not in the state.
const (
	Zeros Row = -1
	Ones  Row = -2
)

// Output describes the computation of numbers from the rows of their binary digits. The least significant digit comes
// first. Class is the class index with up to 16 digits. Counts holds the counts of the classes with up to 32 digits
// each.
type Output struct {
	Class  []Row
	Counts [][]Row
}

// AVX512 appends the function for blocks of 512 samples and returns its entry. The function has the signature
//
//	void numbers(const uint8_t *state, uint64_t samples, uint16_t *class_index, uint32_t *counts);
//
// Row r of the state is at state + 64 r. The number of samples is 1 to 512. For each of these samples, the function
// writes class_index[sample] and, unless counts is null, counts[sample][class]. The code needs AVX-512 F and BW, and
// BMI2.
func (o *Output) AVX512(a *x86.Asm) x86.Label { return x86.Label(o.generate(newAVX512(a))) }

// AVX2 is like [Output.AVX512], for blocks of 256 samples with AVX2. Row r of the state is at state + 32 r.
func (o *Output) AVX2(a *x86.Asm) x86.Label { return x86.Label(o.generate(newAVX2(a))) }

// NEON is like [Output.AVX512], for blocks of 128 samples on 64-bit Arm. Row r of the state is at state + 16 r.
func (o *Output) NEON(a *arm64.Asm) arm64.Label { return arm64.Label(o.generate(&neon{a: a})) }

// These are the registers of the function. The first registers hold the arguments.
const (
	state  register = iota
	left            // number of samples left
	class           // destination of the next step's class indices
	counts          // destination of all counts
	saved           // number of all samples
	place           // offset of the bits for the step's samples in a row
	line            // destination of the counts of the step's first sample
	free            // free for temporary values
)

// outputCode is the state of writing the function.
type outputCode struct {
	*Output
	machine
}

func (o *Output) generate(m machine) label {
	c := &outputCode{o, m}
	done := c.label()
	c.align()
	entry := c.label()
	c.bind(entry)
	c.enter(outermost)
	c.move(saved, left)
	c.makeClasses()
	c.jumpZero(counts, done)
	c.prepareNumbers(4)
	tile := c.shape().bytes / 4
	for tiles := (len(o.Counts) + tile - 1) / tile; tiles > 0; tiles-- {
		from := (tiles - 1) * tile
		c.makeCounts(from, min(tile, len(o.Counts)-from), tile)
	}
	c.bind(done)
	c.leave(outermost)
	c.constants()
	return entry
}

// makeClasses appends the computation of all class indices.
func (c *outputCode) makeClasses() {
	step := c.step(2)
	next, last, done := c.label(), c.label(), c.label()
	c.prepareNumbers(2)
	c.set(place, 0)
	c.bind(next)
	c.number(2, []vector{0}, c.Class)
	c.jumpBelow(left, step, last)
	c.store(class, 0, 0)
	c.add(class, class, 2*step)
	c.add(place, place, step/8)
	c.loop(left, step, next)
	c.jump(done)
	c.bind(last)
	c.storeClasses(class, left, 0)
	c.bind(done)
}

// makeCounts appends the computation of the counts of n classes for all samples. The argument n is at most tile, the
// number of 32-bit numbers in a vector. A step computes the counts of some samples, transposes squares of these
// counts, and stores the counts sample by sample.
//
// Whole vectors are stored wherever the excess numbers do no harm. The excess numbers overwrite only counts that are
// written later. These are counts of the next samples, of a later step, or of classes that are computed later. For
// this reason, the first classes are computed last. Near the end of the samples, only the counts themselves are
// stored.
func (c *outputCode) makeCounts(from, n, tile int) {
	step, all := c.step(4), len(c.Counts)
	next, careful, done, again := c.label(), c.label(), c.label(), c.label()
	numbers := numbered(0, step)
	c.move(left, saved)
	c.add(line, counts, 4*from)
	c.set(place, 0)
	c.prepareFew(n)
	c.bind(next)
	for i := range n {
		var parts []vector
		for part := 0; part < step; part += tile {
			parts = append(parts, numbers[part+i])
		}
		c.number(4, parts, c.Counts[from+i])
	}
	spare := vector(step)
	for part := 0; part < step; part += tile {
		spare = transpose(c, 4, stages(c.shape(), 4), numbers[part:][:tile], 1, spare)
	}
	c.jumpBelow(left, step+(tile-n+all-1)/all, careful)
	for s, v := range numbers {
		c.store(line, 4*all*s, v)
	}
	c.bind(again)
	c.add(line, line, 4*all*step)
	c.add(place, place, step/8)
	c.loop(left, step, next)
	c.jump(done)
	c.bind(careful)
	c.move(free, left)
	for s, v := range numbers {
		c.storeFew(line, 4*all*s, n, v)
		if s < step-1 {
			c.add(free, free, -1)
			c.jumpZero(free, done)
		}
	}
	c.jump(again)
	c.bind(done)
}
