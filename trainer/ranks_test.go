package trainer

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"ialgn/trainer/ranks"
)

// trainRanks trains as so many ranks, each a goroutine, and returns their errors. Rank r has the run that as makes
// of it.
func trainRanks(ctx context.Context, run Run, size int, as func(rank int, r *Run)) []error {
	all, end := ranks.Local(size)
	errs := make([]error, size)
	var done sync.WaitGroup
	for rank, comm := range all {
		r := run
		r.Ranks, r.Threads = comm, 1+(rank+size)%3
		if as != nil {
			as(rank, &r)
		}
		done.Go(func() {
			if _, errs[rank] = r.Train(ctx); errs[rank] != nil {
				end()
			}
		})
	}
	done.Wait()
	return errs
}

// shared are networks that ranks train together.
var shared = []struct {
	name string
	sets []string
}{
	{"chains", nil},
	{"one layer", []string{"model.depth=1"}},
	{"light", []string{"model.parametrization=light", "model.first_pin=fixed"}},
	{"int8", []string{"train.gradients=int8"}},
	{"gumbel", []string{"train.estimator=gumbel", "train.temperature=0.5", "train.optimizer.lr=0.05"}},
	{"random", []string{"train.candidates.kind=random"}},
	{"gradient", []string{"train.candidates.kind=gradient"}},
	{"four pins", []string{"model.inputs=4", "model.depth=2", "model.anchors=16", "train.candidates.kind=gradient"}},
	{"six pins", []string{
		"model.inputs=6", "model.depth=2", "model.anchors=16", "train.gradients=int8", "train.candidates.kind=gradient",
	}},
	{"gumbel tables", []string{"model.inputs=4", "model.depth=2", "train.estimator=gumbel"}},
	{"augmented", []string{"train.augment.shift=1", "train.augment.rotate=8"}},
	{"patience", []string{"train.validation.share=0.2", "train.validation.patience=1", "train.epochs=4"}},
	{"balanced", []string{"model.topology=rwlgn", "model.wiring=balanced", "model.depth=1"}},
	{"pressed", []string{
		"model.inputs=4", "model.depth=2", "model.anchors=16", "train.candidates.kind=gradient",
		"train.cost.target=ice40", "train.cost.pressure=0.0003",
	}},
	{"learned", []string{"encoder.thresholds=learned"}},
	{"learned tables", []string{
		"encoder.thresholds=learned", "model.inputs=6", "model.depth=2", "model.anchors=16", "train.gradients=int8",
		"train.candidates.kind=gradient", "train.cost.target=ice40", "train.cost.pressure=0.0003",
	}},
	{"refilled", []string{
		"model.inputs=4", "model.depth=2", "train.refill=true", "train.validation.share=0.2",
	}},
}

// TestRanks trains each network alone and as several ranks, whose shares are uneven, and compares model and
// checkpoint byte by byte.
func TestRanks(t *testing.T) {
	for _, n := range shared {
		t.Run(n.name, func(t *testing.T) {
			dir := t.TempDir()
			run := Run{Config: parse(t, append([]string{"train.epochs=2"}, n.sets...)...), Model: filepath.Join(dir, "1")}
			whole := train(t, run)
			model, state := read(t, run.Model), read(t, CheckpointPath(run.Model))
			for _, size := range []int{1, 2, 3, 5} {
				run.Model = filepath.Join(dir, fmt.Sprint("ranks", size))
				if err := errors.Join(trainRanks(t.Context(), run, size, nil)...); err != nil {
					t.Fatalf("%d ranks: %v", size, err)
				}
				if !bytes.Equal(read(t, run.Model), model) {
					t.Errorf("%d ranks: the model is not that of one, %s", size, whole.SHA256)
				}
				if !bytes.Equal(read(t, CheckpointPath(run.Model)), state) {
					t.Errorf("%d ranks: the checkpoint is not that of one", size)
				}
			}
		})
	}
}

// TestRanksRefused refuses what ranks cannot train to the same bytes, with the reason and before anything is written.
func TestRanksRefused(t *testing.T) {
	for _, c := range []struct {
		set, want string
	}{
		{"model.hidden=4", "nodes read other chains than their own"},
		{"model.topology=rwlgn", "nodes read other chains than their own"},
		{"train.estimator=soft", "depends on its order"},
		{"train.prune.bits=0.1", "chosen among those of the whole network"},
		{"model.width=10", "2 ranks cannot share the 1 chain of each class"},
	} {
		path := filepath.Join(t.TempDir(), "m")
		for rank, err := range trainRanks(t.Context(), Run{Config: parse(t, c.set), Model: path}, 2, nil) {
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s, rank %d: error %v, want %q", c.set, rank, err, c.want)
			}
		}
		if left, _ := filepath.Glob(path + "*"); len(left) > 0 {
			t.Errorf("%s: wrote %q", c.set, left)
		}
	}
}

// TestRanksInterrupted ends runs at random steps, on a rank that is told alone, and resumes each as another number of
// ranks, until it has come through: model and checkpoint have the bytes of an undisturbed run.
func TestRanksInterrupted(t *testing.T) {
	for _, n := range []struct {
		name string
		sets []string
	}{
		{"gradient", []string{"train.candidates.kind=gradient", "train.candidates.batches=9"}},
		{"random", []string{"train.candidates.kind=random", "train.validation.share=0.2", "train.validation.patience=1"}},
		{"six pins", []string{
			"model.inputs=6", "model.depth=2", "model.anchors=16", "train.gradients=int8", "train.candidates.kind=gradient",
			"train.candidates.batches=9", "train.checkpoint.minutes=1e-9", "train.cost.target=ice40",
			"train.cost.pressure=0.0003",
		}},
		{"gumbel", []string{"train.estimator=gumbel", "train.augment.shift=1"}},
		{"learned", []string{"encoder.thresholds=learned", "train.epochs=4"}},
	} {
		t.Run(n.name, func(t *testing.T) {
			random := rand.New(rand.NewPCG(30, uint64(len(n.name))))
			run := Run{Config: parse(t, n.sets...), Model: filepath.Join(t.TempDir(), "whole")}
			train(t, run)
			model, state := read(t, run.Model), read(t, CheckpointPath(run.Model))
			for course := range 5 {
				run.Model, run.Resume = filepath.Join(t.TempDir(), "m"), false
				sizes := ""
				for {
					size, told := 1+random.IntN(5), random.IntN(5)
					sizes += fmt.Sprint(" ", size)
					errs := interruptRanks(t, run, size, told%size, 1+random.IntN(60))
					if err := errors.Join(errs...); err == nil {
						break
					}
					for rank, err := range errs {
						if !errors.Is(err, ErrInterrupted) || err.Error() != errs[0].Error() {
							t.Fatalf("course %d, ranks%s, rank %d: error %v, want interrupted", course, sizes, rank, err)
						}
					}
					run.Resume = true
				}
				if !bytes.Equal(read(t, run.Model), model) || !bytes.Equal(read(t, CheckpointPath(run.Model)), state) {
					t.Errorf("course %d, ranks%s: model or checkpoint is not that of an undisturbed run", course, sizes)
				}
				if left, _ := filepath.Glob(filepath.Join(filepath.Dir(run.Model), ".*")); len(left) > 0 {
					t.Errorf("course %d, ranks%s: left beside the model: %q", course, sizes, left)
				}
			}
		})
	}
}

// interruptRanks trains as ranks, one of which is told to end when it has heard of so much progress.
func interruptRanks(t *testing.T, run Run, size, told, after int) []error {
	all, end := ranks.Local(size)
	errs := make([]error, size)
	var done sync.WaitGroup
	for rank, comm := range all {
		ctx, cancel := context.WithCancel(t.Context())
		r := run
		r.Ranks, r.Threads = comm, 1+rank%2
		heard := 0
		r.Progress = func(Progress) {
			if heard++; rank == told && heard == after {
				cancel()
			}
		}
		done.Go(func() {
			if _, errs[rank] = r.Train(ctx); errs[rank] != nil {
				end()
			}
			cancel()
		})
	}
	done.Wait()
	return errs
}

// TestRanksDiffer has a rank with another configuration or folder: all refuse before the first step.
func TestRanksDiffer(t *testing.T) {
	run := Run{Config: parse(t), Model: filepath.Join(t.TempDir(), "m")}
	for want, as := range map[string]func(rank int, r *Run){
		"rank 1 has another configuration than rank 0": func(rank int, r *Run) {
			if rank == 1 {
				r.Config = parse(t, "train.seed=8")
			}
		},
		"rank 2 has another options than rank 0": func(rank int, r *Run) { r.Estimate = rank == 2 },
		"there is no checkpoint to resume":       func(_ int, r *Run) { r.Resume = true },
	} {
		for rank, err := range trainRanks(t.Context(), run, 3, as) {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("rank %d: error %v, want %q", rank, err, want)
			}
		}
	}
}
