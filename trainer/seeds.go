package trainer

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"runtime"
	"strings"

	"ialgn/internal/model"
)

// Seeds is a run that is repeated with consecutive seeds, from that of its
// configuration on. Each has a model file of its own, named by [SeedPath].
//
// With Resume, a seed whose model is finished under the same configuration is not
// trained again, one that has a checkpoint goes on from it, and the others begin. What
// stands in the way of one mean is an error before the first of them trains.
type Seeds struct {
	Run
	N      int
	Begin  func(seed uint64) // called before each run that trains, unless nil
	Refuse Refusal           // refuses to replace files that earlier calls left; nil: they may be replaced
}

// SeedsSummary is the outcome of all runs.
type SeedsSummary struct {
	Runs         []SeedSummary `json:"runs"`
	TestAccuracy Spread        `json:"test_accuracy"`
	BestAccuracy Spread        `json:"best_test_accuracy"`
}

// SeedSummary is the outcome of one of them. One that was finished before has no speed.
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
	found, err := s.Survey()
	if err != nil {
		return nil, err
	}
	var runs []SeedSummary
	for _, e := range found {
		if s.Like == nil {
			s.Like = e
		}
	}
	for i, e := range found {
		one, err := s.trainSeed(ctx, first+uint64(i), e)
		if err != nil {
			return nil, fmt.Errorf("seed %d: %w", first+uint64(i), err)
		}
		runs = append(runs, *one)
	}
	return Summarise(runs), nil
}

// Summarise returns the summary of runs, of which there is one at least.
func Summarise(runs []SeedSummary) *SeedsSummary {
	return &SeedsSummary{
		Runs:         runs,
		TestAccuracy: spread(runs, func(s *Summary) float64 { return s.TestAccuracy }),
		BestAccuracy: spread(runs, func(s *Summary) float64 { return s.BestAccuracy }),
	}
}

// run returns the run of a seed.
func (s Seeds) run(seed uint64) Run {
	r := s.Run
	r.Config.Train.Seed, r.Model = seed, SeedPath(s.Model, seed)
	return r
}

// Survey looks at what earlier calls left of every seed, nil for one that begins, and
// refuses what cannot be gone on with or has no place in one mean, or one with s.Like, before
// hours are spent on the other seeds. Without s.Resume all begin.
func (s Seeds) Survey() ([]*Earlier, error) {
	found := make([]*Earlier, s.N)
	if !s.Resume {
		return found, s.checkOutputs()
	}
	from, err := s.startSum()
	if err != nil {
		return nil, err
	}
	for i := range found {
		r := s.run(s.Config.Train.Seed + uint64(i))
		if found[i], err = r.earlier(from, s.Refuse); err != nil {
			return nil, fmt.Errorf("seed %d: %w; %s", r.Config.Train.Seed, err, anew(r.Model))
		}
	}
	return found, alike(s.Like, found, from)
}

// checkOutputs refuses to write over files that no run wrote, for all seeds.
func (s Seeds) checkOutputs() error {
	for i := range s.N {
		r := s.run(s.Config.Train.Seed + uint64(i))
		if err := r.checkOutputs(); err != nil {
			return err
		}
	}
	return nil
}

// startSum returns name and checksum of the model to start from, nil if none is named.
func (s *Seeds) startSum() (*model.Start, error) {
	if s.Start == "" {
		return nil, nil
	}
	return startAt(s.Start)
}

// trainSeed trains a seed, or goes on with what was found of it.
func (s *Seeds) trainSeed(ctx context.Context, seed uint64, found *Earlier) (*SeedSummary, error) {
	r := s.run(seed)
	if found != nil && found.Finished {
		before, err := r.before(found.record)
		return &SeedSummary{Seed: seed, Before: true, Summary: before}, err
	}
	r.Resume = found != nil
	runtime.GC() // else the network and data of the seed before stand beside this one's
	if s.Begin != nil {
		s.Begin(seed)
	}
	sm, err := r.Train(ctx)
	if err == nil && s.Like == nil {
		s.Like, err = r.earlier(nil, nil)
	}
	return &SeedSummary{Seed: seed, Summary: sm}, err
}

// before returns the summary of the model file, which has that record.
func (r *Run) before(record *model.Record) (*Summary, error) {
	is, err := startAt(r.Model)
	if err != nil {
		return nil, err
	}
	s := summarise(r.Model, r.Config, record)
	s.SHA256 = is.SHA256
	return s, nil
}

// spread returns mean and standard deviation of a value of all runs.
func spread(runs []SeedSummary, value func(*Summary) float64) Spread {
	var values []float64
	for _, r := range runs {
		values = append(values, value(r.Summary))
	}
	return SpreadOf(values)
}

// SpreadOf returns mean and standard deviation of values, of which there is one at least.
func SpreadOf(values []float64) Spread {
	n, sum := float64(len(values)), 0.0
	for _, v := range values {
		sum += v
	}
	s := Spread{Mean: sum / n}
	if len(values) < 2 {
		return s
	}
	squares := 0.0
	for _, v := range values {
		d := v - s.Mean
		squares += float64(d * d)
	}
	std := math.Sqrt(squares / (n - 1))
	s.Std = &std
	return s
}
