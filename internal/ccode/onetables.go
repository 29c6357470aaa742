package ccode

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

const oneDecide = `
/* Returns the bit that the list at p gives. */
APART static uint32_t decide(const code_word *p, SAMPLE) {
    uint32_t inverted = 0; /* bit 2 */
    for (;;) {
        const uint32_t c = *p++, bit = bit_of(THIS, c >> 4);
        const uint32_t action = c >> bit; /* bits 0 and 2 */
MULTI        if ((action & 1) == 0) return (action ^ inverted) >> 2 & 1;
        inverted ^= action;
    }
}
`

// oneMulti is the part of the C function decide that handles steps of several bits.
const oneMulti = `        if (((c ^ c >> 1) & 5) == 0) { /* both actions are the same */
            const uint32_t k = (c & 1) + (c >> 1 & 2);
            uint32_t i = bit, more = k + 1;
            do i = 2 * i + bit_of(THIS, *p++ >> 4);
            while (--more > 0);
            i = (uint32_t)p[i / PER] >> i % PER * 2;
            if ((i & 1) == 0) return (i >> 1 ^ inverted >> 2) & 1;
            inverted ^= i << 1;
            p += ((4u << k) + PER - 1) / PER;
            continue;
        }
`

const onePut = `
/* Writes a bit into the next slot of the ring. */
static void put(uint32_t *SLOTS, uint32_t *slot, uint32_t bit) {
    uint32_t *const word = SLOTS + *slot / 32;
    const uint32_t place = *slot % 32;
    *word = (*word & ~((uint32_t)1 << place)) | bit << place;
    *slot = *slot + 1 == SLOTS_END ? SLOTS_FIRST : *slot + 1;
}
`

const oneRunTop = `
/* Runs the given number of runs and moves on behind them. Returns how many lists that are counted gave 1. */
APART static uint32_t run(struct place *at, uint32_t runs_left, SAMPLE) {
    uint32_t sum = 0;
    for (; runs_left > 0; runs_left--, at->r++) {
        const uint32_t words = at->r->form / 2;
        uint32_t n = at->r->lists;
`

const oneActions = `
/*
 * One list after the other, without a gap, made of words that name a bit, by the bits from 4 on, and what it
 * decides: bits 0 and 2 are the action where it is 0, bits 1 and 3 where it is 1. If the first of the
 * two is 0, the second one is the result of the list; if it is 1, the list goes on, and the second says
 * whether the result is to be inverted. Two equal actions, as a number a with the first as its lower
 * digit, are a step of a + 2 bits: the next a + 1 words name the others, the first bit is the highest digit
 * of a number, and then come the actions for each number, two bits each, that of 0 in the lowest ones.
 */
`

// tables writes the lists as tables, and the functions that run them.
func (f *one) tables() {
	p := f.program
	f.text(oneActions)
	width := 16
	if p.Wide {
		width = 32
	}
	f.printf("typedef uint%d_t code_word;\nstatic const code_word code[] = {\n", width)
	if code := p.Code(); len(code) > 0 {
		numbers(f.printer, "0x%x", 12, code)
	} else {
		f.text("    0\n")
	}
	f.text("};\n")
	f.runs()
	if !p.Packed {
		f.features()
	}
	f.bitOf()
	multi := ""
	if p.Multi {
		multi = replace(oneMulti, "PER", fmt.Sprint(width/2))
	}
	f.text(f.fill(replace(oneDecide, "MULTI", multi)))
	if p.Slots > 0 {
		f.text(strings.NewReplacer("SLOTS_FIRST", fmt.Sprint(f.firstSlot()),
			"SLOTS_END", fmt.Sprint(f.firstSlot()+p.Slots), "SLOTS", f.slots()).Replace(onePut))
	}
	f.runner()
	if p.Classes != nil {
		f.classTables()
	}
}

// runs writes the table of the program's runs.
func (f *one) runs() {
	largest := 0
	var rows []string
	for _, r := range f.program.Runs {
		form := 2 * r.Words
		if r.Slots {
			form++
		}
		largest = max(largest, form, r.Lists)
		rows = append(rows, fmt.Sprintf("{%d, %d}", r.Lists, form))
	}
	if len(rows) == 0 {
		rows = []string{"{0, 0}"}
	}
	f.text("\n/* Lists of the same length: how many, and twice their words, plus one where their bits are kept. */\n")
	f.printf("static const struct run {\n    %s lists, form;\n} runs[] = {\n", unsigned(largest))
	numbers(f.printer, "%s", 10, rows)
	f.text("};\n\n/* What is next: lists, a run, a slot. */\nstruct place {\n    const code_word *p;\n" +
		"    const struct run *r;\n")
	if f.program.Slots > 0 {
		f.text("    uint32_t slot;\n")
	}
	f.text("};\n")
}

// unsigned returns the smallest unsigned type for a number.
func unsigned(largest int) string {
	switch {
	case largest <= math.MaxUint8:
		return "uint8_t"
	case largest <= math.MaxUint16:
		return "uint16_t"
	}
	return "uint32_t"
}

// runner writes the function that runs lists.
func (f *one) runner() {
	count := "sum += decide(at->p, THIS);\n"
	put := "put(" + f.slots() + ", &at->slot, decide(at->p, THIS));\n"
	loop := "        for (; n > 0; n--, at->p += words) "
	body := loop + count
	switch {
	case f.program.Slots == 0:
	case f.program.Classes == nil:
		body = loop + put
	default:
		body = "        if (at->r->form % 2 == 1)\n    " + loop + put + "        else\n    " + loop + count
	}
	f.text(f.fill(oneRunTop + body + "    }\n    return sum;\n}\n"))
}

// features writes the tables that say how bits are computed from features.
func (f *one) features() {
	var features, params []uint32
	for _, in := range f.program.Inputs {
		features, params = append(features, in.Feature), append(params, in.Param)
	}
	if len(params) == 0 {
		features, params = []uint32{0}, []uint32{0}
	}
	meaning := "a threshold that it exceeds"
	if !f.program.Compare {
		meaning = "its place in it"
	}
	f.text("\n/* Of each bit of the sample the feature and " + meaning + ". */\n" +
		"static const " + unsigned(int(slices.Max(features))) + " features[] = {\n")
	numbers(f.printer, "%d", 24, features)
	f.text("};\nstatic const " + unsigned(int(slices.Max(params))) + " parameters[] = {\n")
	numbers(f.printer, "%d", 24, params)
	f.text("};\n")
}

// bitOf writes the function that returns a bit of a sample or the bit in a slot.
func (f *one) bitOf() {
	f.text("\n/* Returns a bit by its number. */\nstatic uint32_t bit_of(" + f.sample() + ", uint32_t i) {\n")
	switch {
	case f.program.Packed:
		f.text("    return bits[i / 32] >> i % 32 & 1;\n")
	case f.program.Slots > 0:
		first := f.program.FirstSlot()
		f.printf("    if (i >= %d) return slots[i / 32 - %d] >> i %% 32 & 1;\n", first, first/32)
	}
	switch {
	case f.program.Packed:
	case !f.program.Compare:
		f.text("    return (uint32_t)x[features[i]] >> parameters[i] & 1;\n")
	case f.classifier.FeatureBits > 16:
		f.text("    return x[features[i]] > parameters[i];\n")
	default:
		f.text("    return (uint32_t)(parameters[i] - x[features[i]]) >> 31; /* the sign */\n")
	}
	f.text("}\n")
}

// classTables writes the tables of the classes.
func (f *one) classTables() {
	largest, ones := 0, 0
	var runs, bases []int
	for _, c := range f.program.Classes {
		largest, ones = max(largest, c.Runs), max(ones, c.Base)
		runs, bases = append(runs, c.Runs), append(bases, c.Base)
	}
	f.template("\n/* Of each class the runs, and what it counts of constants. */\n" +
		"static const " + unsigned(largest) + " class_runs[MACRO_ONE_CLASSES] = {\n")
	numbers(f.printer, "%d", 24, runs)
	f.template("};\nstatic const " + unsigned(ones) + " bases[MACRO_ONE_CLASSES] = {\n")
	numbers(f.printer, "%d", 24, bases)
	f.text("};\n" + f.fill("#define STATE struct place at = START;\n"+
		"#define COUNT (bases[c] + run(&at, class_runs[c], THIS))\n"))
}
