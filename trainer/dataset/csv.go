package dataset

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"ialgn/trainer/config"
	"ialgn/trainer/encoding"
)

// csvSource is a set of one or two CSV files.
type csvSource struct {
	files    [2]file
	layout   layout
	features int
	names    []string
	classes  map[string]int
	split    []bool // which records of the training file are the test part; nil if there is a test file
	q        *encoding.Quantiser
	max      uint32
}

// openCSV finds and opens a CSV set.
func openCSV(ctx context.Context, cfg config.Data, bitsIn int, folders []string) (*Set, error) {
	f, err := findCSV(cfg, folders)
	if err != nil {
		return nil, err
	}
	return openCSVFiles(ctx, cfg, bitsIn, f)
}

// openCSVFiles reads the training file once for its classes and the range of each
// feature, and once more if a test part is split off.
func openCSVFiles(ctx context.Context, cfg config.Data, bitsIn int, f found) (*Set, error) {
	if bitsIn < encoding.MinBitsIn || bitsIn > encoding.MaxBitsIn {
		return nil, fmt.Errorf("encoder.bits_in: %d is outside %d..%d", bitsIn, encoding.MinBitsIn, encoding.MaxBitsIn)
	}
	src := &csvSource{layout: layout{header: cfg.Header, label: cfg.Label}, max: 1<<bitsIn - 1}
	src.files[Train], src.files[Test] = f.files[0], f.files[len(f.files)-1]
	scan, err := src.scan(ctx)
	if err != nil {
		return nil, err
	}
	s := &Set{
		Name: csvName(cfg.Train), BitsIn: bitsIn, Max: src.max, Path: f.dir, source: src,
		TrainSamples: len(scan.labels),
	}
	if s.Classes, err = scan.sorted(); err != nil {
		return nil, fmt.Errorf("%s: %w", src.files[Train].name, err)
	}
	src.classes = index(s.Classes)
	if cfg.Test == "" {
		if s.TestSamples, err = src.divide(ctx, cfg, s.Classes, scan); err != nil {
			return nil, err
		}
		s.TrainSamples -= s.TestSamples
	}
	if src.q, err = encoding.NewQuantiser(scan.lo, scan.hi, src.max); err != nil {
		return nil, fmt.Errorf("%s: %w", src.files[Train].name, err)
	}
	s.Features, s.FeatureNames, s.Quantiser = src.features, src.names, src.q
	return s, nil
}

// findCSV looks for the files in data.dir, else in the working directory, then in the folders,
// and then beside what names them, a model or a configuration. Last it looks in all of these but
// the working directory for the bare names, since a folder may have been moved.
func findCSV(cfg config.Data, folders []string) (found, error) {
	if cfg.Train == "" {
		return found{}, errors.New("data.train: missing, name the CSV file of the training set")
	}
	names := [][]string{{cfg.Train}}
	if cfg.Test != "" {
		names = append(names, []string{cfg.Test})
	}
	dir := cfg.Dir
	if dir == "" {
		dir = "."
	}
	others := slices.Clone(folders)
	if cfg.Beside != "" && !slices.Contains(others, cfg.Beside) && cfg.Beside != dir {
		others = append(others, cfg.Beside)
	}
	f, reason := locate(names, append([]string{dir}, others...))
	if reason == "" {
		return f, nil
	}
	if f, lost := locate(bare(names), others); lost == "" {
		return f, nil
	}
	return found{}, &MissingError{
		Set: "csv", Reason: strings.Join(slices.Concat(names...), ", ") + ": " + reason,
		Get: "name the folder that has it with {Folders DIR}, or with data.dir in a configuration",
	}
}

// bare returns names without their folders.
func bare(names [][]string) (all [][]string) {
	for _, n := range names {
		all = append(all, []string{filepath.Base(n[0])})
	}
	return all
}

// csvName returns a file's name without folder and endings.
func csvName(path string) string {
	name := filepath.Base(path)
	for _, ending := range []string{".gz", ".csv", ".data", ".txt"} {
		name = strings.TrimSuffix(name, ending)
	}
	return name
}

// scanned is what a pass over the training file finds.
type scanned struct {
	labels  []uint8 // class of each record, an index into classes
	classes []string
	lo, hi  []float64
}

// scan reads the whole training file: labels, and the range of each feature.
func (s *csvSource) scan(ctx context.Context) (*scanned, error) {
	t, err := openTable(s.files[Train], s.layout)
	if err != nil {
		return nil, err
	}
	defer t.Close()
	s.features, s.names = t.features, t.names
	r, seen := &scanned{lo: make([]float64, t.features), hi: make([]float64, t.features)}, map[string]int{}
	for {
		if err := t.next(); errors.Is(err, io.EOF) {
			return r, nil
		} else if err != nil {
			return nil, err
		}
		if err := r.add(t, seen); err != nil {
			return nil, err
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
}

func (r *scanned) add(t *table, seen map[string]int) error {
	label, err := t.class()
	if err != nil {
		return err
	}
	c, ok := seen[label]
	if !ok {
		if c = len(r.classes); c == MaxClasses {
			return t.wrong("label %s is one more than the %d classes that are possible: is column %d the label?",
				shown(label), MaxClasses, t.label+1)
		}
		label = strings.Clone(label)
		seen[label] = c
		r.classes = append(r.classes, label)
	}
	if err := r.widen(t, len(r.labels) == 0); err != nil {
		return err
	}
	r.labels = append(r.labels, uint8(c))
	return nil
}

// widen takes the current record into the range of each feature.
func (r *scanned) widen(t *table, first bool) error {
	for f := range r.lo {
		x, err := t.number(f)
		if err != nil {
			return err
		}
		if first {
			r.lo[f], r.hi[f] = x, x
			continue
		}
		r.lo[f], r.hi[f] = min(r.lo[f], x), max(r.hi[f], x)
	}
	return nil
}

// sorted returns the classes in order, numbers by their value, and renumbers labels.
func (r *scanned) sorted() ([]string, error) {
	if len(r.labels) == 0 {
		return nil, errors.New("the file has no records")
	}
	if len(r.classes) < 2 {
		return nil, fmt.Errorf("all records have the label %s, want at least two classes", shown(r.classes[0]))
	}
	classes := slices.Clone(r.classes)
	if err := sortLabels(classes); err != nil {
		return nil, err
	}
	rank := index(classes)
	for i, c := range r.labels {
		r.labels[i] = uint8(rank[r.classes[c]])
	}
	r.classes = classes
	return classes, nil
}

func sortLabels(labels []string) error {
	values := make(map[string]float64, len(labels))
	for _, l := range labels {
		x, err := strconv.ParseFloat(l, 64)
		if err != nil || x != x {
			slices.Sort(labels)
			return nil
		}
		values[l] = x
	}
	slices.SortFunc(labels, func(a, b string) int {
		if values[a] != values[b] {
			if values[a] < values[b] {
				return -1
			}
			return 1
		}
		return strings.Compare(a, b)
	})
	for i := 1; i < len(labels); i++ {
		if values[labels[i]] == values[labels[i-1]] {
			return fmt.Errorf("labels %s and %s are the same number, write them alike", shown(labels[i-1]), shown(labels[i]))
		}
	}
	return nil
}

func index(names []string) map[string]int {
	m := make(map[string]int, len(names))
	for i, n := range names {
		m[n] = i
	}
	return m
}

// divide chooses the test records and finds the ranges of the others.
func (s *csvSource) divide(ctx context.Context, cfg config.Data, classes []string, scan *scanned) (test int,
	err error,
) {
	s.split, test, err = stratified(scan.labels, len(classes), cfg.TestShare, cfg.SplitSeed)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", s.files[Train].name, err)
	}
	first := true
	return test, s.each(Train, func(t *table) error {
		defer func() { first = false }()
		if err := ctx.Err(); err != nil {
			return err
		}
		return scan.widen(t, first)
	})
}

// each calls fn at each record of a part.
func (s *csvSource) each(part Part, fn func(t *table) error) error {
	t, err := openTable(s.files[part], s.layout)
	if err != nil {
		return err
	}
	defer t.Close()
	if t.features != s.features || t.names != nil && s.names != nil && !slices.Equal(t.names, s.names) {
		return fmt.Errorf("%s: its columns are not those of %s", t.name, s.files[Train].name)
	}
	for {
		if err := t.next(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return err
		}
		if s.split != nil && t.record > len(s.split) {
			return t.wrong("the file has grown since it was opened")
		}
		if s.split != nil && s.split[t.record-1] != (part == Test) {
			continue
		}
		if err := fn(t); err != nil {
			return err
		}
	}
	if s.split != nil && t.record-1 != len(s.split) {
		return fmt.Errorf("%s: the file has shrunk since it was opened", t.name)
	}
	return nil
}

func (s *csvSource) read(part Part, emit func([]uint16, int) error) error {
	values := make([]uint16, s.features)
	return s.each(part, func(t *table) error {
		label, err := t.class()
		if err != nil {
			return err
		}
		c, ok := s.classes[label]
		if !ok {
			return t.wrong("label %s does not occur in %s", shown(label), s.files[Train].name)
		}
		if err := t.words(values, s.q, s.max); err != nil {
			return err
		}
		return emit(values, c)
	})
}
