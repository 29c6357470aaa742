package ccode

import (
	"fmt"
	"strings"

	"ialgn/backend/inputs"
)

const headerReal = `
/*
 * Makes features of real values, as the trainer does: x[s * MACRO_FEATURES + f], a value of
 * feature f, becomes words[s * MACRO_FEATURES + f]:
 *
LINES *
 * A value that is NaN becomes the word of a missing value, where the feature has one. Any
 * other NaN becomes 0, and what is beyond either end, as the infinities, becomes that end.
 *
 * Returns 0, or -1 if a value is infinite, or NaN where there is no word for it, which ialgn
 * refuses. Doubles must be those of IEEE 754, each operation rounded by itself: no -ffast-math.
 */
int NAME_quantise(const double *x, size_t samples, NAME_feature *words);

/*
 * NAME_quantise and then NAME_classify: "words" is memory of samples * MACRO_FEATURES.
 * Returns -1 where either does; then class_index and counts hold nothing of use.
 */
int NAME_classify_real(const double *x, size_t samples, NAME_feature *words, uint16_t *class_index,
                      uint32_t *counts, uint64_t *scratch);

/* The names of features and classes, in UTF-8. */
extern const char *const NAME_feature_names[MACRO_FEATURES];
extern const char *const NAME_class_names[MACRO_CLASSES];
`

// realHeader declares what takes real values.
func (f *file) realHeader() {
	if f.real == nil {
		return
	}
	before, after, _ := strings.Cut(headerReal, "LINES")
	f.template(before)
	for _, line := range f.real.Lines() {
		f.printf(" *     %s\n", inputs.CComment(line)) // no template: a feature may be called LAST_NAME_
	}
	f.template(after)
}

const sourceReal = `
/* Of each feature: offset, scale, and the word of a missing value, -1 where there is none. */
static const struct scaling {
    double offset, scale;
    int32_t missing;
} scalings[MACRO_FEATURES] = {
`

// sourceCuts is sourceReal of a table by cuts.
const sourceCuts = `
/* Of each feature: its cuts in ascending order, and the word of a missing value, -1 where there is none. */
static const struct scaling {
    double cuts[LARGEST];
    int32_t missing;
} scalings[MACRO_FEATURES] = {
`

const wordOfScale = `
/* The word of a value. */
static NAME_feature word_of(double x, const struct scaling *s, int *refused) {
    const double v = (x - s->offset) * s->scale;
    uint32_t w;
    if (x != x && s->missing >= 0) return (NAME_feature)s->missing;
    *refused |= !(x - x == 0);
    if (s->scale == 0 || !(v > 0)) return 0;
    if (v >= LARGEST) return LARGEST;
    w = (uint32_t)v;
    return (NAME_feature)(w + (v >= (double)w + 0.5)); /* halves away from zero */
}
`

const wordOfCuts = `
/* The word of a value, the number of cuts below it. */
static NAME_feature word_of(double x, const struct scaling *s, int *refused) {
    uint32_t w = 0;
    if (x != x && s->missing >= 0) return (NAME_feature)s->missing;
    *refused |= !(x - x == 0);
    while (w < LARGEST && x > s->cuts[w]) w++;
    return (NAME_feature)w;
}
`

const sourceQuantise = `
int NAME_quantise(const double *x, size_t samples, NAME_feature *words) {
    int refused = 0;
    size_t s, f;
    for (s = 0; s < samples; s++)
        for (f = 0; f < MACRO_FEATURES; f++)
            words[s * MACRO_FEATURES + f] = word_of(x[s * MACRO_FEATURES + f], &scalings[f], &refused);
    return -refused;
}

int NAME_classify_real(const double *x, size_t samples, NAME_feature *words, uint16_t *class_index,
                      uint32_t *counts, uint64_t *scratch) {
    if (NAME_quantise(x, samples, words) != 0) return -1;
    return NAME_classify(words, samples, class_index, counts, scratch);
}
`

// realSource defines it.
func (f *file) realSource() {
	if f.real == nil {
		return
	}
	top, wordOf := sourceReal, wordOfScale
	if f.real.ByCuts {
		top, wordOf = sourceCuts, wordOfCuts
	}
	largest := fmt.Sprint(f.real.Max)
	f.template(replace(top, "LARGEST", largest))
	for _, s := range f.real.Features {
		f.scaling(s)
	}
	f.text("};\n")
	f.template(replace(wordOf, "LARGEST", largest) + sourceQuantise)
	f.names("feature_names", "FEATURES", f.real.FeatureNames())
	f.names("class_names", "CLASSES", f.real.Classes)
}

// scaling writes what makes words of a feature.
func (f *file) scaling(s inputs.Feature) {
	if !f.real.ByCuts {
		f.printf("    {%s, %s, %d}, /* %s */\n", inputs.CDouble(s.Offset), inputs.CDouble(s.Scale), s.FillWord(),
			inputs.CComment(s.Name))
		return
	}
	cuts := make([]string, len(s.Cuts))
	for i, c := range s.Cuts {
		cuts[i] = inputs.CDouble(c)
	}
	f.text("    {{\n")
	numbers(f.printer, "%s", 4, cuts)
	f.printf("    }, %d}, /* %s */\n", s.FillWord(), inputs.CComment(s.Name))
}

// names writes an array of names.
func (f *file) names(name, number string, names []string) {
	f.template("\nconst char *const NAME_" + name + "[MACRO_" + number + "] = {\n")
	for _, s := range names {
		f.text("    " + inputs.CString(s) + ",\n")
	}
	f.text("};\n")
}

const testReal = `};

/* Makes words of values at and beside WHERE, and of ones that are none. */
static int check_real(void) {
    static NAME_feature got[TRIALS * MACRO_FEATURES];
    static double none[MACRO_FEATURES];
    const volatile double zero = 0;
    int wrong = NAME_quantise(values, TRIALS, got) != 0, missing = 1;
    size_t i;
    for (i = 0; i < TRIALS * MACRO_FEATURES; i++) {
        if (got[i] == want_words[i]) continue;
        printf("value %d of feature %d: word %d, want %d\n", (int)(i / MACRO_FEATURES), (int)(i % MACRO_FEATURES),
               (int)got[i], (int)want_words[i]);
        wrong++;
    }
    for (i = 0; i < MACRO_FEATURES; i++) {
        none[i] = zero / zero;
        missing &= want_missing[i] >= 0;
    }
    wrong += NAME_quantise(none, 1, got) != (missing ? 0 : -1);
    for (i = 0; i < MACRO_FEATURES; i++) wrong += got[i] != (want_missing[i] >= 0 ? want_missing[i] : 0);
    none[0] = 1 / zero;
    wrong += NAME_quantise(none, 1, got) != -1;
    return wrong;
}
`

// realTest writes what tests it, by what the trainer's quantiser made of the same values.
func (f *file) realTest() {
	if f.real == nil {
		return
	}
	f.text("\n/* Values, a feature after the other, and the trainer's words for them. */\n" +
		"static const double values[] = {\n")
	var values []string
	var words []uint16
	for _, t := range f.real.Trials {
		for _, x := range t.Values {
			values = append(values, inputs.CDouble(x))
		}
		words = append(words, t.Words...)
	}
	numbers(f.printer, "%s", 4, values)
	f.text("};\nstatic const int32_t want_words[] = {\n")
	numbers(f.printer, "%d", 16, words)
	f.text("};\nstatic const int32_t want_missing[] = {\n")
	missing := make([]int, len(f.real.Features))
	for i := range missing {
		missing[i] = f.real.Features[i].FillWord()
	}
	numbers(f.printer, "%d", 16, missing)
	where := "halves"
	if f.real.ByCuts {
		where = "cuts"
	}
	f.template(replace(replace(testReal, "TRIALS", fmt.Sprint(len(f.real.Trials))), "WHERE", where))
}
