package wordcode

import "fmt"

// Table is a program as a list of numbers, which a loop interprets. The program works on an array of rows. The array
// holds the rows of the inputs, then a row of all ones, a row that no operation reads, and the slots.
//
// A number of the code consists of three row numbers of [RowBits] bits each and, above them, the operator. An
// operation on two values is one number. It has an operator from [And] to [Xor] and the row numbers of the result, of
// A and of B. A full adder is two numbers. The first number has the operator [FullAdder] and the row numbers of C, A
// and B. The second number has two zeros and the row numbers of the carry and the sum. A complement is an AndNot
// whose operand A is the row of ones.
type Table struct {
	Rows    int
	Ones    int // number of the row of ones
	Code    []uint64
	Outputs []uint32 // see [Program.OutputRows]
}

// RowBits is the number of bits of a row number in a [Table].
const RowBits = 20

// MaxRows is the largest number of rows of a [Table].
const MaxRows = 1 << RowBits

// FullAdder is the operator in the first number of a full adder.
const FullAdder = 4

// These constants number the rows between the inputs and the slots, beginning after the inputs.
const (
	rowOnes = iota
	rowUnread
	rowSlots
)

// Table returns the program as a table. The program must come from [Lower]. Table returns an error if the program
// needs more rows than the table can number.
func (p *Program) Table() (*Table, error) {
	place := p.Place(1)
	t := &Table{Rows: p.Inputs + rowSlots + place.Slots, Ones: p.Inputs + rowOnes}
	if t.Rows > MaxRows {
		return nil, fmt.Errorf("%d values are needed at a time, the code has room for %d: write a smaller scope", t.Rows,
			MaxRows)
	}
	t.Code = make([]uint64, 0, len(p.Ops))
	t.Outputs = p.OutputRows(place, rowSlots)
	unread := uint64(p.Inputs + rowUnread)
	result := func(i int) uint64 { return uint64(p.Inputs+rowSlots) + uint64(place.Slot[i]) }
	row := func(v Value) uint64 {
		if op := int(v) - p.Inputs - 1; op >= 0 {
			return result(op)
		}
		return uint64(max(v, 1) - 1) // an operand that is not read may be any row
	}
	for i := 0; i < len(p.Ops); i++ {
		op, to := p.Ops[i], result(i)
		switch op.Operator {
		case Not:
			t.add(uint64(AndNot), to, uint64(t.Ones), row(op.A))
		case Sum:
			t.add(FullAdder, row(op.C), row(op.A), row(op.B))
			if i+1 < len(p.Ops) && p.Ops[i+1] == (Op{Carry, 0, op.A, op.B, op.C}) {
				i++
				t.add(0, 0, result(i), to)
			} else {
				t.add(0, 0, unread, to)
			}
		case Carry:
			t.add(FullAdder, row(op.C), row(op.A), row(op.B))
			t.add(0, 0, to, unread)
		default:
			t.add(uint64(op.Operator), to, row(op.A), row(op.B))
		}
	}
	return t, nil
}

func (t *Table) add(do, high, middle, low uint64) {
	t.Code = append(t.Code, do<<(3*RowBits)|high<<(2*RowBits)|middle<<RowBits|low)
}

// OutputRows returns a number for each output. The number is twice the number of the output's row, plus one if the
// output is a complement. Row 0 is the constant 0. After row 0 come the rows of the inputs, then the given number of
// other rows, and then the slots.
func (p *Program) OutputRows(place *Placement, others int) []uint32 {
	rows := make([]uint32, len(p.Outputs))
	for i, o := range p.Outputs {
		v := uint32(o.Value())
		if op := int(v) - p.Inputs - 1; op >= 0 {
			v = uint32(1+p.Inputs+others) + place.Slot[op]
		}
		rows[i] = v<<1 | uint32(o&1)
	}
	return rows
}
