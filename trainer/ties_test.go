package trainer

import (
	"errors"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ialgn/internal/encoding"
	"ialgn/internal/metrics"
	"ialgn/internal/model"
	"ialgn/trainer/internal/calibrate"
)

// tying is the configuration of a run that chooses a tie order. The network has few chains, and therefore many ties.
const tying = "data: {set: digits}\nencoder: {bits: 4}\nmodel: {width: 60, depth: 2, anchors: 8, tau: 2}\n" +
	"train: {offsets: ties, epochs: 2, batch: 50, optimizer: {lr: 0.05}}\n"

// TestTies checks that a run gets a tie order with and without a validation set, that the order is the one of all
// training samples, and that the record and the summary have the results of the model with the order. The run with
// learned thresholds keeps an epoch after which thresholds moved.
func TestTies(t *testing.T) {
	for name, keys := range map[string][]string{
		"training":   nil,
		"validation": {"train.validation.share=0.3", "train.validation.metric=balanced_accuracy"},
		"learned": {
			"train.validation.share=0.3", "encoder.thresholds=learned", "train.epochs=6",
		},
	} {
		t.Run(name, func(t *testing.T) { checkTies(t, keys) })
	}
}

func checkTies(t *testing.T, keys []string) {
	cfg := rareConfig(t, tying, keys...)
	path := filepath.Join(t.TempDir(), "m")
	s := train(t, Run{Config: cfg, Model: path})
	m := loadModel(t, path)
	if cfg.Encoder.Learned() && s.KeptEpoch == s.Epochs {
		t.Fatal("the last epoch is kept: want an epoch before the last move of thresholds")
	}
	with, kept := m.Record.Ties, m.Record.Epochs[s.KeptEpoch-1]
	if m.Ties == nil || with == nil || !slices.Equal(s.Ties, m.Ties) || m.Record.Offsets != nil || m.Offsets != nil {
		t.Fatalf("order %v, record %+v, summary %+v", m.Ties, with, s)
	}
	data, err := LoadData(t.Context(), cfg, nil)
	if err == nil {
		err = data.holdOut(cfg.Train.Validation, cfg.Train.Seed)
	}
	if err != nil {
		t.Fatal(err)
	}
	if cfg.Encoder.Learned() {
		held, words := data.held, data.heldWords
		if err := data.Use(&m.Encoder); err != nil {
			t.Fatal(err)
		}
		m.Encoder.Relevel(held, words)
	}
	f := m.Freeze()
	score := func(p *encoding.Packed) *model.Scores {
		scores, err := f.Evaluate(t.Context(), p, 1)
		if err != nil {
			t.Fatal(err)
		}
		return scores
	}
	test := score(data.Test)
	want := &model.Shifted{TestCorrect: test.Correct(data.Test.Labels)}
	sets := []*encoding.Packed{data.Train}
	if data.held != nil {
		held := score(data.held)
		sets = append(sets, data.held)
		want.ValidationCorrect = held.Correct(data.held.Labels)
		if cfg.Train.Validation.Metric != "" {
			want.ValidationMetric = metrics.BalancedAccuracy(held.Confusion(data.held.Labels))
		}
		if c := m.Calibration; c.Samples != data.held.Len() || *s.Validation != share(want.ValidationCorrect, data.held.Len()) {
			t.Errorf("calibration %+v, summary %+v, want %+v", c, s, want)
		}
	} else if m.Calibration != nil || s.Validation != nil {
		t.Errorf("calibration %+v, validation %v, want none", m.Calibration, s.Validation)
	}
	if diff := cmp.Diff(want, with); diff != "" {
		t.Errorf("record (-want +got):\n%s", diff)
	}
	if s.TestAccuracy != share(want.TestCorrect, data.Test.Len()) || s.LastAccuracy != testAccuracy(m.Record.Epochs[len(m.Record.Epochs)-1]) {
		t.Errorf("summary %+v, want %+v", s, want)
	}
	if s.BalancedAccuracy != metrics.BalancedAccuracy(test.Confusion(data.Test.Labels)) {
		t.Errorf("balanced accuracy %v on the test set", s.BalancedAccuracy)
	}

	f.Ties = nil
	metric, err := (&session{Run: Run{Config: cfg}, data: data}).metric()
	if err != nil {
		t.Fatal(err)
	}
	var labelled []calibrate.Labelled
	for _, p := range sets {
		labelled = append(labelled, calibrate.Labelled{Scores: score(p), Labels: p.Labels})
	}
	if want := calibrate.Ties(metric, labelled...); !slices.Equal(m.Ties, want) {
		t.Errorf("order %v, the training samples have %v", m.Ties, want)
	}
	if got := score(data.Test).Correct(data.Test.Labels); got != kept.TestCorrect {
		t.Errorf("%d correct test samples without the order, the record of the kept epoch has %d", got, kept.TestCorrect)
	}
}

// TestTiesOnAllWays checks that a resumed run and ranks give the bytes of a whole run of one process, and that a run
// that starts from a model with a tie order begins without it.
func TestTiesOnAllWays(t *testing.T) {
	dir := t.TempDir()
	run := Run{Config: rareConfig(t, tying), Model: filepath.Join(dir, "m")}
	train(t, run)
	whole := read(t, run.Model)
	cut := run
	cut.Model = filepath.Join(dir, "cut")
	interrupted(t, cut, 1, 2)
	cut.Resume = true
	for range 2 { // the second run begins after the end
		if train(t, cut); string(read(t, cut.Model)) != string(whole) {
			t.Error("the resumed model differs")
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

	next := Run{Config: rareConfig(t, tying, "train.epochs=1", "train.offsets=none"), Model: filepath.Join(dir, "next"), Start: run.Model}
	train(t, next)
	if m := loadModel(t, next.Model); m.Ties != nil || m.Record.Ties != nil {
		t.Errorf("started from a model with the order %v: order %v", loadModel(t, run.Model).Ties, m.Ties)
	}
}
