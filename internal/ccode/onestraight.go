package ccode

import (
	"fmt"
	"strings"
)

// listSection is the number of lists in a function of straight-line code.
const listSection = 64

// isStraight reports whether the file has straight-line code in addition to the tables. Classifiers have this code up
// to a size that compilers handle in seconds.
func (f *one) isStraight() bool {
	steps := 0
	for _, l := range f.program.Lists {
		for _, t := range l {
			steps += len(t.Bits)
		}
	}
	return f.program.Classes != nil && steps <= MaxStraight
}

// straight writes the lists as straight-line code. It writes several functions, each for a few lists, and one
// function that calls the functions of a class.
func (f *one) straight() {
	w := &codeWriter{one: f, slot: f.program.FirstSlot()}
	lists, runs := f.program.Lists, f.program.Runs
	for c, class := range f.program.Classes {
		fmt.Fprintf(&w.calls, "    case %d:\n        n = %d;\n", c, class.Base)
		for _, r := range runs[:class.Runs] {
			for _, l := range lists[:r.Lists] {
				w.add(l, r.Slots)
			}
			lists = lists[r.Lists:]
		}
		w.endPart()
		w.calls.WriteString("        break;\n")
		runs = runs[class.Runs:]
	}
	f.text("\n/* Returns the count of a class. */\nstatic uint32_t count_of(uint32_t c, " + f.sample() + ") {\n" +
		"    uint32_t n = 0;\n    switch (c) {\n" + w.calls.String() + "    default:\n        break;\n    }\n" +
		f.use() + "    return n;\n}\n")
	f.text(f.fill("#define STATE\n#define COUNT count_of(c, THIS)\n"))
}

// codeWriter writes lists as code.
type codeWriter struct {
	*one
	calls  strings.Builder // calls of the functions, for each class
	parts  int             // number of functions
	listed int             // number of lists in the current function
	slot   int             // number of the next slot to write
}

// add adds a list.
func (w *codeWriter) add(l List, toSlot bool) {
	if w.listed == listSection {
		w.endPart()
	}
	if w.listed == 0 {
		w.printf("\nAPART static uint32_t part_%d(%s) {\n    uint32_t n = 0, s = 0;\n", w.parts, w.sample())
		fmt.Fprintf(&w.calls, "        n += part_%d(%s);\n", w.parts, w.this())
		w.parts++
	}
	w.listed++
	if !toSlot {
		w.code(l, "n")
		return
	}
	w.text("    s = 0;\n")
	w.code(l, "s")
	at := w.slot - w.program.FirstSlot() + w.firstSlot()
	w.printf("    %[1]s[%[2]d] = (%[1]s[%[2]d] & 0x%[3]x) | s << %[4]d;\n", w.slots(), at/32, ^(uint32(1) << (at % 32)),
		at%32)
	if w.slot++; w.slot == w.program.FirstSlot()+w.program.Slots {
		w.slot = w.program.FirstSlot()
	}
}

// endPart ends the current function, if there is one.
func (w *codeWriter) endPart() {
	if w.listed > 0 {
		w.text(w.use() + "    (void)s;\n    return n;\n}\n")
	}
	w.listed = 0
}

// use returns statements that prevent warnings about unused parameters.
func (f *one) use() (text string) {
	for _, name := range strings.Split(f.this(), ", ") {
		text += "    (void)" + name + ";\n"
	}
	return text
}

// code writes a list. The list's result is added to the variable sum.
func (w *codeWriter) code(l List, sum string) {
	inverts := false
	for _, t := range l[:len(l)-1] {
		inverts = inverts || has(t, Invert)
	}
	w.text("    do {\n")
	if inverts {
		w.text("        uint32_t v = 0;\n")
	}
	for _, t := range l[:len(l)-1] {
		if len(t.Bits) == 1 {
			w.single(t, sum, inverts)
		} else {
			w.joint(t, sum, inverts)
		}
	}
	last := l[len(l)-1]
	result := w.bit(last.Bits[0], last.Actions&3 == uint64(Result0))
	w.printf("        %s += %s%s;\n    } while (0);\n", sum, result, flipped(inverts))
}

// has reports whether a is one of a step's actions.
func has(t Step, a Action) bool {
	for i := range 1 << len(t.Bits) {
		if Action(t.Actions>>(2*i)&3) == a {
			return true
		}
	}
	return false
}

// flipped returns the C operator that inverts a result if an earlier action of the list requires an inversion. It
// returns "" if no action inverts.
func flipped(inverts bool) string {
	if inverts {
		return " ^ v"
	}
	return ""
}

// single writes a step of one bit that is not the last step of its list.
func (w *codeWriter) single(t Step, sum string, inverts bool) {
	for value := range uint64(2) {
		a := Action(t.Actions >> (2 * value) & 3)
		condition := w.bit(t.Bits[0], value == 1)
		other := Action(t.Actions >> (2 - 2*value) & 3)
		switch {
		case a == Result0 && !inverts:
			w.printf("        if %s break;\n", condition)
		case a == Result0 || a == Result1:
			w.printf("        if %s {\n            %s += %d%s;\n            break;\n        }\n", condition, sum, a>>1,
				flipped(inverts))
		case a == Invert && other == Go:
			w.printf("        v ^= %s;\n", condition)
		}
	}
	if has(t, Invert) && !has(t, Go) { // one value of the bit inverts, and the other value decides the result
		w.text("        v ^= 1;\n")
	}
}

// joint writes a step of several bits.
func (w *codeWriter) joint(t Step, sum string, inverts bool) {
	k := len(t.Bits)
	w.text("        {\n            const uint32_t i = ")
	for j, bit := range t.Bits {
		if j > 0 {
			w.text(wrap(j, " |"))
		}
		w.printf("(uint32_t)(%s) << %d", w.bit(bit, true), k-1-j)
	}
	table := fmt.Sprintf("(uint32_t)0x%x >> 2 * i", t.Actions)
	if k == 5 {
		table = fmt.Sprintf("(i < 16 ? (uint32_t)0x%x : (uint32_t)0x%x) >> 2 * (i %% 16)", uint32(t.Actions),
			uint32(t.Actions>>32))
	}
	w.printf(";\n            const uint32_t a = %s;\n            if ((a & 1) == 0) {\n"+
		"                %s += (a >> 1 & 1)%s;\n                break;\n            }\n", table, sum, flipped(inverts))
	if has(t, Invert) {
		w.text("            v ^= a >> 1 & 1;\n")
	}
	w.text("        }\n")
}

// bit returns a parenthesised C expression that is 1 if a bit has the given value, and 0 otherwise.
func (f *one) bit(at uint32, value bool) string {
	p := f.program
	var expression string
	switch in := int(at); {
	case p.Packed || in >= len(p.Inputs):
		word := in
		if !p.Packed {
			word -= p.FirstSlot()
		}
		expression = fmt.Sprintf("(%s[%d] >> %d & 1)", f.slots(), word/32, word%32)
	case p.Compare:
		if value {
			return fmt.Sprintf("(x[%d] > %d)", p.Inputs[in].Feature, p.Inputs[in].Param)
		}
		return fmt.Sprintf("(x[%d] <= %d)", p.Inputs[in].Feature, p.Inputs[in].Param)
	default:
		expression = fmt.Sprintf("((uint32_t)x[%d] >> %d & 1)", p.Inputs[in].Feature, p.Inputs[in].Param)
	}
	if value {
		return expression
	}
	return "(" + expression + " ^ 1)"
}
