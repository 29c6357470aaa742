package ccode

import (
	"fmt"
	"strings"

	"ialgn/internal/wordcode"
)

const oneTestClass = `
/* Classifies the first samples and returns how many have another class or other counts. */
static int check(void) {
    static DECLARE;
    uint32_t counts[MACRO_ONE_CLASSES];
    int wrong = 0;UNCERTAIN
    uint32_t s, f;
    for (s = 0; s < SAMPLES; s++) {
        int differs;
FILL
        differs = NAME_one(CALL) != classes[s];
        for (f = 0; f < MACRO_ONE_CLASSES; f++) differs |= counts[f] != want_counts[s * MACRO_ONE_CLASSES + f];
        if (differs) printf("sample %d: wrong class or count\n", (int)s);
        wrong += differs || NAME_one(ALONE) != classes[s];
CHECK    }
    return wrong;
}
`

// oneTestUncertain is the part of oneTestClass for a network that says whether a class is uncertain.
const oneTestUncertain = `        uncertain = 2;
        if (NAME_one_uncertain(WITH) == classes[s] && uncertain == want_uncertain[s]) continue;
        printf("sample %d: uncertain: %d\\n", (int)s, uncertain);
        wrong++;
`

const oneFillFeatures = `        for (f = 0; f < MACRO_ONE_FEATURES; f++) {
            uint32_t value = 0, b;
            for (b = 0; b < MACRO_ONE_FEATURE_BITS; b++)
                value |= (uint32_t)(input_word(s / 64, f * MACRO_ONE_FEATURE_BITS + b) >> s % 64 & 1) << b;
            x[f] = (FEATURE)value;
        }`

const oneFillBits = `        for (f = 0; f < MACRO_ONE_WORDS; f++) bits[f] = s % 2 == 0 ? 0 : 0xffffffff;
        for (f = 0; f < MACRO_ONE_INPUTS; f++) {
            bits[f / 32] &= ~((uint32_t)1 << f % 32);
            bits[f / 32] |= (uint32_t)(input_word(s / 64, f) >> s % 64 & 1) << f % 32;
        }`

const oneTestRun = `
/* Computes all samples and returns how many blocks of 64 have other outputs than the netlist: FNV-1a hashes. */
static int check(void) {
    static uint32_t bits[MACRO_ONE_WORDS], out[(MACRO_ONE_OUTPUTS + 31) / 32];
    static uint64_t rows[MACRO_ONE_OUTPUTS];
    int wrong = 0;
    uint32_t s, f, r;
    for (s = 0; s < SAMPLES; s++) {
FILL
        NAME_one(bits, out);
        for (r = 0; r < MACRO_ONE_OUTPUTS; r++)
            rows[r] = (s % 64 == 0 ? 0 : rows[r]) | (uint64_t)(out[r / 32] >> r % 32 & 1) << s % 64;
        if (s % 64 == 63) {
            uint64_t hash = 0xcbf29ce484222325;
            for (r = 0; r < MACRO_ONE_OUTPUTS; r++) hash = (hash ^ rows[r]) * 0x100000001b3;
            if (hash == hashes[s / 64]) continue;
            printf("block %d: wrong outputs\n", (int)(s / 64));
            wrong++;
        }
    }
    return wrong;
}
`

// test writes the program that tests the code.
func (f *one) test() {
	f.preface(f.opt, "_one_selftest.c", "a test of NAME_one.c against the netlist's simulator")
	f.template("#include <stdio.h>\n\n#include \"NAME_one.h\"\n")
	f.template(testInputs)
	samples := wordcode.Samples
	if f.classifier == nil {
		samples = 64 * wordcode.Blocks
		f.text("\n/* What the outputs of each block hash to. */\nstatic const uint64_t hashes[] = {\n")
		numbers(f.printer, "0x%016x", 4, f.vectors.Hashes)
		f.text("};\n")
		f.template(replace(replace(oneTestRun, "FILL", oneFillBits), "SAMPLES", fmt.Sprint(samples)))
	} else {
		f.text("\nstatic const uint16_t classes[] = {\n")
		numbers(f.printer, "%d", 20, f.vectors.Class)
		f.text("};\nstatic const uint32_t want_counts[] = {\n")
		numbers(f.printer, "%d", len(f.classifier.Counts), f.vectors.Counts)
		f.text("};\n")
		f.wantUncertain(f.vectors)
		f.classTest(samples)
	}
	calls := "check()"
	if f.real != nil {
		calls += " + check_real()"
		f.realTest()
	}
	if f.scores != nil {
		calls += " + check_probabilities()"
		f.scores.test(f.printer, f.vectors)
	}
	f.printf(`
int main(void) {
    const int wrong = %s;
    if (wrong != 0) {
        printf("FAIL: %%d wrong\n", wrong);
        return 1;
    }
    printf("PASS: %d samples\n");
    return 0;
}
`, calls, samples)
}

// classTest writes the function that classifies.
func (f *one) classTest(samples int) {
	declare, check := "", ""
	if f.isUncertain() {
		declare, check = " int uncertain;", oneTestUncertain
	}
	text := strings.NewReplacer("UNCERTAIN", declare, "CHECK", check).Replace(oneTestClass)
	for _, part := range f.arguments() {
		text = replace(text, part[0], part[1])
	}
	f.template(replace(text, "SAMPLES", fmt.Sprint(samples)))
}

// arguments returns replacements for those parts of the test that depend on how a sample is passed.
func (f *one) arguments() [][2]string {
	if f.program.Packed {
		return [][2]string{
			{"DECLARE", "uint32_t bits[MACRO_ONE_WORDS]"},
			{"FILL", oneFillBits},
			{"CALL", "bits, counts"},
			{"ALONE", "bits, NULL"},
			{"WITH", "bits, NULL, &uncertain"},
		}
	}
	feature := fmt.Sprintf("uint%d_t", f.classifier.FeatureType())
	return [][2]string{
		{"DECLARE", feature + " x[MACRO_ONE_FEATURES];\n    static uint32_t scratch[MACRO_ONE_SCRATCH]"},
		{"FILL", replace(oneFillFeatures, "(FEATURE)", "("+feature+")")},
		{"CALL", "x, counts, scratch"},
		{"ALONE", "x, NULL, scratch"},
		{"WITH", "x, NULL, &uncertain, scratch"},
	}
}
