package native

import (
	"slices"

	"ialgn/backend/wordcode"
)

// binary returns the program with full adders taken apart into operations on two values. With selects, for a machine
// that has an instruction for it, the carry is a multiplexer: where two bits differ the third, else one of them.
func binary(p *wordcode.Program, selects bool) *wordcode.Program {
	b := expansion{
		first: wordcode.Value(p.Inputs + 1), p: &wordcode.Program{Inputs: p.Inputs},
		moved: make([]wordcode.Value, len(p.Ops)), selects: selects,
	}
	for i := 0; i < len(p.Ops); i++ {
		op := p.Ops[i]
		op.A, op.B, op.C = b.value(op.A), b.value(op.B), b.value(op.C)
		switch op.Operator {
		case wordcode.Sum:
			half := b.op(wordcode.Xor, op.A, op.B)
			b.moved[i] = b.op(wordcode.Xor, half, op.C)
			if next := p.Ops[min(i+1, len(p.Ops)-1)]; next == (wordcode.Op{
				Operator: wordcode.Carry, A: p.Ops[i].A, B: p.Ops[i].B, C: p.Ops[i].C,
			}) {
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
	return b.p
}

// expansion is a program in the making.
type expansion struct {
	p       *wordcode.Program
	first   wordcode.Value   // the first that an operation computes
	moved   []wordcode.Value // for each operation of the old program, the value in the new one
	selects bool
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

// selection is the table of a Lookup that is B where A is 1, else C.
const selection = 0b11011000

// carry adds the carry of a full adder, given where its first two bits differ.
func (b *expansion) carry(half wordcode.Value, adder wordcode.Op) wordcode.Value {
	if b.selects {
		return b.add(wordcode.Op{Operator: wordcode.Lookup, Table: selection, A: half, B: adder.C, C: adder.A})
	}
	return b.op(wordcode.Or, b.op(wordcode.And, half, adder.C), b.op(wordcode.And, adder.A, adder.B))
}
