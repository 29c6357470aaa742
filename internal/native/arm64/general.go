package arm64

import "fmt"

// xxx writes an instruction with three general registers.
func (a *Asm) xxx(name string, bits uint32, d, n, m X) {
	a.emit(insn{name: name, bits: bits}.x(fieldD, d).x(fieldN, n).x(fieldM, m))
}

// Add writes d = n + m. Register 31 is [XZR].
func (a *Asm) Add(d, n, m X) { a.xxx("add", 0x8b000000, d, n, m) }

// Sub writes d = n - m. Register 31 is [XZR].
func (a *Asm) Sub(d, n, m X) { a.xxx("sub", 0xcb000000, d, n, m) }

// Mul writes the lower 64 bits of n * m into d. It is an alias of MADD. Register 31 is [XZR].
func (a *Asm) Mul(d, n, m X) { a.xxx("mul", 0x9b007c00, d, n, m) }

// LsrImm shifts n to the right, by 0 to 63, and fills with zeros. It is an alias of UBFM. Register
// 31 is [XZR].
func (a *Asm) LsrImm(d, n X, by int) {
	const mend = "shift by less than the register has bits"
	a.emit(insn{name: "lsr", bits: 0xd340fc00}.imm(16, span{"shift", 0, 63, 1, mend}, by).x(fieldD, d).x(fieldN, n))
}

// Cmp compares n with m and sets the conditions for a branch. Register 31 is [XZR].
func (a *Asm) Cmp(n, m X) { a.xxx("cmp", 0xeb000000, XZR, n, m) }

// xxi writes an addition or subtraction of a constant. The constant has 12 bits, and may be shifted left by 12 bits.
func (a *Asm) xxi(name string, bits uint32, d, n X, value int) {
	i := insn{name: name, bits: bits}.x(fieldD, d).x(fieldN, n)
	const field, most = 10, 1<<12 - 1
	switch {
	case value >= 0 && value <= most:
		i.bits |= uint32(value) << field
	case value > 0 && value <= most<<12 && value&most == 0:
		i.bits |= 1<<22 | uint32(value>>12)<<field
	default:
		i = i.wrong(fmt.Sprintf("constant %d is neither from 0 to %d nor a multiple of %d up to %d: "+
			"load it with MovImm, and add registers", value, most, most+1, most<<12))
	}
	a.emit(i)
}

// AddImm writes d = n + value. The value is 0 to 4095, or a multiple of 4096 up to 4095 * 4096.
// Register 31 is [SP].
func (a *Asm) AddImm(d, n X, value int) { a.xxi("add", 0x91000000, d, n, value) }

// SubImm writes d = n - value, with the values of [Asm.AddImm]. Register 31 is [SP].
func (a *Asm) SubImm(d, n X, value int) { a.xxi("sub", 0xd1000000, d, n, value) }

// SubsImm writes d = n - value, with the values of [Asm.AddImm], and sets the conditions for a
// branch. Register 31 is [XZR] as d, and [SP] as n.
func (a *Asm) SubsImm(d, n X, value int) { a.xxi("subs", 0xf1000000, d, n, value) }

// CmpImm compares n with a value, as in [Asm.AddImm], and sets the conditions for a branch.
// Register 31 is [SP].
func (a *Asm) CmpImm(n X, value int) { a.xxi("cmp", 0xf1000000, XZR, n, value) }

// MovX writes d = n. It is an alias of ORR. Register 31 is [XZR]. To copy the stack pointer, use AddImm with 0.
func (a *Asm) MovX(d, n X) { a.xxx("mov", 0xaa000000, d, XZR, n) }

// Movz writes d = value << shift. The shift is 0, 16, 32 or 48.
func (a *Asm) Movz(d X, value uint16, shift int) { a.wide("movz", 0xd2800000, d, value, shift) }

// Movk writes 16 bits of d at a shift of 0, 16, 32 or 48, and keeps the other bits.
func (a *Asm) Movk(d X, value uint16, shift int) { a.wide("movk", 0xf2800000, d, value, shift) }

func (a *Asm) wide(name string, bits uint32, d X, value uint16, shift int) {
	a.emit(insn{name: name, bits: bits | uint32(value)<<5}.x(fieldD, d).
		imm(21, span{"shift", 0, 48, 16, "split the constant, as MovImm does"}, shift))
}

// MovImm writes d = value. It writes a Movz, followed by a Movk for each further 16-bit part of the value that is not
// zero.
func (a *Asm) MovImm(d X, value uint64) {
	first := true
	for shift := 0; shift < 64; shift += 16 {
		part := uint16(value >> shift)
		switch {
		case part == 0:
		case first:
			a.Movz(d, part, shift)
			first = false
		default:
			a.Movk(d, part, shift)
		}
	}
	if first {
		a.Movz(d, 0, 0)
	}
}

// Umov copies a lane of n to the lowest bits of d and clears the other bits. Register 31 is [XZR].
func (a *Asm) Umov(t Arrangement, d X, n V, lane int) {
	i := insn{name: "umov", bits: 0x0e003c00}.lane(16, t, lane).x(fieldD, d).v(fieldN, n)
	if t == D2 {
		i.bits |= 1 << 30 // 64 bits of d
	}
	a.emit(i)
}

// Ins copies the lowest bits of n to a lane of d, and keeps the other lanes. Register 31 is [XZR].
func (a *Asm) Ins(t Arrangement, d V, lane int, n X) {
	a.emit(insn{name: "ins", bits: 0x4e001c00}.lane(16, t, lane).v(fieldD, d).x(fieldN, n))
}
