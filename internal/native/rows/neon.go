package rows

import (
	"encoding/binary"
	"math/bits"

	"ialgn/internal/native/arm64"
)

// neon is the machine for NEON, which every 64-bit Arm processor has.
//
// When it computes levels, the thresholds are in the vectors 0, 1 and so on. A decision is all ones or all zeros.
// Samples come in descending order, and each decision is shifted into the plane below the earlier decisions. When it
// computes numbers, the bits of 8 samples are copied to all bytes. Each element tests the bit of its own sample, and
// each digit is shifted in above the earlier digits.
type neon struct {
	a    *arm64.Asm
	pool pool
}

// The machine's general registers 0 to 8 are the registers x0 to x8. These other registers have special roles.
const (
	kept     arm64.X = 9 // holds the value between keep and restore
	copyFrom arm64.X = 10
	copyTo   arm64.X = 11
	link     arm64.X = 12 // registers 12 and 13 hold the return addresses of outer functions
	constant arm64.X = 16
	address  arm64.X = 17
)

const (
	valueNEON   = 7
	planesNEON  = 8
	masksNEON   = 11 // decisions of bits 2 and 1; the decision of bit 0 is in scratchNEON
	scratchNEON = 13

	ownNEON    = 18 // the bits of each element's sample, in two vectors
	digitsNEON = 20
	digitNEON  = 21
	zeroNEON   = 22
)

// v returns the register of a vector. There are 24 vectors. The registers v8 to v15 are not used, since a function
// would have to keep them.
func v(n vector) arm64.V {
	if n < 8 {
		return arm64.V(n)
	}
	return arm64.V(n) + 8
}

func (m *neon) shape() shape { return shape128 }

func (m *neon) label() label  { return label(m.a.Label()) }
func (m *neon) bind(l label)  { m.a.Bind(arm64.Label(l)) }
func (m *neon) align()        {}
func (m *neon) jump(to label) { m.a.B(arm64.Label(to)) }
func (m *neon) call(f label)  { m.a.Bl(arm64.Label(f)) }

func (m *neon) enter(d depth) {
	if d != innermost {
		m.a.MovX(link+arm64.X(d), arm64.LR)
	}
}

func (m *neon) leave(d depth) {
	if d == innermost {
		m.a.Ret()
	} else {
		m.a.Br(link + arm64.X(d))
	}
}

// unless writes a jump that is taken if the condition does not hold. It writes a conditional jump over an
// unconditional jump, because an unconditional jump reaches further.
func (m *neon) unless(c arm64.Cond, to label) {
	around := m.a.Label()
	m.a.BCond(c, around)
	m.jump(to)
	m.a.Bind(around)
}

func (m *neon) jumpBelow(r register, k int, to label) {
	m.a.CmpImm(arm64.X(r), k)
	m.unless(arm64.HS, to)
}

func (m *neon) jumpZero(r register, to label) {
	m.a.CmpImm(arm64.X(r), 0)
	m.unless(arm64.NE, to)
}

func (m *neon) loop(r register, k int, to label) {
	m.a.SubsImm(arm64.X(r), arm64.X(r), k)
	m.unless(arm64.EQ, to)
}

func (m *neon) set(r register, k int)        { m.a.MovImm(arm64.X(r), uint64(k)) }
func (m *neon) move(dst, src register)       { m.a.MovX(arm64.X(dst), arm64.X(src)) }
func (m *neon) add(dst, src register, k int) { m.sum(arm64.X(dst), arm64.X(src), k) }
func (m *neon) plus(dst, src register)       { m.a.Add(arm64.X(dst), arm64.X(dst), arm64.X(src)) }
func (m *neon) minus(dst, src register)      { m.a.Sub(arm64.X(dst), arm64.X(dst), arm64.X(src)) }
func (m *neon) shiftRight(r register, n int) { m.a.LsrImm(arm64.X(r), arm64.X(r), n) }
func (m *neon) keep(r register)              { m.a.MovX(kept, arm64.X(r)) }
func (m *neon) restore(r register)           { m.a.MovX(arm64.X(r), kept) }

// sum adds a constant of any size.
func (m *neon) sum(dst, src arm64.X, k int) {
	const low, most = 1<<12 - 1, 1<<24 - 1
	switch {
	case k < 0 && -k <= low:
		m.a.SubImm(dst, src, -k)
	case k < 0 || k > most:
		m.a.MovImm(constant, uint64(k))
		m.a.Add(dst, src, constant)
	case k > low:
		m.a.AddImm(dst, src, k&^low)
		if k&low != 0 {
			m.a.AddImm(dst, dst, k&low)
		}
	default:
		m.a.AddImm(dst, src, k)
	}
}

func (m *neon) times(dst, src register, k int) {
	m.a.MovImm(constant, uint64(k))
	m.a.Mul(arm64.X(dst), arm64.X(src), constant)
}

func (m *neon) copy(to, source, n register) {
	bytes, done, whole := m.label(), m.label(), m.label()
	m.a.MovX(copyTo, arm64.X(to))
	m.a.MovX(copyFrom, arm64.X(source))
	m.a.MovX(constant, arm64.X(n))
	m.bind(whole)
	m.a.CmpImm(constant, 16)
	m.a.BCond(arm64.LO, arm64.Label(bytes))
	m.a.LdrQ(v(valueNEON), arm64.Post(copyFrom, 16))
	m.a.StrQ(v(valueNEON), arm64.Post(copyTo, 16))
	m.a.SubImm(constant, constant, 16)
	m.jump(whole)
	m.bind(bytes)
	m.a.Cbz(constant, arm64.Label(done))
	m.a.Ldrb(address, arm64.Post(copyFrom, 1))
	m.a.Strb(address, arm64.Post(copyTo, 1))
	m.a.SubImm(constant, constant, 1)
	m.jump(bytes)
	m.bind(done)
}

// at returns the operand of 16 bytes at base + displacement.
func (m *neon) at(base register, displacement int) arm64.Mem {
	if displacement >= 0 && displacement < 1<<16 && displacement%16 == 0 {
		return arm64.At(arm64.X(base), displacement)
	}
	m.sum(address, arm64.X(base), displacement)
	return arm64.At(address, 0)
}

func (m *neon) load(dst vector, base register, displacement int) {
	m.a.LdrQ(v(dst), m.at(base, displacement))
}

func (m *neon) store(base register, displacement int, src vector) {
	m.a.StrQ(v(src), m.at(base, displacement))
}

func (m *neon) or(dst, first, second vector)  { m.a.Orr(v(dst), v(first), v(second)) }
func (m *neon) and(dst, first, second vector) { m.a.And(v(dst), v(first), v(second)) }

// arrangement returns the arrangement for elements of size bytes.
func arrangement(size int) arm64.Arrangement {
	return arm64.Arrangement(bits.TrailingZeros(uint(size)))
}

func (m *neon) exchange(_ stage, size int, low, first, second vector) {
	m.a.Zip1(arrangement(size), v(low), v(first), v(second))
	m.a.Zip2(arrangement(size), v(second), v(first), v(second))
}

func (m *neon) constants() {
	m.pool.take(func(at label, constant []byte) {
		m.bind(at)
		for i := 0; i < len(constant); i += 4 {
			m.a.Word(binary.LittleEndian.Uint32(constant[i:]))
		}
	})
}

func (m *neon) prepareLevels(int) {}

func (m *neon) threshold(size, j int, of *unit) {
	m.a.Adr(address, arm64.Label(m.pool.place(of.thresholdVector(16, size, j, 0), m.label)))
	m.a.LdrQ(v(vector(j-1)), arm64.At(address, 0))
}

func (m *neon) plane(k int) vector { return planesNEON + vector(k) }
func (m *neon) descending() bool   { return true }

// prefetch writes no instruction, because the processor recognises the sequence of addresses.
func (m *neon) prefetch(register, int) {}

func (m *neon) sample(size, s, planes int, base register, displacement int) {
	m.load(valueNEON, base, displacement)
	decision := func(bit int) arm64.V { return v([...]vector{scratchNEON, masksNEON, masksNEON + 1}[bit]) }
	search(planes, scratchNEON, func(bit int, thresholds vector) {
		m.a.Cmhi(arrangement(size), decision(bit), v(valueNEON), v(thresholds))
		if after := 8*size - 1 - s; after == 0 {
			m.a.Mov(v(m.plane(bit)), decision(bit))
		} else {
			m.a.Sri(arrangement(size), v(m.plane(bit)), decision(bit), after)
		}
	}, func(bit int, dst, low, high vector) {
		if dst != low {
			m.a.Mov(v(dst), v(low))
		}
		m.a.Bit(v(dst), v(high), decision(bit))
	})
}

func (m *neon) step(int) int { return 8 }

func (m *neon) prepareNumbers(size int) {
	m.a.Movi(arm64.B16, v(zeroNEON), 0)
	for part := range size / 2 {
		own := elements(16, size, func(i int) uint32 { return 1 << (part*16/size + i) })
		for half := range 2 {
			m.a.MovImm(constant, binary.LittleEndian.Uint64(own[8*half:]))
			m.a.Ins(arm64.D2, v(ownNEON+vector(part)), half, constant)
		}
	}
}

func (m *neon) number(size int, to []vector, digits []Row) {
	t := arrangement(size)
	if len(digits) == 0 {
		for _, n := range to {
			m.a.Movi(arm64.B16, v(n), 0)
		}
	}
	for i, row := range digits {
		if row >= 0 {
			m.a.Add(address, arm64.X(state), arm64.X(place))
			m.sum(address, address, int(row)*16)
			m.a.Ld1r(arm64.B16, v(digitsNEON), arm64.At(address, 0))
		}
		for part, n := range to {
			switch row {
			case Zeros:
				m.a.Sli(t, v(n), v(zeroNEON), i)
				continue
			case Ones:
				m.a.Not(v(digitNEON), v(zeroNEON))
			default:
				m.a.And(v(digitNEON), v(digitsNEON), v(ownNEON+vector(part)))
				m.a.Cmhi(t, v(digitNEON), v(digitNEON), v(zeroNEON))
			}
			m.a.Sli(t, v(n), v(digitNEON), i)
		}
	}
	if len(digits) > 0 && len(digits) < 8*size {
		for _, n := range to {
			m.a.Sli(t, v(n), v(zeroNEON), len(digits))
		}
	}
}

func (m *neon) storeClasses(to, samples register, numbers vector) {
	done := m.a.Label()
	for lane := range 8 {
		m.a.Cbz(arm64.X(samples), done)
		m.a.Umov(arm64.H8, constant, v(numbers), lane)
		m.a.Strh(constant, arm64.At(arm64.X(to), 2*lane))
		m.a.SubImm(arm64.X(samples), arm64.X(samples), 1)
	}
	m.a.Bind(done)
}

func (m *neon) prepareFew(int) {}

func (m *neon) storeFew(base register, displacement, n int, numbers vector) {
	m.sum(address, arm64.X(base), displacement)
	for lane := range n {
		m.a.Umov(arm64.S4, constant, v(numbers), lane)
		m.a.StrW(constant, arm64.At(address, 4*lane))
	}
}
