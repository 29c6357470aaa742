package ccode

import (
	"fmt"
	"strings"

	"ialgn/internal/wordcode"
)

const testTop = `#include <stdio.h>

#include "NAME.h"

enum { blocks = BLOCKS };

static uint64_t in[MACRO_INPUTS * MACRO_WORDS], out[MACRO_OUTPUTS * MACRO_WORDS];
`

// testInputs computes the inputs as [wordcode.InputWord] does.
const testInputs = `
/* SplitMix64 (Steele, Lea and Flood, 2014). */
static uint64_t mix(uint64_t z) {
    z += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

/* Row r of the inputs of a block of 64 samples. */
static uint64_t input_word(uint64_t block, uint64_t r) {
    const uint64_t key = block << 32 | r;
    if ((block & 3) == 1) return mix(key) & mix(~key);
    if ((block & 3) == 2) return mix(key) | mix(~key);
    return mix(key);
}
`

const testRun = `
/* Runs all blocks and returns how many have other outputs than the netlist: FNV-1a hashes. */
static int check_run(void) {
    int wrong = 0;
    size_t block, r, w;
    for (block = 0; block < blocks; block += MACRO_WORDS) {
        for (r = 0; r < MACRO_INPUTS; r++)
            for (w = 0; w < MACRO_WORDS; w++) in[r * MACRO_WORDS + w] = input_word(block + w, r);
        NAME_run(in, out, scratch);
        for (w = 0; w < MACRO_WORDS && block + w < blocks; w++) {
            uint64_t hash = 0xcbf29ce484222325;
            for (r = 0; r < MACRO_OUTPUTS; r++) hash = (hash ^ out[r * MACRO_WORDS + w]) * 0x100000001b3;
            if (hash == hashes[block + w]) continue;
            printf("block %d: wrong outputs\n", (int)(block + w));
            wrong++;
        }
    }
    return wrong;
}
`

const testClassify = `
/* Classifies the first samples and returns how many have another class or other counts. */
static int check_classify(void) {
    static NAME_feature x[SAMPLES * MACRO_FEATURES];
    static uint32_t counts[SAMPLES * MACRO_CLASSES];
    uint16_t class_index[SAMPLES];DECLARE
    int wrong = 0;
    size_t s, f, b;
    for (s = 0; s < SAMPLES; s++)
        for (f = 0; f < MACRO_FEATURES; f++)
            for (b = 0; b < MACRO_FEATURE_BITS; b++) {
                const uint64_t row = input_word(s / 64, f * MACRO_FEATURE_BITS + b);
                x[s * MACRO_FEATURES + f] |= (NAME_feature)((row >> s % 64 & 1) << b);
            }
    if (NAME_classify(x, SAMPLES, class_index, counts, scratch) != 0) {
        printf("classify failed\n");
        return SAMPLES;
    }
CALL    for (s = 0; s < SAMPLES; s++) {
        int differs = class_index[s] != classes[s]DIFFERS;
        for (f = 0; f < MACRO_CLASSES; f++)
            differs |= counts[s * MACRO_CLASSES + f] != want_counts[s * MACRO_CLASSES + f];
        if (differs) printf("sample %d: wrong class or count\n", (int)s);
        wrong += differs;
    }
    return wrong;
}
`

// These constants are the parts of testClassify for a network that says whether a class is uncertain.
const (
	testDeclareUncertain = "\n    static uint16_t again[SAMPLES], uncertain[SAMPLES];"
	testCallUncertain    = `    if (NAME_classify_uncertain(x, SAMPLES, again, NULL, uncertain, scratch) != 0) {
        printf("classify_uncertain failed\n");
        return SAMPLES;
    }
`
	testUncertain = " || again[s] != classes[s] || uncertain[s] != want_uncertain[s]"
)

// wantUncertain writes the vectors that say whether a class is uncertain, if the network says this.
func (p *printer) wantUncertain(v *wordcode.Vectors) {
	if len(v.Uncertain) > 0 {
		p.text("static const uint16_t want_uncertain[] = {\n")
		numbers(p, "%d", 20, v.Uncertain)
		p.text("};\n")
	}
}

// test writes the program that tests the code.
func (f *file) test() {
	f.preface(f.opt, "_selftest.c", "a test of NAME.c against the netlist's simulator")
	f.template(replace(testTop, "BLOCKS", fmt.Sprint(wordcode.Blocks)))
	size, calls := "MACRO_SCRATCH", "check_run()"
	if f.classifier != nil {
		size, calls = "MACRO_CLASSIFY_SCRATCH", "check_run() + check_classify()"
	}
	if f.real != nil {
		calls += " + check_real()"
	}
	if f.scores != nil {
		calls += " + check_probabilities()"
	}
	f.template("static uint64_t scratch[" + size + "];\n")
	f.template("\n/* What the outputs of each block hash to. */\nstatic const uint64_t hashes[blocks] = {\n")
	numbers(f.printer, "0x%016x", 4, f.vectors.Hashes)
	f.text("};\n")
	f.template(testInputs)
	f.template(testRun)
	if f.classifier != nil {
		f.printf("\n/* Of the first samples. */\nstatic const uint16_t classes[%d] = {\n", wordcode.Samples)
		numbers(f.printer, "%d", 20, f.vectors.Class)
		f.printf("};\nstatic const uint32_t want_counts[] = {\n")
		numbers(f.printer, "%d", len(f.classifier.Counts), f.vectors.Counts)
		f.text("};\n")
		f.wantUncertain(f.vectors)
		declare, call, differs := "", "", ""
		if f.classifier.Uncertain.Count > 0 {
			declare, call, differs = testDeclareUncertain, testCallUncertain, testUncertain
		}
		text := strings.NewReplacer("DECLARE", declare, "CALL", call, "DIFFERS", differs).Replace(testClassify)
		f.template(replace(text, "SAMPLES", fmt.Sprint(wordcode.Samples)))
		f.realTest()
		f.scores.test(f.printer, f.vectors)
	}
	f.template(`
int main(void) {
    const int wrong = ` + calls + `;
    if (wrong != 0) {
        printf("FAIL: %d wrong\n", wrong);
        return 1;
    }
    printf("PASS: %d samples\n", 64 * blocks);
    return 0;
}
`)
}
