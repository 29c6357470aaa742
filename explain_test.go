package ialgn_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"ialgn"
	"ialgn/internal/config"
	"ialgn/internal/explain"
)

// digits quickly trains a network of chains on the digits.
func digits(t *testing.T) *ialgn.Model {
	t.Helper()
	cfg := ialgn.Config{
		Name: "digits", Data: config.Data{Set: "digits"}, Encoder: config.Encoder{Bits: 4},
		Model: config.Model{Width: 200, Depth: 4, Anchors: 8, Tau: 3, Init: "random"}, Train: config.Train{Epochs: 10},
	}
	m, err := ialgn.Train(t.Context(), cfg, ialgn.Data{}, ialgn.TrainOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// floats converts feature words to features that are whole numbers.
func floats(words []uint16) (features []float64) {
	for _, v := range words {
		features = append(features, float64(v))
	}
	return features
}

// TestExplain explains a hundred digits and checks each explanation with the trainer's forward pass and with the
// simulator. With all changes in an explanation together, the sample must get the class that the explanation gives.
// If any single change is left out, the sample must keep its class.
func TestExplain(t *testing.T) {
	m := digits(t)
	x, err := m.Explainer(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	class := func(name string) int { return slices.Index(m.Classes(), name) }
	var made ialgn.Data
	changes, right := 0, 0
	for i := range 100 {
		e, err := x.Explain(t.Context(), ialgn.ExplainOptions{Sample: i})
		if err != nil {
			t.Fatal(err)
		}
		if e.Flipped == nil || !e.Checked || e.Sample != i || e.Source != "digits" {
			t.Fatalf("sample %d: %+v", i, e)
		}
		changes += len(e.Flips)
		if e.Label == e.Class {
			right++
		}
		all := slices.Clone(e.Words)
		for k, c := range e.Flips {
			if all[c.Feature] != c.From || c.Row == nil || 8**c.Row+*c.Column != c.Feature {
				t.Errorf("sample %d: change %+v of %d", i, c, all[c.Feature])
			}
			all[c.Feature] = c.To
			fewer := slices.Clone(e.Words)
			for _, d := range slices.Delete(slices.Clone(e.Flips), k, k+1) {
				fewer[d.Feature] = d.To
			}
			made.TestFeatures, made.TestLabels = append(made.TestFeatures, floats(fewer)), append(made.TestLabels, class(e.Class))
		}
		made.TestFeatures = append(made.TestFeatures, floats(all))
		made.TestLabels = append(made.TestLabels, class(e.Flipped.Class))
	}
	forward, err := m.Evaluate(t.Context(), ialgn.EvalOptions{Data: made})
	if err != nil {
		t.Fatal(err)
	}
	simulated, err := m.Simulate(t.Context(), ialgn.SimOptions{Data: made})
	if err != nil {
		t.Fatal(err)
	}
	if want := len(made.TestLabels); forward.Correct != want || simulated.Correct != want {
		t.Errorf("forward pass, simulator: %d, %d announced classes, want %d", forward.Correct, simulated.Correct, want)
	}
	if right < 80 || changes > 600 {
		t.Errorf("%d of 100 samples are right, want at least 80; %d changes are needed, want at most 600", right, changes)
	}
}

// TestExplainValues checks that changes of real features are given as values, and that these values change the class.
func TestExplainValues(t *testing.T) {
	m := trained(t)
	features := circle().Features
	for _, i := range []int{0, 435, 465} {
		data := ialgn.Data{TestFeatures: features[i : i+1], TestLabels: []int{0}}
		x, err := m.Explainer(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		e, err := x.Explain(t.Context(), ialgn.ExplainOptions{Data: data})
		if err != nil || e.Flipped == nil {
			t.Fatalf("%+v, %v", e, err)
		}
		c, err := m.Classifier(t.Context(), "")
		if err != nil {
			t.Fatal(err)
		}
		sample := slices.Clone(features[i])
		for _, f := range e.Flips {
			if f.FromValue == nil || f.ToValue == nil || f.Row != nil {
				t.Fatalf("sample %d: %+v", i, f)
			}
			sample[f.Feature] = *f.ToValue
		}
		before, after := mustClass(t, c, features[i]...), mustClass(t, c, sample...)
		if m.Classes()[before] != e.Class || m.Classes()[after] != e.Flipped.Class {
			t.Errorf("sample %d: class %d becomes %d, want %s to %s", i, before, after, e.Class, e.Flipped.Class)
		}
	}
}

// TestExplainRefuses checks the errors for samples that do not exist, and their hints.
func TestExplainRefuses(t *testing.T) {
	x, err := trained(t).Explainer(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	data := ialgn.Data{TestFeatures: circle().Features[:2], TestLabels: []int{0, 0}}
	for _, c := range []struct {
		o    ialgn.ExplainOptions
		want string
		hint string
	}{
		{ialgn.ExplainOptions{Data: data, Sample: 2}, "Sample: 2: the test part of memory has 2 samples", "give 0 to 1"},
		{ialgn.ExplainOptions{Data: data, Sample: -1}, "Sample: -1: must not be negative", "counted from 0"},
		{ialgn.ExplainOptions{Data: data, Changes: -1}, "Changes: -1: must not be negative", ""},
		{ialgn.ExplainOptions{File: "none.csv"}, "none.csv", ""},
	} {
		_, err := x.Explain(t.Context(), c.o)
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(ialgn.Hint(err), c.hint) {
			t.Errorf("error %v, hint %q, want %q", err, ialgn.Hint(err), c.want)
		}
	}
}

// TestUnread changes features that a compiled netlist does not read for a class, and checks that the count of this
// class stays the same.
func TestUnread(t *testing.T) {
	m := digits(t)
	f, err := m.File().Frozen()
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 2))
	for _, o := range []ialgn.CompileOptions{
		{Scope: "gates"}, {Scope: "core", LUT: 6}, {Target: "ice40", Pipeline: "3"},
	} {
		d, err := ialgn.Compile(t.Context(), m, o)
		if err != nil {
			t.Fatal(err)
		}
		reads, err := explain.ReadsOf(d.Netlist(), &f.Encoder, len(f.Classes))
		if err != nil {
			t.Fatal(err)
		}
		c, err := m.Classifier(t.Context(), "")
		if err != nil {
			t.Fatal(err)
		}
		unread := 0
		for class, by := range reads.ByClass {
			a, b := make([]float64, 64), make([]float64, 64)
			for range 50 {
				for k := range a {
					a[k], b[k] = float64(r.IntN(17)), float64(r.IntN(17))
					if by[k] > 0 {
						b[k] = a[k]
					}
				}
				before, after := mustClassify(t, c, a).Counts, mustClassify(t, c, b).Counts
				if before[class] != after[class] {
					t.Fatalf("%+v: class %d counts %d, then %d", o, class, before[class], after[class])
				}
			}
			unread += 64 - explain.Features(by)
		}
		if all := explain.Features(reads.All); unread == 0 || all < 40 {
			t.Errorf("%+v: %d features of classes are not read, %d of all are: the test shows nothing", o, unread, all)
		}
	}
}
