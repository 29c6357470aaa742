package ialgn_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"ialgn"
	"ialgn/internal/runner"

	"github.com/google/go-cmp/cmp"
)

// TestEngines holds the engines against each other on as many samples as have the automatic one make machine code on
// the way, and one by one.
func TestEngines(t *testing.T) {
	m := trained(t)
	r := rand.New(rand.NewPCG(4, 4))
	features := make([][]float64, 9000)
	for i := range features {
		features[i] = []float64{3*r.Float64() - 1.5, 3*r.Float64() - 1.5}
	}
	simulator, err := m.ClassifierBy(ialgn.EngineSimulator)
	if err != nil {
		t.Fatal(err)
	}
	classes, counts := simulator.ClassifyAll(features)
	if e, isa := simulator.Engine(); e != ialgn.EngineSimulator || isa != "" {
		t.Errorf("the simulator is %s %s", e, isa)
	}
	for i := range 100 {
		if class, _ := simulator.Classify(features[i]); class != classes[i] {
			t.Fatalf("sample %d is of class %d by itself, %d with others", i, class, classes[i])
		}
	}
	for _, by := range []ialgn.Engine{ialgn.EngineAuto, ialgn.EngineNative} {
		c, err := m.ClassifierBy(by)
		sets, missing := runner.ISAs()
		if missing != nil && by == ialgn.EngineNative {
			if err == nil {
				t.Errorf("machine code was promised, but %v", missing)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		gotClasses, gotCounts := c.ClassifyAll(features)
		if diff := cmp.Diff(classes, gotClasses) + cmp.Diff(counts, gotCounts); diff != "" {
			t.Errorf("engine %s (-simulator +engine):\n%.1000s", by, diff)
		}
		if e, isa := c.Engine(); missing == nil && (e != ialgn.EngineNative || isa != sets[0].Name) {
			t.Errorf("engine %s is %s %s after all samples", by, e, isa)
		}
	}
	for samples, want := range map[int]bool{7999: false, 8000: true} {
		c, err := m.ClassifierBy(ialgn.EngineAuto)
		if err != nil {
			t.Fatal(err)
		}
		c.ClassifyAll(features[:samples])
		_, missing := runner.ISAs()
		if e, _ := c.Engine(); missing == nil && (e == ialgn.EngineNative) != want {
			t.Errorf("engine auto is %s after %d samples", e, samples)
		}
	}
	_, err = m.ClassifierBy("fast")
	if err == nil || !strings.Contains(err.Error(), "Engine fast: there is no such engine") {
		t.Errorf("an unknown engine: error %v", err)
	}
}
