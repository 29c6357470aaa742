package dataset

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ialgn/internal/config"
	"ialgn/internal/message"
)

// TestMissingWords reads words for missing numbers. The usual words are known. train must refuse other words until
// they are declared. The error names their place.
func TestMissingWords(t *testing.T) {
	for word, known := range map[string]bool{
		"": true, "NA": true, "n/a": true, "NULL": true, "NaN": true, "-nan": true, "#N/A": true, "#NV": true, "None": true,
		"-": true, `\N`: true, "<NA>": true, "NaT": true, ".": true, "k.A.": false, "n.v.": false, "ERROR": false,
		"12 kPa": false, ">100": false, "1.2.3": false, "inf": false, "-Infinity": false, "#DIV/0!": false, "1e999": false,
		`"a, b"`: false,
	} {
		rows := plainRows()
		rows[7][0] = word
		text := []byte(joined("a,b,label", ",", "\n", rows))
		r, err := throughDoors(t, text, config.Data{})
		if err != nil {
			t.Errorf("%q: %v", word, err)
			continue
		}
		c := r.survey.Columns[0]
		plain := strings.Trim(word, `"`)
		odd := []Odd{{plain, 9, 1}}
		if known {
			odd = nil
		}
		if diff := cmp.Diff(odd, c.Odd); diff != "" || c.Missing != 1 || c.Min == nil || *c.Max != 19.75 {
			t.Errorf("%q: column %+v, odd values (-want +got):\n%s", word, c, diff)
		}
		_, err = openBoth(t, config.Data{Missing: "median"}, inMemory("in.csv", text))
		if known != (err == nil) {
			t.Errorf("%q: train without a declaration of the word: %v", word, err)
		}
		if err != nil && (!strings.Contains(err.Error(), `line 9: column 1 ("a")`) ||
			!strings.Contains(message.Hint(err), "data.missing_values: "+config.JoinNames([]string{plain}))) {
			t.Errorf("%q: error %v, hint %s", word, err, message.Hint(err))
		}
	}
}

// TestMissingWordsDeclared declares a number as missing. In a column of categories, the usual words for missing
// numbers must remain categories.
func TestMissingWordsDeclared(t *testing.T) {
	text := rows("a,colour,label", 30, func(i int) string {
		return fmt.Sprintf("%d,%s,%d", []int{-999, i, 2 * i}[i%3], []string{"None", "-", "red", "k.A."}[i%4], i%2)
	})
	cfg := config.Data{Categories: "colour", Missing: "median", MissingValues: "-999, k.A."}
	s, err := openBoth(t, cfg, inMemory("in.csv", []byte(text)))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"a", "colour=-", "colour=None", "colour=red"}
	if diff := cmp.Diff(want, s.FeatureNames); diff != "" || s.Quantiser.Offset[0] != 1 {
		t.Errorf("least number %v, want 1; features (-want +got):\n%s", s.Quantiser.Offset[0], diff)
	}
}

// TestManyOddWords checks the kind of a column that mixes numbers and words. For example, numbers with one word in
// many rows are still numbers. A column with few distinct numbers is left out.
func TestManyOddWords(t *testing.T) {
	for name, test := range map[string]struct {
		value func(i int) string
		kind  string
	}{
		"one word":     {func(i int) string { return []string{fmt.Sprint(i), "k.A."}[i%3/2] }, "number"},
		"few numbers":  {func(i int) string { return []string{"1", "2", "low"}[i%3] }, "dropped"},
		"many words":   {func(i int) string { return []string{"", "", "w"}[i%3] + fmt.Sprint(i) }, "dropped"},
		"None alone":   {func(i int) string { return []string{"None", fmt.Sprint(i), "None"}[i%3] }, "number"},
		"words of two": {func(i int) string { return []string{"None", "red", "3"}[i%3] }, "category"},
	} {
		text := rows("x,a,label", 90, func(i int) string { return fmt.Sprintf("%d,%s,%d", i*i%7, test.value(i), i%2) })
		s, err := lookAt(text, "")
		if err != nil {
			t.Errorf("%s: %v", name, err)
		} else if c := s.Columns[1]; string(c.Kind) != test.kind {
			t.Errorf("%s: column %+v, want a %s", name, c, test.kind)
		}
	}
}
