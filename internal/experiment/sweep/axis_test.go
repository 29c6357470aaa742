package sweep

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ialgn/internal/message"
)

func TestParseAxis(t *testing.T) {
	for _, test := range []struct {
		text string
		want []string
	}{
		{"k=300", []string{"300"}},
		{" k =300, 600,1200", []string{"300", "600", "1200"}},
		{"k=1..5", []string{"1", "2", "3", "4", "5"}},
		{"k=7..7,9", []string{"7", "9"}},
		{"k=100..1600*2", []string{"100", "200", "400", "800", "1600"}},
		{"k=100..999*3", []string{"100", "300", "900"}},
		{"k=18446744073709551614..18446744073709551615", []string{"18446744073709551614", "18446744073709551615"}},
		{"k=0.1,1e-3,-5", []string{"0.1", "1e-3", "-5"}},
		{"k=../a.csv,1..b,0.5...1", []string{"../a.csv", "1..b", "0.5...1"}},
		{"lr=0.003..0.05*2", []string{"0.003", "0.006", "0.012", "0.024", "0.048"}},
		{"k=0.001..0.1*10", []string{"0.001", "0.01", "0.1"}},
		{"k=1e-3..1E-1*1e1", []string{"0.001", "0.01", "0.1"}},
		{"k=1e0..3", []string{"1", "2", "3"}},
		{"k=1..4*1.5", []string{"1", "1.5", "2.25", "3.375"}},
		{"k=0.5..0.5*2,7", []string{"0.5", "7"}},
		{"k=a=b", []string{"a=b"}},
	} {
		got, err := ParseAxis(test.text)
		if diff := cmp.Diff(Axis{strings.TrimSpace(test.text[:strings.IndexByte(test.text, '=')]), test.want}, got); diff != "" || err != nil {
			t.Errorf("%s (-want +got):\n%s, error %v", test.text, diff, err)
		}
	}
}

func TestParseAxisRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"k":                          `--grid "k": want KEY=V,V,...`,
		"k=":                         "--grid k: has an empty value",
		"k=1,,2":                     "--grid k: has an empty value",
		"k=5..1":                     "--grid k: 5..1: begins above its end",
		"k=1..5*1":                   "--grid k: 1..5*1: never comes to its end",
		"k=0..5*2":                   "--grid k: 0..5*2: never comes to its end",
		"k=0..0.5*2":                 "--grid k: 0..0.5*2: never comes to its end",
		"k=0.1..0.5*0.5":             "--grid k: 0.1..0.5*0.5: never comes to its end",
		"k=0.1..0.5":                 "--grid k: 0.1..0.5: is a range of fractions without a factor",
		"k=01..05":                   "--grid k: 01..05: is not a range of numbers",
		"k=1..1.00001*1.00000000001": "--grid k: 1..1.00001*1.00000000001: has more values than the 1000 runs",
		"k=1..1001":                  "--grid k: 1..1001: has more values than the 1000 runs",
		"k=1..1e99":                  "--grid k: 1..1e99: has more values than",
		"k=1..9999999999999999":      "--grid k: 1..9999999999999999: has more values than",
		"name=a,b":                   "--grid name: cannot be swept: the names of files are made by the sweep",
		"train.checkpoint.minutes=1": "--grid train.checkpoint.minutes: cannot be swept: it changes no model",
	} {
		if _, err := ParseAxis(text); err == nil || !strings.HasPrefix(message.In(err, message.Flags), want) {
			t.Errorf("%s: error %v, want one with %q", text, err, want)
		}
	}
}

func TestCombinations(t *testing.T) {
	got := combinations([]Axis{{"a", []string{"1", "2"}}, {"b", []string{"x"}}, {"c", []string{"3", "4"}}})
	want := [][]string{{"a=1", "b=x", "c=3"}, {"a=1", "b=x", "c=4"}, {"a=2", "b=x", "c=3"}, {"a=2", "b=x", "c=4"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// FuzzAxis checks that no text causes a panic. An accepted axis must have at least one value, and no more values than
// a sweep may have runs.
func FuzzAxis(f *testing.F) {
	for _, text := range []string{"k=1..5", "k=1,2,..,3", "k=2..99*3", "k=18446744073709551615..18446744073709551616"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		a, err := ParseAxis(text)
		if err == nil && (len(a.Values) == 0 || len(a.Values) > MaxRuns*(1+strings.Count(text, ","))) {
			t.Errorf("%q: %d values", text, len(a.Values))
		}
	})
}
