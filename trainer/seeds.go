package trainer

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"strings"
)

// Seeds repeats a run with consecutive seeds, starting with the seed of its configuration. Each run has its own
// model file, see [SeedPath].
//
// With Resume, a seed is not trained again if its model is finished and has the same configuration. A seed with a
// checkpoint continues from the checkpoint, and every other seed begins anew. If the results cannot be averaged,
// Train returns an error before it trains the first seed.
type Seeds struct {
	Run
	N      int
	Begin  func(seed uint64) // called before each run that trains, unless nil
	Refuse Refusal           // decides whether files of earlier calls may be replaced; nil means all may be replaced
}

// SeedsSummary is the result of all runs.
type SeedsSummary struct {
	Runs         []SeedSummary `json:"runs"`
	TestAccuracy Spread        `json:"test_accuracy"`
	BestAccuracy Spread        `json:"best_test_accuracy"`
}

// SeedSummary is the result of one run. The speed is missing if an earlier call finished the run.
type SeedSummary struct {
	Seed   uint64 `json:"seed"`
	Before bool   `json:"finished_before,omitempty"`
	*Summary
}

// Spread holds the mean and the standard deviation of values. The standard deviation has n-1 degrees of freedom. A
// single value has no standard deviation.
type Spread struct {
	Mean float64  `json:"mean"`
	Std  *float64 `json:"std,omitempty"`
}

// SeedPath returns the path of a seed's model. It inserts .seedN before the extension of path, where N is the seed.
func SeedPath(path string, seed uint64) string { return numberedPath(path, "seed", seed) }

// numberedPath inserts a word and a number before the extension of path.
func numberedPath(path, word string, number uint64) string {
	ext := filepath.Ext(path)
	return fmt.Sprintf("%s.%s%d%s", strings.TrimSuffix(path, ext), word, number, ext)
}

// Train trains every seed like [Run.Train]. If the context ends, the error names the checkpoint of the current
// seed.
func (s Seeds) Train(ctx context.Context) (*SeedsSummary, error) {
	first := s.Config.Train.Seed
	if s.N < 1 || first > math.MaxUint64-uint64(s.N-1) {
		return nil, fmt.Errorf("%d seeds from %d on: want at least 1, and none above %d", s.N, first, uint64(math.MaxUint64))
	}
	all := s.series()
	done, err := all.train(ctx)
	if err != nil {
		return nil, err
	}
	var runs []SeedSummary
	for i, r := range done {
		runs = append(runs, SeedSummary{Seed: all.numbers[i], Before: r.before, Summary: r.summary})
	}
	return Summarise(runs), nil
}

// Summarise returns the summary of one or more runs.
func Summarise(runs []SeedSummary) *SeedsSummary {
	return &SeedsSummary{
		Runs:         runs,
		TestAccuracy: spread(runs, func(s *SeedSummary) float64 { return s.TestAccuracy }),
		BestAccuracy: spread(runs, func(s *SeedSummary) float64 { return s.BestAccuracy }),
	}
}

// series returns the runs of the seeds.
func (s Seeds) series() *series {
	all := &series{what: "seed", like: s.Like, sameData: true, refuse: s.Refuse, begin: s.Begin}
	for i := range s.N {
		r := s.Run
		seed := s.Config.Train.Seed + uint64(i)
		r.Config.Train.Seed, r.Model = seed, SeedPath(s.Model, seed)
		all.add(seed, r)
	}
	return all
}

// Survey returns the models and checkpoints that earlier calls left of each seed. The element of a seed that begins
// anew is nil. Without s.Resume, all seeds begin anew. Survey returns an error if a seed cannot be continued, or if
// the results cannot be averaged with each other or with s.Like. It is called before hours are spent on training.
func (s Seeds) Survey() ([]*Earlier, error) { return s.series().survey() }

// spread returns the mean and the standard deviation of a value over all runs.
func spread[T any](runs []T, value func(*T) float64) Spread {
	var values []float64
	for i := range runs {
		values = append(values, value(&runs[i]))
	}
	return SpreadOf(values)
}

// SpreadOf returns the mean and the standard deviation of one or more values.
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
