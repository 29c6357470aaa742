package ccode

import (
	"fmt"
	"strings"

	"ialgn/internal/wordcode"
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
	f.preface(f.opt, ".c", "see NAME.h")
	f.template(sourceTop)
	f.outputTable()
	f.template(sourceOutputs)
	if f.isStraight() {
		f.straight()
	} else {
		f.writeTable()
	}
	if f.classifier != nil {
		f.classify()
		f.realSource()
		f.scores.define(f.printer, "", "")
	}
}

func (f *file) outputTable() {
	var rows []uint32
	if f.isStraight() {
		rows = f.program.OutputRows(f.place, 0)
	} else {
		rows = f.table.Outputs
	}
	f.template("\nstatic const uint32_t outputs[MACRO_OUTPUTS] = {\n")
	numbers(f.printer, "%d", 16, rows)
	f.text("};\n")
}

// straight writes the operations as straight-line code. It writes a function for each section, and a function that
// calls the sections.
func (f *file) straight() {
	ops := f.program.Ops
	for first := 0; first < len(ops); first += wordcode.Section {
		f.printf("\nstatic void part_%d(const word *restrict x, word *restrict v) {\n", first/wordcode.Section)
		for i := first; i < min(len(ops), first+wordcode.Section); i++ {
			f.buf = syntax.Append(f.buf[:0], f.program, f.place, i)
			_, _ = f.w.Write(f.buf)
		}
		f.text("    (void)x;\n    (void)v;\n}\n")
	}
	f.template("\nvoid NAME_run(const uint64_t *in, uint64_t *out, uint64_t *scratch) {\n")
	f.text("    const word *x = (const word *)in;\n    word *v = (word *)scratch;\n")
	for first := 0; first < len(ops); first += wordcode.Section {
		f.printf("    part_%d(x, v);\n", first/wordcode.Section)
	}
	f.text("    write_outputs(x, v, (word *)out);\n}\n")
}

// syntax is the C syntax of operations.
var syntax = wordcode.Syntax{
	Begin: "    const word t", Assign: " = ", Store: "; v[", End: ";\n",
	Forms: [][]string{
		wordcode.And:    {"", " & ", ""},
		wordcode.AndNot: {"", " & ~", ""},
		wordcode.Or:     {"", " | ", ""},
		wordcode.Xor:    {"", " ^ ", ""},
		wordcode.Not:    {"~", ""},
		wordcode.Sum:    {"", " ^ ", " ^ ", ""},
	},
	// (a & b) | (c & (a ^ b)): this form shares a ^ b with the sum
	Carry: [6]string{"(", " & ", ") | (", " & (", " ^ ", "))"},
}

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

// writeTable writes the operations as a table, and the function that runs it.
func (f *file) writeTable() {
	f.text("\nstatic const uint64_t table[] = {\n")
	numbers(f.printer, "0x%x", 8, f.table.Code)
	f.text("};\n")
	f.template(replace(sourceTable, "ROWONES", fmt.Sprint(f.table.Ones)))
}
