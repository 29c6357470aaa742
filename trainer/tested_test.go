package trainer

import (
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ialgn/internal/metrics"
	"ialgn/internal/model"
)

// TestTestMetrics compares the metrics of the summary with metrics of the model file, which the test computes itself.
// A run with a validation set keeps an epoch before the last one. A run that is interrupted and resumed after the kept
// epoch must have the same metrics, and so must a call that finds a finished run.
func TestTestMetrics(t *testing.T) {
	path, shown := filepath.Join(t.TempDir(), "m"), 0
	cfg := stops(t)
	r := Run{Config: cfg, Model: path}
	r.Progress = func(p Progress) {
		if p.Finished != nil && p.Scores != nil {
			shown++
		}
	}
	got := train(t, r)
	if got.Values == nil || got.KeptEpoch == got.Epochs || shown != got.Epochs {
		t.Fatalf("metrics %v, kept epoch %d of %d, metrics of %d epochs", got.Values, got.KeptEpoch, got.Epochs, shown)
	}
	data, err := LoadData(t.Context(), cfg, nil)
	if err != nil {
		t.Fatal(err)
	}
	scores, err := loadModel(t, path).Freeze().Evaluate(t.Context(), data.Test, 2)
	if err != nil {
		t.Fatal(err)
	}
	m := scores.Confusion(data.Test.Labels)
	want := metrics.Values{
		BalancedAccuracy: metrics.BalancedAccuracy(m), MacroF1: metrics.MacroF1(m),
		MatthewsCorrcoef: metrics.MatthewsCorrcoef(m),
	}
	if diff := cmp.Diff(want, *got.Values); diff != "" {
		t.Errorf("metrics of the kept epoch (-model +summary):\n%s", diff)
	}
	r.Resume = true
	if again := train(t, r); again.Values == nil || *again.Values != want {
		t.Errorf("metrics of the finished run: %v, want %v", again.Values, want)
	}
	r = Run{Config: cfg, Model: filepath.Join(t.TempDir(), "m")}
	interrupted(t, r, got.KeptEpoch+1, 1)
	r.Resume = true
	if again := train(t, r); again.Values == nil || *again.Values != want {
		t.Errorf("metrics of the resumed run: %v, want %v", again.Values, want)
	}
}

// TestTestMetricsForged resumes from a checkpoint in which the metrics were edited. The run must go on without them.
func TestTestMetricsForged(t *testing.T) {
	s := &session{Run: Run{Config: stops(t)}}
	s.addTesting()
	for _, text := range []string{"", "{", `{"1": 3}`, `{"x": {}}`, "null"} {
		s.restoring[0](&model.Info{Checkpoint: map[string]string{testedKey: text}})
		s.at.Epoch = 1
		if err := s.evaluated[0](t.Context(), &Progress{Scores: &metrics.Values{MacroF1: 0.5}}); err != nil {
			t.Fatal(err)
		}
		if got := s.tested[2]; got == nil || got.MacroF1 != 0.5 {
			t.Errorf("%q: metrics %v", text, s.tested)
		}
	}
}
