package trainer

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ialgn/internal/estimate"
	"ialgn/internal/kernel"
	"ialgn/internal/ranks"
	"ialgn/internal/testkit"
)

// trainRanks trains with the given number of ranks, each in a goroutine, and returns their errors. The argument as,
// unless nil, is a function that is called for each rank and may change the rank's run.
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

// shared lists networks that ranks train together.
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
	{"frozen", []string{"train.freeze.kind=layerwise", "train.epochs=3"}},
	{"frozen gumbel", []string{"train.freeze.kind=layerwise", "train.epochs=3", "train.estimator=gumbel"}},
	{"weighted", []string{"train.class_weights=balanced"}},
	{"structured", []string{"model.topology=rwlgn", "model.wiring=structured", "model.depth=1"}},
}

// TestRanks trains each network with one process and with several ranks of uneven shares. It compares the models and
// the checkpoints byte by byte. By default, a network is trained with either two or three ranks. In the long test
// tier, more ranks are used.
func TestRanks(t *testing.T) {
	few := fewDigits(t)
	for at, n := range shared {
		t.Run(n.name, func(t *testing.T) {
			dir := t.TempDir()
			run := Run{Config: parse(t, append([]string{"train.epochs=2"}, few(n.sets...)...)...), Model: filepath.Join(dir, "1")}
			whole := train(t, run)
			model, state := read(t, run.Model), read(t, CheckpointPath(run.Model))
			sizes := []int{1, 2, 3, 5}
			if !testkit.Whole() {
				sizes = sizes[1+at%2:][:1]
			}
			for _, size := range sizes {
				run.Model = filepath.Join(dir, fmt.Sprint("ranks", size))
				if err := errors.Join(trainRanks(t.Context(), run, size, nil)...); err != nil {
					t.Fatalf("%d ranks: %v", size, err)
				}
				if !bytes.Equal(read(t, run.Model), model) {
					t.Errorf("%d ranks: the model differs from a single process's, %s", size, whole.SHA256)
				}
				if !bytes.Equal(read(t, CheckpointPath(run.Model)), state) {
					t.Errorf("%d ranks: the checkpoint differs from a single process's", size)
				}
			}
		})
	}
}

// TestRanksPaths trains with several ranks on every SIMD path that this processor has.
func TestRanksPaths(t *testing.T) {
	before, err := kernel.Path()
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := kernel.Use(before); err != nil {
			t.Error(err)
		}
	}()
	for _, sets := range [][]string{
		{"model.anchors=32"},
		{"model.inputs=6", "model.depth=2", "model.anchors=16", "train.gradients=int8", "train.candidates.kind=gradient"},
	} {
		path := filepath.Join(t.TempDir(), "m")
		run := Run{Config: parse(t, append(sets, "train.epochs=1")...), Model: path}
		train(t, run)
		want := read(t, path)
		for _, p := range kernel.Paths() {
			if err := kernel.Use(p); err != nil {
				t.Fatal(err)
			}
			if err := errors.Join(trainRanks(t.Context(), run, 4, nil)...); err != nil || !bytes.Equal(read(t, path), want) {
				t.Errorf("%v, path %s: the model differs from a single process's, error %v", sets, p, err)
			}
		}
		if err := kernel.Use(before); err != nil {
			t.Fatal(err)
		}
	}
}

// TestRanksRefused checks that networks are refused if ranks cannot train them to the same bytes. The error must
// contain the reason, and no file may be written.
func TestRanksRefused(t *testing.T) {
	for _, c := range []struct {
		set, want string
	}{
		{"model.hidden=4", "cannot train a network whose nodes read other chains"},
		{"model.topology=rwlgn", "cannot train a network whose nodes read other chains"},
		{"train.estimator=soft", "depends on its order"},
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
	run := Run{Config: parse(t, "model.hidden=4", "train.epochs=1"), Model: filepath.Join(t.TempDir(), "m")}
	if err := errors.Join(trainRanks(t.Context(), run, 1, nil)...); err != nil {
		t.Errorf("a single rank: %v, want no error, as for a single process", err)
	}
}

// TestRanksInterrupted interrupts one rank of a run at random steps. It resumes the run with another number of ranks
// until the run ends. The model and the checkpoint must have the bytes of an uninterrupted run.
func TestRanksInterrupted(t *testing.T) {
	few := fewDigits(t)
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
			run := Run{Config: parse(t, few(n.sets...)...), Model: filepath.Join(t.TempDir(), "whole")}
			train(t, run)
			model, state := read(t, run.Model), read(t, CheckpointPath(run.Model))
			courses := 5
			if !testkit.Whole() {
				courses = 1
			}
			for course := range courses {
				run.Model, run.Resume = filepath.Join(t.TempDir(), "m"), false
				sizes := ""
				for {
					size, told := 1+random.IntN(5), random.IntN(5)
					sizes += fmt.Sprint(" ", size)
					errs := interruptRanks(t, run, size, told%size, 1+random.IntN(20))
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
					t.Errorf("course %d, ranks%s: model or checkpoint differs from an undisturbed run's", course, sizes)
				}
				if left, _ := filepath.Glob(filepath.Join(filepath.Dir(run.Model), ".*")); len(left) > 0 {
					t.Errorf("course %d, ranks%s: files left next to the model: %q", course, sizes, left)
				}
			}
		})
	}
}

// interruptRanks trains with the given number of ranks. The argument told is the number of the rank that is
// interrupted. The argument after is the number of the progress report, counted from 1 on this rank, at which the
// interruption comes.
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

// TestRanksDiffer gives one rank another configuration or folder. All ranks must return an error before the first
// step.
func TestRanksDiffer(t *testing.T) {
	run := Run{Config: parse(t), Model: filepath.Join(t.TempDir(), "m")}
	for want, as := range map[string]func(rank int, r *Run){
		"rank 1 has another configuration than rank 0": func(rank int, r *Run) {
			if rank == 1 {
				r.Config = parse(t, "train.seed=8")
			}
		},
		"rank 2 has another options than rank 0": func(rank int, r *Run) { r.Estimate = rank == 2 },
		"no checkpoint to resume from":           func(_ int, r *Run) { r.Resume = true },
	} {
		for rank, err := range trainRanks(t.Context(), run, 3, as) {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("rank %d: error %v, want %q", rank, err, want)
			}
		}
	}
}

// TestRanksStart starts from a model, with several ranks and with one process. Both runs estimate the number of
// look-up tables after each epoch.
func TestRanksStart(t *testing.T) {
	dir := t.TempDir()
	from := Run{Config: parse(t, "train.epochs=1"), Model: filepath.Join(dir, "from")}
	train(t, from)
	var luts []estimate.LUTs
	run := Run{
		Config: parse(t, "train.epochs=2", "train.seed=8"), Model: filepath.Join(dir, "alone"), Start: from.Model,
		Estimate: true,
	}
	run.Progress = func(p Progress) {
		if p.Finished != nil {
			luts = append(luts, *p.LUTs)
		}
	}
	train(t, run)
	want, estimated := read(t, run.Model), luts
	run.Model, luts = filepath.Join(dir, "ranks"), nil
	errs := trainRanks(t.Context(), run, 3, func(rank int, r *Run) {
		if rank != 1 {
			r.Progress = nil
		}
	})
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(read(t, run.Model), want) {
		t.Error("ranks that start from a model train another model than a single process")
	}
	if diff := cmp.Diff(estimated, luts); diff != "" || len(luts) != 2 {
		t.Errorf("estimates of ranks (+) and of a single process (-):\n%s", diff)
	}
}

// TestRanksSeeds trains two seeds and then a third with several ranks. It compares the results with a run of a single
// process.
func TestRanksSeeds(t *testing.T) {
	dir := t.TempDir()
	alone := Seeds{Run: Run{Config: parse(t, "train.epochs=1"), Model: filepath.Join(dir, "m")}, N: 3}
	want, err := alone.Train(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for n := 2; n <= 3; n++ {
		all, end := ranks.Local(2)
		var done sync.WaitGroup
		for rank, comm := range all {
			s := alone
			s.Ranks, s.N, s.Resume, s.Threads = comm, n, n == 3, 1
			s.Model = filepath.Join(dir, "ranks")
			done.Go(func() {
				got, err := s.Train(t.Context())
				if err != nil {
					t.Errorf("%d seeds, rank %d: %v", n, rank, err)
					end()
					return
				}
				for i, one := range got.Runs {
					if one.SHA256 != want.Runs[i].SHA256 || one.Before != (n == 3 && i < 2) {
						t.Errorf("%d seeds, rank %d, seed %d: %+v, alone SHA-256 %s", n, rank, one.Seed, one, want.Runs[i].SHA256)
					}
				}
			})
		}
		done.Wait()
	}
}

// TestRanksWarn puts a folder at the checkpoint's path for a while. All ranks must be warned and go on.
func TestRanksWarn(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m")
	stone := filepath.Join(CheckpointPath(path), "stone")
	run := Run{Config: parse(t, "train.epochs=2", "train.checkpoint.minutes=1e-9"), Model: path}
	warned := make([]int, 3)
	errs := trainRanks(t.Context(), run, 3, func(rank int, r *Run) {
		r.Warn = func(error) { warned[rank]++ }
		if rank != 0 {
			return
		}
		r.Progress = func(p Progress) {
			if p.Epoch == 1 && p.Batch == 1 {
				os.Remove(CheckpointPath(path))
				if err := os.MkdirAll(stone, 0o777); err != nil {
					t.Error(err)
				}
			}
			if p.Epoch == 2 {
				os.RemoveAll(filepath.Dir(stone))
			}
		}
	})
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
	if warned[0] == 0 || warned[1] != warned[0] || warned[2] != warned[0] {
		t.Errorf("warnings by rank %v, want equally many", warned)
	}
}

// TestRanksAgree checks that an error of one rank becomes an error of all ranks and keeps its meaning.
func TestRanksAgree(t *testing.T) {
	all, _ := ranks.Local(3)
	var done sync.WaitGroup
	for rank, comm := range all {
		done.Go(func() {
			r := Run{Ranks: comm}
			var own error
			if rank == 1 {
				own = fmt.Errorf("there: %w: %w", errDiverged, syscall.ENOSPC)
			}
			err := r.agree(own)
			if !errors.Is(err, errDiverged) || !noRoom(err) || errors.Is(err, ErrInterrupted) ||
				!strings.HasSuffix(err.Error(), "there: training diverged: no space left on device") {
				t.Errorf("rank %d: %v", rank, err)
			}
			if err := r.agree(nil); err != nil {
				t.Errorf("rank %d: %v without any", rank, err)
			}
		})
	}
	done.Wait()
}
