package trainer

import (
	"path/filepath"
	"testing"

	"ialgn/internal/config"
	"ialgn/internal/metrics"
	"ialgn/internal/model"
)

// TestBestByMetric checks that the metric decides about the best epoch and about patience, and not the accuracy.
func TestBestByMetric(t *testing.T) {
	var epochs []model.Epoch
	for i, metric := range []float64{-0.1, 0.4, 0.3, 0.4, 0.5} {
		epochs = append(epochs, model.Epoch{ValidationCorrect: 9 - i, ValidationSamples: 9, ValidationMetric: metric})
	}
	for _, c := range []struct{ epochs, patience, best, end int }{{5, 0, 5, 0}, {5, 2, 2, 4}, {1, 1, 1, 0}, {4, 3, 2, 0}} {
		v := config.Validation{Metric: "matthews_corrcoef", Patience: c.patience}
		if best, end := bestValidation(epochs[:c.epochs], v); best != c.best || end != c.end {
			t.Errorf("%d epochs, patience %d: best %d, end %d, want %d and %d", c.epochs, c.patience, best, end, c.best, c.end)
		}
	}
}

// TestKeepsBestByMetric checks that the model is from the epoch with the best metric of the record. The test computes
// the metric of the model on the validation set itself.
func TestKeepsBestByMetric(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m")
	cfg := stops(t, "train.validation.metric=f1_macro")
	s := train(t, Run{Config: cfg, Model: path})
	m := loadModel(t, path)
	data, err := LoadData(t.Context(), cfg, nil)
	if err == nil {
		err = data.holdOut(cfg.Train.Validation, cfg.Train.Seed)
	}
	if err != nil {
		t.Fatal(err)
	}
	scores, err := m.Freeze().Evaluate(t.Context(), data.held, 2)
	if err != nil {
		t.Fatal(err)
	}
	want := metrics.MacroF1(scores.Confusion(data.held.Labels))
	if kept := m.Record.Epochs[s.KeptEpoch-1]; kept.ValidationMetric != want || s.Metric == nil || *s.Metric != want {
		t.Errorf("the record of epoch %d has the metric %v, the model has %v", s.KeptEpoch, kept.ValidationMetric, want)
	}
	for i, e := range m.Record.Epochs {
		if e.ValidationMetric > want {
			t.Errorf("epoch %d has the metric %v, and epoch %d with %v was kept", i+1, e.ValidationMetric, s.KeptEpoch, want)
		}
	}
}

// TestMetricOfOneClass checks the error for a metric that the validation set does not define.
func TestMetricOfOneClass(t *testing.T) {
	refused(t, Run{Config: stops(t, "train.validation.metric=roc_auc"), Model: filepath.Join(t.TempDir(), "m")},
		"train.validation.metric: metric roc_auc: needs two classes, the data have 10")
}
