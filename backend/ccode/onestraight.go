package ccode

import (
	"fmt"
	"strings"

	"ialgn/backend/decisionlist"
)

// listSection is the number of lists of a function of straight code.
const listSection = 64

// isStraight reports whether the file has straight code beside the tables: that of a classifier, up to a size that
// compilers take in seconds.
func (f *one) isStraight() bool {
	steps := 0
	for _, l := range f.program.Lists {
		for _, t := range l {
			steps += len(t.Bits)
		}
	}
	return f.program.Classes != nil && steps <= MaxStraight
}

// straight writes the lists as code: functions of some lists each, and one that calls those of a class.
func (f *one) straight() {
	lists, runs, slot, parts := f.program.Lists, f.program.Runs, f.program.FirstSlot(), 0
	var count strings.Builder
	for c, class := range f.program.Classes {
		fmt.Fprintf(&count, "    case %d:\n        n = %d;\n", c, class.Base)
		listed := 0
		for _, r := range runs[:class.Runs] {
			for range r.Lists {
				if listed%listSection == 0 {
					f.endPart(listed)
					f.text("\nAPART static uint32_t part_" + fmt.Sprint(parts) + "(" + f.sample() + ") {\n    uint32_t n = 0" + f.scratchBit() + ";\n")
					fmt.Fprintf(&count, "        n += part_%d(%s);\n", parts, f.this())
					parts++
				}
				listed++
				f.code(lists[0], r.Slots, slot)
				lists = lists[1:]
				if r.Slots {
					slot = f.nextSlot(slot)
				}
			}
		}
		f.endPart(listed)
		runs = runs[class.Runs:]
		count.WriteString("        break;\n")
	}
	f.text("\n/* Returns the count of a class. */\nstatic uint32_t count_of(uint32_t c, " + f.sample() + ") {\n" +
		"    uint32_t n = 0;\n    switch (c) {\n" + count.String() + "    default:\n        break;\n    }\n" +
		strings.TrimSuffix(f.use(), "    (void)s;\n") + "    return n;\n}\n")
	f.text(f.fill("#define STATE\n#define COUNT count_of(c, THIS)\n"))
}

// scratchBit declares the variable for a bit that goes into a slot.
func (f *one) scratchBit() string {
	if f.program.Slots > 0 {
		return ", s = 0"
	}
	return ""
}

// endPart ends the function of the lists before, if there are any.
func (f *one) endPart(listed int) {
	if listed > 0 {
		f.text(f.use() + "    return n;\n}\n")
	}
}

// use returns statements by which no compiler warns of what the lists do not need.
func (f *one) use() string {
	text := ""
	for _, name := range strings.Split(f.this(), ", ") {
		text += "    (void)" + name + ";\n"
	}
	if f.program.Slots > 0 {
		return text + "    (void)s;\n"
	}
	return text
}

func (f *one) nextSlot(slot int) int {
	if slot++; slot == f.program.FirstSlot()+f.program.Slots {
		return f.program.FirstSlot()
	}
	return slot
}

// code writes a list, which adds what it gives to n or writes it to a slot.
func (f *one) code(l decisionlist.List, toSlot bool, slot int) {
	inverts := false
	for _, t := range l[:len(l)-1] {
		inverts = inverts || has(t, decisionlist.Invert)
	}
	sum := "n"
	if toSlot {
		sum = "s"
		f.text("    s = 0;\n")
	}
	f.text("    do {\n")
	if inverts {
		f.text("        uint32_t v = 0;\n")
	}
	for _, t := range l[:len(l)-1] {
		if len(t.Bits) == 1 {
			f.single(t, sum, inverts)
		} else {
			f.joint(t, sum, inverts)
		}
	}
	last := l[len(l)-1]
	f.printf("        %s += %s%s;\n", sum, f.bit(last.Bits[0], last.Actions&3 == uint64(decisionlist.Result0)), flipped(inverts))
	f.text("    } while (0);\n")
	if toSlot {
		at := slot - f.program.FirstSlot() + f.firstSlot()
		f.printf("    %[1]s[%[2]d] = (%[1]s[%[2]d] & 0x%[3]x) | s << %[4]d;\n", f.slots(), at/32, ^(uint32(1) << (at % 32)), at%32)
	}
}

// has reports whether one of a step's actions is a.
func has(t decisionlist.Step, a decisionlist.Action) bool {
	for i := range 1 << len(t.Bits) {
		if decisionlist.Action(t.Actions>>(2*i)&3) == a {
			return true
		}
	}
	return false
}

// flipped returns what inverts a result, if something may have inverted it.
func flipped(inverts bool) string {
	if inverts {
		return " ^ v"
	}
	return ""
}

// single writes a step of one bit that is not the last of its list.
func (f *one) single(t decisionlist.Step, sum string, inverts bool) {
	for value := range uint64(2) {
		a := decisionlist.Action(t.Actions >> (2 * value) & 3)
		condition := f.bit(t.Bits[0], value == 1)
		other := decisionlist.Action(t.Actions >> (2 - 2*value) & 3)
		switch {
		case a == decisionlist.Result0 && !inverts:
			f.printf("        if %s break;\n", condition)
		case a == decisionlist.Result0 || a == decisionlist.Result1:
			f.printf("        if %s {\n            %s += %d%s;\n            break;\n        }\n", condition, sum, a>>1, flipped(inverts))
		case a == decisionlist.Invert && other == decisionlist.Go:
			f.printf("        v ^= %s;\n", condition)
		}
	}
	if has(t, decisionlist.Invert) && !has(t, decisionlist.Go) { // the other value has a result
		f.text("        v ^= 1;\n")
	}
}

// joint writes a step of several bits.
func (f *one) joint(t decisionlist.Step, sum string, inverts bool) {
	k := len(t.Bits)
	f.text("        {\n            const uint32_t i = ")
	for j, bit := range t.Bits {
		if j > 0 {
			f.text(wrap(j, " |"))
		}
		f.printf("(uint32_t)(%s) << %d", f.bit(bit, true), k-1-j)
	}
	table := fmt.Sprintf("(uint32_t)0x%x >> 2 * i", t.Actions)
	if k == 5 {
		table = fmt.Sprintf("(i < 16 ? (uint32_t)0x%x : (uint32_t)0x%x) >> 2 * (i %% 16)", uint32(t.Actions), uint32(t.Actions>>32))
	}
	f.printf(";\n            const uint32_t a = %s;\n            if ((a & 1) == 0) {\n                %s += (a >> 1 & 1)%s;\n"+
		"                break;\n            }\n", table, sum, flipped(inverts))
	if has(t, decisionlist.Invert) {
		f.text("            v ^= a >> 1 & 1;\n")
	}
	f.text("        }\n")
}

// bit returns an expression that is 1 if a bit has the given value, else 0, in parentheses.
func (f *one) bit(at uint32, value bool) string {
	p, expression := f.program, ""
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
