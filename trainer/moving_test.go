package trainer

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ialgn/internal/encoding"
	"ialgn/internal/engine"
	"ialgn/internal/kernel"
	"ialgn/internal/model"
	"ialgn/internal/testkit"
	"ialgn/trainer/internal/learned"
)

// learns holds overrides that make the small configuration learn its thresholds in the first two of three epochs.
var learns = []string{"encoder.thresholds=learned", "model.inputs=4", "model.depth=2"}

// TestLearned checks that thresholds move up and down and keep their order. It also checks that the recorded accuracy
// belongs to the thresholds in the model file.
func TestLearned(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m")
	cfg := parse(t, learns...)
	train(t, Run{Config: cfg, Model: path})
	m := loadModel(t, path)
	if err := m.Encoder.Check(); err != nil {
		t.Error(err)
	}
	up, down := 0, 0
	for _, row := range m.Encoder.Thresholds {
		for j, v := range row {
			switch was := uint16(4 * (j + 1)); { // uniform in 0..16
			case v > was:
				up++
			case v < was:
				down++
			}
		}
	}
	if up < 10 || down < 10 {
		t.Errorf("%d thresholds went up and %d down", up, down)
	}
	test, err := LoadTest(t.Context(), nil, &m.Encoder, m.Classes, cfg.Data, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := correct(t, m, test.Levels), m.Record.Epochs[2].TestCorrect; got != want {
		t.Errorf("%d correct with the model's thresholds, the record has %d", got, want)
	}
}

// TestLearnedCost checks that learned thresholds need fewer look-up tables if train.cost is set. It trains networks
// with and without pins that choose among input bits.
func TestLearnedCost(t *testing.T) {
	luts := func(sets ...string) (sum int) {
		path := filepath.Join(t.TempDir(), "m")
		train(t, Run{Config: parse(t, append(slices.Clone(learns), sets...)...), Model: path})
		m := loadModel(t, path)
		for _, row := range m.Encoder.Thresholds {
			for _, v := range row {
				sum += encoding.ComparisonLUTs(m.Encoder.BitsIn, v, 4)
			}
		}
		return sum
	}
	for _, sets := range [][]string{nil, {"model.topology=layered", "model.widths=70,60", "model.anchors=1"}} {
		free := luts(sets...)
		pressed := luts(append(sets, "train.cost.target=ice40", "train.cost.pressure=0.002")...)
		if t.Logf("%v: %d look-up tables, %d with a pressure", sets, free, pressed); pressed >= free {
			t.Errorf("%v: %d look-up tables, %d with a pressure", sets, free, pressed)
		}
	}
}

// telling is an engine that records the sinks passed to Tell.
type telling struct {
	engine.Engine
	sink kernel.Sink
	told int // number of calls of Tell with a sink
}

// Tell implements [engine.Engine].
func (e *telling) Tell(s kernel.Sink) {
	e.sink = s
	if s != nil {
		e.told++
	}
	e.Engine.Tell(s)
}

// TestLearnedEpochs checks that thresholds move only in the first epochs, and never if they are not learned. The
// engine must not report gradients that are not needed, because reporting takes time.
func TestLearnedEpochs(t *testing.T) {
	for _, c := range []struct {
		thresholds string
		want       []int // the epochs, out of five, at whose end thresholds move
	}{{"learned", []int{1, 2, 3}}, {"uniform", nil}, {"quantile", nil}} {
		s := prepared(t, parse(t, "train.epochs=5", "encoder.thresholds="+c.thresholds), filepath.Join(t.TempDir(), "m"))
		eng := &telling{Engine: s.eng}
		s.eng = eng
		var got []int
		for epoch := range 5 {
			before := slices.Concat(s.m.Encoder.Thresholds...)
			if err := s.epoch(t.Context()); err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(before, slices.Concat(s.m.Encoder.Thresholds...)) {
				got = append(got, epoch+1)
			}
			if eng.sink != nil {
				t.Errorf("%s: gradients are reported after epoch %d", c.thresholds, epoch+1)
			}
		}
		if !slices.Equal(got, c.want) || eng.told != len(c.want) {
			t.Errorf("%s: thresholds moved in epochs %v, want %v; gradients were reported %d times", c.thresholds, got, c.want,
				eng.told)
		}
	}
}

// TestLearnedResume interrupts runs before, within and at the end of a window of summed batches, and after the last
// epoch in which thresholds move. It also saves after every batch. The bytes must be the same with any number of
// threads. The long test tier interrupts each network at all of these places.
func TestLearnedResume(t *testing.T) {
	for name, sets := range map[string][]string{
		"plain":      nil,
		"gates":      {"model.inputs=2", "model.depth=3"},
		"changed":    {"train.augment.rotate=8", "train.candidates.kind=gradient", "train.gradients=int8"},
		"validation": {"train.validation.share=0.3"}, // 27 batches, which are all summed
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			whole, cfg := filepath.Join(dir, "whole"), parse(t, append(slices.Clone(learns), sets...)...)
			train(t, Run{Config: cfg, Model: whole, Threads: 2})
			last := 39
			if cfg.Train.Validation.Share > 0 {
				last = 27
			}
			for i, at := range [][2]int{{1, 6}, {1, 8}, {2, 1}, {1, last - 1}, {2, last}, {3, 20}} {
				if (i%2 == 0) != (name == "plain") && !testkit.Whole() {
					continue
				}
				path := filepath.Join(dir, fmt.Sprint(i))
				interrupted(t, Run{Config: cfg, Model: path, Threads: 1 + i%3}, at[0], at[1])
				train(t, Run{Config: cfg, Model: path, Threads: 3 - i%3, Resume: true})
				if !bytes.Equal(read(t, path), read(t, whole)) {
					t.Errorf("interrupted at %v: the resumed model differs from the uninterrupted one", at)
				}
			}
			saving := cfg
			saving.Train.Checkpoint.Minutes = 1e-9
			path := filepath.Join(dir, "saving")
			train(t, Run{Config: saving, Model: path})
			if !bytes.Equal(read(t, path), read(t, whole)) {
				t.Error("checkpoints on the way changed the model")
			}
		})
	}
}

// TestLearnedDamage checks that checkpoints with invalid sums are refused. A checkpoint that claims to hold sums must
// not cause an allocation unless the sums are in the file.
func TestLearnedDamage(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m")
	cfg := parse(t, learns...)
	interrupted(t, Run{Config: cfg, Model: path}, 1, 20)
	info, err := model.ReadInfo(CheckpointPath(path))
	if err != nil {
		t.Fatal(err)
	}
	good := learned.NewState(info.Shape(sumTensor), info.Shape(countTensor))
	if len(good.Bits) == 0 {
		t.Fatal("the checkpoint has no sums")
	}
	s := prepared(t, cfg, filepath.Join(t.TempDir(), "other"))
	for name, c := range map[string]struct {
		sums []model.Tensor
		want string
	}{
		"none":      {nil, "thresholds.sums is missing"},
		"bits":      {sumTensors(learned.NewState([]int64{3, 256}, []int64{64, 256})), "in the sums for thresholds"},
		"few bins":  {[]model.Tensor{{Name: sumTensor, Shape: []int{2, 8}, Data: make([]int64, 16)}}, "unknown tensor"},
		"no bits":   {sumTensors(learned.NewState([]int64{3, 256}, []int64{64, 256}))[1:], "bits is missing"},
		"features":  {sumTensors(learned.NewState([]int64{3, 256}, []int64{63, 256})), "are of 63 features, want 64"},
		"one extra": {append(sumTensors(good), model.Tensor{Name: "adam.x", Shape: []int{1}, Data: []int64{1}}), "unknown tensor"},
	} {
		at, err := json.Marshal(position{Step: 20, Batch: 20})
		if err != nil {
			t.Fatal(err)
		}
		var file bytes.Buffer
		extra := model.Extra{Metadata: map[string]string{positionKey: string(at)}, Tensors: append(tensors(s.m, s.eng), c.sums...)}
		if err := s.m.Write(&file, extra); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(CheckpointPath(path), file.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
		_, err = Run{Config: cfg, Model: path, Resume: true}.Train(t.Context())
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want one with %q", name, err, c.want)
		}
	}
}

// TestLearnedBest checks that the model has both the parameters and the thresholds of the best epoch, also after a
// run was resumed. The checkpoint must have the last thresholds.
func TestLearnedBest(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m")
	cfg := stops(t, append(slices.Clone(learns), "train.optimizer.lr=0.3")...)
	s := train(t, Run{Config: cfg, Model: path})
	m, last := loadModel(t, path), loadModel(t, CheckpointPath(path))
	if s.KeptEpoch == s.Epochs || reflect.DeepEqual(m.Encoder.Thresholds, last.Encoder.Thresholds) {
		t.Fatalf("epoch %d of %d is the best, and no threshold moved after it: the test shows nothing", s.KeptEpoch, s.Epochs)
	}
	data, err := LoadData(t.Context(), cfg, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := data.holdOut(cfg.Train.Validation, 7); err != nil {
		t.Fatal(err)
	}
	if err := data.Use(&m.Encoder); err != nil {
		t.Fatal(err)
	}
	m.Encoder.Relevel(data.held, data.heldWords)
	kept := m.Record.Epochs[s.KeptEpoch-1]
	for _, part := range []struct {
		name    string
		correct int
		want    int
	}{
		{"validation", correct(t, m, data.held), kept.ValidationCorrect}, {"test", correct(t, m, data.Test), kept.TestCorrect},
	} {
		if part.correct != part.want {
			t.Errorf("%s: %d correct, the record of the kept epoch has %d", part.name, part.correct, part.want)
		}
	}
	again := filepath.Join(t.TempDir(), "again")
	interrupted(t, Run{Config: cfg, Model: again}, s.KeptEpoch+1, 25)
	train(t, Run{Config: cfg, Model: again, Resume: true})
	if !bytes.Equal(read(t, again), read(t, path)) {
		t.Error("the resumed model differs from the uninterrupted one")
	}
}

// TestLearnedStart checks that a run with learned thresholds can begin with any kind of thresholds in the start
// model. A run whose thresholds are not learned must refuse a start model with thresholds other than its own.
func TestLearnedStart(t *testing.T) {
	dir := t.TempDir()
	for _, kind := range []string{"uniform", "quantile", "learned"} {
		from := filepath.Join(dir, kind)
		train(t, Run{Config: parse(t, append(slices.Clone(learns), "encoder.thresholds="+kind, "train.epochs=1")...), Model: from})
		cfg := parse(t, append(slices.Clone(learns), "train.epochs=2")...)
		data, err := LoadData(t.Context(), cfg, nil)
		if err != nil {
			t.Fatal(err)
		}
		s := &session{Run: Run{Config: cfg, Model: filepath.Join(dir, "x"), Start: from, Threads: 1}, data: data}
		if err := s.prepare(); err != nil {
			t.Fatal(err)
		}
		was := loadModel(t, from)
		if diff := cmp.Diff(was.Encoder.Thresholds, s.m.Encoder.Thresholds); diff != "" {
			t.Errorf("%s: thresholds (-model +run):\n%s", kind, diff)
		}
		if got, want := correct(t, s.m, data.Test), was.Record.Epochs[0].TestCorrect; got != want {
			t.Errorf("%s: %d correct at the start, the model has %d", kind, got, want)
		}
		before := slices.Concat(s.m.Encoder.Thresholds...)
		if err := s.epoch(t.Context()); err != nil {
			t.Fatal(err)
		}
		if slices.Equal(before, slices.Concat(s.m.Encoder.Thresholds...)) {
			t.Errorf("%s: no threshold has moved", kind)
		}
	}
	refused(t, Run{
		Config: parse(t, append(slices.Clone(learns), "encoder.thresholds=uniform")...), Model: filepath.Join(dir, "y"),
		Start: filepath.Join(dir, "learned"),
	}, "has another encoder.thresholds than this configuration")
	path := filepath.Join(dir, "learned")
	refused(t, Run{Config: parse(t, append(slices.Clone(learns), "train.epochs=4")...), Model: path, Resume: true},
		"its thresholds are moved until a share of train.epochs = 1")
}

// TestUseRefuses checks that an encoder is refused if its model was trained on other data.
func TestUseRefuses(t *testing.T) {
	data, err := LoadData(t.Context(), parse(t, learns...), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, change := range []func(m *model.Model){
		func(m *model.Model) { m.Encoder.Thresholds = m.Encoder.Thresholds[1:] },
		func(m *model.Model) { m.Encoder.Max = 15 },
		func(m *model.Model) { m.Encoder.Bits++ },
	} {
		m := &model.Model{Encoder: *data.Encoder}
		change(m)
		if err := data.Use(&m.Encoder); err == nil || !strings.Contains(err.Error(), "its encoder and the encoder of data set ") {
			t.Errorf("error %v", err)
		}
	}
}

// correct returns the number of samples of a set that the network of a model classifies correctly.
func correct(t *testing.T, m *model.Model, set *encoding.Packed) int {
	t.Helper()
	s, err := m.Freeze().Evaluate(t.Context(), set, 1)
	if err != nil {
		t.Fatal(err)
	}
	return s.Correct(set.Labels)
}
