package ccode

import (
	"fmt"
	"strings"
)

const classifyTop = `
/* Swaps blocks of j x j bits of a 64 x 64 bit matrix. */
static void swap(uint64_t *m, const size_t j, const uint64_t mask) {
    size_t i, k;
    for (i = 0; i < 64; i += 2 * j)
        for (k = i; k < i + j; k++) {
            const uint64_t t = (m[k] >> j ^ m[k + j]) & mask;
            m[k + j] ^= t;
            m[k] ^= t << j;
        }
}

/* Transposes a 64 x 64 bit matrix: bit j of word i becomes bit i of word j. */
static void transpose(uint64_t *m) {
    swap(m, 32, 0x00000000ffffffff);
    swap(m, 16, 0x0000ffff0000ffff);
    swap(m, 8, 0x00ff00ff00ff00ff);
    swap(m, 4, 0x0f0f0f0f0f0f0f0f);
    swap(m, 2, 0x3333333333333333);
    swap(m, 1, 0x5555555555555555);
}

`

const classifyPack = `
/* Packs up to 64 samples into one word of each input row. Returns the OR of all features. */
static uint64_t pack(const NAME_feature *x, size_t samples, uint64_t *in) {
    uint64_t m[64], all = 0;
    size_t f, s, k;
    for (s = samples; s < 64; s++) m[s] = 0;
    for (f = 0; f < MACRO_FEATURES; f += GROUP) {
        size_t count = GROUP;
        if (MACRO_FEATURES - f >= GROUP) {
            for (s = 0; s < samples; s++) m[s] = gather(x + s * MACRO_FEATURES + f, &all);
        } else { /* the last features */
            count = MACRO_FEATURES - f;
            for (s = 0; s < samples; s++) {
                NAME_feature last[GROUP] = {0};
                for (k = 0; k < count; k++) last[k] = x[s * MACRO_FEATURES + f + k];
                m[s] = gather(last, &all);
            }
        }
        transpose(m);
        for (k = 0; k < count * MACRO_FEATURE_BITS; k++)
            in[(f * MACRO_FEATURE_BITS + k) * MACRO_WORDS] = m[k];
        for (s = samples; s < 64; s++) m[s] = 0;
    }
    return all;
}

/* Reads a number of 64 samples off one word of each of its rows. */
static void unpack(const uint64_t *rows, size_t count, uint64_t *m) {
    size_t i;
    for (i = 0; i < 64; i++) m[i] = i < count ? rows[i * MACRO_WORDS] : 0;
    transpose(m);
}
`

const classifyHead = `
int NAME_classify(const NAME_feature *x, size_t samples, uint16_t *class_index, uint32_t *counts,
                  uint64_t *scratch) {
`

const uncertainHead = `
int NAME_classify_uncertain(const NAME_feature *x, size_t samples, uint16_t *class_index, uint32_t *counts,
                            uint16_t *uncertain, uint64_t *scratch) {
`

const classifyBottom = `    uint64_t *in = scratch + MACRO_SCRATCH, *out = in + MACRO_INPUTS * MACRO_WORDS, m[64];
    size_t first, start, w, s, c;
    for (first = 0; first < samples; first += 64 * MACRO_WORDS) {
        for (w = 0; w < MACRO_WORDS; w++) {
            start = first + 64 * w < samples ? first + 64 * w : samples;
            if (pack(x + start * MACRO_FEATURES, samples - start < 64 ? samples - start : 64, in + w) >> MACRO_FEATURE_BITS != 0)
                return -1;
        }
        NAME_run(in, out, scratch);
        for (w = 0, start = first; w < MACRO_WORDS && start < samples; w++, start += 64) {
            const size_t count = samples - start < 64 ? samples - start : 64;
            unpack(out + class_rows[0] * MACRO_WORDS + w, class_rows[1], m);
            for (s = 0; s < count; s++) class_index[start + s] = (uint16_t)m[s];
UNCERTAIN            for (c = 0; counts != NULL && c < MACRO_CLASSES; c++) {
                unpack(out + count_rows[c][0] * MACRO_WORDS + w, count_rows[c][1], m);
                for (s = 0; s < count; s++) counts[(start + s) * MACRO_CLASSES + c] = (uint32_t)m[s];
            }
        }
    }
    return 0;
}
`

// classify writes the function that computes class and counts from features.
func (f *file) classify() {
	c := f.classifier
	group := 64 / c.FeatureBits
	f.text(classifyTop)
	f.gather(group, c.FeatureBits)
	f.template(strings.ReplaceAll(classifyPack, "GROUP", fmt.Sprint(group)))
	f.printf("\n/* The first of the output rows, and their number: of the class, and of each count. */\n")
	f.printf("static const size_t class_rows[2] = {%d, %d};\n", c.Class.First, c.Class.Count)
	f.template("static const size_t count_rows[MACRO_CLASSES][2] = {\n")
	for _, r := range c.Counts {
		f.printf("    {%d, %d},\n", r.First, r.Count)
	}
	f.text("};\n")
	if c.Uncertain.Count == 0 {
		f.template(classifyHead + replace(classifyBottom, "UNCERTAIN", ""))
		return
	}
	unpack := replace(unpackUncertain, "ROW", fmt.Sprint(c.Uncertain.First))
	f.template(uncertainHead + replace(classifyBottom, "UNCERTAIN", unpack))
	f.template(classifyHead + "    return NAME_classify_uncertain(x, samples, class_index, counts, NULL, scratch);\n}\n")
}

// unpackUncertain reads the bits that say which classes are uncertain from their row.
const unpackUncertain = `            for (s = 0; uncertain != NULL && s < count; s++)
                uncertain[start + s] = (uint16_t)(out[ROW * MACRO_WORDS + w] >> s & 1);
`

// gather writes the function that combines features into a word. The function is a single expression, because
// compilers recognise this expression as a load of several bytes.
func (f *file) gather(group, bits int) {
	f.template("/* Makes a word of features, and the OR of them all. */\n" +
		"static uint64_t gather(const NAME_feature *p, uint64_t *all) {\n")
	f.text("    *all |= (uint64_t)p[0]")
	for k := 1; k < group; k++ {
		f.text(wrap(k, " |") + fmt.Sprintf("p[%d]", k))
	}
	f.text(";\n    return (uint64_t)p[0]")
	for k := 1; k < group; k++ {
		f.text(wrap(k, " |") + fmt.Sprintf("(uint64_t)p[%d] << %d", k, k*bits))
	}
	f.text(";\n}\n")
}

// wrap returns an operator and a space, or a line break after every fourth operand.
func wrap(k int, operator string) string {
	if k%4 == 0 {
		return operator + "\n        "
	}
	return operator + " "
}
