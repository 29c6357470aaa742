package trainer

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ialgn/internal/config"
	"ialgn/internal/encoding"
	"ialgn/internal/model"
)

// stopping holds overrides with which the small configuration stops early because its patience runs out.
var stopping = []string{
	"train.epochs=60", "train.optimizer.lr=0.1", "train.validation.share=0.2",
	"train.validation.patience=3",
}

func stops(t *testing.T, sets ...string) config.Config {
	t.Helper()
	return parse(t, append(slices.Clone(stopping), sets...)...)
}

func train(t *testing.T, r Run) *Summary {
	t.Helper()
	s, err := r.Train(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// refused trains and expects an error whose text contains want.
func refused(t *testing.T, r Run, want string) {
	t.Helper()
	if _, err := r.Train(t.Context()); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("error %v, want one with %q", err, want)
	}
}

func loadModel(t *testing.T, path string) *model.Model {
	t.Helper()
	m, err := model.Load(path)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// interrupted trains until the given batch of the given epoch is done.
func interrupted(t *testing.T, r Run, epoch, batch int) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	r.Progress = func(p Progress) {
		if p.Finished == nil && p.Epoch == epoch && p.Batch == batch {
			cancel()
		}
	}
	if _, err := r.Train(ctx); !errors.Is(err, ErrInterrupted) {
		t.Fatalf("error %v, want interrupted", err)
	}
}

func copyFile(t *testing.T, to, from string) {
	t.Helper()
	if err := os.WriteFile(to, read(t, from), 0o666); err != nil {
		t.Fatal(err)
	}
}

func TestBestValidation(t *testing.T) {
	for _, c := range []struct {
		name      string
		correct   []int
		patience  int
		best, end int
	}{
		{"nothing yet", nil, 3, 0, 0},
		{"all wrong", []int{0, 0}, 3, 1, 0},
		{"rising", []int{1, 2, 3}, 1, 3, 0},
		{"the first of equals", []int{5, 7, 7}, 2, 2, 0},
		{"an equal is no gain", []int{5, 7, 7, 7}, 2, 2, 4},
		{"a gain at the last moment", []int{5, 3, 6, 3, 7, 1}, 2, 5, 0},
		{"what would have come later", []int{5, 3, 4, 9}, 2, 1, 3},
		{"patience without end", []int{5, 3, 4, 1, 1, 1, 1}, 0, 1, 0},
		{"no patience", []int{5, 4}, 1, 1, 2},
	} {
		var epochs []model.Epoch
		for _, n := range c.correct {
			epochs = append(epochs, model.Epoch{ValidationCorrect: n, ValidationSamples: 9})
		}
		if best, end := bestValidation(epochs, config.Validation{Patience: c.patience}); best != c.best || end != c.end {
			t.Errorf("%s: best %d, end %d, want %d and %d", c.name, best, end, c.best, c.end)
		}
	}
	if best, end := bestValidation(make([]model.Epoch, 9), config.Validation{Patience: 2}); best != 0 || end != 0 {
		t.Errorf("without a validation set: best %d, end %d", best, end)
	}
}

// TestKeepsBest checks that the model is from the best epoch of the record. The test evaluates the validation set
// itself.
func TestKeepsBest(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m")
	cfg := stops(t)
	s := train(t, Run{Config: cfg, Model: path})
	m := loadModel(t, path)
	epochs := m.Record.Epochs
	if s.Epochs != len(epochs) || s.Epochs != s.KeptEpoch+3 || !s.Stopped || m.Record.Kept != s.KeptEpoch {
		t.Fatalf("%+v does not stop 3 epochs after the best; the record keeps %d", s, m.Record.Kept)
	}
	kept := epochs[s.KeptEpoch-1]
	if best, end := bestValidation(epochs, config.Validation{Patience: 3}); best != s.KeptEpoch || end != s.Epochs || kept.ValidationSamples != 765 ||
		kept.TrainSamples != 3823-765 {
		t.Errorf("best %d, end %d, kept %+v", best, end, kept)
	}
	data, err := LoadData(t.Context(), cfg, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := data.holdOut(cfg.Train.Validation, 7); err != nil {
		t.Fatal(err)
	}
	for _, part := range []struct {
		name string
		set  *encoding.Packed
		want int
	}{{"validation", data.held, kept.ValidationCorrect}, {"test", data.Test, kept.TestCorrect}} {
		scores, err := m.Freeze().Evaluate(t.Context(), part.set, 2)
		if err != nil {
			t.Fatal(err)
		}
		if got := scores.Correct(part.set.Labels); got != part.want {
			t.Errorf("%s set: %d correct, the record has %d", part.name, got, part.want)
		}
	}
	if s.TestAccuracy != testAccuracy(kept) || s.LastAccuracy != testAccuracy(epochs[s.Epochs-1]) ||
		*s.Validation != float64(kept.ValidationCorrect)/765 || s.Loss != kept.Loss {
		t.Errorf("%+v does not summarise %+v", s, epochs)
	}
}

// TestResumeValidation resumes runs that stop because their patience runs out. Some are interrupted in the middle and
// some after the end. Others resume from a checkpoint that is older than the best epoch's file, as after a power cut.
func TestResumeValidation(t *testing.T) {
	dir := t.TempDir()
	whole := filepath.Join(dir, "whole")
	s := train(t, Run{Config: stops(t), Model: whole})
	for _, batch := range []struct{ epoch, batch int }{{1, 3}, {s.KeptEpoch, 31}, {s.KeptEpoch + 1, 1}, {s.Epochs, 31}} {
		path := filepath.Join(dir, "cut")
		interrupted(t, Run{Config: stops(t), Model: path, Threads: 2}, batch.epoch, batch.batch)
		train(t, Run{Config: stops(t), Model: path, Threads: 1, Resume: true})
		if string(read(t, path)) != string(read(t, whole)) {
			t.Errorf("%+v: the resumed model differs from the uninterrupted one", batch)
		}
	}
	again := filepath.Join(dir, "cut")
	train(t, Run{Config: stops(t), Model: again, Resume: true})
	if string(read(t, again)) != string(read(t, whole)) {
		t.Error("resumed after its end, the model differs")
	}

	early := filepath.Join(dir, "early")
	interrupted(t, Run{Config: stops(t), Model: early}, 2, 3)
	copyFile(t, BestPath(early), BestPath(whole))
	train(t, Run{Config: stops(t), Model: early, Resume: true})
	if string(read(t, early)) != string(read(t, whole)) {
		t.Error("resumed before its best epoch, the model differs")
	}
}

// TestPutAside checks the files while a second run trains with the same path. The first run's files must be renamed
// before the first batch. A checkpoint must not record an epoch as the best before the best file holds this epoch.
// Otherwise a run that is killed between the writes of these two files would lose the epoch.
func TestPutAside(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m")
	train(t, Run{Config: stops(t), Model: path})
	first, state := read(t, BestPath(path)), read(t, CheckpointPath(path))
	looked := 0
	train(t, Run{
		Config: stops(t, "train.checkpoint.minutes=1e-9", "train.seed=8"), Model: path,
		Progress: func(p Progress) {
			looked++
			if string(read(t, BestPath(path)+".old")) != string(first) {
				t.Errorf("epoch %d, batch %d: the first run's best epoch is not aside", p.Epoch, p.Batch)
			}
			if _, err := os.Stat(CheckpointPath(path)); looked == 1 && errors.Is(err, fs.ErrNotExist) {
				return
			}
			state, err := model.ReadInfo(CheckpointPath(path))
			if err != nil {
				t.Fatal(err)
			}
			best, _ := bestValidation(state.Model.Record.Epochs, config.Validation{})
			if best == 0 {
				return
			}
			kept, err := model.ReadInfo(BestPath(path))
			if err != nil {
				t.Fatal(err)
			}
			if n := len(kept.Model.Record.Epochs); n < best {
				t.Errorf("epoch %d, batch %d: the checkpoint's best epoch is %d, the file's is %d", p.Epoch, p.Batch, best, n)
			}
		},
	})
	if looked < 100 {
		t.Errorf("looked %d times, the test shows little", looked)
	}
	if string(read(t, CheckpointPath(path)+".old")) != string(state) {
		t.Error("the first run's checkpoint is not aside")
	}
}

// TestBestWaits writes best epochs between checkpoints. No file of a best epoch may get its final name before the
// next checkpoint. At most one such file may wait at a time.
func TestBestWaits(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m")
	waited := map[string]bool{}
	s := train(t, Run{Config: stops(t), Model: path, Progress: func(p Progress) {
		if _, err := os.Stat(BestPath(path)); err == nil {
			t.Errorf("epoch %d, batch %d: the best epoch has its name before there is a checkpoint", p.Epoch, p.Batch)
		}
		left := leftovers(t, path)
		if len(left) > 1 {
			t.Errorf("epoch %d, batch %d: %q wait", p.Epoch, p.Batch, left)
		}
		for _, name := range left {
			waited[name] = true
		}
	}})
	if left := leftovers(t, path); len(left) > 0 || len(waited) < 3 {
		t.Errorf("%d best epochs waited, left at the end: %q", len(waited), left)
	}
	if n := len(loadModel(t, BestPath(path)).Record.Epochs); n != s.KeptEpoch {
		t.Errorf("the best file is of epoch %d, want %d", n, s.KeptEpoch)
	}
}

// TestBestLost puts a folder at the path of the best epoch's file. The run must end with an error instead of a
// warning, before a checkpoint records this epoch.
func TestBestLost(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m")
	r := Run{
		Config: stops(t, "train.checkpoint.minutes=1e-9"), Model: path,
		Warn: func(err error) { t.Errorf("warned of %v", err) },
	}
	r.Progress = func(p Progress) {
		if p.Finished != nil && p.Epoch == 1 {
			if err := os.MkdirAll(filepath.Join(BestPath(path), "stone"), 0o777); err != nil {
				t.Error(err)
			}
		}
	}
	refused(t, r, BestPath(path)+": the best epoch on the validation set could not be written: ")
	info, err := model.ReadInfo(CheckpointPath(path))
	if err != nil || len(info.Model.Record.Epochs) != 0 {
		t.Errorf("error %v, the checkpoint counts an epoch that was lost", err)
	}
	if left := leftovers(t, path); len(left) > 0 {
		t.Errorf("left: %q", left)
	}
	if err := os.RemoveAll(BestPath(path)); err != nil {
		t.Fatal(err)
	}
	whole := filepath.Join(t.TempDir(), "whole")
	train(t, Run{Config: stops(t), Model: whole})
	train(t, Run{Config: stops(t), Model: path, Resume: true})
	if string(read(t, path)) != string(read(t, whole)) {
		t.Error("resumed, the model differs")
	}
}

// TestBestLostLate is like [TestBestLost], but the folder appears while the best epoch's file has its temporary name.
func TestBestLostLate(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m")
	s := prepared(t, stops(t, "train.checkpoint.minutes=1e-9"), path)
	s.Warn = func(err error) { t.Errorf("warned of %v", err) }
	s.m.Record.Epochs, s.at.Epoch = []model.Epoch{{ValidationSamples: 1}}, 1
	for _, hook := range s.ended {
		if err := hook(); err != nil {
			t.Fatal(err)
		}
	}
	if len(leftovers(t, path)) != 1 {
		t.Fatal("no best epoch waits")
	}
	if err := os.MkdirAll(filepath.Join(BestPath(path), "stone"), 0o777); err != nil {
		t.Fatal(err)
	}
	wantError(t, s.saveWhenDue(t.Context()), BestPath(path)+
		": the best epoch on the validation set could not be written: rename: ")
	if _, err := os.Stat(CheckpointPath(path)); err == nil || len(leftovers(t, path)) > 0 {
		t.Errorf("a checkpoint counts the epoch that was lost (%v), left: %q", err, leftovers(t, path))
	}
}

// TestKilledEarly begins a run at the path of an earlier run and leaves it after a batch, as if it were killed before
// its first checkpoint. After that there must be nothing to resume. In particular, the earlier run must not be
// resumed. When a third run begins, the renamed files of the earlier run must stay, although the second run may have
// written a best epoch.
func TestKilledEarly(t *testing.T) {
	for name, cfg := range map[string]config.Config{"plain": parse(t), "validation": stops(t)} {
		path := filepath.Join(t.TempDir(), "m")
		train(t, Run{Config: cfg, Model: path})
		aside := map[string][]byte{CheckpointPath(path) + ".old": read(t, CheckpointPath(path))}
		if name == "validation" {
			aside[BestPath(path)+".old"] = read(t, BestPath(path))
		}
		for _, epoch := range []int{2, 1} {
			leave(t, Run{Config: cfg, Model: path}, epoch)
			refused(t, Run{Config: cfg, Model: path, Resume: true}, "no checkpoint to resume from")
			for file, want := range aside {
				if string(read(t, file)) != string(want) {
					t.Errorf("%s, left in epoch %d: %s is not the first run's", name, epoch, file)
				}
			}
		}
	}
}

// leave trains until a batch of the given epoch is done. It then leaves all files as they are.
func leave(t *testing.T, r Run, epoch int) {
	t.Helper()
	type left struct{}
	defer func() {
		if got := recover(); got != (left{}) {
			t.Fatalf("ended with %v", got)
		}
	}()
	r.Progress = func(p Progress) {
		if p.Finished == nil && p.Epoch == epoch {
			panic(left{})
		}
	}
	train(t, r)
}

// TestMorePatience resumes a run that ended because its patience ran out, with more patience. The result must be the
// same as in a run that has the larger patience from the start. Less patience than the run has already used must be
// refused.
func TestMorePatience(t *testing.T) {
	dir := t.TempDir()
	path, patient := filepath.Join(dir, "m"), filepath.Join(dir, "patient")
	first := train(t, Run{Config: stops(t), Model: path})
	want := train(t, Run{Config: stops(t, "train.validation.patience=6"), Model: patient})
	got := train(t, Run{Config: stops(t, "train.validation.patience=6"), Model: path, Resume: true})
	if string(read(t, path)) != string(read(t, patient)) || got.Epochs <= first.Epochs {
		t.Errorf("resumed with more patience: %+v, from the start: %+v", got, want)
	}
	refused(t, Run{Config: stops(t), Model: path, Resume: true}, "use more patience")
}

func TestResumeValidationRefuses(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m")
	r := Run{Config: stops(t), Model: path}
	s := train(t, r)
	best := read(t, BestPath(path))
	interrupted(t, r, 2, 3)
	if string(read(t, BestPath(path)+".old")) != string(best) {
		t.Error("the earlier run's best epoch was not put aside")
	}
	r.Resume = true
	if err := os.WriteFile(BestPath(path), best, 0o666); err != nil {
		t.Fatal(err)
	}
	r.Config.Train.Epochs = s.KeptEpoch - 1
	refused(t, r, "and no longer the best of the first")
	r.Config = stops(t)
	copyFile(t, BestPath(path), CheckpointPath(path))
	refused(t, Run{Config: stops(t, "train.seed=8"), Model: path, Resume: true}, "train.seed")
	other := filepath.Join(t.TempDir(), "other")
	train(t, Run{Config: parse(t, "train.validation.share=0.2"), Model: other})
	copyFile(t, BestPath(path), BestPath(other))
	refused(t, r, "belongs to another run")
	if err := os.Remove(BestPath(path)); err != nil {
		t.Fatal(err)
	}
	refused(t, r, "restore it")
}

// TestCosine interrupts and resumes a run with a warm-up and a cosine schedule. Such a run cannot be prolonged. The
// test also checks that every schedule has an effect.
func TestCosine(t *testing.T) {
	dir := t.TempDir()
	sums := map[string]string{}
	for name, sets := range map[string][]string{
		"constant": nil,
		"warm-up":  {"train.schedule.warmup=0.5"},
		"cosine":   {"train.schedule.kind=cosine", "train.schedule.warmup=0.5"},
		"final":    {"train.schedule.kind=cosine", "train.schedule.warmup=0.5", "train.schedule.final=0.5"},
		"step":     {"train.schedule.kind=step", "train.schedule.every=2"},
	} {
		r := Run{Config: parse(t, sets...), Model: filepath.Join(dir, name)}
		sum := train(t, r).SHA256
		if same := sums[sum]; same != "" {
			t.Errorf("%s trains the same model as %s", name, same)
		}
		sums[sum] = name
		interrupted(t, r, 2, 17)
		r.Resume = true
		if got := train(t, r).SHA256; got != sum {
			t.Errorf("%s: the resumed model differs", name)
		}
		r.Config = parse(t, append(sets, "train.epochs=5")...)
		if r.Config.Train.Schedule.Kind == "cosine" {
			refused(t, r, "spread over train.epochs = 3, and 5 would change")
		} else if s := train(t, r); s.Epochs != 5 {
			t.Errorf("%s: prolonged to %d epochs", name, s.Epochs)
		}
	}
}
