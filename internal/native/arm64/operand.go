package arm64

import "fmt"

// registers is the number of vector registers, and of general registers.
const registers = 32

// V is a vector register of 128 bits, 0 to 31.
type V uint8

// X is a general register of 64 bits, 0 to 30. Number 31 is either the stack pointer or the zero register. The
// comment of each method says which of the two.
type X uint8

// These general registers have a special role.
const (
	FP  X = 29 // frame pointer
	LR  X = 30 // link register: the return address of a function
	SP  X = 31 // stack pointer, for instructions that use it
	XZR X = 31 // zero, for instructions that use it
)

// Arrangement is the division of a vector register into lanes. Its value is the binary logarithm of a lane's size in
// bytes, as in the instruction's encoding.
type Arrangement uint8

// These arrangements divide all 128 bits.
const (
	B16 Arrangement = iota // 16 lanes of 8 bits, .16b
	H8                     // 8 lanes of 16 bits, .8h
	S4                     // 4 lanes of 32 bits, .4s
	D2                     // 2 lanes of 64 bits, .2d
)

// String returns the name in assembler text, such as 16b.
func (t Arrangement) String() string {
	if t > D2 {
		return fmt.Sprintf("Arrangement(%d)", uint8(t))
	}
	return [...]string{"16b", "8h", "4s", "2d"}[t]
}

// bytes returns the size of a lane in bytes.
func (t Arrangement) bytes() int { return 1 << t }

// lanes returns the number of lanes.
func (t Arrangement) lanes() int { return 16 >> t }

// checkArrangement records a fault if the lanes of t are wider than the widest allowed lanes, which are the lanes of
// last.
func (i insn) checkArrangement(t, last Arrangement) insn {
	if t > last {
		return i.wrong(fmt.Sprintf("arrangement %v: the widest one here is %v", t, last))
	}
	return i
}

// size encodes an arrangement in a two-bit field. The widest allowed lanes are the lanes of last.
func (i insn) size(field int, t, last Arrangement) insn {
	i = i.checkArrangement(t, last)
	i.bits |= uint32(t) << field
	return i
}

// lane encodes an arrangement and the number of a lane in a five-bit field. The position of the field's lowest set
// bit gives the width of a lane. The bits above the lowest set bit are the lane's number.
func (i insn) lane(field int, t Arrangement, lane int) insn {
	i = i.checkArrangement(t, D2).check(span{"lane", 0, t.lanes() - 1, 1, "there are no more of " + t.String()}, lane)
	i.bits |= uint32(2*lane+1) << t << field
	return i
}

// Cond is a condition of a branch. It refers to the last comparison of n with m ([Asm.Cmp], [Asm.CmpImm]).
type Cond uint8

// The conditions for unsigned and signed numbers.
const (
	EQ Cond = 0  // n equals m
	NE Cond = 1  // n differs from m
	HS Cond = 2  // n >= m, unsigned
	LO Cond = 3  // n < m, unsigned
	HI Cond = 8  // n > m, unsigned
	LS Cond = 9  // n <= m, unsigned
	GE Cond = 10 // n >= m, signed
	LT Cond = 11 // n < m, signed
	GT Cond = 12 // n > m, signed
	LE Cond = 13 // n <= m, signed
)

// String returns the name in assembler text, such as eq.
func (c Cond) String() string {
	if name := c.name(); name != "" {
		return name
	}
	return fmt.Sprintf("Cond(%d)", uint8(c))
}

// name returns the name in assembler text; "" for an unknown condition.
func (c Cond) name() string {
	names := [...]string{EQ: "eq", "ne", "hs", "lo", HI: "hi", "ls", "ge", "lt", "gt", "le"}
	if int(c) >= len(names) {
		return ""
	}
	return names[c]
}
