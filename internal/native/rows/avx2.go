package rows

import "ialgn/internal/native/x86"

// avx2 is the machine for AVX2.
//
// When it computes levels, the thresholds are in the vectors 0, 1 and so on. The highest bit of thresholds and values
// is flipped, since AVX2 compares signed numbers. For each sample, a plane is doubled and the decision, which is -1
// or 0, is subtracted. When it computes numbers, the bits of a step's samples are copied to all elements. Each
// element tests the bit of its own sample, and subtracts -1 if the bit is 1.
type avx2 struct{ intel }

func newAVX2(a *x86.Asm) *avx2 { return &avx2{intel{a: a, w: x86.YMM}} }

const (
	flip256    x86.Vec = 7
	planes256          = 8
	value256   x86.Vec = 11
	masks256   x86.Vec = 12 // decisions for bits 2 and 1; scratch256 holds the decision for bit 0
	scratch256         = 14

	digit256 x86.Vec = 12
	ones256  x86.Vec = 13 // -1
	few256   x86.Vec = 14
	own256   x86.Vec = 15 // the bit of each element's sample
)

func (m *avx2) shape() shape { return shape256 }

func (m *avx2) load(v vector, base register, displacement int) {
	m.a.Load256(x86.Vec(v), operand(base, displacement))
}

func (m *avx2) store(base register, displacement int, v vector) {
	m.a.Store256(operand(base, displacement), x86.Vec(v))
}

func (m *avx2) or(dst, first, second vector) {
	m.a.Bitwise256(x86.Or, x86.Vec(dst), x86.Vec(first), x86.Vec(second))
}

func (m *avx2) and(dst, first, second vector) {
	m.a.Bitwise256(x86.And, x86.Vec(dst), x86.Vec(first), x86.Vec(second))
}

// highest returns a word of size bytes in which only the highest bit is 1.
func highest(size int) uint32 { return 1 << (8*size - 1) }

func (m *avx2) prepareLevels(size int) {
	m.a.Load256(flip256, m.constant(every(32, size, highest(size))))
}

func (m *avx2) threshold(size, j int, of *unit) {
	m.a.Load256(x86.Vec(j-1), m.constant(of.thresholdVector(32, size, j, highest(size))))
}

func (m *avx2) plane(k int) vector { return planes256 + vector(k) }
func (m *avx2) descending() bool   { return true }

func (m *avx2) sample(size, s, planes int, base register, displacement int) {
	m.a.Bitwise256Mem(x86.Xor, value256, flip256, operand(base, displacement))
	decision := func(bit int) x86.Vec { return [...]x86.Vec{scratch256, masks256, masks256 + 1}[bit] }
	search(planes, scratch256, func(bit int, thresholds vector) {
		plane := x86.Vec(m.plane(bit))
		if s == 8*size-1 {
			m.a.Bitwise256(x86.Xor, plane, plane, plane)
		} else {
			m.a.Packed(x86.YMM, sized(x86.AddBytes, size), plane, plane, plane)
		}
		m.a.Packed(x86.YMM, sized(x86.GreaterBytes, size), decision(bit), value256, x86.Vec(thresholds))
		m.a.Packed(x86.YMM, sized(x86.SubtractBytes, size), plane, plane, decision(bit))
	}, func(bit int, dst, low, high vector) {
		m.a.Select256(x86.Vec(dst), x86.Vec(low), x86.Vec(high), decision(bit))
	})
}

func (m *avx2) prepareNumbers(size int) {
	m.a.Load256(ones256, m.constant(every(32, size, ^uint32(0))))
	m.a.Load256(own256, m.constant(elements(32, size, func(i int) uint32 { return 1 << i })))
}

func (m *avx2) number(size int, to []vector, digits []Row) {
	n, subtract := x86.Vec(to[0]), sized(x86.SubtractBytes, size)
	m.a.Bitwise256(x86.Xor, n, n, n)
	m.intel.number(size, n, digits, func(bits x86.Mem) {
		m.a.Broadcast256(m.step(size)/8, digit256, bits)
		m.a.Bitwise256(x86.And, digit256, digit256, own256)
		m.a.Packed(x86.YMM, sized(x86.EqualBytes, size), digit256, digit256, own256)
		m.a.Packed(x86.YMM, subtract, n, n, digit256)
	}, func() {
		m.a.Packed(x86.YMM, subtract, n, n, ones256)
	})
}

// storeClasses copies the numbers through the stack, since AVX2 has no masked stores of 16-bit elements.
func (m *avx2) storeClasses(to, samples register, numbers vector) {
	const room = 32
	m.a.OpImm(x86.Subtract, x86.RSP, room)
	m.a.Store256(x86.At(x86.RSP, 0), x86.Vec(numbers))
	m.a.Mov(generals[free], x86.RSP)
	m.plus(samples, samples) // bytes
	m.copy(to, free, samples)
	m.a.OpImm(x86.Add, x86.RSP, room)
}

func (m *avx2) prepareFew(n int) {
	m.a.Load256(few256, m.constant(elements(32, 4, func(i int) uint32 {
		if i < n {
			return ^uint32(0)
		}
		return 0
	})))
}

func (m *avx2) storeFew(base register, displacement, _ int, numbers vector) {
	m.a.StoreDwords256(operand(base, displacement), few256, x86.Vec(numbers))
}
