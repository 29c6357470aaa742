package dataset

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"ialgn/internal/hint"
	"ialgn/trainer/config"
	"ialgn/trainer/encoding"
)

// csvSource is a set of one or two CSV files.
type csvSource struct {
	files   [2]file
	layout  layout
	header  []string // names of all columns; nil without a header
	columns []column // those of features, with categories and fills once these are known
	found   []column // those of features as they stand in the training file
	width   int      // number of features
	classes *classes
	split   []bool // which records of the training file are the test part; nil if there is a test file
	from    []int  // column of each feature
	q       *encoding.Quantiser
	whole   bool // numbers are words as they stand
	max     uint32
}

// openCSV finds and opens a CSV set.
func openCSV(ctx context.Context, cfg config.Data, words form, folders []string) (*Set, error) {
	f, err := findCSV(cfg, folders)
	if err != nil {
		return nil, err
	}
	return openCSVFiles(ctx, cfg, words, f)
}

// openCSVFiles reads the training file once for its classes and what its columns hold, once more
// if a test part is split off, and more often for medians.
func openCSVFiles(ctx context.Context, cfg config.Data, words form, f found) (*Set, error) {
	if err := words.check(); err != nil {
		return nil, err
	}
	lay, err := layoutOf(&cfg)
	if err != nil {
		return nil, err
	}
	src := &csvSource{layout: lay, max: words.max(), q: words.q, whole: words.whole}
	src.files[Train], src.files[Test] = f.files[0], f.files[len(f.files)-1]
	scan, err := src.scan(ctx, words.model)
	if err != nil {
		return nil, err
	}
	s := &Set{
		Name: setName(cfg.Train), BitsIn: words.bitsIn, Max: src.max, Path: f.dir, source: src,
		TrainSamples: len(scan.labels),
	}
	if s.Classes, err = scan.sorted(cfg.Label != ""); err != nil {
		return nil, fmt.Errorf("%s: %w", src.files[Train].name, err)
	}
	src.classes = &scan.classes
	if cfg.Test == "" {
		if s.TestSamples, err = src.divide(ctx, cfg, s.Classes, scan); err != nil {
			return nil, err
		}
		s.TrainSamples -= s.TestSamples
	}
	if err := src.settle(ctx, s, words, scan); err != nil {
		return nil, err
	}
	t := &table{columns: src.columns, header: src.header}
	s.Features, s.FeatureNames, s.Quantiser, s.Max = src.width, t.names(), src.q, src.max
	switch {
	case words.model != nil:
		s.Columns = slices.Clone(words.model.Columns)
	case cfg.HasColumns():
		s.Columns = scan.line
		for _, c := range src.columns {
			s.Columns[c.at] = c.Column
		}
	}
	return s, nil
}

// settle makes what the training part decides: categories, the ranges of features unless there is a quantiser or
// numbers are words as they stand, and what a missing value is.
func (s *csvSource) settle(ctx context.Context, set *Set, words form, scan *scanned) (err error) {
	if words.model != nil {
		return nil
	}
	var r ranged
	for i := range s.columns {
		c, seen := &s.columns[i], &scan.columns[i]
		if !seen.any {
			return hint.With(fmt.Errorf("%s: %s has no value in any training sample", s.files[Train].name, s.called(c)),
				"leave it out with data.drop")
		}
		if c.isCategory() {
			c.Categories = slices.Sorted(maps.Keys(seen.categories))
			seen.lo, seen.hi = 0, 1
		}
		if !c.isCategory() {
			r.numbers = append(r.numbers, len(r.lo))
		}
		for range c.Features() {
			r.lo, r.hi, r.whole = append(r.lo, seen.lo), append(r.hi, seen.hi), append(r.whole, !seen.fraction)
			s.from = append(s.from, i)
		}
	}
	if s.width = len(s.from); s.width > MaxFeatures {
		return fmt.Errorf("%s: the columns become %d features, at most %d are possible", s.files[Train].name, s.width,
			MaxFeatures)
	}
	if s.q == nil && !s.whole {
		err = s.scale(ctx, set, words, &r, scan)
	}
	if err == nil && s.layout.missing {
		err = s.fill(ctx, set.TrainSamples)
	}
	return err
}

// called names a column for an error.
func (s *csvSource) called(c *column) string { return (&table{header: s.header}).called(c.at) }

// findCSV finds the files of a CSV set.
func findCSV(cfg config.Data, folders []string) (found, error) {
	if cfg.Train == "" {
		return found{}, errors.New("data.train: missing, name the CSV file of the training set")
	}
	names := []string{cfg.Train}
	if cfg.Test != "" && cfg.Test != cfg.Train {
		names = append(names, cfg.Test)
	}
	return findFiles("csv", names, cfg, folders)
}

// findFiles looks for files of one's own in data.dir, else in the working directory, then in the folders,
// and then beside what names them, a model or a configuration. Last it looks in all of these but
// the working directory for the bare names, since a folder may have been moved.
func findFiles(set string, files []string, cfg config.Data, folders []string) (found, error) {
	var names [][]string
	for _, name := range files {
		names = append(names, []string{name})
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
		Set: set, Reason: strings.Join(files, ", ") + ": " + reason,
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

// setName returns the name of a set of one's own files: that of a file without folder and endings.
func setName(path string) string {
	path, _, _ = inArchive(path)
	name := filepath.Base(path)
	for _, ending := range []string{".gz", ".bz2", ".csv", ".arff", ".tsv", ".data", ".txt", ".npy", ".npz"} {
		name = strings.TrimSuffix(name, ending)
	}
	return name
}

// scanned is what a pass over the training file finds.
type scanned struct {
	labels  []uint8 // class of each record
	classes classes
	columns []held
	line    []encoding.Column // all columns of the table
	label   string            // what its column is called
}

// held is what a column of features holds.
type held struct {
	any        bool // there is a value
	lo, hi     float64
	fraction   bool // some is no whole number
	categories map[string]bool
}

// maxCategories is how many words a column of categories has at most: each becomes a feature.
const maxCategories = 64

// scan reads the whole training file: labels, and what each column holds, unless a model says what is read of them.
func (s *csvSource) scan(ctx context.Context, model *encoding.Encoder) (*scanned, error) {
	t, err := openTable(s.files[Train], s.layout)
	if err != nil {
		return nil, err
	}
	defer t.Close()
	s.header, s.columns, s.found, s.layout.separator = t.header, t.columns, t.columns, t.csv.separator
	r := &scanned{classes: classes{notation: t.notation}, line: t.wholeLine(), label: t.called(t.label)}
	if model != nil {
		err = s.settleAs(model)
	} else {
		r.columns = make([]held, len(t.columns))
	}
	if err != nil {
		return nil, err
	}
	for {
		if err := t.next(); errors.Is(err, io.EOF) {
			return r, nil
		} else if err != nil {
			return nil, err
		}
		if err := r.add(t); err != nil {
			return nil, err
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
}

func (r *scanned) add(t *table) error {
	label, err := t.class()
	if err != nil {
		return err
	}
	c := r.classes.add(label)
	if c >= MaxClasses {
		return t.wrong("label %s is one more than the %d classes that are possible: is %s the label?",
			shown(label), MaxClasses, t.called(t.label))
	}
	if err := r.widen(t); err != nil {
		return err
	}
	r.labels = append(r.labels, uint8(c))
	return nil
}

// widen takes the current record into what each column holds.
func (r *scanned) widen(t *table) error {
	for i := range r.columns {
		c, h := &t.columns[i], &r.columns[i]
		if c.isCategory() {
			if err := h.addCategory(t, c); err != nil {
				return err
			}
			continue
		}
		switch x, missing, err := t.number(c); {
		case err != nil:
			return err
		case missing:
		case !h.any:
			h.any, h.lo, h.hi, h.fraction = true, x, x, x != math.Trunc(x)
		default:
			h.lo, h.hi, h.fraction = min(h.lo, x), max(h.hi, x), h.fraction || x != math.Trunc(x)
		}
	}
	return nil
}

func (h *held) addCategory(t *table, c *column) error {
	word, missing, err := t.category(c)
	if err != nil || missing || h.categories[word] {
		return err
	}
	if len(h.categories) == maxCategories {
		return hint.With(t.wrong("%s has more than %d categories, %s is one more", t.called(c.at), maxCategories,
			shown(word)), "leave it out with data.drop, or put rare ones together")
	}
	if !h.any {
		h.any, h.categories = true, map[string]bool{}
	}
	h.categories[strings.Clone(word)] = true
	return nil
}

// sorted returns the classes in order, and renumbers labels. Given says that a column was named for the label.
func (r *scanned) sorted(given bool) ([]string, error) {
	if len(r.labels) == 0 {
		return nil, errors.New("the file has no records")
	}
	if err := r.classes.check(len(r.labels), r.label, given); err != nil {
		return nil, err
	}
	names, place, err := r.classes.sorted()
	if err != nil {
		return nil, err
	}
	for i, c := range r.labels {
		r.labels[i] = uint8(place[c])
	}
	for label, c := range r.classes.at {
		r.classes.at[label] = place[c]
	}
	r.classes.names = names
	return names, nil
}

// divide chooses the test records and finds what the columns of the others hold.
func (s *csvSource) divide(ctx context.Context, cfg config.Data, classes []string, scan *scanned) (test int,
	err error,
) {
	s.split, test, err = stratified(scan.labels, len(classes), cfg.TestShare, cfg.SplitSeed)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", s.files[Train].name, err)
	}
	if scan.columns == nil {
		return test, nil
	}
	clear(scan.columns)
	return test, s.each(Train, func(t *table) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		return scan.widen(t)
	})
}

// medianValues is how many numbers are kept at a time to find medians.
const medianValues = 1 << 24

// fill gives each column of numbers the median of its values in the training part, the lower one of two: some columns
// in each pass over the file, so that memory is bounded.
func (s *csvSource) fill(ctx context.Context, samples int) error {
	var numbers []int
	for i := range s.columns {
		if !s.columns[i].isCategory() {
			numbers = append(numbers, i)
		}
	}
	for group := range slices.Chunk(numbers, max(1, medianValues/max(1, samples))) {
		values := make([][]float64, len(group))
		err := s.each(Train, func(t *table) error {
			for k, i := range group {
				x, missing, err := t.number(&t.columns[i])
				if err != nil {
					return err
				}
				if !missing {
					values[k] = append(values[k], x)
				}
			}
			return ctx.Err()
		})
		if err != nil {
			return err
		}
		for k, i := range group {
			if len(values[k]) == 0 {
				return fmt.Errorf("%s: changed since it was opened", s.files[Train].name)
			}
			slices.Sort(values[k])
			s.columns[i].Fill = values[k][(len(values[k])-1)/2]
		}
	}
	return nil
}

// each calls fn at each record of a part.
func (s *csvSource) each(part Part, fn func(t *table) error) error {
	lay := s.layout
	lay.classes = s.classes.names
	t, err := openTable(s.files[part], lay)
	if err != nil {
		return err
	}
	defer t.Close()
	if !s.sameColumns(t) {
		return fmt.Errorf("%s: its columns are not those of %s", t.name, s.files[Train].name)
	}
	t.columns = s.columns
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

// sameColumns reports whether the columns of features of a table stand where those of the training file do, and have
// the same names if both have some.
func (s *csvSource) sameColumns(t *table) bool {
	named := t.header != nil && s.header != nil
	return slices.EqualFunc(t.columns, s.found, func(a, b column) bool {
		return a.at == b.at && a.Kind == b.Kind && (a.Name == b.Name || !named)
	})
}

// class returns the class of a record.
func (s *csvSource) class(t *table) (int, error) {
	label, err := t.class()
	if err != nil {
		return 0, err
	}
	c, ok := s.classes.find(label)
	if !ok {
		return 0, t.wrong("label %s does not occur in %s", shown(label), s.files[Train].name)
	}
	return c, nil
}

func (s *csvSource) read(part Part, emit func([]uint16, int) error) error {
	values := make([]uint16, s.width)
	return s.each(part, func(t *table) error {
		c, err := s.class(t)
		if err != nil {
			return err
		}
		if err := t.words(values, s.q, s.max); err != nil {
			return err
		}
		return emit(values, c)
	})
}
