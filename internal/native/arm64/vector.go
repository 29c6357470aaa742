package arm64

// vvv writes an instruction with three vector registers.
func (a *Asm) vvv(name string, bits uint32, d, n, m V) { a.emit(three(name, bits, d, n, m)) }

func three(name string, bits uint32, d, n, m V) insn {
	return insn{name: name, bits: bits}.v(fieldD, d).v(fieldN, n).v(fieldM, m)
}

// And writes d = n AND m.
func (a *Asm) And(d, n, m V) { a.vvv("and", 0x4e201c00, d, n, m) }

// Bic writes d = n AND NOT m.
func (a *Asm) Bic(d, n, m V) { a.vvv("bic", 0x4e601c00, d, n, m) }

// Orr writes d = n OR m.
func (a *Asm) Orr(d, n, m V) { a.vvv("orr", 0x4ea01c00, d, n, m) }

// Eor writes d = n XOR m.
func (a *Asm) Eor(d, n, m V) { a.vvv("eor", 0x6e201c00, d, n, m) }

// Bsl writes d = (d AND n) OR (NOT d AND m). The old value of d selects between n and m.
func (a *Asm) Bsl(d, n, m V) { a.vvv("bsl", 0x6e601c00, d, n, m) }

// Bit writes d = (m AND n) OR (NOT m AND d). Where a bit of m is 1, d takes the bit of n.
func (a *Asm) Bit(d, n, m V) { a.vvv("bit", 0x6ea01c00, d, n, m) }

// Bif writes d = (m AND d) OR (NOT m AND n). Where a bit of m is 0, d takes the bit of n.
func (a *Asm) Bif(d, n, m V) { a.vvv("bif", 0x6ee01c00, d, n, m) }

// Eor3 writes d = n XOR m XOR o. It needs the SHA3 extension.
func (a *Asm) Eor3(d, n, m, o V) { a.emit(three("eor3", 0xce000000, d, n, m).v(fieldA, o)) }

// Bcax writes d = n XOR (m AND NOT o). It needs the SHA3 extension.
func (a *Asm) Bcax(d, n, m, o V) { a.emit(three("bcax", 0xce200000, d, n, m).v(fieldA, o)) }

// Not writes d = NOT n.
func (a *Asm) Not(d, n V) { a.emit(insn{name: "not", bits: 0x6e205800}.v(fieldD, d).v(fieldN, n)) }

// Mov writes d = n. It is an alias of ORR.
func (a *Asm) Mov(d, n V) { a.vvv("mov", 0x4ea01c00, d, n, n) }

// Movi fills all lanes with a constant. For B16, the constant is any byte. For D2, each byte of the constant must be
// 0x00 or 0xff. Other arrangements are not supported.
func (a *Asm) Movi(t Arrangement, d V, value uint64) {
	i := insn{name: "movi", bits: 0x4f00e400}
	imm, ok := value, value <= 0xff
	switch t {
	case B16:
	case D2:
		i.bits |= 1 << 29
		imm, ok = byteMask(value)
	default:
		a.emit(i.wrong("arrangement " + t.String() + ": there are 16b and 2d"))
		return
	}
	if !ok {
		i = i.wrong("the constant has no such encoding: load it from memory")
	}
	i.bits |= uint32(imm>>5)<<16 | uint32(imm&31)<<5
	a.emit(i.v(fieldD, d))
}

// byteMask returns a number whose bit b is 1 if byte b of the value is 0xff, and 0 if the byte is 0x00. If a byte has
// another value, ok is false.
func byteMask(value uint64) (mask uint64, ok bool) {
	for b := range 8 {
		switch value >> (8 * b) & 0xff {
		case 0x00:
		case 0xff:
			mask |= 1 << b
		default:
			return 0, false
		}
	}
	return mask, true
}

// lanes writes an instruction on three vectors. The widest allowed lanes are the lanes of last.
func (a *Asm) lanes(name string, bits uint32, t, last Arrangement, d, n, m V) {
	a.emit(three(name, bits, d, n, m).size(22, t, last))
}

// Cmhi compares lanes as unsigned numbers. It sets a lane of d to all ones if the lane of n is greater than the lane
// of m, and to zero otherwise.
func (a *Asm) Cmhi(t Arrangement, d, n, m V) { a.lanes("cmhi", 0x6e203400, t, D2, d, n, m) }

// Zip1 interleaves the lanes of the lower halves of n and m: n[0], m[0], n[1], m[1] and so on.
func (a *Asm) Zip1(t Arrangement, d, n, m V) { a.lanes("zip1", 0x4e003800, t, D2, d, n, m) }

// Zip2 interleaves the lanes of the upper halves of n and m.
func (a *Asm) Zip2(t Arrangement, d, n, m V) { a.lanes("zip2", 0x4e007800, t, D2, d, n, m) }

// Sli shifts each lane of n to the left and inserts the result into d. The distance is 0 to the lane's width minus 1.
// The low bits of d's lane that the shift leaves free are kept.
func (a *Asm) Sli(t Arrangement, d, n V, by int) { a.left("sli", 0x6f005400, t, d, n, by) }

// Sri shifts each lane of n to the right and inserts the result into d. The distance is 1 to the lane's width. The
// high bits of d's lane that the shift leaves free are kept.
func (a *Asm) Sri(t Arrangement, d, n V, by int) { a.right("sri", 0x6f004400, t, d, n, by) }

// left writes a left shift of lanes. The seven-bit field holds the width of a lane plus the distance.
func (a *Asm) left(name string, bits uint32, t Arrangement, d, n V, by int) {
	width := 8 * t.bytes()
	a.shift(name, bits, t, d, n, span{"shift", 0, width - 1, 1, "what is left is zero: take Movi"}, by, width+by)
}

// right writes a right shift of lanes. The seven-bit field holds twice the width of a lane minus the distance.
func (a *Asm) right(name string, bits uint32, t Arrangement, d, n V, by int) {
	width := 8 * t.bytes()
	a.shift(name, bits, t, d, n, span{"shift", 1, width, 1, "take Mov for none"}, by, 2*width-by)
}

// shift writes a shift of lanes by the distance by. The argument field is the encoded distance.
func (a *Asm) shift(name string, bits uint32, t Arrangement, d, n V, distances span, by, field int) {
	i := insn{name: name, bits: bits}.checkArrangement(t, D2).check(distances, by).v(fieldD, d).v(fieldN, n)
	i.bits |= uint32(field) << 16
	a.emit(i)
}
