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
	if err := s.sameStarts(); err != nil {
		return nil, err
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

// run returns the run of a seed.
func (s Seeds) run(seed uint64) Run {
	r := s.Run
	r.Config.Train.Seed, r.Model = seed, SeedPath(s.Model, seed)
	return r
}

// sameStarts refuses to go on with seeds of which some started from a model and others
// did or would not, before hours are spent on a mean of both.
func (s Seeds) sameStarts() error {
	if !s.Resume {
		return nil
	}
	from, path, err := s.startSum()
	if err != nil {
		return err
	}
	begins := false
	for i := range s.N {
		r := s.run(s.Config.Train.Seed + uint64(i))
		record, err := r.soFar()
		switch {
		case err != nil:
			return err
		case record == nil:
			begins = true
		case path == "":
			from, path = sumOf(record.Start), r.Model
		case sumOf(record.Start) != from:
			return fmt.Errorf("%s: did not start from the same parameters as %s; move its files away to train it anew", r.Model, path)
		}
	}
	if begins && from != "" && s.Start == "" {
		return fmt.Errorf("%s: started from a model with SHA-256 %s, which the seeds that begin now need too; name it with --init", path, from)
	}
	return nil
}

// startSum returns checksum and path of the model to start from, "" if none is named.
func (r *Run) startSum() (sum, path string, err error) {
	if r.Start == "" {
		return "", "", nil
	}
	file, from, _, err := openModel(r.Start)
	if err != nil {
		return "", "", err
	}
	return from.SHA256, r.Start, file.Close()
}

// sumOf returns the checksum of the model that a run started from, "" if it drew its own.
func sumOf(s *model.Start) string {
	if s == nil {
		return ""
	}
	return s.SHA256
}

// soFar returns the record of the run that a call with Resume goes on with or takes as
// finished, nil if it begins.
func (r Run) soFar() (*model.Record, error) {
	if record, err := r.finished(); record != nil || err != nil {
		return record, err
	}
	info, err := model.ReadInfo(CheckpointPath(r.Model))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return &info.Model.Record, nil
}

func (s Seeds) trainSeed(ctx context.Context, seed uint64) (*SeedSummary, error) {
	r := s.run(seed)
	if r.Resume {
		before, err := r.before()
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

// before returns the summary of the model file, if there is one of this very run.
func (r Run) before() (*Summary, error) {
	record, err := r.finished()
	if record == nil || err != nil {
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

// finished returns the record of the model file, if there is one of this very run: one
// with another configuration or start is left to the checkpoint.
func (r Run) finished() (*model.Record, error) {
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
	from, _, err := r.startSum()
	if err != nil || (r.Start != "" && from != sumOf(record.Start)) {
		return nil, err
	}
	return record, nil
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
