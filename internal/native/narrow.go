package native

import (
	"slices"

	"ialgn/internal/wordcode"
)

// forms says which functions of three values are one instruction, for a machine that lacks an instruction for
// arbitrary functions. A function is a table of wordcode.Lookup.
type forms struct {
	selects bool // A ? B : C
	folds   bool // A ^ B ^ C and A ^ (B &^ C)
}

// These are the tables of the functions.
const (
	selection  = 0b11011000
	exclusive3 = 0b10010110
	clearXor   = 0b10100110
)

// narrow returns the program with each full adder replaced by operations on two values, and by the operations on
// three values that the machine has. The carry of a full adder is the third bit if the first two bits differ.
// Otherwise it is one of the first two bits.
func narrow(p *wordcode.Program, f forms) *wordcode.Program {
	b := expansion{
		first: wordcode.Value(p.Inputs + 1), p: &wordcode.Program{Inputs: p.Inputs},
		moved: make([]wordcode.Value, len(p.Ops)), forms: f,
	}
	for i := 0; i < len(p.Ops); i++ {
		op := p.Ops[i]
		op.A, op.B, op.C = b.value(op.A), b.value(op.B), b.value(op.C)
		switch op.Operator {
		case wordcode.Sum:
			half := b.op(wordcode.Xor, op.A, op.B)
			b.moved[i] = b.op(wordcode.Xor, half, op.C)
			if i+1 < len(p.Ops) && isCarryOf(p.Ops[i+1], p.Ops[i]) {
				i++
				b.moved[i] = b.carry(half, op)
			}
		case wordcode.Carry:
			b.moved[i] = b.carry(b.op(wordcode.Xor, op.A, op.B), op)
		default:
			b.moved[i] = b.add(op)
		}
	}
	b.p.Outputs = slices.Clone(p.Outputs)
	for i, o := range b.p.Outputs {
		b.p.Outputs[i] = wordcode.Literal(b.value(o.Value()))<<1 | o&1
	}
	if f.folds {
		return fold(b.p)
	}
	return b.p
}

// isCarryOf reports whether an operation is the carry of the same full adder as a sum.
func isCarryOf(carry, sum wordcode.Op) bool {
	sum.Operator = wordcode.Carry
	return carry == sum
}

// expansion is the state of building a program from another program.
type expansion struct {
	p     *wordcode.Program
	first wordcode.Value   // first value that an operation computes
	moved []wordcode.Value // [old operation]: value of the operation in the new program
	forms forms
}

func (b *expansion) value(v wordcode.Value) wordcode.Value {
	if v < b.first {
		return v
	}
	return b.moved[v-b.first]
}

func (b *expansion) add(op wordcode.Op) wordcode.Value {
	b.p.Ops = append(b.p.Ops, op)
	return b.first + wordcode.Value(len(b.p.Ops)-1)
}

func (b *expansion) op(o wordcode.Operator, x, y wordcode.Value) wordcode.Value {
	return b.add(wordcode.Op{Operator: o, A: x, B: y})
}

// carry adds the carry of a full adder. The value half is the exclusive or of the adder's first two bits.
func (b *expansion) carry(half wordcode.Value, adder wordcode.Op) wordcode.Value {
	if b.forms.selects {
		return b.add(wordcode.Op{Operator: wordcode.Lookup, Table: selection, A: half, B: adder.C, C: adder.A})
	}
	return b.op(wordcode.Or, b.op(wordcode.And, half, adder.C), b.op(wordcode.And, adder.A, adder.B))
}

// fold combines an Xor with an operand into one operation. The operand must be an Xor or an AndNot that only this Xor
// reads.
func fold(p *wordcode.Program) *wordcode.Program {
	first := wordcode.Value(p.Inputs + 1)
	readers := make([]uint8, len(p.Ops)) // counts up to 2
	count := func(v wordcode.Value) {
		if v >= first {
			readers[v-first] = min(2, readers[v-first]+1)
		}
	}
	for i := range p.Ops {
		for _, v := range operands(&p.Ops[i]) {
			count(v)
		}
	}
	for _, o := range p.Outputs {
		count(o.Value())
	}
	gone := make([]bool, len(p.Ops))
	for i := range p.Ops {
		op := &p.Ops[i]
		for range 2 {
			if inner := int(op.B) - int(first); op.Operator == wordcode.Xor && inner >= 0 && readers[inner] == 1 {
				switch in := p.Ops[inner]; in.Operator {
				case wordcode.Xor:
					*op, gone[inner] = wordcode.Op{Operator: wordcode.Lookup, Table: exclusive3, A: op.A, B: in.A, C: in.B}, true
				case wordcode.AndNot:
					*op, gone[inner] = wordcode.Op{Operator: wordcode.Lookup, Table: clearXor, A: op.A, B: in.A, C: in.B}, true
				}
			}
			if op.Operator == wordcode.Xor {
				op.A, op.B = op.B, op.A
			}
		}
	}
	return without(p, gone)
}

// without returns a program without the marked operations. No other operation or output may read them.
func without(p *wordcode.Program, gone []bool) *wordcode.Program {
	b := expansion{
		first: wordcode.Value(p.Inputs + 1), p: &wordcode.Program{Inputs: p.Inputs},
		moved: make([]wordcode.Value, len(p.Ops)),
	}
	for i, op := range p.Ops {
		if !gone[i] {
			op.A, op.B, op.C = b.value(op.A), b.value(op.B), b.value(op.C)
			b.moved[i] = b.add(op)
		}
	}
	for _, o := range p.Outputs {
		b.p.Outputs = append(b.p.Outputs, wordcode.Literal(b.value(o.Value()))<<1|o&1)
	}
	return b.p
}
