package ccode

import (
	"fmt"
	"strconv"
	"strings"

	"ialgn/backend/wordcode"
)

func replace(s, old, text string) string { return strings.ReplaceAll(s, old, text) }

const sourceTop = `#include "NAME.h"

#if MACRO_WORDS == 1
typedef uint64_t word;
#elif defined(__GNUC__)
/* A row of a block. It lies in an array of uint64_t, aligned and accessed as those are. */
typedef uint64_t word __attribute__((vector_size(8 * MACRO_WORDS), aligned(8), may_alias));
#else
#error "MACRO_WORDS must be 1 with this compiler"
#endif
`

const sourceOutputs = `
/* Writes the outputs. An element is twice a row, plus one for its complement: row 0 is the
 * constant 0, then come the inputs, then the scratch memory. */
static void write_outputs(const word *x, const word *v, word *y) {
    size_t i;
    for (i = 0; i < MACRO_OUTPUTS; i++) {
        const uint32_t row = outputs[i] >> 1;
        const uint64_t flip = (uint64_t)0 - (outputs[i] & 1u);
        if (row == 0) y[i] = x[0] ^ x[0] ^ flip;
        else if (row <= MACRO_INPUTS) y[i] = x[row - 1] ^ flip;
        else y[i] = v[row - 1 - MACRO_INPUTS] ^ flip;
    }
}
`

// source writes the source file.
func (f *file) source() {
	f.preface(".c", "see NAME.h")
	f.template(sourceTop)
	f.outputTable()
	f.template(sourceOutputs)
	if f.isStraight() {
		f.straight()
	} else {
		f.table()
	}
	if f.classifier != nil {
		f.classify()
	}
}

func (f *file) outputTable() {
	f.template("\nstatic const uint32_t outputs[MACRO_OUTPUTS] = {\n")
	codes := make([]uint32, len(f.program.Outputs))
	for i, o := range f.program.Outputs {
		v := uint32(o.Value())
		if op := int(v) - f.program.Inputs - 1; op >= 0 {
			v = uint32(1+f.program.Inputs) + f.place.Slot[op]
			if !f.isStraight() {
				v += rowSlots
			}
		}
		codes[i] = v<<1 | uint32(o&1)
	}
	numbers(f.printer, "%d", 16, codes)
	f.text("};\n")
}

// straight writes the operations as straight code, a function a section, and the function
// that runs them.
func (f *file) straight() {
	ops := f.program.Ops
	for first := 0; first < len(ops); first += section {
		f.printf("\nstatic void part_%d(const word *restrict x, word *restrict v) {\n", first/section)
		for i := first; i < min(len(ops), first+section); i++ {
			f.operation(i)
		}
		f.text("    (void)x;\n    (void)v;\n}\n")
	}
	f.template("\nvoid NAME_run(const uint64_t *in, uint64_t *out, uint64_t *scratch) {\n")
	f.text("    const word *x = (const word *)in;\n    word *v = (word *)scratch;\n")
	for first := 0; first < len(ops); first += section {
		f.printf("    part_%d(x, v);\n", first/section)
	}
	f.text("    write_outputs(x, v, (word *)out);\n}\n")
}

// forms are the operators between A, B and C.
var forms = [...][]string{
	wordcode.And:    {"", " & ", ""},
	wordcode.AndNot: {"", " & ~", ""},
	wordcode.Or:     {"", " | ", ""},
	wordcode.Xor:    {"", " ^ ", ""},
	wordcode.Not:    {"~", ""},
	wordcode.Sum:    {"", " ^ ", " ^ ", ""},
}

// operation writes an operation of straight code: a value that other sections read, or an
// output, also goes into its slot.
func (f *file) operation(i int) {
	op := f.program.Ops[i]
	line := strconv.AppendInt(append(f.buf[:0], "    const word t"...), int64(i), 10)
	line = append(line, " = "...)
	operands := [3]wordcode.Value{op.A, op.B, op.C}
	if op.Operator == wordcode.Carry {
		line = f.carry(line, operands, i)
	} else {
		for k, text := range forms[op.Operator] {
			line = append(line, text...)
			if k < op.Operator.Operands() {
				line = f.operand(line, operands[k], i)
			}
		}
	}
	line = append(line, ';')
	if slot := f.place.Slot[i]; slot != wordcode.Local {
		line = strconv.AppendUint(append(line, " v["...), uint64(slot), 10)
		line = strconv.AppendInt(append(line, "] = t"...), int64(i), 10)
		line = append(line, ';')
	}
	f.buf = append(line, '\n')
	_, _ = f.w.Write(f.buf)
}

// carry appends (a & b) | (c & (a ^ b)), of which the sum's a ^ b is a part.
func (f *file) carry(line []byte, in [3]wordcode.Value, at int) []byte {
	for k, text := range []string{"(", " & ", ") | (", " & (", " ^ "} {
		line = f.operand(append(line, text...), in[[...]int{0, 1, 2, 0, 1}[k]], at)
	}
	return append(line, "))"...)
}

// operand appends a value as operation at reads it.
func (f *file) operand(line []byte, v wordcode.Value, at int) []byte {
	op := int(v) - f.program.Inputs - 1
	switch {
	case op < 0:
		line = strconv.AppendUint(append(line, "x["...), uint64(v-1), 10)
	case op/section == at/section:
		return strconv.AppendInt(append(line, 't'), int64(op), 10)
	default:
		line = strconv.AppendUint(append(line, "v["...), uint64(f.place.Slot[op]), 10)
	}
	return append(line, ']')
}

// A table consists of numbers: from the lowest bit on three rows of 20 bits each, and above
// them what to do. An operation on two values is one number with the rows of b, a and the
// result; a full adder is two, with the rows of c, b and a, and of carry and sum.
const (
	rowBits   = 20
	maxRows   = 1 << rowBits
	fullAdder = 4 // above the codes of And, AndNot, Or and Xor
)

// The rows of the scratch memory of a table, after those of the inputs, before the slots.
const (
	rowOnes   = iota // all ones: a complement is "ones and not"
	rowUnread        // the half of a full adder that nobody reads
	rowSlots
)

const sourceTable = `
/* Runs the table. Rows are numbered from the first input on; ROWONES is all ones. */
void NAME_run(const uint64_t *in, uint64_t *out, uint64_t *scratch) {
    /* a & b, a & ~b, a | b, a ^ b: which of a, b and a & b are added modulo 2 */
    static const uint64_t parts[4][3] = {
        {0, 0, ~(uint64_t)0},
        {~(uint64_t)0, 0, ~(uint64_t)0},
        {~(uint64_t)0, ~(uint64_t)0, ~(uint64_t)0},
        {~(uint64_t)0, ~(uint64_t)0, 0}
    };
    const word *x = (const word *)in;
    word *v = (word *)scratch;
    const uint64_t *p = table, *const end = table + sizeof table / sizeof table[0];
    size_t i;
    for (i = 0; i < MACRO_INPUTS; i++) v[i] = x[i];
    v[ROWONES] = ~(x[0] ^ x[0]);
    while (p < end) {
        const uint64_t code = *p++;
        const word a = v[code >> 20 & 0xfffff], b = v[code & 0xfffff];
        if (code >> 60 < 4) {
            const uint64_t *part = parts[code >> 60];
            v[code >> 40 & 0xfffff] = (a & part[0]) ^ (b & ((a & part[2]) ^ part[1]));
        } else {
            const word c = v[code >> 40 & 0xfffff], half = a ^ b;
            const uint64_t to = *p++;
            v[to & 0xfffff] = half ^ c;
            v[to >> 20] = (a & b) | (half & c);
        }
    }
    write_outputs(x, v + MACRO_INPUTS, (word *)out);
}
`

// table writes the operations as a table, and the function that runs it.
func (f *file) table() {
	f.text("\nstatic const uint64_t table[] = {\n")
	ops := f.program.Ops
	for i := 0; i < len(ops); i++ {
		op := ops[i]
		a, b, c, result := f.row(op.A), f.row(op.B), f.row(op.C), f.result(i)
		switch op.Operator {
		case wordcode.Not:
			f.number(uint64(wordcode.AndNot), result, f.slotRow(rowOnes), a)
		case wordcode.Sum:
			carry := f.slotRow(rowUnread)
			if i+1 < len(ops) && ops[i+1] == (wordcode.Op{Operator: wordcode.Carry, A: op.A, B: op.B, C: op.C}) {
				i++
				carry = f.result(i)
			}
			f.number(fullAdder, c, a, b)
			f.number(0, 0, carry, result)
		case wordcode.Carry:
			f.number(fullAdder, c, a, b)
			f.number(0, 0, result, f.slotRow(rowUnread))
		default:
			f.number(uint64(op.Operator), result, a, b)
		}
	}
	f.text("};\n")
	f.template(replace(sourceTable, "ROWONES", fmt.Sprint(f.slotRow(rowOnes))))
}

// number writes an element of the table.
func (f *file) number(code, high, middle, low uint64) {
	v := code<<(3*rowBits) | high<<(2*rowBits) | middle<<rowBits | low
	f.buf = append(strconv.AppendUint(append(f.buf[:0], "0x"...), v, 16), ',', '\n')
	_, _ = f.w.Write(f.buf)
}

// slotRow returns the row of the scratch memory's row i after the inputs.
func (f *file) slotRow(i int) uint64 { return uint64(f.program.Inputs + i) }

// result returns the row of the result of operation i, and row that of a value.
func (f *file) result(i int) uint64 { return f.slotRow(rowSlots) + uint64(f.place.Slot[i]) }

func (f *file) row(v wordcode.Value) uint64 {
	switch op := int(v) - f.program.Inputs - 1; {
	case op >= 0:
		return f.result(op)
	case v == 0: // of an operand that the operator does not read
		return 0
	}
	return uint64(v - 1)
}
