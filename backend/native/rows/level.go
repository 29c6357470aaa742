package rows

import "ialgn/backend/native/x86"

// leveller appends the comparison of samples with a unit's thresholds. Between prepare and the code of samples, no
// vector register changes but by threshold.
type leveller interface {
	// prepare loads constants.
	prepare()
	// threshold loads the thresholds of level j.
	threshold(j int, of *unit)
	// sample gathers the level's bits of sample s, the s-th of 8 times the bytes of a word, whose features are in
	// memory, in the vectors that plane returns.
	sample(s, planes int, features x86.Mem)
	plane(k int) x86.Vec
	// descending says that the samples come from the last to the first.
	descending() bool
}

// thresholdVector returns the vector of the thresholds of level j, with bits flipped.
func (u *unit) thresholdVector(w x86.Width, size, j int, flip uint32) []byte {
	return elements(w, size, func(f int) uint32 { return uint32(u.lanes[f].thresholds[j]) ^ flip })
}

// search appends the binary search for the level. compare compares with the thresholds in a register, and makes the
// decision number `bit` of it, which choose uses to choose between registers: into dst, low or high thresholds. The
// thresholds of level j are in register j - 1.
func search(planes int, scratch []x86.Vec, compare func(bit int, thresholds x86.Vec),
	choose func(bit int, dst, low, high x86.Vec),
) {
	for bit := planes - 1; bit >= 0; bit-- {
		var candidates []x86.Vec // by the decisions made so far, the first one the highest bit
		for j := 1 << bit; j < 1<<planes; j += 2 << bit {
			candidates = append(candidates, x86.Vec(j-1))
		}
		for made := planes - 1; made > bit; made-- {
			half := len(candidates) / 2
			for i := range half {
				choose(made, scratch[i], candidates[i], candidates[half+i])
				candidates[i] = scratch[i]
			}
			candidates = candidates[:half]
		}
		compare(bit, candidates[0])
	}
}

// leveller512 keeps thresholds in registers from 0, the bits of the samples, by element, from 8, the planes from 24,
// and decisions in masks from 1. It needs AVX-512 BW.
type leveller512 struct {
	a    *x86.Asm
	pool *pool
	size int
}

const (
	bits512    x86.Vec = 8
	planes512  x86.Vec = 24
	value512   x86.Vec = 27
	scratch512 x86.Vec = 28
)

func (l *leveller512) prepare() {
	for s := range 8 * l.size {
		l.a.Load512(bits512+x86.Vec(s), l.pool.vector(every(x86.ZMM, l.size, 1<<s)))
	}
}

func (l *leveller512) threshold(j int, of *unit) {
	l.a.Load512(x86.Vec(j-1), l.pool.vector(of.thresholdVector(x86.ZMM, l.size, j, 0)))
}

func (l *leveller512) plane(k int) x86.Vec { return planes512 + x86.Vec(k) }
func (l *leveller512) descending() bool    { return false }

func (l *leveller512) sample(s, planes int, features x86.Mem) {
	l.a.Load512(value512, features)
	search(planes, []x86.Vec{scratch512, scratch512 + 1}, func(bit int, thresholds x86.Vec) {
		k, plane := x86.Mask(1+bit), l.plane(bit)
		l.a.Above512(l.size, k, value512, thresholds)
		if s == 0 {
			l.a.Bitwise512(x86.Xor, plane, plane, plane)
		}
		l.a.PackedMasked(sized(x86.AddBytes, l.size), k, plane, plane, bits512+x86.Vec(s))
	}, func(bit int, dst, low, high x86.Vec) {
		l.a.Select512(l.size, x86.Mask(1+bit), dst, low, high)
	})
}

// leveller256 keeps thresholds in registers from 0, with the highest bit flipped like that of the values, since AVX2
// compares signed numbers. A plane doubles for each sample, and has the decision, -1 or 0, subtracted.
type leveller256 struct {
	a    *x86.Asm
	pool *pool
	size int
}

const (
	flip256    x86.Vec = 7
	planes256  x86.Vec = 8
	value256   x86.Vec = 11
	masks256   x86.Vec = 12 // decisions of bits 2 and 1; that of bit 0 goes where scratch is
	scratch256 x86.Vec = 14
)

func (l *leveller256) flip() uint32 { return 1 << (8*l.size - 1) }

func (l *leveller256) prepare() {
	l.a.Load256(flip256, l.pool.vector(every(x86.YMM, l.size, l.flip())))
}

func (l *leveller256) threshold(j int, of *unit) {
	l.a.Load256(x86.Vec(j-1), l.pool.vector(of.thresholdVector(x86.YMM, l.size, j, l.flip())))
}

func (l *leveller256) plane(k int) x86.Vec { return planes256 + x86.Vec(k) }
func (l *leveller256) descending() bool    { return true }

func (l *leveller256) sample(s, planes int, features x86.Mem) {
	l.a.Bitwise256Mem(x86.Xor, value256, flip256, features)
	decision := func(bit int) x86.Vec { return [...]x86.Vec{scratch256, masks256, masks256 + 1}[bit] }
	search(planes, []x86.Vec{scratch256, scratch256 + 1}, func(bit int, thresholds x86.Vec) {
		plane := l.plane(bit)
		if s == 8*l.size-1 {
			l.a.Bitwise256(x86.Xor, plane, plane, plane)
		} else {
			l.a.Packed(x86.YMM, sized(x86.AddBytes, l.size), plane, plane, plane)
		}
		l.a.Packed(x86.YMM, sized(x86.GreaterBytes, l.size), decision(bit), value256, thresholds)
		l.a.Packed(x86.YMM, sized(x86.SubtractBytes, l.size), plane, plane, decision(bit))
	}, func(bit int, dst, low, high x86.Vec) {
		l.a.Select256(dst, low, high, decision(bit))
	})
}
