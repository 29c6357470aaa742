package trainer

import (
	"errors"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ialgn/internal/metrics"
	"ialgn/internal/model"
)

// calibrated lists the keys of a run that chooses class offsets for a rare class.
var calibrated = []string{
	"train.validation.share=0.3", "train.validation.metric=balanced_accuracy", "train.offsets=integer", "train.epochs=6",
}

// TestOffsets checks that a run with a rare class gets offsets, that they raise the metric, and that the record and the
// summary have the results of the model with the offsets. The run with learned thresholds keeps an epoch after which
// thresholds moved.
func TestOffsets(t *testing.T) {
	for name, keys := range map[string][]string{
		"uniform": nil, "learned": {"encoder.thresholds=learned", "encoder.bits=8", "train.seed=2"},
	} {
		t.Run(name, func(t *testing.T) { checkOffsets(t, keys) })
	}
}

func checkOffsets(t *testing.T, keys []string) {
	cfg := rareConfig(t, rareTable(t, 600), slices.Concat(calibrated, keys)...)
	path := filepath.Join(t.TempDir(), "m")
	s := train(t, Run{Config: cfg, Model: path})
	m := loadModel(t, path)
	if cfg.Encoder.Learned() && s.KeptEpoch > 2 {
		t.Fatalf("epoch %d is kept: want an epoch before the last move of thresholds", s.KeptEpoch)
	}
	with, kept := m.Record.Offsets, m.Record.Epochs[s.KeptEpoch-1]
	if m.Offsets == nil || with == nil || !slices.Equal(s.Offsets, m.Offsets) || *s.Temperature != m.Calibration.Temperature {
		t.Fatalf("offsets %v, record %+v, summary %+v", m.Offsets, with, s)
	}
	if !(with.ValidationMetric > kept.ValidationMetric) {
		t.Errorf("validation metric %v with offsets, %v without", with.ValidationMetric, kept.ValidationMetric)
	}
	data, err := LoadData(t.Context(), cfg, nil)
	if err == nil {
		err = data.holdOut(cfg.Train.Validation, cfg.Train.Seed)
	}
	if err != nil {
		t.Fatal(err)
	}
	if cfg.Encoder.Learned() {
		data.Encoder = &m.Encoder
		(&session{data: data}).relevel()
	}
	f := m.Freeze()
	held, err := f.Evaluate(t.Context(), data.held, 1)
	if err != nil {
		t.Fatal(err)
	}
	test, err := f.Evaluate(t.Context(), data.Test, 1)
	if err != nil {
		t.Fatal(err)
	}
	want := &model.Shifted{
		TestCorrect: test.Correct(data.Test.Labels), ValidationCorrect: held.Correct(data.held.Labels),
		ValidationMetric: metrics.BalancedAccuracy(held.Confusion(data.held.Labels)),
	}
	if diff := cmp.Diff(want, with); diff != "" {
		t.Errorf("record (-want +got):\n%s", diff)
	}
	if s.TestAccuracy != share(want.TestCorrect, data.Test.Len()) || *s.Metric != want.ValidationMetric ||
		*s.Validation != share(want.ValidationCorrect, data.held.Len()) {
		t.Errorf("summary %+v, want %+v", s, want)
	}
	if want := metrics.BalancedAccuracy(test.Confusion(data.Test.Labels)); s.BalancedAccuracy != want {
		t.Errorf("balanced accuracy %v on the test set, want %v", s.BalancedAccuracy, want)
	}
	if c := m.Calibration; c.Samples != data.held.Len() {
		t.Errorf("%d samples of the calibration, want %d", c.Samples, data.held.Len())
	}

	f.Offsets = nil
	without, err := f.Evaluate(t.Context(), data.held, 1)
	if err != nil {
		t.Fatal(err)
	}
	if got := metrics.BalancedAccuracy(without.Confusion(data.held.Labels)); got != kept.ValidationMetric {
		t.Errorf("validation metric %v without offsets, the record of the kept epoch has %v", got, kept.ValidationMetric)
	}
}

// TestOffsetsOnAllWays checks that a resumed run and ranks give the bytes of a whole run of one process, and that a run
// that starts from a model with offsets begins without them.
func TestOffsetsOnAllWays(t *testing.T) {
	text, dir := rareTable(t, 600), t.TempDir()
	run := Run{Config: rareConfig(t, text, calibrated...), Model: filepath.Join(dir, "m")}
	train(t, run)
	whole := read(t, run.Model)
	for _, at := range []int{3, 6} {
		cut := run
		cut.Model = filepath.Join(dir, "cut")
		interrupted(t, cut, at, 2)
		cut.Resume = true
		for range 2 { // the second run begins after the end
			if train(t, cut); string(read(t, cut.Model)) != string(whole) {
				t.Errorf("interrupted in epoch %d: the resumed model differs", at)
			}
		}
	}
	shared := run
	shared.Model = filepath.Join(dir, "ranks")
	if err := errors.Join(trainRanks(t.Context(), shared, 3, nil)...); err != nil {
		t.Fatal(err)
	}
	if string(read(t, shared.Model)) != string(whole) {
		t.Error("3 ranks: the model differs from a single process's")
	}

	plain := rareConfig(t, text, "train.epochs=1")
	next := Run{Config: plain, Model: filepath.Join(dir, "next"), Start: run.Model}
	s := train(t, next)
	if m := loadModel(t, next.Model); m.Offsets != nil || m.Calibration != nil || m.Record.Offsets != nil || s.Temperature != nil {
		t.Errorf("started from a model with offsets: offsets %v, calibration %v", m.Offsets, m.Calibration)
	}
}
