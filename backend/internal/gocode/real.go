package gocode

import (
	"fmt"
	"strconv"

	"ialgn/internal/inputs"
)

const realTop = `
// scalings are offset and scale of each feature, and the word of a missing value, -1 where there is none.
var scalings = [Features]struct {
	offset, scale float64
	missing       int32
}{
`

// cutsTop replaces realTop if the words are computed with cuts.
const cutsTop = `
// scalings are the cuts of each feature in ascending order, and the word of a missing value, -1 where there is none.
var scalings = [Features]struct {
	cuts    [MAX]float64
	missing int32
}{
`

const realBottom = `
// Quantise makes features of real values, as the trainer does: x[s*Features+f], a value of feature f, becomes
// words[s*Features+f], by the formula at the top.
//
// A value that is NaN becomes the word of a missing value, where the feature has one. Any other NaN becomes 0, and what
// is beyond either end, as the infinities, becomes that end. It returns an error if the lengths do not fit, and if a
// value is infinite, or NaN where there is no word for it, which ialgn refuses.
func Quantise(x []float64, words []Feature) error {
	if len(x) != len(words) || len(x)%Features != 0 {
		return errors.New("PACKAGE: Quantise: slices of the wrong length: give Features values and words a sample")
	}
	refused := false
	for i, v := range x {
		s := &scalings[i%Features]
		if v != v && s.missing >= 0 {
			words[i] = Feature(s.missing)
			continue
		}
		refused = refused || v-v != 0
		words[i] = wordOf(v, WAY)
	}
	if refused {
		return errors.New("PACKAGE: Quantise: a value is infinite or no number: give finite ones")
	}
	return nil
}
`

const wordOfScale = `
// wordOf returns the word of a value. Halves are rounded away from zero.
func wordOf(x, offset, scale float64) Feature {
	v := (x - offset) * scale
	switch {
	case scale == 0 || !(v > 0):
		return 0
	case v >= MAX:
		return MAX
	}
	w := Feature(v)
	if v >= float64(w)+0.5 {
		w++
	}
	return w
}
`

const wordOfCuts = `
// wordOf returns the word of a value, the number of cuts below it.
func wordOf(x float64, cuts *[MAX]float64) Feature {
	w := Feature(0)
	for w < MAX && x > cuts[w] {
		w++
	}
	return w
}
`

const classifyReal = `
// ClassifyReal is Quantise and then Classify, of len(class) samples.
func (n *Network) ClassifyReal(x []float64, class []uint16, counts []uint32) error {
	words := make([]Feature, len(x))
	if err := Quantise(x, words); err != nil {
		return err
	}
	return n.Classify(words, class, counts)
}

`

// realSource writes the functions whose inputs are real values.
func (f *file) realSource() {
	if f.real == nil {
		return
	}
	top, way, wordOf := realTop, "s.offset, s.scale", wordOfScale
	if f.real.ByCuts {
		top, way, wordOf = cutsTop, "&s.cuts", wordOfCuts
	}
	largest := fmt.Sprint(f.real.Max)
	f.fill(top, "MAX", largest)
	for _, s := range f.real.Features {
		f.scaling(s)
	}
	f.text("}\n")
	f.fill(realBottom+wordOf+classifyReal, "PACKAGE", f.opt.Package, "MAX", largest, "WAY", way)
	f.names("FeatureNames are the names of the features.", "FeatureNames", "Features", f.real.FeatureNames())
	f.text("\n")
	f.names("ClassNames are the names of the classes.", "ClassNames", "Classes", f.real.Classes)
}

// scaling writes the constants that convert a feature's values to words.
func (f *file) scaling(s inputs.Feature) {
	if !f.real.ByCuts {
		fmt.Fprintf(f.w, "\t{%s, %s, %d},\n", inputs.Decimal(s.Offset), inputs.Decimal(s.Scale), s.FillWord())
		return
	}
	cuts := make([]string, len(s.Cuts))
	for i, c := range s.Cuts {
		cuts[i] = inputs.Decimal(c)
	}
	f.text("\t{[...]float64{\n" + list(cuts, "%s", 4, 2))
	fmt.Fprintf(f.w, "\t}, %d},\n", s.FillWord())
}

// names writes an array of names.
func (f *file) names(comment, name, number string, names []string) {
	fmt.Fprintf(f.w, "// %s\nvar %s = [%s]string{\n", comment, name, number)
	for _, s := range names {
		f.text("\t" + strconv.Quote(s) + ",\n")
	}
	f.text("}\n")
}

const realTest = `
// Values at and beside WHERE, a feature after the other, the trainer's words for them, and the words of values that
// are missing.
var (
	realValues = [...]float64{
VALUES	}
	wantWords = [...]Feature{
WORDS	}
	wantMissing = [...]int32{
MISSING	}
)

func TestQuantise(t *testing.T) {
	got := make([]Feature, len(wantWords))
	if err := Quantise(realValues[:], got); err != nil {
		t.Fatal(err)
	}
	for i := range got {
		if got[i] != wantWords[i] {
			t.Errorf("value %g of feature %d: word %d, want %d", realValues[i], i%Features, got[i], wantWords[i])
		}
	}
	zero, all := 0.0, true
	none := make([]float64, Features)
	for i := range none {
		none[i] = zero / zero
		all = all && wantMissing[i] >= 0
	}
	if err := Quantise(none, got[:Features]); (err == nil) != all {
		t.Errorf("values that are no numbers: %v", err)
	}
	for i, want := range wantMissing {
		if want < 0 {
			want = 0
		}
		if got[i] != Feature(want) {
			t.Errorf("a missing value of feature %d: word %d, want %d", i, got[i], want)
		}
	}
	none[0] = 1 / zero
	if Quantise(none, got[:Features]) == nil || Quantise(none, got) == nil {
		t.Error("no error for an infinite value, or slices of the wrong length")
	}
	n, class, want := New(), make([]uint16, 1), make([]uint16, 1)
	if err := n.ClassifyReal(realValues[:Features], class, nil); err != nil {
		t.Fatal(err)
	}
	if err := n.Classify(wantWords[:Features], want, nil); err != nil || class[0] != want[0] {
		t.Errorf("class %d, want %d; %v", class[0], want[0], err)
	}
}
`

// realTests writes tests of the functions that take real values. The expected words come from the trainer's
// quantiser.
func (f *file) realTests() {
	if f.real == nil {
		return
	}
	var values []string
	var words []uint16
	for _, t := range f.real.Trials {
		for _, x := range t.Values {
			values = append(values, inputs.Decimal(x))
		}
		words = append(words, t.Words...)
	}
	var missing []int
	for i := range f.real.Features {
		missing = append(missing, f.real.Features[i].FillWord())
	}
	where := "halves"
	if f.real.ByCuts {
		where = "cuts"
	}
	f.fill(realTest, "WHERE", where, "VALUES", list(values, "%s", 4, 2), "WORDS", list(words, "%d", 16, 2),
		"MISSING", list(missing, "%d", 16, 2))
}
