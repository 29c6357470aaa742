package arm64

// Mem is an operand in memory. It says how the address is computed and how the base register changes.
type Mem struct {
	base   X
	offset int
	mode   mode
}

// mode says how an address is computed. The values equal bits 23 and 24 of instructions on pairs.
type mode uint8

const (
	modePost   mode = 1
	modeOffset mode = 2
	modePre    mode = 3
)

// At returns the operand at the address base + offset, in bytes. In At, Pre and Post, base 31 is [SP].
func At(base X, offset int) Mem { return Mem{base: base, offset: offset, mode: modeOffset} }

// Pre returns the operand at the address base + offset. The instruction sets the base register to this address.
func Pre(base X, offset int) Mem { return Mem{base: base, offset: offset, mode: modePre} }

// Post returns the operand at the address base. The instruction then sets the base register to base + offset.
func Post(base X, offset int) Mem { return Mem{base: base, offset: offset, mode: modePost} }

// writesBase reports whether the base register changes.
func (m Mem) writesBase() bool { return m.mode == modePre || m.mode == modePost }

const nearer = "bring the base register nearer"

// access is a load or store of one register.
type access struct {
	name string
	bits uint32 // the opcode for an unscaled offset in bytes
	log  int    // binary logarithm of the number of bytes
}

// insn returns the instruction without the register that is loaded or stored.
func (c access) insn(m Mem) insn {
	i := insn{name: c.name, bits: c.bits}.x(fieldN, m.base)
	unscaled := span{"offset", -256, 255, 1, nearer}
	switch m.mode {
	case modePost:
		i.bits |= 0x400
		return i.imm(12, unscaled, m.offset)
	case modePre:
		i.bits |= 0xc00
		return i.imm(12, unscaled, m.offset)
	default:
		i.bits |= 1 << 24
		return i.imm(10, span{"offset", 0, 4095 << c.log, 1 << c.log, nearer}, m.offset)
	}
}

// v writes the access of a vector register.
func (c access) v(a *Asm, t V, m Mem) { a.emit(c.insn(m).v(fieldD, t)) }

// x writes the access of a general register. Register 31 is [XZR].
func (c access) x(a *Asm, t X, m Mem) { a.emit(c.insn(m).x(fieldD, t).apart(t, m)) }

// apart records a fault if the loaded or stored register is also the base register and the base register changes. The
// result of such an instruction is unpredictable.
func (i insn) apart(t X, m Mem) insn {
	if t == m.base && t != SP && m.writesBase() {
		return i.wrong("the base register is moved and changed: take another one for either")
	}
	return i
}

// LdrQ loads 16 bytes. The offset is a multiple of 16 up to 65520 in [At], and -256 to 255 in [Pre] and [Post].
func (a *Asm) LdrQ(t V, m Mem) { access{"ldr q", 0x3cc00000, 4}.v(a, t, m) }

// StrQ stores 16 bytes, with the offsets of [Asm.LdrQ].
func (a *Asm) StrQ(t V, m Mem) { access{"str q", 0x3c800000, 4}.v(a, t, m) }

// Ldr loads 8 bytes. The offset is a multiple of 8 up to 32760 in [At], and -256 to 255 in [Pre] and [Post].
func (a *Asm) Ldr(t X, m Mem) { access{"ldr x", 0xf8400000, 3}.x(a, t, m) }

// Str stores 8 bytes, with the offsets of [Asm.Ldr].
func (a *Asm) Str(t X, m Mem) { access{"str x", 0xf8000000, 3}.x(a, t, m) }

// StrW stores the lowest 4 bytes of t. The offset is a multiple of 4 up to 16380 in [At], and -256 to 255 in [Pre]
// and [Post].
func (a *Asm) StrW(t X, m Mem) { access{"str w", 0xb8000000, 2}.x(a, t, m) }

// Strh stores the lowest 2 bytes of t. The offset is a multiple of 2 up to 8190 in [At], and -256 to 255 in [Pre] and
// [Post].
func (a *Asm) Strh(t X, m Mem) { access{"strh", 0x78000000, 1}.x(a, t, m) }

// Ldrb loads a byte and clears all other bits of t. The offset is 0 to 4095 in [At], and -256 to 255 in [Pre] and
// [Post].
func (a *Asm) Ldrb(t X, m Mem) { access{"ldrb", 0x38400000, 0}.x(a, t, m) }

// Strb stores the lowest byte of t, with the offsets of [Asm.Ldrb].
func (a *Asm) Strb(t X, m Mem) { access{"strb", 0x38000000, 0}.x(a, t, m) }

// pair returns the load or store of two 8-byte registers whose values are adjacent in memory. The caller adds the
// registers. The offset is a multiple of 8, from -512 to 504.
func pair(name string, bits uint32, m Mem) insn {
	i := insn{name: name, bits: bits | uint32(m.mode)<<23}.x(fieldN, m.base)
	return i.imm(15, span{"offset", -64 * 8, 63 * 8, 8, nearer}, m.offset)
}

// twice records a fault if both registers of a loaded pair are the same register. The result of such an instruction
// is unpredictable.
func (i insn) twice(same bool) insn {
	if same {
		return i.wrong("both registers are the same: take two")
	}
	return i
}

// LdpD loads the lower halves of two vector registers and clears the upper halves. The offset is a
// multiple of 8 from -512 to 504.
func (a *Asm) LdpD(t, u V, m Mem) {
	a.emit(pair("ldp d", 0x6c400000, m).v(fieldD, t).v(fieldA, u).twice(t == u))
}

// StpD stores the lower halves of two vector registers, with the offsets of [Asm.LdpD].
func (a *Asm) StpD(t, u V, m Mem) { a.emit(pair("stp d", 0x6c000000, m).v(fieldD, t).v(fieldA, u)) }

// Ldp loads two general registers. Register 31 is [XZR]. The offset is a multiple of 8 from -512 to 504.
func (a *Asm) Ldp(t, u X, m Mem) {
	a.emit(pair("ldp x", 0xa8400000, m).x(fieldD, t).x(fieldA, u).twice(t == u).apart(t, m).apart(u, m))
}

// Stp stores two general registers, with the offsets of [Asm.Ldp].
func (a *Asm) Stp(t, u X, m Mem) {
	a.emit(pair("stp x", 0xa8000000, m).x(fieldD, t).x(fieldA, u).apart(t, m).apart(u, m))
}

// Ld1r loads one lane and copies it to all lanes of d. The address is either [At] with the offset 0, or [Post] with
// the size of a lane in bytes as its offset.
func (a *Asm) Ld1r(t Arrangement, d V, m Mem) {
	i := insn{name: "ld1r", bits: 0x4d40c000}.size(10, t, D2).v(fieldD, d).x(fieldN, m.base)
	switch {
	case m.mode == modeOffset && m.offset == 0:
	case m.mode == modePost && m.offset == t.bytes():
		i.bits |= 0x9f0000
	default:
		i = i.wrong("there is no such address: take offset 0, or Post with the bytes of a lane")
	}
	a.emit(i)
}
