package ccode

import (
	"fmt"
	"strings"

	"ialgn/internal/inputs"
)

// realRules is the part of the header's comment that describes how special values are treated.
const realRules = ` *
 * A value that is NaN becomes the word of a missing value, where the feature has one. Any
 * other NaN becomes 0, and what is beyond either end, as the infinities, becomes that end.
 *
 * Returns 0, or -1 if a value is infinite, or NaN where there is no word for it, which ialgn
 * refuses. Doubles must be those of IEEE 754, each operation rounded by itself: no -ffast-math.
 */
`

const headerReal = `
/*
 * Makes features of real values, as the trainer does: x[s * MACRO_FEATURES + f], a value of
 * feature f, becomes words[s * MACRO_FEATURES + f]:
 *
LINES` + realRules + `int NAME_quantise(const double *x, size_t samples, NAME_feature *words);

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

// realHeader declares the function that takes real values.
func (f *file) realHeader() {
	if f.real == nil {
		return
	}
	f.commented(headerReal, f.real)
}

// commented writes a template. It replaces LINES in the template's comment by a description of how words are
// computed.
func (p *printer) commented(template string, t *inputs.Table) {
	before, after, _ := strings.Cut(template, "LINES")
	p.template(before)
	for _, line := range t.Lines() {
		p.printf(" *     %s\n", inputs.CComment(line)) // not with p.template, because a feature may be called LAST_NAME_
	}
	p.template(after)
}

const scalesTop = `
/* Of each feature: offset, scale, and the word of a missing value, -1 where there is none. */
static const struct SCALING {
    double offset, scale;
    int32_t missing;
} SCALINGs[FEATURES] = {
`

// cutsTop replaces scalesTop if words are computed by cuts.
const cutsTop = `
/* Of each feature: its cuts in ascending order, and the word of a missing value, -1 where there is none. */
static const struct SCALING {
    double cuts[LARGEST];
    int32_t missing;
} SCALINGs[FEATURES] = {
`

const wordOfScale = `
/* The word of a value. */
STATIC FEATURE WORD_OF(double x, const struct SCALING *s, int *refused) {
    const double v = (x - s->offset) * s->scale;
    uint32_t w;
    if (x != x && s->missing >= 0) return (FEATURE)s->missing;
    *refused |= !(x - x == 0);
    if (s->scale == 0 || !(v > 0)) return 0;
    if (v >= LARGEST) return LARGEST;
    w = (uint32_t)v;
    return (FEATURE)(w + (v >= (double)w + 0.5)); /* halves away from zero */
}
`

const wordOfCuts = `
/* The word of a value, the number of cuts below it. */
STATIC FEATURE WORD_OF(double x, const struct SCALING *s, int *refused) {
    uint32_t w = 0;
    if (x != x && s->missing >= 0) return (FEATURE)s->missing;
    *refused |= !(x - x == 0);
    while (w < LARGEST && x > s->cuts[w]) w++;
    return (FEATURE)w;
}
`

// quantiser holds the C names and types of the function that computes a word from a value, and of the function's
// table.
type quantiser struct {
	table    *inputs.Table
	features string                 // the number of features
	feature  string                 // the type of a word
	scaling  string                 // the type of a row of the table; an s is added for the table's name
	wordOf   string                 // the function's name
	static   string                 // storage class of the function
	double   func(x float64) string // formats a number
}

// quantiser writes the table and the function that q describes.
func (p *printer) quantiser(q quantiser) {
	top, wordOf := scalesTop, wordOfScale
	if q.table.ByCuts {
		top, wordOf = cutsTop, wordOfCuts
	}
	names := strings.NewReplacer("STATIC", q.static, "FEATURES", q.features, "FEATURE", q.feature, "WORD_OF", q.wordOf,
		"SCALING", q.scaling, "LARGEST", fmt.Sprint(q.table.Max))
	p.template(names.Replace(top))
	for _, s := range q.table.Features {
		p.scaling(s, q)
	}
	p.text("};\n")
	p.template(names.Replace(wordOf))
}

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

// realSource writes the function that takes real values.
func (f *file) realSource() {
	if f.real == nil {
		return
	}
	f.quantiser(quantiser{
		table: f.real, features: "MACRO_FEATURES", feature: "NAME_feature", scaling: "scaling", wordOf: "word_of",
		static: "static", double: inputs.CDouble,
	})
	f.template(sourceQuantise)
	f.names("feature_names", "FEATURES", f.real.FeatureNames())
	f.names("class_names", "CLASSES", f.real.Classes)
}

// scaling writes a feature's row of the table.
func (p *printer) scaling(s inputs.Feature, q quantiser) {
	if !q.table.ByCuts {
		p.printf("    {%s, %s, %d}, /* %s */\n", q.double(s.Offset), q.double(s.Scale), s.FillWord(),
			inputs.CComment(s.Name))
		return
	}
	cuts := make([]string, len(s.Cuts))
	for i, c := range s.Cuts {
		cuts[i] = q.double(c)
	}
	p.text("    {{\n")
	numbers(p, "%s", 4, cuts)
	p.printf("    }, %d}, /* %s */\n", s.FillWord(), inputs.CComment(s.Name))
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
    static FEATURE got[TRIALS * FEATURES];
    static double none[FEATURES];
    const volatile double zero = 0;
    int wrong = QUANTISE(values, TRIALS, got) != 0, missing = 1;
    size_t i;
    for (i = 0; i < TRIALS * FEATURES; i++) {
        if (got[i] == want_words[i]) continue;
        printf("value %d of feature %d: word %d, want %d\n", (int)(i / FEATURES), (int)(i % FEATURES),
               (int)got[i], (int)want_words[i]);
        wrong++;
    }
    for (i = 0; i < FEATURES; i++) {
        none[i] = zero / zero;
        missing &= want_missing[i] >= 0;
    }
    wrong += QUANTISE(none, 1, got) != (missing ? 0 : -1);
    for (i = 0; i < FEATURES; i++) wrong += got[i] != (want_missing[i] >= 0 ? want_missing[i] : 0);
    none[0] = 1 / zero;
    wrong += QUANTISE(none, 1, got) != -1;
    return wrong;
}
`

// realTest writes the test of the function for real values. The test compares words with the words of the trainer's
// quantiser.
func (f *file) realTest() {
	if f.real != nil {
		f.quantiserTest(f.real, "NAME_quantise", "MACRO_FEATURES", "NAME_feature")
	}
}

// quantiserTest writes the test of a function that computes the feature words of samples.
func (p *printer) quantiserTest(t *inputs.Table, quantise, features, feature string) {
	p.text("\n/* Values, a feature after the other, and the trainer's words for them. */\n" +
		"static const double values[] = {\n")
	var values []string
	var words []uint16
	for _, trial := range t.Trials {
		for _, x := range trial.Values {
			values = append(values, inputs.CDouble(x))
		}
		words = append(words, trial.Words...)
	}
	numbers(p, "%s", 4, values)
	p.text("};\nstatic const int32_t want_words[] = {\n")
	numbers(p, "%d", 16, words)
	p.text("};\nstatic const int32_t want_missing[] = {\n")
	missing := make([]int, len(t.Features))
	for i := range missing {
		missing[i] = t.Features[i].FillWord()
	}
	numbers(p, "%d", 16, missing)
	where := "halves"
	if t.ByCuts {
		where = "cuts"
	}
	p.template(strings.NewReplacer("TRIALS", fmt.Sprint(len(t.Trials)), "WHERE", where, "QUANTISE", quantise, "FEATURES",
		features, "FEATURE", feature).Replace(testReal))
}
