package dataset

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"ialgn/internal/config"
)

// memorySource is a set of samples that a program passed in memory.
type memorySource struct {
	scaling
	features [2][][]float64
	labels   [2][]int
}

// openMemory checks samples that a program passed in memory. If there is no test part, openMemory splits a test part
// off.
func openMemory(cfg config.Data, words form) (*Set, error) {
	m := cfg.Memory
	if m == nil {
		return nil, &MissingError{
			Set: cfg.Set, Reason: "the samples were passed in memory by the program that trained the model, and are in no file",
			Get: "pass the samples again, or classify the samples of a file",
		}
	}
	if err := words.check(); err != nil {
		return nil, err
	}
	classes, err := memoryClasses(m)
	if err != nil {
		return nil, err
	}
	src := &memorySource{scaling: words.scaling()}
	if err := src.take(m, len(classes)); err != nil {
		return nil, err
	}
	if len(src.labels[Test]) == 0 {
		if err := src.divide(cfg, classes); err != nil {
			return nil, err
		}
	}
	width := len(src.features[Train][0])
	if len(m.FeatureNames) > 0 && len(m.FeatureNames) != width {
		return nil, fmt.Errorf("%d names of %d features", len(m.FeatureNames), width)
	}
	if err := checkText("feature name", m.FeatureNames...); err != nil {
		return nil, err
	}
	set := &Set{
		Name: cfg.Set, Classes: classes, Features: width, FeatureNames: slices.Clone(m.FeatureNames), BitsIn: words.bitsIn,
		Path: "memory", TrainSamples: len(src.labels[Train]), TestSamples: len(src.labels[Test]), source: src,
	}
	if err := src.fit(set, words); err != nil {
		return nil, err
	}
	set.Max, set.Quantiser = src.max, src.q
	return set, nil
}

// memoryClasses returns the names of the classes. If no names are given, the names are the numbers up to the largest
// label.
func memoryClasses(m *config.Samples) ([]string, error) {
	classes := slices.Clone(m.Classes)
	if len(classes) == 0 && len(m.Labels) > 0 {
		for c := range min(slices.Max(m.Labels), MaxClasses) + 1 {
			classes = append(classes, strconv.Itoa(c))
		}
	}
	if len(classes) < 2 || len(classes) > MaxClasses {
		return nil, fmt.Errorf("%d classes, want 2 to %d", len(classes), MaxClasses)
	}
	return classes, checkText("class", classes...)
}

// take checks the samples of both parts.
func (s *memorySource) take(m *config.Samples, classes int) error {
	if len(m.Features) == 0 {
		return fmt.Errorf("there are no samples")
	}
	width := len(m.Features[0])
	if width < 1 || width > MaxFeatures {
		return fmt.Errorf("features[0]: %d features, want 1 to %d", width, MaxFeatures)
	}
	for part, p := range []struct {
		name     string
		features [][]float64
		labels   []int
	}{{"features", m.Features, m.Labels}, {"test features", m.TestFeatures, m.TestLabels}} {
		if len(p.features) != len(p.labels) {
			return fmt.Errorf("%s: %d samples, but %d labels", p.name, len(p.features), len(p.labels))
		}
		for i, row := range p.features {
			if err := checkSample(row, width, p.labels[i], classes); err != nil {
				return fmt.Errorf("%s[%d]: %w", p.name, i, err)
			}
		}
		s.features[part], s.labels[part] = p.features, p.labels
	}
	return nil
}

// checkSample checks one sample.
func checkSample(row []float64, width, label, classes int) error {
	if len(row) != width {
		return fmt.Errorf("%d features, want %d as in the first sample", len(row), width)
	}
	if f := slices.IndexFunc(row, func(x float64) bool { return math.IsNaN(x) || math.IsInf(x, 0) }); f >= 0 {
		return fmt.Errorf("feature %d is %v, want a finite number", f, row[f])
	}
	if label < 0 || label >= classes {
		return fmt.Errorf("label %d, want 0 to %d", label, classes-1)
	}
	return nil
}

// divide splits the test part off the training part. It uses the same method as for a CSV file.
func (s *memorySource) divide(cfg config.Data, classes []string) error {
	labels := make([]uint8, len(s.labels[Train]))
	for i, l := range s.labels[Train] {
		labels[i] = uint8(l)
	}
	chosen, _, err := testSplit(cfg, classes, nil).Choose(labels)
	if err != nil {
		return err
	}
	features, numbers := s.features[Train], s.labels[Train]
	s.features, s.labels = [2][][]float64{}, [2][]int{}
	for i, test := range chosen {
		part := Train
		if test {
			part = Test
		}
		s.features[part], s.labels[part] = append(s.features[part], features[i]), append(s.labels[part], numbers[i])
	}
	return nil
}

// fit determines the range of each feature over the training part. It does nothing if there is a quantiser or if the
// numbers already are words.
func (s *memorySource) fit(set *Set, words form) error {
	if s.settled() {
		return nil
	}
	var r ranged
	counts := make([]int, len(set.Classes))
	for i, row := range s.features[Train] {
		counts[s.labels[Train][i]]++
		r.widen(row)
	}
	return s.settle(set, &r, words, s, counts)
}

// reals implements the interface real.
func (s *memorySource) reals(part Part, fn func(class, at int, value func(f int) (float64, error)) error) error {
	for i, row := range s.features[part] {
		err := fn(s.labels[part][i], i+1, func(f int) (float64, error) { return row[f], nil })
		if err != nil {
			return err
		}
	}
	return nil
}

func (s *memorySource) read(part Part, emit func([]uint16, int) error) error {
	values := make([]uint16, len(s.features[Train][0]))
	for i, row := range s.features[part] {
		for f, x := range row {
			var ok bool
			if values[f], ok = s.word(f, x); !ok {
				return fmt.Errorf("sample %d of the %s part: feature %d is %g, want an integer of 0..%d", i, part, f, x, s.max)
			}
		}
		if err := emit(values, s.labels[part][i]); err != nil {
			return err
		}
	}
	return nil
}
