package ialgn_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"ialgn/internal/runner"

	"github.com/google/go-cmp/cmp"
)

// TestEngines compares the classes of all engines, for all samples at once and one by one. There are so many samples
// that the automatic engine switches to machine code after some of them.
func TestEngines(t *testing.T) {
	m := trained(t)
	r := rand.New(rand.NewPCG(4, 4))
	features := make([][]float64, 9000)
	for i := range features {
		features[i] = []float64{3*r.Float64() - 1.5, 3*r.Float64() - 1.5}
	}
	simulator, err := m.Classifier(t.Context(), "simulator")
	if err != nil {
		t.Fatal(err)
	}
	want, err := simulator.ClassifyAll(t.Context(), features)
	if err != nil {
		t.Fatal(err)
	}
	if e, isa := simulator.Engine(); e != "simulator" || isa != "" {
		t.Errorf("the simulator is %s %s", e, isa)
	}
	for i := range 100 {
		if one, err := simulator.Classify(features[i]); err != nil || one.Class != want[i].Class {
			t.Fatalf("sample %d is of class %d by itself (%v), %d with others", i, one.Class, err, want[i].Class)
		}
	}
	for _, by := range []string{"auto", "native"} {
		c, err := m.Classifier(t.Context(), by)
		sets, missing := runner.ISAs()
		if missing != nil && by == "native" {
			if err == nil {
				t.Errorf("no machine code, although it was announced: %v", missing)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		got, err := c.ClassifyAll(t.Context(), features)
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("engine %s: error %v (-simulator +engine):\n%.1000s", by, err, diff)
		}
		if e, isa := c.Engine(); missing == nil && (e != "native" || isa != sets[0].Name) {
			t.Errorf("engine %s is %s %s after all samples", by, e, isa)
		}
	}
	for samples, want := range map[int]bool{7999: false, 8000: true} {
		c, err := m.Classifier(t.Context(), "auto")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.ClassifyAll(t.Context(), features[:samples]); err != nil {
			t.Fatal(err)
		}
		_, missing := runner.ISAs()
		if e, _ := c.Engine(); missing == nil && (e == "native") != want {
			t.Errorf("engine auto is %s after %d samples", e, samples)
		}
	}
	_, err = m.Classifier(t.Context(), "fast")
	if err == nil || !strings.Contains(err.Error(), "Engine fast: no such engine") {
		t.Errorf("an unknown engine: error %v", err)
	}
}
