package arm64

import "fmt"

// insn is an instruction that is being assembled.
type insn struct {
	name  string // for messages
	bits  uint32 // the opcode with the operands encoded so far
	fault string // describes the first operand that cannot be encoded, and how to fix it
}

// These are the lowest bits of the fields that hold registers.
const (
	fieldD = 0  // destination
	fieldN = 5  // first source, or base
	fieldA = 10 // third source, or the second register of a pair
	fieldM = 16 // second source, or index
)

// v encodes a vector register in the field.
func (i insn) v(field int, r V) insn { return i.register(field, uint32(r)) }

// x encodes a general register in the field.
func (i insn) x(field int, r X) insn { return i.register(field, uint32(r)) }

func (i insn) register(field int, r uint32) insn {
	if r >= registers {
		return i.wrong(fmt.Sprintf("register %d: the last one is %d", r, registers-1))
	}
	i.bits |= r << field
	return i
}

// span describes the values that an immediate may have. The values are from, from+step, from+2*step and so on, up to
// the value of the field to. The values fill a bit field exactly, in two's complement if from is negative. The field
// mend says how to fix an invalid value.
type span struct {
	what           string
	from, to, step int
	mend           string
}

// imm encodes an immediate in the field.
func (i insn) imm(field int, s span, value int) insn {
	i = i.check(s, value)
	mask := uint32(s.to-s.from) / uint32(s.step)
	i.bits |= (uint32(value/s.step) & mask) << field
	return i
}

// check records a fault if the value is not in the span.
func (i insn) check(s span, value int) insn {
	if value >= s.from && value <= s.to && value%s.step == 0 {
		return i
	}
	multiple := ""
	if s.step > 1 {
		multiple = fmt.Sprintf("a multiple of %d ", s.step)
	}
	return i.wrong(fmt.Sprintf("%s %d is not %sfrom %d to %d: %s", s.what, value, multiple, s.from, s.to, s.mend))
}

// wrong records a fault of an operand, unless there is an earlier fault.
func (i insn) wrong(fault string) insn {
	if i.fault == "" {
		i.fault = fault
	}
	return i
}
