package rows

import "ialgn/internal/native/x86"

// avx512 is the machine for AVX-512 F and BW, and BMI2.
//
// When it computes levels, the thresholds begin at vector 0. The bit for each element's sample begins at vector 8,
// and the planes begin at vector 24. The decisions begin at mask 1. When it computes numbers, digits are added under
// masks, which are loaded directly from the rows in memory.
type avx512 struct{ intel }

func newAVX512(a *x86.Asm) *avx512 { return &avx512{intel{a: a, w: x86.ZMM}} }

const (
	bits512    x86.Vec = 8
	planes512          = 24
	value512   x86.Vec = 27
	scratch512         = 28
	one512     x86.Vec = 31

	digit512 x86.Mask = 1
	few512   x86.Mask = 2
)

func (m *avx512) shape() shape { return shape512 }

func (m *avx512) load(v vector, base register, displacement int) {
	m.a.Load512(x86.Vec(v), operand(base, displacement))
}

func (m *avx512) store(base register, displacement int, v vector) {
	m.a.Store512(operand(base, displacement), x86.Vec(v))
}

func (m *avx512) or(dst, first, second vector) {
	m.a.Bitwise512(x86.Or, x86.Vec(dst), x86.Vec(first), x86.Vec(second))
}

func (m *avx512) and(dst, first, second vector) {
	m.a.Bitwise512(x86.And, x86.Vec(dst), x86.Vec(first), x86.Vec(second))
}

func (m *avx512) prepareLevels(size int) {
	for s := range 8 * size {
		m.a.Load512(bits512+x86.Vec(s), m.constant(every(64, size, 1<<s)))
	}
}

func (m *avx512) threshold(size, j int, of *unit) {
	m.a.Load512(x86.Vec(j-1), m.constant(of.thresholdVector(64, size, j, 0)))
}

func (m *avx512) plane(k int) vector { return planes512 + vector(k) }
func (m *avx512) descending() bool   { return false }

func (m *avx512) sample(size, s, planes int, base register, displacement int) {
	m.a.Load512(value512, operand(base, displacement))
	search(planes, scratch512, func(bit int, thresholds vector) {
		k, plane := x86.Mask(1+bit), x86.Vec(m.plane(bit))
		m.a.Above512(size, k, value512, x86.Vec(thresholds))
		if s == 0 {
			m.a.Bitwise512(x86.Xor, plane, plane, plane)
		}
		m.a.PackedMasked(sized(x86.AddBytes, size), k, plane, plane, bits512+x86.Vec(s))
	}, func(bit int, dst, low, high vector) {
		m.a.Select512(size, x86.Mask(1+bit), x86.Vec(dst), x86.Vec(low), x86.Vec(high))
	})
}

func (m *avx512) prepareNumbers(size int) { m.a.Load512(one512, m.constant(every(64, size, 1))) }

func (m *avx512) number(size int, to []vector, digits []Row) {
	n, add := x86.Vec(to[0]), sized(x86.AddBytes, size)
	m.a.Bitwise512(x86.Xor, n, n, n)
	m.intel.number(size, n, digits, func(bits x86.Mem) {
		if size == 2 {
			m.a.LoadMask32(digit512, bits)
		} else {
			m.a.LoadMask16(digit512, bits)
		}
		m.a.PackedMasked(add, digit512, n, n, one512)
	}, func() {
		m.a.Packed(x86.ZMM, add, n, n, one512)
	})
}

func (m *avx512) storeClasses(to, samples register, numbers vector) {
	m.set(free, -1)
	m.a.LowBits(generals[free], generals[free], generals[samples])
	m.a.Mask32(few512, generals[free])
	m.a.StoreMasked512(2, operand(to, 0), few512, x86.Vec(numbers))
}

func (m *avx512) prepareFew(n int) {
	m.set(free, 1<<n-1)
	m.a.Mask32(few512, generals[free])
}

func (m *avx512) storeFew(base register, displacement, _ int, numbers vector) {
	m.a.StoreMasked512(4, operand(base, displacement), few512, x86.Vec(numbers))
}
