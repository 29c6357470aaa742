package encoding

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// tableEncoder returns an encoder for a number column, a category column of two words, and columns that become no
// feature.
func tableEncoder(t *testing.T) *Encoder {
	t.Helper()
	e, err := NewUniform(3, 4, 8, 255, []string{"size", "colour=blue", "colour=red"})
	if err != nil {
		t.Fatal(err)
	}
	e.Quantiser = &Quantiser{Offset: []float64{0, 0, 0}, Scale: []float64{1, 255, 255}}
	e.Columns = []Column{
		{Name: "id", Kind: DroppedColumn},
		{Name: "size", Kind: NumberColumn, Missing: true, Fill: 2.5},
		{Name: "class", Kind: LabelColumn},
		{Name: "colour", Kind: CategoryColumn, Categories: []string{"blue", "red"}},
	}
	return e
}

// TestPlaceMiddle checks that PlaceMiddle moves only the thresholds of categories. They move to the value at which
// only the highest bit of a word decides.
func TestPlaceMiddle(t *testing.T) {
	e := tableEncoder(t)
	e.PlaceMiddle()
	want := [][]uint16{{63, 127, 191}, {127, 127, 127}, {127, 127, 127}}
	if diff := cmp.Diff(want, e.Thresholds); diff != "" {
		t.Errorf("thresholds (-want +got):\n%s", diff)
	}
	if err := e.Check(); err != nil {
		t.Error(err)
	}
	for _, width := range []int{1, 2, 8, 16} {
		if cost := ComparisonLUTs(width, MiddleThreshold(width), 2); cost != 0 {
			t.Errorf("comparing %d bits with the middle threshold takes %d look-up tables, want 0", width, cost)
		}
	}
}

func TestMissingValue(t *testing.T) {
	for field, want := range map[string]struct{ word, number bool }{
		"": {true, true}, "  ": {true, true}, "NA": {true, true}, "nan": {true, true}, " ? ": {true, true},
		"NULL": {true, true}, "n/a": {true, true}, "none": {false, true}, " #n/a ": {false, true}, "-": {false, true},
		"0": {}, "NAN1": {}, "...": {},
	} {
		for kind, want := range map[ColumnKind]bool{CategoryColumn: want.word, NumberColumn: want.number} {
			if got := MissingValue(kind, field); got != want {
				t.Errorf("%q in a column of kind %s: missing %v, want %v", field, kind, got, want)
			}
		}
	}
}

func TestCheckColumns(t *testing.T) {
	for name, test := range map[string]struct {
		change func(e *Encoder)
		want   string
	}{
		"kind":               {func(e *Encoder) { e.Columns[0].Kind = "text" }, `column 1: the kind "text" is unknown`},
		"features":           {func(e *Encoder) { e.Columns[0].Kind = NumberColumn }, "4 features, want 3"},
		"two labels":         {func(e *Encoder) { e.Columns[0].Kind = LabelColumn }, "2 columns are labels"},
		"no category":        {func(e *Encoder) { e.Columns[3].Categories = nil }, "0 categories"},
		"number with words":  {func(e *Encoder) { e.Columns[1].Categories = []string{"a"} }, "1 categories of a number"},
		"categories twice":   {func(e *Encoder) { e.Columns[3].Categories[0] = "red" }, "not different"},
		"categories swapped": {func(e *Encoder) { e.Columns[3].Categories[0] = "white" }, "not in order"},
		"control character":  {func(e *Encoder) { e.Columns[3].Categories[0] = "a\nb" }, "control characters"},
		"fill of NaN":        {func(e *Encoder) { e.Columns[1].Fill = math.NaN() }, "finite number"},
		"fill, not missing":  {func(e *Encoder) { e.Columns[1].Missing = false }, "finite number"},
		"no ranges":          {func(e *Encoder) { e.Quantiser = nil }, "without the ranges"},
	} {
		e := tableEncoder(t)
		test.change(e)
		if err := e.Check(); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: error %v, want %q in it", name, err, test.want)
		}
	}
}
