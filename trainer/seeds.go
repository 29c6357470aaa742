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
func SeedPath(path string, seed uint64) string {
	ext := filepath.Ext(path)
	return fmt.Sprintf("%s.seed%d%s", strings.TrimSuffix(path, ext), seed, ext)
}

// Train trains every seed like [Run.Train]. If the context ends, the error names the checkpoint of the current
// seed.
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

// Summarise returns the summary of one or more runs.
func Summarise(runs []SeedSummary) *SeedsSummary {
	return &SeedsSummary{
		Runs:         runs,
		TestAccuracy: spread(runs, func(s *Summary) float64 { return s.TestAccuracy }),
		BestAccuracy: spread(runs, func(s *Summary) float64 { return s.BestAccuracy }),
	}
}

// run returns the run of one seed.
func (s Seeds) run(seed uint64) Run {
	r := s.Run
	r.Config.Train.Seed, r.Model = seed, SeedPath(s.Model, seed)
	return r
}

// Survey returns the models and checkpoints that earlier calls left of each seed. The element of a seed that begins
// anew is nil. Without s.Resume, all seeds begin anew. Survey returns an error if a seed cannot be continued, or if
// the results cannot be averaged with each other or with s.Like. It is called before hours are spent on training.
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

// checkOutputs returns an error if, for any seed, a file exists that no run wrote.
func (s Seeds) checkOutputs() error {
	for i := range s.N {
		r := s.run(s.Config.Train.Seed + uint64(i))
		if err := r.checkOutputs(); err != nil {
			return err
		}
	}
	return nil
}

// startSum returns the name and the checksum of the start model, or nil if there is none.
func (s *Seeds) startSum() (*model.Start, error) {
	if s.Start == "" {
		return nil, nil
	}
	return startAt(s.Start)
}

// trainSeed trains one seed. If found is not nil, it continues from the model or checkpoint that was found.
func (s *Seeds) trainSeed(ctx context.Context, seed uint64, found *Earlier) (*SeedSummary, error) {
	r := s.run(seed)
	if found != nil && found.Finished {
		before, err := r.before(found.network)
		return &SeedSummary{Seed: seed, Before: true, Summary: before}, err
	}
	r.Resume = found != nil
	runtime.GC() // otherwise the network and the data of the previous seed would stay in memory
	if s.Begin != nil {
		s.Begin(seed)
	}
	sm, err := r.Train(ctx)
	if err == nil && s.Like == nil {
		s.Like, err = r.earlier(nil, nil)
	}
	return &SeedSummary{Seed: seed, Summary: sm}, err
}

// before returns the summary of a run that an earlier call finished. The model may lack its arrays.
func (r *Run) before(m *model.Model) (*Summary, error) {
	is, err := startAt(r.Model)
	if err != nil {
		return nil, err
	}
	s := summarise(r.Model, r.Config, m)
	s.SHA256 = is.SHA256
	return s, nil
}

// spread returns the mean and the standard deviation of a value over all runs.
func spread(runs []SeedSummary, value func(*Summary) float64) Spread {
	var values []float64
	for _, r := range runs {
		values = append(values, value(r.Summary))
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
