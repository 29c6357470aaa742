package trainer

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSeedPath(t *testing.T) {
	for path, want := range map[string]string{
		"a/m.safetensors": "a/m.seed7.safetensors", "m": "m.seed7", "a.b/m": "a.b/m.seed7", "m.v1.st": "m.v1.seed7.st",
	} {
		if got := SeedPath(path, 7); got != want {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
	}
}

func TestSpread(t *testing.T) {
	value := func(s *SeedSummary) float64 { return s.TestAccuracy }
	var runs []SeedSummary
	for _, v := range []float64{2, 4, 4, 4, 5, 5, 7, 9} {
		runs = append(runs, SeedSummary{Summary: &Summary{TestAccuracy: v}})
	}
	if s := spread(runs, value); s.Mean != 5 || math.Abs(*s.Std-math.Sqrt(32.0/7)) > 1e-15 {
		t.Errorf("mean %v, deviation %v, want 5 and the root of 32/7", s.Mean, *s.Std)
	}
	if s := spread(runs[:1], value); s.Mean != 2 || s.Std != nil {
		t.Errorf("%+v, want a mean and no deviation", s)
	}
	if s := spread(runs[1:4], value); s.Mean != 4 || *s.Std != 0 {
		t.Errorf("%+v, want no deviation of equal values", s)
	}
}

// TestSeeds trains three seeds. Each model must have the same bytes as the model of a separate run. The test
// interrupts the second seed and resumes. The first seed must stay as it is, the second must continue, and the third
// must begin.
func TestSeeds(t *testing.T) {
	dir := t.TempDir()
	run := Run{Config: parse(t), Model: filepath.Join(dir, "m.st")}
	var begun []uint64
	ctx, cancel := context.WithCancel(t.Context())
	seeds := Seeds{Run: run, N: 3, Begin: func(seed uint64) { begun = append(begun, seed) }}
	seeds.Progress = func(p Progress) {
		if len(begun) == 2 && p.Epoch == 2 && p.Batch == 9 {
			cancel()
		}
	}
	if _, err := seeds.Train(ctx); !errors.Is(err, ErrInterrupted) || !slices.Equal(begun, []uint64{7, 8}) {
		t.Fatalf("error %v after the seeds %v, want interrupted in 8", err, begun)
	}
	begun, seeds.Progress, seeds.Resume = nil, nil, true
	all, err := seeds.Train(t.Context())
	if err != nil || !slices.Equal(begun, []uint64{8, 9}) {
		t.Fatalf("error %v, seeds %v, want 8 and 9", err, begun)
	}
	for i, got := range all.Runs {
		single := run
		single.Config.Train.Seed, single.Model = got.Seed, filepath.Join(dir, "single")
		want := train(t, single)
		if got.Seed != uint64(7+i) || got.Before != (i == 0) || got.Model != SeedPath(run.Model, got.Seed) {
			t.Errorf("run %d is %+v", i, got)
		}
		if string(read(t, got.Model)) != string(read(t, single.Model)) {
			t.Errorf("seed %d has other bytes than a run of its own", got.Seed)
		}
		s := *got.Summary
		if measured := s.Speed != nil && s.Seconds > 0; measured == got.Before {
			t.Errorf("seed %d, finished before: %v, has the speed %+v", got.Seed, got.Before, s.Speed)
		}
		s.Model, s.Speed, s.Seen = want.Model, want.Speed, want.Seen
		if got.Before { // model files do not hold metrics
			s.Values = want.Values
		}
		if diff := cmp.Diff(want, &s); diff != "" {
			t.Errorf("seed %d (-single run +of several):\n%s", got.Seed, diff)
		}
	}
	again, err := seeds.Train(t.Context())
	if err != nil || len(begun) != 2 {
		t.Fatalf("error %v, seeds %v were trained again", err, begun)
	}
	if diff := cmp.Diff([]Spread{all.TestAccuracy, all.BestAccuracy},
		[]Spread{again.TestAccuracy, again.BestAccuracy}); diff != "" || all.TestAccuracy.Std == nil {
		t.Errorf("read from the files (-trained +read):\n%s", diff)
	}
	seeds.Config = parse(t, "train.epochs=4")
	if longer, err := seeds.Train(t.Context()); err != nil || longer.Runs[0].Epochs != 4 || longer.Runs[0].Before {
		t.Errorf("prolonged: %+v, error %v", longer, err)
	}
}

// TestSeedsSameStart adds seeds to earlier seeds that started from a model. A call that begins new seeds must name
// this model. Otherwise the new seeds would begin with random parameters and yet count in the same mean.
func TestSeedsSameStart(t *testing.T) {
	dir := t.TempDir()
	base := filepath.Join(dir, "base")
	train(t, Run{Config: parse(t, "train.epochs=1"), Model: base})
	seeds := func(n int, start string) error {
		_, err := Seeds{Run: Run{
			Config: parse(t, "train.epochs=1"), Model: filepath.Join(dir, "m"), Resume: true,
			Start: start,
		}, N: n}.Train(t.Context())
		return err
	}
	want := func(err error, text string) {
		t.Helper()
		wantError(t, err, text)
	}
	if err := seeds(1, base); err != nil {
		t.Fatal(err)
	}
	want(seeds(2, ""), ", so new seeds must start from it, too; name it with Init")
	if err := errors.Join(seeds(2, base), seeds(2, "")); err != nil {
		t.Error(err)
	}
	want(seeds(3, SeedPath(filepath.Join(dir, "m"), 7)), "; name this model with Init; to train this seed anew, move ")
	for _, path := range []string{
		SeedPath(filepath.Join(dir, "m"), 8),
		CheckpointPath(SeedPath(filepath.Join(dir, "m"), 8)),
	} {
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
	train(t, Run{Config: parse(t, "train.epochs=1", "train.seed=8"), Model: SeedPath(filepath.Join(dir, "m"), 8)})
	want(seeds(2, ""), "m.seed8: started from drawn parameters, but ")
	want(seeds(2, base), "m.seed8.checkpoint: started from drawn parameters, not from base with SHA-256 ")
	want(seeds(2, base), "; omit Init; to train this seed anew, move ")
	if err := os.Remove(CheckpointPath(SeedPath(filepath.Join(dir, "m"), 8))); err != nil {
		t.Fatal(err)
	}
	want(seeds(2, base), "m.seed8: started from drawn parameters, not from base with SHA-256 ")
}

// TestSeedsOverOthers resumes seeds whose paths hold finished models with another start. The checkpoint decides from
// which model a seed started, not the old model file that still exists.
func TestSeedsOverOthers(t *testing.T) {
	dir := t.TempDir()
	base, path := filepath.Join(dir, "base"), filepath.Join(dir, "m")
	r := Run{Config: parse(t), Model: path}
	train(t, Run{Config: parse(t), Model: base})
	if _, err := (Seeds{Run: r, N: 1}).Train(t.Context()); err != nil {
		t.Fatal(err)
	}
	r.Start = base
	tuned := r
	tuned.Model = SeedPath(path, 7)
	interrupted(t, tuned, 2, 5)
	r.Resume = true
	if _, err := (Seeds{Run: r, N: 1}).Train(t.Context()); err != nil {
		t.Fatal(err)
	}
	if loadModel(t, tuned.Model).Record.Start == nil {
		t.Error("the seed that was under way is not finished")
	}
}

func TestSeedsRefuse(t *testing.T) {
	dir := t.TempDir()
	r := Run{Config: parse(t, "train.epochs=1"), Model: filepath.Join(dir, "m.st"), Resume: true}
	for _, n := range []int{0, -1} {
		if _, err := (Seeds{Run: r, N: n}).Train(t.Context()); err == nil {
			t.Errorf("%d seeds were trained", n)
		}
	}
	last := r
	last.Config.Train.Seed = math.MaxUint64
	if _, err := (Seeds{Run: last, N: 2}).Train(t.Context()); err == nil {
		t.Error("a seed above the largest was trained")
	}
	if err := os.WriteFile(SeedPath(r.Model, 7), []byte("no model"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := (Seeds{Run: r, N: 1}).Train(t.Context()); err == nil {
		t.Error("a damaged model was ignored")
	}
}
