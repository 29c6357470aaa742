package dataset

import (
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"ialgn/internal/config"
	"ialgn/internal/encoding"
	"ialgn/internal/message"
)

// csvSource is a set of one or two CSV files, with the rules that turn their values into words.
type csvSource struct {
	*csvFiles
	scaling
	columns []column // columns that become features, with their categories and fill values
	from    []int    // for each feature, the number of its column
}

// csvFiles holds the files of a set. Each file is read once.
type csvFiles struct {
	cfg     config.Data
	dir     string
	files   [2]file
	layout  layout
	header  []string          // names of all columns; nil if there is no header
	line    []encoding.Column // all columns of the training file
	label   string            // name of the label column, for errors
	found   []column          // columns of the training file that become features
	read    []column          // columns that are read; equal to found, or a model's columns
	from    []int             // for each feature of a model, the number of its column; nil if there is no model
	strict  bool              // no model reads the files; all values must then be valid, and categories are limited
	classes classes
	labels  []uint8 // for each record of the training file, its class
	groups  *Groups // for each record of the training file, its group; nil if there is no data.group
	split   []bool  // records of the training file that belong to the test part; nil if there is a test file
	test    int     // number of records of the test part in the training file

	*decodedFiles // shared by all divisions of the training file
}

// decodedFiles holds the content of the files that were read.
type decodedFiles struct {
	decode  sync.Mutex
	decoded [2]*fileRows
}

// openCSV finds and opens a CSV set.
func openCSV(ctx context.Context, cfg config.Data, words form, folders []string) (*Set, error) {
	f, err := findCSV(cfg, folders)
	if err != nil {
		return nil, err
	}
	return openCSVFiles(ctx, cfg, words, f)
}

// openCSVFiles reads the training file.
func openCSVFiles(ctx context.Context, cfg config.Data, words form, f found) (*Set, error) {
	if err := words.check(); err != nil {
		return nil, err
	}
	lay, err := layoutOf(&cfg)
	if err != nil {
		return nil, err
	}
	src := &csvFiles{cfg: cfg, dir: f.dir, layout: lay, strict: words.model == nil, decodedFiles: &decodedFiles{}}
	src.files[Train], src.files[Test] = f.files[0], f.files[len(f.files)-1]
	if err := src.scan(ctx, words.model); err != nil {
		return nil, err
	}
	if err := src.sorted(); err != nil {
		return nil, fmt.Errorf("%s: %w", src.files[Train].name, err)
	}
	if err := src.divide(); err != nil {
		return nil, err
	}
	return src.set(ctx, words, src.read, src.from)
}

// divide chooses the records of the test part, unless there is a test file.
func (s *csvFiles) divide() (err error) {
	if s.cfg.Test != "" {
		return nil
	}
	if s.split, s.test, err = testSplit(s.cfg, s.classes.names, s.groups).Choose(s.labels); err != nil {
		return fmt.Errorf("%s: %w", s.files[Train].name, err)
	}
	return nil
}

// set returns the set of these files. words is the form of the set's words. The slice columns lists the columns that
// are read, and the slice from holds the column of each feature.
func (s *csvFiles) set(ctx context.Context, words form, columns []column, from []int) (*Set, error) {
	if err := words.check(); err != nil {
		return nil, err
	}
	src := &csvSource{csvFiles: s, scaling: words.scaling(), columns: slices.Clone(columns), from: from}
	set := &Set{
		Name: setName(s.cfg.Train), Classes: slices.Clone(s.classes.names), BitsIn: words.bitsIn, Max: src.max, Path: s.dir,
		source: src, TrainSamples: len(s.labels) - s.test, TestSamples: s.test,
	}
	if words.model == nil {
		if err := src.settle(ctx, set, words); err != nil {
			return nil, err
		}
	}
	t := &table{columns: src.columns, header: s.header}
	set.Features, set.FeatureNames, set.Quantiser, set.Max = len(src.from), t.names(), src.q, src.max
	switch {
	case words.model != nil:
		set.Columns = slices.Clone(words.model.Columns)
	case s.cfg.HasColumns():
		set.Columns = slices.Clone(s.line)
		for _, c := range src.columns {
			set.Columns[c.at] = c.Column
		}
	}
	set.files, set.form = s, words
	return set, nil
}

// settle determines the data that depends on the training part. This data consists of the categories and the values
// that replace missing values. It also includes the ranges of features, unless there is a quantiser or the numbers
// already are words.
func (s *csvSource) settle(ctx context.Context, set *Set, words form) (err error) {
	held, err := s.hold(ctx)
	if err != nil {
		return err
	}
	var r ranged
	for i := range s.columns {
		c, seen := &s.columns[i], &held[i]
		if !seen.any {
			return message.WithHint(fmt.Errorf("%s: %s has no value in any training sample", s.files[Train].name, s.called(c)),
				"exclude the column with data.drop")
		}
		if c.isCategory() {
			counts := map[string]int{}
			for code, n := range seen.codes {
				if n > 0 {
					counts[s.decoded[Train].words[i].words[code]] = n
				}
			}
			c.Categories, _ = frequent(counts)
			set.Rare = set.Rare || len(counts) > len(c.Categories)
			seen.lo, seen.hi = 0, 1
		} else {
			r.numbers = append(r.numbers, len(r.lo))
		}
		for range c.Features() {
			r.lo, r.hi, r.whole = append(r.lo, seen.lo), append(r.hi, seen.hi), append(r.whole, !seen.fraction)
			s.from = append(s.from, i)
		}
	}
	if len(s.from) > MaxFeatures {
		return fmt.Errorf("%s: the columns give %d features, want at most %d", s.files[Train].name, len(s.from),
			MaxFeatures)
	}
	if !s.settled() {
		err = s.scale(ctx, set, words, &r)
	}
	if err == nil && s.layout.missing {
		err = s.fill(ctx, set.TrainSamples)
	}
	return err
}

// held summarises the values of one column in the training part.
type held struct {
	any      bool // at least one value is not missing
	lo, hi   float64
	fraction bool  // at least one value is not a whole number
	codes    []int // for each code of a word, the number of its occurrences
}

// hold summarises the values of each column.
func (s *csvSource) hold(ctx context.Context) ([]held, error) {
	all := make([]held, len(s.columns))
	return all, s.each(Train, nil, func(r *csvRow) error {
		for i, x := range r.values {
			h := &all[i]
			switch {
			case math.IsNaN(x):
				continue
			case s.columns[i].isCategory():
				if more := int(x) + 1 - len(h.codes); more > 0 {
					h.codes = append(h.codes, make([]int, more)...)
				}
				h.codes[int(x)]++
			case !h.any:
				h.lo, h.hi, h.fraction = x, x, x != math.Trunc(x)
			default:
				h.lo, h.hi, h.fraction = min(h.lo, x), max(h.hi, x), h.fraction || x != math.Trunc(x)
			}
			h.any = true
		}
		return ctx.Err()
	})
}

// called returns the name of a column for errors.
func (s *csvFiles) called(c *column) string { return (&table{header: s.header}).called(c.at) }

// findCSV finds the files of a CSV set.
func findCSV(cfg config.Data, folders []string) (found, error) {
	if cfg.Train == "" {
		return found{}, errors.New("data.train: missing; name the CSV file of the training set")
	}
	names := []string{cfg.Train}
	if cfg.Test != "" && cfg.Test != cfg.Train {
		names = append(names, cfg.Test)
	}
	return findFiles("csv", names, cfg, folders)
}

// findFiles looks for the user's own files. It looks in data.dir (in the working directory if data.dir is empty), in
// the given folders, and in the folder of the model or configuration that names the files. If it does not find the
// files there, it looks for their names without folders, because a folder may have been moved. The second search does
// not look in data.dir or the working directory.
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
		Get: "name the folder of the file with {Folders DIR}, or with data.dir in a configuration",
	}
}

// bare returns the file names without their folders.
func bare(names [][]string) (all [][]string) {
	for _, n := range names {
		all = append(all, []string{filepath.Base(n[0])})
	}
	return all
}

// setName returns the name of a set of the user's own files. It is the name of the file at path without folder and
// endings.
func setName(path string) string {
	path, _, _ = inArchive(path)
	name := filepath.Base(path)
	for _, ending := range []string{".gz", ".bz2", ".csv", ".arff", ".tsv", ".data", ".txt", ".npy", ".npz"} {
		name = strings.TrimSuffix(name, ending)
	}
	return name
}

// medianValues is the greatest number of values that are held at a time to find medians.
const medianValues = 1 << 22

// fill sets the Fill of each column of numbers. The value is the median of the column in the training part. If two
// values are in the middle, it is the lower one. fill processes a few columns at a time to limit the memory.
func (s *csvSource) fill(ctx context.Context, samples int) error {
	var numbers []int
	for i := range s.columns {
		if !s.columns[i].isCategory() {
			numbers = append(numbers, i)
		}
	}
	for group := range slices.Chunk(numbers, max(1, medianValues/max(1, samples))) {
		values := make([][]float64, len(group))
		err := s.each(Train, group, func(r *csvRow) error {
			for k, i := range group {
				if x := r.values[i]; !math.IsNaN(x) {
					values[k] = append(values[k], x)
				}
			}
			return ctx.Err()
		})
		if err != nil {
			return err
		}
		for k, i := range group {
			slices.Sort(values[k])
			s.columns[i].Fill = values[k][(len(values[k])-1)/2]
		}
	}
	return nil
}

// scale makes the quantiser from the ranges of the training part.
func (s *csvSource) scale(ctx context.Context, set *Set, words form, r *ranged) error {
	counts := make([]int, len(set.Classes))
	for i, class := range s.labels {
		if s.split == nil || !s.split[i] {
			counts[class]++
		}
	}
	err := s.scaling.settle(set, r, words, interruptible{ctx, s}, counts)
	var bad *encoding.RangeError
	if errors.As(err, &bad) {
		return fmt.Errorf("%s: %s: %s", s.files[Train].name, s.called(&s.columns[s.from[bad.Feature]]), bad.Problem)
	}
	return err
}

// reals implements the interface real. Only features from columns of numbers have values.
func (s *csvSource) reals(part Part, fn func(class, at int, value func(f int) (float64, error)) error) error {
	return s.each(part, nil, func(r *csvRow) error {
		return fn(r.class, r.line, func(f int) (float64, error) { return r.values[s.from[f]], nil })
	})
}

func (s *csvSource) read(part Part, emit func([]uint16, int) error) error {
	words := make([]uint16, len(s.from))
	return s.each(part, nil, func(r *csvRow) error {
		clear(words)
		for f := 0; f < len(words); {
			i := s.from[f]
			c, x := &s.columns[i], r.values[i]
			if c.isCategory() {
				if !math.IsNaN(x) {
					if k, known := slices.BinarySearch(c.Categories, r.word(i)); known {
						words[f+k] = uint16(s.max)
					}
				}
				f += len(c.Categories)
				continue
			}
			if math.IsNaN(x) {
				x = c.Fill
			}
			var ok bool
			if words[f], ok = s.word(f, x); !ok {
				return fmt.Errorf("%s: record %d: line %d: %s is %g, want an integer of 0..%d", s.files[part].name, r.record,
					r.line, s.called(c), x, s.max)
			}
			f++
		}
		return emit(words, r.class)
	})
}
