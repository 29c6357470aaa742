package trainer

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ialgn/internal/config"
	"ialgn/internal/kernel"
	"ialgn/internal/model"
)

// small is a configuration that trains quickly. The digits have 3,823 training samples, so the last batch has 23.
const small = `
name: small
data: {set: digits}
encoder: {bits: 4}
model: {width: 60, depth: 4, anchors: 8, tau: 2, skip_logit: 1, init_noise: 0.1}
train: {epochs: 3, batch: 100, seed: 7, checkpoint: {minutes: 0}}
`

func parse(t *testing.T, sets ...string) config.Config {
	t.Helper()
	cfg, err := config.Parse("small.yaml", []byte(small), sets)
	if err != nil {
		t.Fatal(err)
	}
	return cfg
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestSameBytes trains with several numbers of threads.
func TestSameBytes(t *testing.T) {
	dir := t.TempDir()
	var want []byte
	for _, threads := range []int{1, 2, 7} {
		path := filepath.Join(dir, fmt.Sprint(threads))
		s, err := Run{Config: parse(t), Model: path, Threads: threads}.Train(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if got := read(t, path); want == nil {
			want = got
		} else if string(got) != string(want) {
			t.Errorf("%d threads: the model file differs from the file with one thread", threads)
		}
		if s.TestAccuracy < 0.5 {
			t.Errorf("%d threads: test accuracy %.3f, it does not learn", threads, s.TestAccuracy)
		}
	}
}

// TestSamePaths trains a network that uses the vector kernels on every SIMD path of this processor. The hash of its
// logits must equal the recorded hash. This is only possible if all paths add floats in the same order.
func TestSamePaths(t *testing.T) {
	before, err := kernel.Path()
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := kernel.Use(before); err != nil {
			t.Error(err)
		}
	}()
	const want = "f3b109fa2c1f53006fa16c57f7c9f97caec157c51ed5c7597a25b3cb38a8c27e"
	for _, path := range kernel.Paths() {
		if err := kernel.Use(path); err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(t.TempDir(), "m")
		if _, err := (Run{Config: parse(t, "model.anchors=32"), Model: file}).Train(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := logitsDigest(t, file); got != want {
			t.Errorf("path %s: the logits have the SHA-256 %s, want %s", path, got, want)
		}
	}
}

// TestSeed trains with another seed and gets another model.
func TestSeed(t *testing.T) {
	dir := t.TempDir()
	sums := map[string]bool{}
	for _, set := range []string{"train.seed=1", "train.seed=2", "model.first_pin=fixed", "model.init=random"} {
		s, err := Run{Config: parse(t, set, "train.epochs=1"), Model: filepath.Join(dir, "m")}.Train(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		m, err := model.Load(s.Model)
		if err != nil {
			t.Fatal(err)
		}
		key := fmt.Sprint(m.Sections[0].Pins[1].Logits, m.Sections[0].Ops)
		if sums[key] {
			t.Errorf("%s: trained the same parameters as another seed", set)
		}
		sums[key] = true
	}
}

// TestResume interrupts a run at the start, in the middle and in the last batch of an epoch. It resumes the run with
// another number of threads and compares the result with an uninterrupted run. It then trains beyond the end of the
// run.
func TestResume(t *testing.T) {
	dir := t.TempDir()
	whole, longer := filepath.Join(dir, "whole"), filepath.Join(dir, "longer")
	if _, err := (Run{Config: parse(t), Model: whole}).Train(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := (Run{Config: parse(t, "train.epochs=5"), Model: longer}).Train(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, at := range []struct{ epoch, batch int }{{1, 1}, {2, 20}, {2, 39}} {
		path := filepath.Join(dir, fmt.Sprintf("at-%d-%d", at.epoch, at.batch))
		ctx, cancel := context.WithCancel(t.Context())
		r := Run{Config: parse(t), Model: path, Threads: 2, Progress: func(p Progress) {
			if p.Finished == nil && p.Epoch == at.epoch && p.Batch == at.batch {
				cancel()
			}
		}}
		if _, err := r.Train(ctx); !errors.Is(err, ErrInterrupted) {
			t.Fatalf("%+v: error %v, want interrupted", at, err)
		}
		if _, err := os.Stat(path); err == nil {
			t.Errorf("%+v: an interrupted run wrote a model", at)
		}
		r = Run{Config: parse(t), Model: path, Threads: 1, Resume: true}
		if _, err := r.Train(t.Context()); err != nil {
			t.Fatalf("%+v: %v", at, err)
		}
		if string(read(t, path)) != string(read(t, whole)) {
			t.Errorf("%+v: the resumed model differs from the uninterrupted one", at)
		}
		r.Config = parse(t, "train.epochs=5")
		if _, err := r.Train(t.Context()); err != nil {
			t.Fatalf("%+v: longer: %v", at, err)
		}
		if string(read(t, path)) != string(read(t, longer)) {
			t.Errorf("%+v: the prolonged model differs from the longer run", at)
		}
	}
}

// TestPeriodicCheckpoint saves after every batch, which must not change the model. It then resumes from a copy of an
// intermediate checkpoint, as after a power cut.
func TestPeriodicCheckpoint(t *testing.T) {
	dir := t.TempDir()
	plain, saving, cut := filepath.Join(dir, "plain"), filepath.Join(dir, "saving"), filepath.Join(dir, "cut")
	if _, err := (Run{Config: parse(t), Model: plain}).Train(t.Context()); err != nil {
		t.Fatal(err)
	}
	r := Run{Config: parse(t, "train.checkpoint.minutes=1e-9"), Model: saving}
	saves, batches := 0, 0
	r.Progress = func(p Progress) {
		if p.Finished != nil {
			return
		}
		if b, err := os.ReadFile(CheckpointPath(saving)); err == nil {
			saves++
			if p.Epoch == 2 && batches == 0 {
				batches = p.Batch
				if err := os.WriteFile(CheckpointPath(cut), b, 0o666); err != nil {
					t.Error(err)
				}
			}
		}
	}
	if _, err := r.Train(t.Context()); err != nil {
		t.Fatal(err)
	}
	if string(read(t, saving)) != string(read(t, plain)) {
		t.Error("checkpoints on the way changed the model")
	}
	if saves < 3 || batches == 0 {
		t.Fatalf("%d saves seen, the copy taken at batch %d: the test shows nothing", saves, batches)
	}
	if _, err := (Run{Config: parse(t), Model: cut, Resume: true}).Train(t.Context()); err != nil {
		t.Fatal(err)
	}
	if string(read(t, cut)) != string(read(t, plain)) {
		t.Error("the model resumed from a checkpoint of the middle differs")
	}
}

// TestOldCheckpoint trains twice with the same output path and checks that the first run's checkpoint is kept.
func TestOldCheckpoint(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m")
	if _, err := (Run{Config: parse(t), Model: path}).Train(t.Context()); err != nil {
		t.Fatal(err)
	}
	first := read(t, CheckpointPath(path))
	if _, err := (Run{Config: parse(t, "train.epochs=1"), Model: path}).Train(t.Context()); err != nil {
		t.Fatal(err)
	}
	if string(read(t, CheckpointPath(path)+".old")) != string(first) {
		t.Error("the earlier run's checkpoint was not kept")
	}
}

// TestDeadline ends the context during the evaluation of the test set.
func TestDeadline(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m")
	ctx, cancel := context.WithCancelCause(t.Context())
	r := Run{Config: parse(t), Model: path, Progress: func(p Progress) {
		if p.Epoch == 1 && p.Batch == p.Batches && p.Finished == nil {
			cancel(context.DeadlineExceeded)
		}
	}}
	if _, err := r.Train(ctx); !errors.Is(err, ErrInterrupted) {
		t.Fatalf("error %v, want interrupted", err)
	}
	if _, err := os.Stat(CheckpointPath(path)); err != nil {
		t.Error(err)
	}
}

// TestInterruptedRead ends the context before the data are read. It does so when a run begins, when a run resumes,
// and with several seeds.
func TestInterruptedRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m")
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	r := Run{Config: parse(t), Model: path}
	want := "interrupted while reading data set digits: nothing was trained yet, and nothing is lost"
	for range 2 {
		if _, err := r.Train(ended); !errors.Is(err, ErrInterrupted) || err.Error() != want {
			t.Errorf("error %v, want %s", err, want)
		}
		if !r.Resume {
			interrupted(t, r, 1, 1)
			r.Resume = true
		}
	}
	s := Seeds{Run: Run{Config: parse(t), Model: path}, N: 2}
	if _, err := s.Train(ended); !errors.Is(err, ErrInterrupted) || err.Error() != "seed 7: "+want {
		t.Errorf("error %v, want one of seed 7", err)
	}
}

// TestTrainRefuses checks that invalid configurations, which a Go program may construct, are refused.
func TestTrainRefuses(t *testing.T) {
	for _, change := range []func(*config.Config){
		func(c *config.Config) { c.Model.Topology, c.Model.Hidden = "rwlgn", 2 },
		func(c *config.Config) { c.Model.Wiring = "balanced" },
		func(c *config.Config) { c.Train.Validation.Patience = 5 },
	} {
		cfg := parse(t)
		change(&cfg)
		if _, err := (Run{Config: cfg, Model: filepath.Join(t.TempDir(), "m")}).Train(t.Context()); err == nil {
			t.Errorf("%+v: trained", cfg.Model)
		}
	}
}

func TestResumeRefuses(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "m")
	if _, err := (Run{Config: parse(t, "train.epochs=2"), Model: path}).Train(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, model, set, want string }{
		{"no checkpoint", filepath.Join(dir, "none"), "train.epochs=2", "no checkpoint"},
		{"another seed", path, "train.seed=3", "train.seed"},
		{"another rate", path, "train.optimizer.lr=0.02", "train.optimizer.lr"},
		{"fewer epochs", path, "train.epochs=1", "train.epochs"},
		{"other candidates", path, "train.candidates.kind=random", "train.candidates.kind"},
	} {
		_, err := Run{Config: parse(t, c.set), Model: c.model, Resume: true}.Train(t.Context())
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want one about %q", c.name, err, c.want)
		}
	}
	if err := os.WriteFile(CheckpointPath(path), read(t, path), 0o666); err != nil {
		t.Fatal(err)
	}
	_, err := Run{Config: parse(t), Model: path, Resume: true}.Train(t.Context())
	if err == nil || !strings.Contains(err.Error(), "not a checkpoint") {
		t.Errorf("a model for a checkpoint: error %v", err)
	}
}

// TestRecord compares the training record with an evaluation of the frozen model, and the reported progress with the
// record.
func TestRecord(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m")
	var epochs []model.Epoch
	cfg := parse(t)
	r := Run{Config: cfg, Model: path, Progress: func(p Progress) {
		if p.Finished != nil {
			epochs = append(epochs, *p.Finished)
		}
	}}
	if _, err := r.Train(t.Context()); err != nil {
		t.Fatal(err)
	}
	m, err := model.Load(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(epochs, m.Record.Epochs); diff != "" || len(epochs) != 3 {
		t.Errorf("record (-progress +file):\n%s", diff)
	}
	test, err := LoadTest(t.Context(), nil, &m.Encoder, m.Classes, cfg.Data, nil)
	if err != nil {
		t.Fatal(err)
	}
	s, err := m.Freeze().Evaluate(t.Context(), test.Levels, 2)
	if err != nil {
		t.Fatal(err)
	}
	last := m.Record.Epochs[2]
	if got := s.Correct(test.Levels.Labels); got != last.TestCorrect || last.TestSamples != 1797 ||
		last.TrainSamples != 3823 {
		t.Errorf("%d correct, record %+v", got, last)
	}
	if test.SHA256 != m.Record.Test {
		t.Errorf("test part %s, record %s", test.SHA256, m.Record.Test)
	}
}

// TestLoadFirst reads the first n test samples, or all samples if there are no more.
func TestLoadFirst(t *testing.T) {
	cfg := parse(t)
	d, err := LoadData(t.Context(), cfg, nil)
	if err != nil {
		t.Fatal(err)
	}
	all, err := LoadTest(t.Context(), nil, d.Encoder, d.Classes, cfg.Data, nil)
	if err != nil {
		t.Fatal(err)
	}
	for samples, want := range map[int]int{1: 1, 64: 64, 5000: 1797} {
		some, err := LoadFirst(t.Context(), nil, d.Encoder, d.Classes, cfg.Data, nil, samples)
		if err != nil {
			t.Fatal(err)
		}
		if some.Levels.Len() != want || some.Words.Len() != want ||
			!slices.Equal(some.Words.Row(want-1), all.Words.Row(want-1)) ||
			!slices.Equal(some.Levels.Row(0), all.Levels.Row(0)) {
			t.Errorf("%d samples: %d, or others than the first", samples, some.Levels.Len())
		}
	}
}

// ExampleRun trains a small network on the embedded digits.
func ExampleRun() {
	cfg, err := config.Parse("example", []byte(small), []string{"train.epochs=1"})
	if err != nil {
		fmt.Println(err)
		return
	}
	dir, err := os.MkdirTemp("", "ialgn")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	s, err := Run{Config: cfg, Model: filepath.Join(dir, "digits.safetensors")}.Train(context.Background())
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(s.Epochs, len(s.SHA256))
	// Output: 1 64
}
