package dataset

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"

	"ialgn/internal/encoding"
	"ialgn/internal/message"
)

// fileRows is the decoded content of a file.
type fileRows struct {
	*packedRows              // each row has a record's line number and its column values (numbers, or codes of words)
	words       []vocabulary // the words of each column
	labels      []uint8
	shared      Shared // groups of a test file that the training file has, too
	faults      []fault
}

func (s *csvFiles) newRows() *fileRows {
	return &fileRows{packedRows: newPacked(1 + len(s.read)), words: make([]vocabulary, len(s.read))}
}

// fault is an error in a value of a record. The number of the record counts from 0.
type fault struct {
	record int
	err    error
}

// mostFaults is the greatest number of records with wrong values in a file that a model reads. A fault matters only
// if its record is used.
const mostFaults = 1 << 12

// vocabulary holds the distinct words of a column and their codes.
type vocabulary struct {
	words []string
	codes map[string]int
}

// mostWords is the greatest number of distinct words of a column that are told apart. A model can read a column with
// more words, but training cannot.
const mostWords = 1 << 12

// code returns the code of a word. Only the first mostWords words of a column have different codes. All later words
// have the same code as the last of these words.
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

// maxCategories is the largest number of words of a column that become features.
const maxCategories = 64

// frequent returns the words that become features, in alphabetical order. These are the maxCategories most frequent
// words. Of equally frequent words, the alphabetically first ones count. covered is the number of their occurrences.
func frequent(counts map[string]int) (words []string, covered int) {
	words = slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), strings.Compare(a, b))
	})
	words = words[:min(len(words), maxCategories)]
	for _, w := range words {
		covered += counts[w]
	}
	slices.Sort(words)
	return words, covered
}

// scan reads the whole training file. If a model reads the set and the test part is another file, scan keeps only
// the labels.
func (s *csvFiles) scan(ctx context.Context, model *encoding.Encoder) error {
	t, err := openTable(s.files[Train], s.layout)
	if err != nil {
		return err
	}
	defer t.Close()
	s.header, s.found, s.read, s.layout.separator = t.header, t.columns, t.columns, t.csv.separator
	s.classes.notation, s.line, s.label = t.notation, t.wholeLine(), t.called(t.label)
	if model != nil {
		if s.read, s.from, err = s.columnsAs(model); err != nil {
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
		if err := cmp.Or(s.addLabel(t), s.addGroup(t), ctx.Err()); err != nil {
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
		return t.wrong("label %s exceeds the maximum of %d classes: is %s the label?",
			shown(label), MaxClasses, t.called(t.label))
	}
	s.labels = append(s.labels, uint8(c))
	return nil
}

// addGroup adds the group of the current record, if there is data.group.
func (s *csvFiles) addGroup(t *table) error {
	if t.group < 0 {
		return nil
	}
	name := strings.TrimSpace(t.fields[t.group])
	if t.lacks(encoding.CategoryColumn, name) {
		return message.WithHint(t.wrong("the group, %s, has no value", t.called(t.group)),
			"fill it in, or remove the row")
	}
	if s.groups == nil {
		s.groups = &Groups{}
	}
	s.groups.add(name)
	return nil
}

// values reads the current record into the slice row. It first writes the record's line number, and then the numbers
// and the codes of words. A missing value is NaN. If few is true, a column may have at most mostWords words.
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

// word returns the code of a column's word in the current record. If few is true, the column may have at most
// mostWords words.
func (d *fileRows) word(t *table, column int, few bool) (code float64, missing bool, err error) {
	c, v := &t.columns[column], &d.words[column]
	word, missing, err := t.category(c)
	if missing || err != nil {
		return 0, missing, err
	}
	if _, known := v.codes[word]; !known && few && len(v.words) == mostWords {
		return 0, false, message.WithHint(t.wrong("%s has more than %d different words, the first extra one is %s",
			t.called(c.at), mostWords, shown(word)), "exclude the column with data.drop, or merge rare words")
	}
	return float64(v.code(word)), false, nil
}

// sorted orders the names of the classes. It renumbers the labels in the same order.
func (s *csvFiles) sorted() error {
	if len(s.labels) == 0 {
		return errors.New("the file has no records")
	}
	if err := s.classes.check(len(s.labels), s.label, s.cfg.Label != ""); err != nil {
		return err
	}
	names, place, err := s.classes.sorted()
	if err != nil {
		return err
	}
	for i, c := range s.labels {
		s.labels[i] = uint8(place[c])
	}
	for label, c := range s.classes.at {
		s.classes.at[label] = place[c]
	}
	s.classes.names = names
	return nil
}

// csvRow is a record of a part.
type csvRow struct {
	record, line int // counted from 1
	class        int
	values       []float64 // for each column that was read: numbers, or codes of words; NaN if missing
	words        []vocabulary
}

// word returns the word in a column. The word must not be missing.
func (r *csvRow) word(column int) string { return r.words[column].words[int(r.values[column])] }

// each calls fn with each record of a part. It fills in the values of the given columns, or of all columns if columns
// is nil. The first call for the test part reads the test file, if there is one.
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

// readFile reads the file of a part and calls fn with each record.
func (s *csvFiles) readFile(part Part, fn func(r *csvRow) error) error {
	lay := s.layout
	lay.classes = s.classes.names
	t, err := openTable(s.files[part], lay)
	if err != nil {
		return err
	}
	defer t.Close()
	if !s.sameColumns(t) {
		return fmt.Errorf("%s: the columns differ from the columns of %s", t.name, s.files[Train].name)
	}
	t.columns = s.read
	d := s.newRows()
	row := make([]float64, d.columns)
	seen := map[string]bool{}
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
		if s.groups != nil && t.group >= 0 {
			d.shared.add(strings.TrimSpace(t.fields[t.group]), s.groups, seen)
		}
		if err := fn(&csvRow{d.rows, t.at, class, row[1:], d.words}); err != nil {
			return err
		}
	}
}

// sameColumns reports whether the feature columns of a table are at the same places as in the training file. If both
// tables have names, the names of these columns must also be equal.
func (s *csvFiles) sameColumns(t *table) bool {
	named := t.header != nil && s.header != nil
	return slices.EqualFunc(t.columns, s.found, func(a, b column) bool {
		return a.at == b.at && a.Kind == b.Kind && (a.Name == b.Name || !named)
	})
}

// class returns the class of the current record.
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
