package ccode

import (
	"fmt"
	"strings"

	"ialgn/internal/inputs"
)

// oneReal is the part of the header file that defines the function for real values. The function needs a table and
// double-precision arithmetic. Small processors lack such arithmetic. Because the function is defined in the header,
// the table and the arithmetic are only in programs that call it. This needs no linker option.
const oneReal = `
/*
 * Makes the features of a sample of real values for NAME_one, as the trainer does: of x[f], a value of
 * feature f, PLACE of WORDS:
 *
LINES` + realRules + `static inline int NAME_one_quantise(const double *x, TYPE *WORDS) {
    int refused = 0;
    size_t f;
    for (f = 0; f < FEATURES; f++) {
PUT    }
    return -refused;
}
`

const onePutWord = `        words[f] = NAME_one_word_of(x[f], &NAME_one_scalings[f], &refused);
`

const onePutBit = `        const uint32_t bit = NAME_one_word_of(x[f], &NAME_one_scalings[f], &refused);
        bits[f / 32] = (bits[f / 32] & ~((uint32_t)1 << f % 32)) | bit << f % 32;
`

// realHeader writes the function that takes real values.
func (f *one) realHeader() {
	if f.real == nil {
		return
	}
	word := fmt.Sprintf("uint%d_t", f.classifier.FeatureType())
	f.quantiser(quantiser{
		table: f.real, features: f.realFeatures(), feature: word, scaling: "NAME_one_scaling", wordOf: "NAME_one_word_of",
		static: "static inline", double: inputs.CDecimal,
	})
	parts := []string{"PLACE", "word f", "WORDS", "words", "TYPE", word, "PUT", onePutWord}
	if f.program.Packed {
		parts = []string{"PLACE", "bit f", "WORDS", "bits", "TYPE", "uint32_t", "PUT", onePutBit}
	}
	f.commented(strings.NewReplacer(append(parts, "FEATURES", f.realFeatures())...).Replace(oneReal), f.real)
}

// realFeatures returns the macro with the number of features.
func (f *one) realFeatures() string {
	if f.program.Packed {
		return "MACRO_ONE_INPUTS"
	}
	return "MACRO_ONE_FEATURES"
}

const oneTestWords = `
/* Makes words of samples, one after the other. */
static int quantise(const double *x, size_t samples, FEATURE *words) {
    int result = 0;
    size_t s;
    for (s = 0; s < samples; s++)
        if (NAME_one_quantise(x + s * FEATURES, words + s * FEATURES) != 0) result = -1;
    return result;
}
`

const oneTestBits = `
/* Makes bits of samples, one after the other. */
static int quantise(const double *x, size_t samples, FEATURE *words) {
    static uint32_t bits[MACRO_ONE_WORDS];
    int result = 0;
    size_t s, f;
    for (s = 0; s < samples; s++) {
        if (NAME_one_quantise(x + s * FEATURES, bits) != 0) result = -1;
        for (f = 0; f < FEATURES; f++) words[s * FEATURES + f] = bits[f / 32] >> f % 32 & 1;
    }
    return result;
}
`

// realTest writes the test of the function for real values.
func (f *one) realTest() {
	text := oneTestWords
	if f.program.Packed {
		text = oneTestBits
	}
	word := fmt.Sprintf("uint%d_t", f.classifier.FeatureType())
	f.template(strings.NewReplacer("FEATURES", f.realFeatures(), "FEATURE", word).Replace(text))
	f.quantiserTest(f.real, "quantise", f.realFeatures(), word)
}
