package trainer

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"ialgn/trainer/model"
)

// Seeds is a run that is repeated with consecutive seeds, from that of its
// configuration on. Each has a model file of its own, named by [SeedPath].
//
// With Resume, a seed whose model is finished under the same configuration is not
// trained again, one that has a checkpoint goes on from it, and the others begin.
type Seeds struct {
	Run
	N     int
	Begin func(seed uint64) // called before each run that trains, unless nil
}

// SeedsSummary is the outcome of all runs.
type SeedsSummary struct {
	Runs         []SeedSummary `json:"runs"`
	TestAccuracy Spread        `json:"test_accuracy"`
	BestAccuracy Spread        `json:"best_test_accuracy"`
}

// SeedSummary is the outcome of one of them. One that was finished before has no time.
type SeedSummary struct {
	Seed   uint64 `json:"seed"`
	Before bool   `json:"finished_before,omitempty"`
	*Summary
}

// Spread is the mean of some values, and their standard deviation with n-1 degrees of
// freedom, which a single value has not.
type Spread struct {
	Mean float64  `json:"mean"`
	Std  *float64 `json:"std,omitempty"`
}

// SeedPath returns the path of the model of a seed: that of all with .seedS before the
// extension.
func SeedPath(path string, seed uint64) string {
	ext := filepath.Ext(path)
	return fmt.Sprintf("%s.seed%d%s", strings.TrimSuffix(path, ext), seed, ext)
}

// Train trains every seed, as [Run.Train] does. When the context ends, the error names
// the checkpoint of the seed that was under way.
func (s Seeds) Train(ctx context.Context) (*SeedsSummary, error) {
	first := s.Config.Train.Seed
	if s.N < 1 || first > math.MaxUint64-uint64(s.N-1) {
		return nil, fmt.Errorf("%d seeds from %d on: want at least 1, and none above %d", s.N, first, uint64(math.MaxUint64))
	}
	all := &SeedsSummary{}
	for i := range s.N {
		one, err := s.trainSeed(ctx, first+uint64(i))
		if err != nil {
			return nil, fmt.Errorf("seed %d: %w", first+uint64(i), err)
		}
		all.Runs = append(all.Runs, *one)
	}
	if err := sameData(all.Runs); err != nil {
		return nil, err
	}
	all.TestAccuracy = spread(all.Runs, func(s *Summary) float64 { return s.TestAccuracy })
	all.BestAccuracy = spread(all.Runs, func(s *Summary) float64 { return s.BestAccuracy })
	return all, nil
}

func (s Seeds) trainSeed(ctx context.Context, seed uint64) (*SeedSummary, error) {
	r := s.Run
	r.Config.Train.Seed, r.Model = seed, SeedPath(s.Model, seed)
	if r.Resume {
		before, err := r.finished()
		if before != nil || err != nil {
			return &SeedSummary{Seed: seed, Before: true, Summary: before}, err
		}
		_, err = os.Stat(CheckpointPath(r.Model))
		r.Resume = !errors.Is(err, fs.ErrNotExist)
	}
	runtime.GC() // else the network and data of the seed before stand beside this one's
	if s.Begin != nil {
		s.Begin(seed)
	}
	sm, err := r.Train(ctx)
	return &SeedSummary{Seed: seed, Summary: sm}, err
}

// finished returns the summary of the model file, if there is one of this very run.
func (r Run) finished() (*Summary, error) {
	info, err := model.ReadInfo(r.Model)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	record := &info.Model.Record
	if len(r.Config.Diff(info.Model.Config, "train.checkpoint.minutes")) > 0 || len(record.Epochs) == 0 {
		return nil, nil
	}
	if err := r.sameStart(record.Start); err != nil {
		return nil, err
	}
	file, is, _, err := openModel(r.Model)
	if err != nil {
		return nil, err
	}
	s := summarise(r.Model, r.Config, record)
	s.SHA256 = is.SHA256
	return s, file.Close()
}

// sameData refuses to average runs of which some were finished before on other content
// of the data set.
func sameData(runs []SeedSummary) error {
	var first model.Record
	for i, r := range runs {
		info, err := model.ReadInfo(r.Model)
		if err != nil {
			return err
		}
		record := info.Model.Record
		if i == 0 {
			first = record
		}
		if record.Train != first.Train || record.Test != first.Test {
			return fmt.Errorf("%s: was trained on other content of data set %s than %s; train all seeds anew, without --resume",
				r.Model, record.DataSet, runs[0].Model)
		}
	}
	return nil
}

// spread returns mean and standard deviation of a value of all runs.
func spread(runs []SeedSummary, value func(*Summary) float64) Spread {
	n, sum := float64(len(runs)), 0.0
	for _, r := range runs {
		sum += value(r.Summary)
	}
	s := Spread{Mean: sum / n}
	if len(runs) < 2 {
		return s
	}
	squares := 0.0
	for _, r := range runs {
		d := value(r.Summary) - s.Mean
		squares += float64(d * d)
	}
	std := math.Sqrt(squares / (n - 1))
	s.Std = &std
	return s
}
