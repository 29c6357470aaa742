package wordcode

import "strconv"

// Section is the number of operations in a function of straight-line code.
const Section = 256

// Syntax says how operations of straight-line code are written in a language. Each operation defines a constant. Its
// name is the letter t followed by the operation's number.
type Syntax struct {
	Begin, Assign, Store, End string     // text before and after an operation's number, before a slot's number, and last
	Forms                     [][]string // [operator]: text before, between and after the operands A, B and C
	Carry                     [6]string  // text before each operand, in the order a, b, c, a, b, and text at the end
}

// Append appends operation i. If another section reads the operation's value, or the value is an output, Append also
// stores the value in its slot of v.
func (y *Syntax) Append(line []byte, p *Program, place *Placement, i int) []byte {
	op := p.Ops[i]
	line = append(strconv.AppendInt(append(line, y.Begin...), int64(i), 10), y.Assign...)
	operands := [3]Value{op.A, op.B, op.C}
	if op.Operator == Carry {
		for k, from := range [...]int{0, 1, 2, 0, 1} {
			line = appendOperand(append(line, y.Carry[k]...), p, place, operands[from], i)
		}
		line = append(line, y.Carry[5]...)
	} else {
		for k, text := range y.Forms[op.Operator] {
			if line = append(line, text...); k < op.Operator.Operands() {
				line = appendOperand(line, p, place, operands[k], i)
			}
		}
	}
	if slot := place.Slot[i]; slot != Local {
		line = strconv.AppendUint(append(line, y.Store...), uint64(slot), 10)
		line = strconv.AppendInt(append(line, "] = t"...), int64(i), 10)
	}
	return append(line, y.End...)
}

// appendOperand appends an operand of an operation. The argument at is the number of this operation. The text names
// an input in x, a constant of the same section, or a slot in v.
func appendOperand(line []byte, p *Program, place *Placement, v Value, at int) []byte {
	op := int(v) - p.Inputs - 1
	switch {
	case op < 0:
		line = strconv.AppendUint(append(line, "x["...), uint64(v-1), 10)
	case op/Section == at/Section:
		return strconv.AppendInt(append(line, 't'), int64(op), 10)
	default:
		line = strconv.AppendUint(append(line, "v["...), uint64(place.Slot[op]), 10)
	}
	return append(line, ']')
}
