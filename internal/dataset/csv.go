package dataset

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"ialgn/internal/config"
	"ialgn/internal/encoding"
	"ialgn/internal/message"
)

// csvSource is a set of one or two CSV files with words for its values.
type csvSource struct {
	*csvFiles
	columns []column // those of features, with their categories and fills
	from    []int    // column of each feature
	q       *encoding.Quantiser
	whole   bool // numbers are words as they stand
	max     uint32
}

// csvFiles are the files of a set. Each of them is read once.
type csvFiles struct {
	cfg     config.Data
	dir     string
	files   [2]file
	layout  layout
	header  []string          // names of all columns; nil without a header
	line    []encoding.Column // all columns of the training file
	label   string            // what the column of the label is called
	found   []column          // those of features as they stand in the training file
	read    []column          // those that are read: the found ones, or a model's
	from    []int             // column of each feature of a model; else nil
	strict  bool              // no model reads the files: all of their values must be good, and few words categories
	classes classes
	labels  []uint8 // class of each record of the training file
	split   []bool  // which records of the training file are the test part; nil if there is a test file
	test    int     // number of these
	decode  sync.Mutex
	decoded [2]*fileRows
}

// fileRows is a file that was read.
type fileRows struct {
	*packedRows              // a row is the line of a record, and the values of the columns: numbers, or codes of words
	words       []vocabulary // of the columns
	labels      []uint8
	faults      []fault
}

func (s *csvFiles) newRows() *fileRows {
	return &fileRows{packedRows: newPacked(1 + len(s.read)), words: make([]vocabulary, len(s.read))}
}

// fault is what is wrong with a value of a record, by its number from 0.
type fault struct {
	record int
	err    error
}

// mostFaults is how many records with a wrong value a model's file may have: they matter only where they are read.
const mostFaults = 1 << 12

// vocabulary has the words of a column with their codes.
type vocabulary struct {
	words []string
	codes map[string]int
}

// mostWords is how many words of a column are told from each other, where they need be no categories.
const mostWords = 1 << 12

// code returns the code of a word. Words beyond so many have the code of the last one.
func (v *vocabulary) code(word string) int {
	code, known := v.codes[word]
	switch {
	case known:
		return code
	case len(v.words) == mostWords:
		return mostWords - 1
	}
	if v.codes == nil {
		v.codes = map[string]int{}
	}
	code, word = len(v.words), strings.Clone(word)
	v.words, v.codes[word] = append(v.words, word), code
	return code
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
	src := &csvFiles{cfg: cfg, dir: f.dir, layout: lay, strict: words.model == nil}
	src.files[Train], src.files[Test] = f.files[0], f.files[len(f.files)-1]
	if err := src.scan(ctx, words.model); err != nil {
		return nil, err
	}
	names, err := src.sorted()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", src.files[Train].name, err)
	}
	if cfg.Test == "" {
		if src.split, src.test, err = stratified(src.labels, len(names), cfg.TestShare, cfg.SplitSeed); err != nil {
			return nil, fmt.Errorf("%s: %w", src.files[Train].name, err)
		}
	}
	return src.set(ctx, words)
}

// set returns the set whose values become such words.
func (s *csvFiles) set(ctx context.Context, words form) (*Set, error) {
	if err := words.check(); err != nil {
		return nil, err
	}
	src := &csvSource{
		csvFiles: s, columns: slices.Clone(s.read), from: s.from, max: words.max(), q: words.q, whole: words.whole,
	}
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

// settle makes what the training part decides: categories, the ranges of features unless there is a quantiser or
// numbers are words as they stand, and what a missing value is.
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
				"leave it out with data.drop")
		}
		if c.isCategory() {
			for code, known := range seen.codes {
				if known {
					c.Categories = append(c.Categories, s.decoded[Train].words[i].words[code])
				}
			}
			slices.Sort(c.Categories)
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
		return fmt.Errorf("%s: the columns become %d features, at most %d are possible", s.files[Train].name, len(s.from),
			MaxFeatures)
	}
	if s.q == nil && !s.whole {
		err = s.scale(ctx, set, words, &r)
	}
	if err == nil && s.layout.missing {
		err = s.fill(ctx, set.TrainSamples)
	}
	return err
}

// held is what a column of features holds in the training part.
type held struct {
	any      bool // there is a value
	lo, hi   float64
	fraction bool // some is no whole number
	codes    [maxCategories]bool
}

// hold looks at what each column holds.
func (s *csvSource) hold(ctx context.Context) ([]held, error) {
	all := make([]held, len(s.columns))
	return all, s.each(Train, nil, func(r *csvRow) error {
		for i, x := range r.values {
			h := &all[i]
			switch {
			case math.IsNaN(x):
				continue
			case s.columns[i].isCategory():
				h.codes[int(x)] = true
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

// called names a column for an error.
func (s *csvFiles) called(c *column) string { return (&table{header: s.header}).called(c.at) }

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

// maxCategories is how many words a column of categories has at most: each becomes a feature.
const maxCategories = 64

// scan reads the whole training file. Of one that a model reads, it leaves out the values if the test part is another
// file.
func (s *csvFiles) scan(ctx context.Context, model *encoding.Encoder) error {
	t, err := openTable(s.files[Train], s.layout)
	if err != nil {
		return err
	}
	defer t.Close()
	s.header, s.found, s.read, s.layout.separator = t.header, t.columns, t.columns, t.csv.separator
	s.classes.notation, s.line, s.label = t.notation, t.wholeLine(), t.called(t.label)
	if model != nil {
		if err := s.settleAs(model); err != nil {
			return err
		}
	}
	t.columns = s.read
	d := s.newRows()
	if s.strict || s.cfg.Test == "" {
		s.decoded[Train] = d
	}
	row := make([]float64, d.columns)
	for {
		if err := t.next(); errors.Is(err, io.EOF) {
			d.end()
			d.labels = s.labels
			return nil
		} else if err != nil {
			return err
		}
		if err := cmp.Or(s.addLabel(t), ctx.Err()); err != nil {
			return err
		}
		if s.decoded[Train] == nil {
			continue
		}
		err := d.values(t, row, s.strict)
		if err != nil && (s.strict || len(d.faults) == mostFaults) {
			return err
		} else if err != nil {
			d.faults = append(d.faults, fault{d.rows, err})
		}
		d.add(row)
	}
}

// addLabel adds the label of the current record.
func (s *csvFiles) addLabel(t *table) error {
	label, err := t.class()
	if err != nil {
		return err
	}
	c := s.classes.add(label)
	if c >= MaxClasses {
		return t.wrong("label %s is one more than the %d classes that are possible: is %s the label?",
			shown(label), MaxClasses, t.called(t.label))
	}
	s.labels = append(s.labels, uint8(c))
	return nil
}

// values reads the values of the current record: its line, numbers, and codes of words; NaN for those that are missing.
// Few says that there may be but as many words as categories.
func (d *fileRows) values(t *table, row []float64, few bool) error {
	row[0] = float64(t.at)
	for i := range t.columns {
		c, to := &t.columns[i], &row[1+i]
		var missing bool
		var err error
		if c.isCategory() {
			*to, missing, err = d.word(t, i, few)
		} else {
			*to, missing, err = t.number(c)
		}
		if err != nil {
			return err
		}
		if missing {
			*to = math.NaN()
		}
	}
	return nil
}

// word returns the code of the word in a column.
func (d *fileRows) word(t *table, column int, few bool) (code float64, missing bool, err error) {
	c, v := &t.columns[column], &d.words[column]
	word, missing, err := t.category(c)
	if missing || err != nil {
		return 0, missing, err
	}
	if _, known := v.codes[word]; !known && few && len(v.words) == maxCategories {
		return 0, false, message.WithHint(t.wrong("%s has more than %d categories, %s is one more", t.called(c.at), maxCategories,
			shown(word)), "leave it out with data.drop, or put rare ones together")
	}
	return float64(v.code(word)), false, nil
}

// sorted returns the classes in order, and renumbers labels.
func (s *csvFiles) sorted() ([]string, error) {
	if len(s.labels) == 0 {
		return nil, errors.New("the file has no records")
	}
	if err := s.classes.check(len(s.labels), s.label, s.cfg.Label != ""); err != nil {
		return nil, err
	}
	names, place, err := s.classes.sorted()
	if err != nil {
		return nil, err
	}
	for i, c := range s.labels {
		s.labels[i] = uint8(place[c])
	}
	for label, c := range s.classes.at {
		s.classes.at[label] = place[c]
	}
	s.classes.names = names
	return names, nil
}

// medianValues is how many numbers are kept at a time to find medians.
const medianValues = 1 << 22

// fill gives each column of numbers the median of its values in the training part, the lower one of two: some columns
// at a time, so that memory is bounded.
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

// csvRow is a record of a part.
type csvRow struct {
	record, line int // counted from 1
	class        int
	values       []float64 // of the columns that are read: numbers, or codes of words; NaN if missing
	words        []vocabulary
}

// word returns the word in a column, which is not missing.
func (r *csvRow) word(column int) string { return r.words[column].words[int(r.values[column])] }

// each calls fn at each record of a part, with the values of some columns, of all where these are nil. The first time
// it reads a test file.
func (s *csvFiles) each(part Part, columns []int, fn func(r *csvRow) error) error {
	in := part
	if s.split != nil {
		in = Train
	}
	s.decode.Lock()
	d := s.decoded[in]
	if d == nil {
		defer s.decode.Unlock()
		return s.readFile(part, fn)
	}
	s.decode.Unlock()
	r, faults := csvRow{words: d.words}, d.faults
	return d.each(func(c int) bool { return c == 0 || columns == nil || slices.Contains(columns, c-1) }, func(i int) bool {
		return s.split == nil || s.split[i] == (part == Test)
	}, func(i int, row []float64) error {
		for len(faults) > 0 && faults[0].record < i {
			faults = faults[1:]
		}
		if len(faults) > 0 && faults[0].record == i {
			return faults[0].err
		}
		r.record, r.line, r.class, r.values = i+1, int(row[0]), int(d.labels[i]), row[1:]
		return fn(&r)
	})
}

// readFile reads the file of a part, and calls fn at each record.
func (s *csvFiles) readFile(part Part, fn func(r *csvRow) error) error {
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
	t.columns = s.read
	d := s.newRows()
	row := make([]float64, d.columns)
	for {
		if err := t.next(); errors.Is(err, io.EOF) {
			d.end()
			s.decoded[part] = d
			return nil
		} else if err != nil {
			return err
		}
		class, err := s.class(t)
		if err != nil {
			return err
		}
		if err := d.values(t, row, false); err != nil {
			return err
		}
		d.add(row)
		d.labels = append(d.labels, uint8(class))
		if err := fn(&csvRow{d.rows, t.at, class, row[1:], d.words}); err != nil {
			return err
		}
	}
}

// sameColumns reports whether the columns of features of a table stand where those of the training file do, and have
// the same names if both have some.
func (s *csvFiles) sameColumns(t *table) bool {
	named := t.header != nil && s.header != nil
	return slices.EqualFunc(t.columns, s.found, func(a, b column) bool {
		return a.at == b.at && a.Kind == b.Kind && (a.Name == b.Name || !named)
	})
}

// class returns the class of a record.
func (s *csvFiles) class(t *table) (int, error) {
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

// scale makes the quantiser of the ranges of the training part.
func (s *csvSource) scale(ctx context.Context, set *Set, words form, r *ranged) error {
	counts := make([]int, len(set.Classes))
	for i, class := range s.labels {
		if s.split == nil || !s.split[i] {
			counts[class]++
		}
	}
	err := r.settle(words, interruptible{ctx, s}, counts)
	var bad *encoding.RangeError
	if errors.As(err, &bad) {
		return fmt.Errorf("%s: %s: %s", s.files[Train].name, s.called(&s.columns[s.from[bad.Feature]]), bad.Problem)
	}
	s.q, s.max = r.q, r.max
	r.fill(set)
	return err
}

// reals implements real. Only features of numbers have values.
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
			switch {
			case s.q != nil:
				words[f] = s.q.Apply(f, x, s.max)
			case !isWord(x, s.max):
				return fmt.Errorf("%s: record %d: line %d: %s is %g, want an integer of 0..%d", s.files[part].name, r.record,
					r.line, s.called(c), x, s.max)
			default:
				words[f] = uint16(x)
			}
			f++
		}
		return emit(words, r.class)
	})
}
