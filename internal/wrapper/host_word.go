package wrapper

import (
	"slices"
	"strings"

	"ialgn/internal/inputs"
)

// hostWord holds the code, in Python and in C, with which host programs compute a word from a real value.
type hostWord struct {
	python string
	rule   string // type of the table entry for each feature in C
	c      string
}

// wordOf returns the code for the way in which a table computes words.
func wordOf(t *inputs.Table) *hostWord {
	if t.ByCuts {
		return &byCuts
	}
	return &byScale
}

var byScale = hostWord{
	python: `        scale = self.features[feature]["scale"]
        v = (x - self.features[feature]["offset"]) * scale
        if scale == 0 or not v > 0:
            return 0
        if v >= top:
            return top
        word = int(v)
        return word + (v >= word + 0.5)  # halves away from zero
`,
	rule: "double offset, scale",
	c: `/* The word of a real value, as training makes it, or of an integer as it is. */
static uint32_t word_of(double x, size_t f) {
    const double v = (x - features[f].offset) * features[f].scale;
    uint32_t word;
    if (!SCALED) {
        if (!(x >= 0 && x <= TOP) || x != (double)(uint32_t)x)
            refuse(1, NULL, "line %ld: feature %lu is %g, want an integer of 0..%d", line, (unsigned long)f, x, TOP);
        return (uint32_t)x;
    }
    if (features[f].scale == 0 || !(v > 0)) return 0;
    if (v >= TOP) return TOP;
    word = (uint32_t)v;
    return word + (v >= (double)word + 0.5); /* halves away from zero */
}

`,
}

var byCuts = hostWord{
	python: `        return sum(x > float(c) for c in self.features[feature]["cuts"])  # JSON has integers, too
`,
	rule: "double cuts[TOP]",
	c: `/* The word of a real value, as training makes it: how many of its cuts it is greater than. */
static uint32_t word_of(double x, size_t f) {
    uint32_t word = 0;
    while (word < TOP && x > features[f].cuts[word]) word++;
    return word;
}

`,
}

// cRule returns a feature's table entry in C.
func cRule(t *inputs.Table, f *inputs.Feature) string {
	if !t.ByCuts {
		return inputs.CDouble(f.Offset) + ", " + inputs.CDouble(f.Scale)
	}
	var lines []string
	for part := range slices.Chunk(f.Cuts, cutsPerLine) {
		texts := make([]string, len(part))
		for i, c := range part {
			texts[i] = inputs.CDouble(c)
		}
		lines = append(lines, strings.Join(texts, ", "))
	}
	return "{" + strings.Join(lines, ",\n      ") + "}"
}

// cutsPerLine is the number of cuts on a line.
const cutsPerLine = 4
