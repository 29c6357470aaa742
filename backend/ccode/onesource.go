package ccode

import (
	"fmt"
	"math"
	"strings"
)

const oneDecide = `
/* Returns the bit that the list at p gives. */
static uint32_t decide(const code_word *p, const uint32_t *bits) {
    uint32_t inverted = 0;
    for (;;) {
        const uint32_t c = *p++, bit = bits[c >> 9] >> (c & 31) & 1;
        uint32_t action = c >> 5 >> 2 * bit;
MULTI        if ((action & 2) == 0) return (action ^ inverted) & 1;
        inverted ^= action;
    }
}
`

// oneMulti is the part of it for steps of several bits.
const oneMulti = `        if (0x8421u >> (c >> 5 & 15) & 1) { /* both actions are the same */
            uint32_t i = bit, more = (c >> 5 & 3) + 1;
            do {
                const uint32_t d = *p++;
                i = 2 * i + (bits[d >> 9] >> (d & 31) & 1);
            } while (--more > 0);
            action = (uint32_t)p[i / PER] >> i % PER * 2;
            p += ((4u << (c >> 5 & 3)) + PER - 1) / PER;
        }
`

const onePut = `
/* Writes a bit into the next slot of the ring. */
static void put(uint32_t *bits, uint32_t *slot, uint32_t bit) {
    uint32_t *const word = bits + *slot / 32;
    const uint32_t place = *slot % 32;
    *word = (*word & ~((uint32_t)1 << place)) | bit << place;
    *slot = *slot + 1 == SLOTS_END ? SLOTS_FIRST : *slot + 1;
}
`

const oneRunTop = `
/* Runs the given number of runs and moves on behind them. Returns how many lists that are counted gave 1. */
static uint32_t run(struct place *at, uint32_t runs_left, uint32_t *bits) {
    uint32_t sum = 0;
    for (; runs_left > 0; runs_left--, at->r++) {
        const uint32_t words = at->r->form / 2;
        uint32_t n = at->r->lists;
`

const oneActions = `
/*
 * One list after the other, without a gap, made of words that name a bit and what it decides. Bit i of all
 * is bit i % 32 of bits[i / 32]: bits 0 to 4 of a word are its i % 32, those from 9 on its i / 32. Bits 5 and
 * 6 are the action where the bit is 0, bits 7 and 8 where it is 1: 0 and 1 are results of the list, 2 goes
 * on, 3 goes on and inverts the result. Two equal actions a are a step of a + 2 bits: the next a + 1
 * words name the others, the first bit is the highest digit of a number, and then come the actions for
 * each number, two bits each, the lowest first.
 */
`

// source writes the source file.
func (f *one) source() {
	f.preface(f.opt, "_one.c", "see NAME_one.h")
	f.template("#include \"NAME_one.h\"\n")
	p := f.program
	f.text(oneActions)
	width := 16
	if p.Wide {
		width = 32
	}
	f.printf("typedef uint%d_t code_word;\nstatic const code_word code[] = {\n", width)
	if len(p.Code) == 0 {
		f.text("    0\n")
	} else {
		numbers(f.printer, "0x%x", 12, p.Code)
	}
	f.text("};\n")
	f.runs()
	multi := ""
	if p.Multi {
		multi = replace(oneMulti, "PER", fmt.Sprint(width/2))
	}
	f.text(replace(oneDecide, "MULTI", multi))
	if p.Slots > 0 {
		f.text(strings.NewReplacer("SLOTS_FIRST", fmt.Sprint(p.FirstSlot()),
			"SLOTS_END", fmt.Sprint(p.FirstSlot()+p.Slots)).Replace(onePut))
	}
	f.runner()
	if !p.Packed {
		f.pack()
	}
	if p.Classes != nil {
		f.counted()
	} else {
		f.outputs()
	}
}

// runs writes the table of the runs.
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
	f.text("\n/* Lists of the same length: how many, and twice their words, plus one where their bits are kept for others. */\n")
	f.printf("static const struct run {\n    %s lists, form;\n} runs[] = {\n", unsigned(largest))
	numbers(f.printer, "%s", 10, rows)
	f.text("};\n\n/* What is next: lists, a run, a slot. */\nstruct place {\n    const code_word *p;\n    const struct run *r;\n")
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
	f.text(oneRunTop)
	count := "sum += decide(at->p, bits);"
	loop := "        for (; n > 0; n--, at->p += words) "
	switch {
	case f.program.Slots == 0:
		f.text(loop + count + "\n")
	case f.program.Classes == nil:
		f.text(loop + "put(bits, &at->slot, decide(at->p, bits));\n")
	default:
		f.text("        if (at->r->form % 2 == 1)\n    " + loop + "put(bits, &at->slot, decide(at->p, bits));\n" +
			"        else\n    " + loop + count + "\n")
	}
	f.text("    }\n    return sum;\n}\n")
}

const onePack = `
/* Makes the bits of a sample. */
static void pack(const FEATURE *x, uint32_t *bits) {
    const PARAMETER *t = parameters;
    uint32_t word = 0, place = 0, n;
    size_t f;
    for (f = 0; f < MACRO_ONE_FEATURES; f++)
        for (n = reads[f]; n > 0; n--) {
            word |= (uint32_t)(BIT) << place;
            if (++place == 32) {
                *bits++ = word;
                word = place = 0;
            }
        }
    if (place > 0) *bits = word;
}
`

// pack writes the function that makes bits of features.
func (f *one) pack() {
	reads := make([]uint32, f.classifier.Features)
	params := make([]uint32, 0, len(f.program.Inputs)+1)
	most := uint32(0)
	for _, in := range f.program.Inputs {
		reads[in.Feature]++
		params = append(params, in.Param)
		most = max(most, in.Param)
	}
	if len(params) == 0 {
		params = []uint32{0}
	}
	largest := uint32(0)
	for _, r := range reads {
		largest = max(largest, r)
	}
	bit, meaning := "x[f] > *t++", "thresholds"
	if !f.program.Compare {
		bit, meaning = "x[f] >> *t++ & 1", "numbers"
	}
	f.template("\n/* Of each feature the number of bits that are made of it, and the " + meaning + " of these. */\n" +
		"static const " + unsigned(int(largest)) + " reads[MACRO_ONE_FEATURES] = {\n")
	numbers(f.printer, "%d", 24, reads)
	f.text("};\nstatic const " + unsigned(int(most)) + " parameters[] = {\n")
	numbers(f.printer, "%d", 24, params)
	f.text("};\n")
	f.template(strings.NewReplacer("FEATURE *", fmt.Sprintf("uint%d_t *", f.classifier.FeatureType()), "PARAMETER",
		unsigned(int(most)), "BIT", bit).Replace(onePack))
}

const oneCounted = `    struct place at = START;
    uint32_t best = 0, c;
    int class_index = 0;
PACK    for (c = 0; c < MACRO_ONE_CLASSES; c++) {
        const uint32_t count = BASErun(&at, class_runs[c], bits);
        if (counts != NULL) counts[c] = count;
        if (count > best) {
            best = count;
            class_index = (int)c;
        }
    }
    return class_index;
}
`

// counted writes the function of a classifier whose lists are counted.
func (f *one) counted() {
	largest, ones := 0, 0
	var runs, bases []int
	for _, c := range f.program.Classes {
		largest, ones = max(largest, c.Runs), max(ones, c.Base)
		runs, bases = append(runs, c.Runs), append(bases, c.Base)
	}
	f.template("\n/* The runs of each class. */\nstatic const " + unsigned(largest) + " class_runs[MACRO_ONE_CLASSES] = {\n")
	numbers(f.printer, "%d", 24, runs)
	f.text("};\n")
	base := ""
	if ones > 0 {
		f.template("\n/* What each class counts of constants. */\nstatic const " + unsigned(ones) + " bases[MACRO_ONE_CLASSES] = {\n")
		numbers(f.printer, "%d", 24, bases)
		f.text("};\n")
		base = "bases[c] + "
	}
	f.signature()
	f.template(strings.NewReplacer("START", f.start(), "PACK", f.packCall(), "BASE", base).Replace(oneCounted))
}

// signature begins the function of a classifier, in which the array of bits is called bits.
func (f *one) signature() {
	if f.program.Packed {
		f.template("\nint NAME_one(uint32_t *bits, uint32_t *counts) {\n")
		return
	}
	f.template(fmt.Sprintf("\nint NAME_one(const uint%d_t *x, uint32_t *counts, uint32_t *scratch) {\n"+
		"    uint32_t *const bits = scratch;\n", f.classifier.FeatureType()))
}

// start returns the first place.
func (f *one) start() string {
	if f.program.Slots > 0 {
		return fmt.Sprintf("{code, runs, %d}", f.program.FirstSlot())
	}
	return "{code, runs}"
}

// packCall returns the statement that makes bits of features, if they are to be made.
func (f *one) packCall() string {
	if f.program.Packed {
		return ""
	}
	return "    pack(x, bits);\n"
}

const oneOutputs = `
/* Each is twice the number of a bit of the array plus one, plus one for its complement; the bit 0 is the constant 0. */
static const TYPE outputs[] = {
`

const oneOutput = `
static uint32_t output(const uint32_t *bits, uint32_t i) {
    const uint32_t o = outputs[i], bit = o / 2 - 1;
    return ((o < 2 ? 0 : bits[bit / 32] >> bit % 32) ^ o) & 1;
}
`

const oneNumber = `
/* Returns the number whose digits are consecutive outputs, the lowest first. */
static uint32_t number(const uint32_t *bits, const uint16_t *rows) {
    uint32_t x = 0, k;
    for (k = 0; k < rows[1]; k++) x |= output(bits, rows[0] + k) << k;
    return x;
}

/* The first of the outputs, and their number: of each count, and of the class. */
static const uint16_t number_rows[MACRO_ONE_CLASSES + 1][2] = {
`

const oneClassOutputs = `    struct place at = START;
    uint32_t c;
PACK    run(&at, sizeof runs / sizeof runs[0], bits);
    for (c = 0; counts != NULL && c < MACRO_ONE_CLASSES; c++) counts[c] = number(bits, number_rows[c]);
    return (int)number(bits, number_rows[MACRO_ONE_CLASSES]);
}
`

const oneOutputsRun = `
void NAME_one(uint32_t *bits, uint32_t *out) {
    struct place at = START;
    uint32_t i;
    run(&at, sizeof runs / sizeof runs[0], bits);
    for (i = 0; i < (MACRO_ONE_OUTPUTS + 31) / 32; i++) out[i] = 0;
    for (i = 0; i < MACRO_ONE_OUTPUTS; i++) out[i / 32] |= output(bits, i) << i % 32;
}
`

// outputs writes the function of a netlist whose outputs are bits.
func (f *one) outputs() {
	largest := 0
	for _, o := range f.program.Outputs {
		largest = max(largest, int(o))
	}
	f.text(replace(oneOutputs, "TYPE", unsigned(largest)))
	numbers(f.printer, "%d", 20, f.program.Outputs)
	f.text("};\n")
	f.text(oneOutput)
	if f.classifier == nil {
		f.template(replace(oneOutputsRun, "START", f.start()))
		return
	}
	f.template(oneNumber)
	for _, r := range append(f.classifier.Counts[:len(f.classifier.Counts):len(f.classifier.Counts)], f.classifier.Class) {
		f.printf("    {%d, %d},\n", r.First, r.Count)
	}
	f.text("};\n")
	f.signature()
	f.template(strings.NewReplacer("START", f.start(), "PACK", f.packCall()).Replace(oneClassOutputs))
}
