package given

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const example = `
framework: torchlogix
layers_in_order:
  - {name: "0", type: FixedBinarization, feature_dim: 1, thresholds_shape: [1, 2]}
  - {name: "1", type: LogicConv2d, receptive_field: [3, 3], padding: 0, lut_rank: 2, colour: red}
  - {name: "2", type: GroupSum, k: 10, tau: 0.5, beta: -3}
group_sum: {k: 10, tau: 0.5, beta: null, order: contiguous}
thermometer: x > threshold (strict)
input: float32 [1, 8, 8]
note: a test
`

func ptr[T any](v T) *T { return &v }

func TestParse(t *testing.T) {
	f, err := ParseFacts([]byte(example), nil)
	if err != nil {
		t.Fatal(err)
	}
	want := &Facts{
		Framework: "torchlogix",
		LayersInOrder: []TorchLayer{
			{Name: "0", Type: "FixedBinarization", FeatureDim: ptr(1), ThresholdsShape: []int{1, 2}},
			{Name: "1", Type: "LogicConv2d", ReceptiveField: []int{3, 3}, Padding: ptr(0), Rank: 2},
			{Name: "2", Type: "GroupSum", K: ptr(10), Tau: ptr(0.5), Beta: ptr(-3.0)},
		},
		Sum:    GroupSum{K: ptr(10), Tau: ptr(0.5)},
		Input:  InputNumbers{Shape: []int{1, 8, 8}},
		Unused: []string{"group_sum.order", "layers_in_order[1].colour", "note"},
	}
	if diff := cmp.Diff(want, f); diff != "" {
		t.Errorf("facts (-want +got):\n%s", diff)
	}
	if f, err := ParseFacts([]byte(`{"thermometer": "none", "input": {"bits": 8, "divisor": 255}}`), nil); err != nil ||
		!f.Thermometer.None || f.Input.Bits != 8 || f.Input.Divisor != 255 {
		t.Errorf("JSON: %+v, %v", f, err)
	}
}

func TestParseRefusesBadFacts(t *testing.T) {
	for text, want := range map[string]string{
		"":                       "no keys with values",
		"[1, 2]":                 "no keys with values",
		"a: [":                   "neither JSON nor YAML",
		"group_sum: 3":           "group_sum: 3, want keys with values",
		"group_sum: {tau: zero}": `group_sum.tau: "zero", want a number`,
		"group_sum: {k: ten}":    "group_sum.k: ",
		"group_sum: {k: 0}":      "group_sum.k: 0 classes",
		"group_sum: {tau: 0}":    "group_sum.tau: 0, want a number above 0",
		"layers: {n: 6}":         "want a list of keys with values",
		"layers: [{n: six}]":     "layers[0].n: ",
		"input: {bits: 17}":      "input.bits: 17",
		"input: {divisor: -1}":   "input.divisor: -1",
		"classes: [a, ' ']":      "a class without a name",
		"classes: [a, b, a]":     `"a" is the name of class 0 and of class 2`,
		"classes: [[a]]":         "classes: ",
		"input: {divisor: 255}":  "input.divisor is 255, but input.bits is not said",
		"input: {shape: 64}":     "input.shape: 64, want a list of whole numbers",
		"layers_in_order: [{receptive_field: 3}]": "layers_in_order[0].receptive_field: 3, want a list of whole numbers",
		"group_sum: {tau: 1e-50}":                 "group_sum.tau: 1e-50, want a number above 0 that float32 has",
		"group_sum: {tau: 1e50}":                  "group_sum.tau: 1e+50, want",
		"layers_in_order: [{tau: 1e-50}]":         "layers_in_order[0].tau: 1e-50, want",
		"layers_in_order: [{k: 3, type: 7}]":      "layers_in_order[0].type: ",
	} {
		if _, err := ParseFacts([]byte(text), nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %q", text, err, want)
		}
	}
}

// TestSingleFacts checks that single facts replace the facts of the file or are added to them.
func TestSingleFacts(t *testing.T) {
	f, err := ParseFacts([]byte(example), []string{
		"group_sum.tau=2.5", "layers_in_order[1].parametrization=light", "layers_in_order[4].type=GroupSum", "input={bits: 8}",
		"classes=[a, b]",
	})
	if err != nil {
		t.Fatal(err)
	}
	if *f.Sum.Tau != 2.5 || *f.Sum.K != 10 || f.LayersInOrder[1].Parametrization != "light" || f.LayersInOrder[1].Rank != 2 ||
		f.LayersInOrder[4].Type != "GroupSum" || f.LayersInOrder[3].Type != "" || f.Input.Bits != 8 || len(f.Classes) != 2 {
		t.Errorf("facts %+v", f)
	}
	if f, err := ParseFacts(nil, []string{"group_sum.k=3"}); err != nil || *f.Sum.K != 3 {
		t.Errorf("single facts without a file: %+v, %v", f, err)
	}
	for text, want := range map[string]string{
		"tau": "want KEY=VALUE", "a b=3": "not a key", "framework.k=3": "not below a key", "group_sum.k=[": "group_sum.k: ",
		"layers[99999].n=3": "not a key", "group_sum.k.l=3": "not below a key",
	} {
		if _, err := ParseFacts([]byte(example), []string{text}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %q", text, err, want)
		}
	}
}

// TestSingleFactsWithinTexts checks single facts for keys whose values in the file are texts or maps.
func TestSingleFactsWithinTexts(t *testing.T) {
	want := InputNumbers{Shape: []int{1, 8, 8}, Bits: 5, Divisor: 16}
	for _, further := range [][]string{
		{"input.bits=5", "input.divisor=16"}, {"input={bits: 5, divisor: 16}"}, {"input={bits: 5}", "input.divisor=16"},
	} {
		for _, in := range []string{`float32 [1, 8, 8]`, `{shape: [1, 8, 8]}`, `{shape: [1, 8, 8], bits: 3}`} {
			f, err := ParseFacts([]byte("input: "+in), further)
			if err != nil {
				t.Errorf("%s, %s: %v", in, further, err)
				continue
			}
			if diff := cmp.Diff(want, f.Input); diff != "" {
				t.Errorf("%s, %s (-want +got):\n%s", in, further, diff)
			}
		}
	}
	f, err := ParseFacts([]byte("thermometer: {thresholds_file: a.npy}"), []string{"thermometer=none", "input=float32 [3]"})
	if err != nil || !f.Thermometer.None || f.Thermometer.File != "" || len(f.Input.Shape) != 1 {
		t.Errorf("%+v, %v", f, err)
	}
}

// TestExponent reads a number with an exponent. The YAML reader takes such a number for a text.
func TestExponent(t *testing.T) {
	if f, err := ParseFacts(nil, []string{"group_sum.tau=1e-3"}); err != nil || *f.Sum.Tau != 1e-3 {
		t.Errorf("%+v, %v", f, err)
	}
}

// TestNumbersAsClasses reads class names that YAML takes for numbers or booleans.
func TestNumbersAsClasses(t *testing.T) {
	f, err := ParseFacts([]byte("classes: [0, -1, 1.5, true, six]"), nil)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"0", "-1", "1.5", "true", "six"}, f.Classes); diff != "" {
		t.Errorf("classes (-want +got):\n%s", diff)
	}
}

func TestRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f.yaml")
	if err := os.WriteFile(path, []byte(example), 0o600); err != nil {
		t.Fatal(err)
	}
	if f, err := ReadFacts(path, nil); err != nil || f.Name != "f.yaml" || f.Framework != "torchlogix" {
		t.Errorf("%+v, %v", f, err)
	}
	if err := os.WriteFile(path, []byte("group_sum: 3"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadFacts(path, nil); err == nil || !strings.HasPrefix(err.Error(), path+": facts: group_sum") {
		t.Errorf("error %v", err)
	}
	if _, err := ReadFacts(path+"x", nil); err == nil {
		t.Error("a missing file: no error")
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(example))
	f.Add([]byte(`{"group_sum": {"k": 1e99}}`))
	f.Fuzz(func(_ *testing.T, data []byte) { _, _ = ParseFacts(data, []string{"group_sum.k=3", "layers[2].n=6"}) })
}
