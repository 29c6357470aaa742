package plan

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ialgn/backend"
	"ialgn/internal/encoding"
	"ialgn/internal/inputs"
)

// mixed returns the encoder for a table with three columns. One column has numbers that may be missing, one is a
// category, and one has a constant number.
func mixed() *encoding.Encoder {
	return &encoding.Encoder{
		Bits: 2, BitsIn: 4, Max: 15, Names: []string{"width", "state=gas", "state=solid", "constant"},
		Thresholds: [][]uint16{{3}, {7}, {7}, {0}},
		Quantiser:  &encoding.Quantiser{Offset: []float64{-1, 0, 0, 5}, Scale: []float64{8, 15, 15, 0}},
		Columns: []encoding.Column{
			{Name: "id", Kind: encoding.DroppedColumn},
			{Name: "width", Kind: encoding.NumberColumn, Missing: true, Fill: -0.8125},
			{Name: "state", Kind: encoding.CategoryColumn, Categories: []string{"gas", "solid"}},
			{Name: "kind", Kind: encoding.LabelColumn},
			{Name: "constant", Kind: encoding.NumberColumn},
		},
	}
}

// described returns the description of the inputs of a compiled model with the given scope and encoder.
func described(t *testing.T, scope Scope, module string, enc *encoding.Encoder) *inputs.Table {
	t.Helper()
	p, err := New(Options{Scope: scope, Module: module})
	if err != nil {
		t.Fatal(err)
	}
	return p.inputs(backend.Manifest{
		Module: module, Scope: string(scope), Classes: []string{"a", "b"},
		Data: json.RawMessage(`{"set": "csv", "label": "kind", "decimal": "comma", "missing_values": "-999, k.A."}`),
	}, enc)
}

func TestInputs(t *testing.T) {
	enc := mixed()
	got := described(t, ScopeCore, "m", enc)
	trials := got.Trials
	got.Trials = nil
	want := &inputs.Table{
		Module: "m", File: "m.json", Scope: "core", Classes: []string{"a", "b"}, Label: "kind", Bits: 4, Max: 15,
		Scaled: true, DecimalComma: true, Thresholds: enc.Thresholds, Missing: inputs.Missing{
			Words: encoding.MissingWords, Numbers: encoding.MissingNumbers, Declared: []string{"-999", "k.A."},
		},
		Features: []inputs.Feature{
			{Name: "width", Offset: -1, Scale: 8, Missing: true, Fill: 2}, // 1.5 rounds away from zero
			{Name: "state=gas", Scale: 15, Category: true},
			{Name: "state=solid", Scale: 15, Category: true},
			{Name: "constant", Offset: 5},
		},
		Columns: []inputs.Column{
			{Name: "id", Kind: inputs.Dropped},
			{Name: "width", Kind: inputs.Number, Missing: true, Fill: -0.8125},
			{Name: "state", Kind: inputs.Category, Feature: 1, Values: []string{"gas", "solid"}},
			{Name: "kind", Kind: inputs.Label, Feature: 3},
			{Name: "constant", Kind: inputs.Number, Feature: 3},
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("table (-want +got):\n%s", diff)
	}
	low, high := false, false
	for _, trial := range trials {
		for f, x := range trial.Values {
			if w := enc.Quantiser.Apply(f, x, enc.Max); w != trial.Words[f] || math.IsInf(x, 0) || math.IsNaN(x) {
				t.Errorf("trial %g of feature %d has the word %d, the quantiser's is %d", x, f, trial.Words[f], w)
			}
			low, high = low || trial.Words[f] == 0, high || uint32(trial.Words[f]) == enc.Max
		}
	}
	if !low || !high {
		t.Errorf("trials reach the least word: %t, the largest: %t", low, high)
	}
}

// TestInputsByCuts checks that the trials include the values at each cut and the next values on both sides, and that
// no trial is infinite.
func TestInputsByCuts(t *testing.T) {
	enc, err := encoding.NewCuts([][]float64{{-1, 0.1, 0.1}, {0, 0.5, 0.5}, {-math.MaxFloat64, 0, math.MaxFloat64}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	enc.Columns = []encoding.Column{
		{Name: "width", Kind: encoding.NumberColumn, Missing: true, Fill: 0.05},
		{Name: "state", Kind: encoding.CategoryColumn, Categories: []string{"gas"}},
		{Name: "large", Kind: encoding.NumberColumn},
	}
	got := described(t, ScopeFull, "m", enc)
	want := []inputs.Feature{
		{Name: "feature 0", Cuts: []float64{-1, 0.1, 0.1}, Missing: true, Fill: 1},
		{Name: "feature 1", Cuts: []float64{0, 0.5, 0.5}, Category: true},
		{Name: "feature 2", Cuts: []float64{-math.MaxFloat64, 0, math.MaxFloat64}},
	}
	if diff := cmp.Diff(want, got.Features); diff != "" || !got.Scaled || !got.ByCuts || got.Max != 3 {
		t.Errorf("table %+v, features (-want +got):\n%s", got, diff)
	}
	tried := map[int]map[float64]bool{0: {}, 1: {}, 2: {}}
	for _, trial := range got.Trials {
		for f, x := range trial.Values {
			if w := enc.Quantiser.Apply(f, x, enc.Max); w != trial.Words[f] || math.IsInf(x, 0) || math.IsNaN(x) {
				t.Errorf("trial %g of feature %d has the word %d, the quantiser's is %d", x, f, trial.Words[f], w)
			}
			tried[f][x] = true
		}
	}
	for f, cuts := range enc.Quantiser.Cuts {
		for _, c := range cuts {
			if !tried[f][c] || !tried[f][beside(c, math.Inf(1))] || !tried[f][beside(c, math.Inf(-1))] {
				t.Errorf("feature %d: %g and its two neighbours are not all tried: %v", f, c, tried[f])
			}
		}
	}
}

// TestInputsOfWords checks that a model with integer features takes the features unchanged, under their own names.
func TestInputsOfWords(t *testing.T) {
	enc := &encoding.Encoder{Bits: 2, BitsIn: 4, Max: 15, Thresholds: [][]uint16{{3}, {7}}}
	got := described(t, ScopeFull, "report", enc)
	if got.File != "report_inputs.json" || got.Scaled || got.Thresholds != nil || got.Trials != nil || len(got.Columns) != 2 {
		t.Errorf("table %+v", got)
	}
	want := []inputs.Column{{Kind: inputs.Number}, {Kind: inputs.Number, Feature: 1}}
	if diff := cmp.Diff(want, got.Columns); diff != "" {
		t.Errorf("columns (-want +got):\n%s", diff)
	}
	if got.Features[1].Name != "feature 1" {
		t.Errorf("feature 1 is called %q", got.Features[1].Name)
	}
}

// TestInputNames checks that the name of the inputs file differs from the names of the files that every folder has.
func TestInputNames(t *testing.T) {
	for module, want := range map[string]string{
		"m": "m.json", "report": "report_inputs.json", "manifest": "manifest_inputs.json",
		"certificate": "certificate_inputs.json",
	} {
		if got := backend.InputsName(module); got != want {
			t.Errorf("the file of %s is called %s, want %s", module, got, want)
		}
	}
}
