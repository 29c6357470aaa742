package ccode

import (
	"fmt"
	"strings"

	"ialgn/internal/ties"
)

const oneInclude = `#include "NAME_one.h"

/* Functions whose loops need the processor's registers for themselves are not to be part of others. */
#ifdef __GNUC__
#define APART __attribute__((noinline))
#else
#define APART
#endif
`

// source writes the source file.
func (f *one) source() {
	f.preface(f.opt, "_one.c", "see NAME_one.h")
	f.template(oneInclude)
	if f.isStraight() {
		f.template("\n#ifdef MACRO_ONE_FAST\n")
		f.straight()
		f.text("\n#else\n")
	}
	f.tables()
	if f.isStraight() {
		f.text("\n#endif\n")
	}
	if f.program.Classes != nil {
		f.counted()
	} else {
		f.outputs()
	}
}

// fill replaces the placeholders for the parameters and the arguments that pass a sample.
func (f *one) fill(text string) string {
	return strings.NewReplacer("SAMPLE", f.sample(), "THIS", f.this(), "START", f.start()).Replace(text)
}

// slots returns the C name of the array with the slots. firstSlot returns the index of the first slot in this array.
func (f *one) slots() string {
	if f.program.Packed {
		return "bits"
	}
	return "slots"
}

func (f *one) firstSlot() int {
	if f.program.Packed {
		return f.program.FirstSlot()
	}
	return 0
}

// sample returns the C parameters that pass a sample and the slots.
func (f *one) sample() string {
	switch {
	case f.program.Packed:
		return "uint32_t *bits"
	case f.program.Slots > 0:
		return f.feature() + " *x, uint32_t *slots"
	}
	return f.feature() + " *x"
}

// this returns the C arguments for the parameters that the method sample returns.
func (f *one) this() string {
	switch {
	case f.program.Packed:
		return "bits"
	case f.program.Slots > 0:
		return "x, slots"
	}
	return "x"
}

// feature returns the C type of a feature that is read.
func (f *one) feature() string { return fmt.Sprintf("const uint%d_t", f.classifier.FeatureType()) }

const oneCounted = `    STATE
    uint32_t best = 0, SECONDc;
    int class_index = 0;
UNUSED    for (c = 0; c < MACRO_ONE_CLASSES; c++) {
        const uint32_t count = COUNT;
        if (counts != NULL) counts[c] = count;
        if (LARGER) {
PASSED            best = count;
            class_index = (int)c;
        }CLOSER
    }
UNCERTAIN    return class_index;
}
`

// counted writes the function of a classifier whose lists are counted.
func (f *one) counted() {
	f.tiePlaces()
	f.signature()
	unused := ""
	if !f.program.Packed && f.program.Slots == 0 {
		unused = "    (void)scratch;\n"
	}
	second, passed, closer, uncertain := "", "", "", ""
	if m := f.program.Margin; m != nil {
		is := "0"
		switch {
		case !m.Constant:
			second, passed, closer = "second = 0, ", "            second = best;\n", " else if (count > second) {\n"+
				"            second = count;\n        }"
			is = fmt.Sprintf("best - second < %d", m.Lead)
		case m.Always:
			is = "1"
		}
		uncertain = "    if (uncertain != NULL) *uncertain = " + is + ";\n"
	}
	larger := "count > best"
	if f.n.Ties() != nil {
		larger = "count > best || (count == best && tie_places[c] < tie_places[class_index])"
	}
	f.template(f.fill(strings.NewReplacer("LARGER", larger, "UNUSED", unused, "SECOND", second, "PASSED", passed,
		"CLOSER", closer, "UNCERTAIN", uncertain).Replace(oneCounted)))
	f.certain()
}

// tiePlaces writes the places of the classes in the tie order, if there is one.
func (f *one) tiePlaces() {
	if f.n.Ties() == nil {
		return
	}
	places := ties.Places(f.n.Ties(), len(f.n.Ties()))
	f.template("\n/* The place of each class in the tie order: of equal counts, the lowest place wins. */\n" +
		"static const " + unsigned(len(places)-1) + " tie_places[MACRO_ONE_CLASSES] = {\n")
	numbers(f.printer, "%d", 20, places)
	f.text("};\n")
}

// certain writes the function without the argument uncertain, if there is one with it.
func (f *one) certain() {
	if !f.isUncertain() {
		return
	}
	scratch := ""
	if !f.program.Packed {
		scratch = ", scratch"
	}
	arguments, _, _ := strings.Cut(f.this(), ", ")
	f.template("\nint NAME_one(" + f.onlySample() + ", uint32_t *counts" + f.scratch() + ") {\n" +
		"    return NAME_one_uncertain(" + arguments + ", counts, NULL" + scratch + ");\n}\n")
}

// onlySample returns the C parameter that passes a sample. The method scratch returns the C parameter that passes
// memory after other parameters.
func (f *one) onlySample() string {
	if f.program.Packed {
		return "uint32_t *bits"
	}
	return f.feature() + " *x"
}

func (f *one) scratch() string {
	if f.program.Packed {
		return ""
	}
	return ", uint32_t *scratch"
}

// signature writes the head of a classifier's function.
func (f *one) signature() {
	name, uncertain, scratch := "NAME_one", "", f.scratch()
	if f.isUncertain() {
		name, uncertain = "NAME_one_uncertain", ", int *uncertain"
	}
	if !f.program.Packed && f.program.Slots > 0 {
		scratch = ", uint32_t *slots"
	}
	f.template("\nint " + name + "(" + f.onlySample() + ", uint32_t *counts" + uncertain + scratch + ") {\n")
}

// start returns the C initialiser for the initial position in the code.
func (f *one) start() string {
	if f.program.Slots > 0 {
		return fmt.Sprintf("{code, runs, %d}", f.firstSlot())
	}
	return "{code, runs}"
}

const oneOutputs = `
/* Each is twice the number of a bit of the array plus one, plus one for its complement; the bit 0 is the constant 0. */
static const TYPE outputs[] = {
`

const oneOutput = `
static uint32_t output(SAMPLE, uint32_t i) {
    const uint32_t o = outputs[i];
    return o < 2 ? o : bit_of(THIS, o / 2 - 1) ^ (o & 1);
}
`

const oneNumber = `
/* Returns the number whose digits are consecutive outputs, the lowest first. */
static uint32_t number(SAMPLE, const uint16_t *rows) {
    uint32_t value = 0, k;
    for (k = 0; k < rows[1]; k++) value |= output(THIS, rows[0] + k) << k;
    return value;
}

/* The first of the outputs, and their number: of each count, and of the class. */
static const uint16_t number_rows[MACRO_ONE_CLASSES + 1][2] = {
`

const oneClassOutputs = `    struct place at = START;
    uint32_t c;
    run(&at, sizeof runs / sizeof runs[0], THIS);
    for (c = 0; counts != NULL && c < MACRO_ONE_CLASSES; c++) counts[c] = number(THIS, number_rows[c]);
UNCERTAIN    return (int)number(THIS, number_rows[MACRO_ONE_CLASSES]);
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
	f.text(f.fill(oneOutput))
	if f.classifier == nil {
		f.template(f.fill(oneOutputsRun))
		return
	}
	f.template(f.fill(oneNumber))
	for _, r := range append(f.classifier.Counts[:len(f.classifier.Counts):len(f.classifier.Counts)], f.classifier.Class) {
		f.printf("    {%d, %d},\n", r.First, r.Count)
	}
	f.text("};\n")
	f.signature()
	uncertain := ""
	if f.isUncertain() {
		uncertain = fmt.Sprintf("    if (uncertain != NULL) *uncertain = (int)output(THIS, %d);\n",
			f.classifier.Uncertain.First)
	}
	f.template(f.fill(replace(oneClassOutputs, "UNCERTAIN", uncertain)))
	f.certain()
}
