package dataset

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"ialgn/internal/hint"
	"ialgn/trainer/encoding"
)

const (
	maxRecord = 4 << 20 // bytes of one CSV record
	maxLabel  = 256     // bytes of one label
)

// table reads a CSV file record by record: columns of features and at most one label.
type table struct {
	*stream
	csv      *csv.Reader
	budget   *budget
	features int      // how many features the columns become
	header   []string // names of all columns; nil without a header
	columns  []column // those that become features, in order
	label    int      // column, -1 if there is none
	numbered bool     // the layout gives its number, not its name
	comma    bool     // numbers have a decimal comma
	training bool     // the file is a part of a set: what its columns are can be declared

	fields []string // fields of the current record
	record int      // number of the current record, from 1, not counting the header
	first  bool     // fields holds the first record, not yet handed out
}

// column is a column of a table that becomes features.
type column struct {
	encoding.Column
	at int // its place in a record, from 0
}

// openTable opens a CSV file and finds out its columns from its first line.
func openTable(f file, lay layout) (*table, error) {
	s, err := f.stream()
	if err != nil {
		return nil, err
	}
	return tableOf(s, lay)
}

// tableOf finds the columns of a CSV file from its first line. If it is no CSV file, the stream is closed.
func tableOf(s *stream, lay layout) (*table, error) {
	t := newTable(s)
	t.training = lay.features == 0
	if err := t.begin(lay); err != nil {
		s.Close()
		return nil, err
	}
	return t, nil
}

// newTable returns the reader of a stream, of which nothing is read yet.
func newTable(s *stream) *table {
	t := &table{stream: s, budget: &budget{r: s}}
	t.csv = csv.NewReader(t.budget)
	t.csv.ReuseRecord = true
	return t
}

func (t *table) begin(lay layout) error {
	if err := t.skipMark(); err != nil {
		return err
	}
	t.separate(lay)
	if err := t.fetch(); errors.Is(err, io.EOF) {
		return fmt.Errorf("%s: the file is empty", t.name)
	} else if err != nil {
		return err
	}
	line := slices.Clone(t.fields)
	for i := range line {
		line[i] = strings.TrimSpace(line[i])
	}
	header, err := t.understand(line, lay)
	if err != nil {
		return fmt.Errorf("%s: first line: %w", t.name, err)
	}
	if !header {
		t.first = true
		return nil
	}
	t.record = 0
	if err := checkText("column name", line...); err != nil {
		return fmt.Errorf("%s: header: %w", t.name, err)
	}
	return nil
}

// skipMark skips the mark that some programs begin a text with, and refuses what begins like no text in UTF-8.
func (t *table) skipMark() error {
	switch {
	case t.begins("\ufeff"):
		_, err := t.Discard(len("\ufeff"))
		return err
	case t.begins("\xff\xfe"), t.begins("\xfe\xff"):
		return hint.With(fmt.Errorf("%s: is text in UTF-16, want UTF-8", t.name), "save it as CSV in UTF-8")
	case t.begins(zipMagic):
		return t.archived()
	}
	return t.foreign()
}

// names returns the names of the features, as far as categories are known; nil without a header, unless there are
// categories.
func (t *table) names() (names []string) {
	for i := range t.columns {
		names = append(names, t.columns[i].names()...)
	}
	if t.header == nil && !slices.ContainsFunc(t.columns, func(c column) bool { return c.isCategory() }) {
		return nil
	}
	return names
}

// names returns the names of a column's features.
func (c *column) names() (names []string) {
	name := c.Name
	if name == "" {
		name = fmt.Sprintf("column %d", c.at+1)
	}
	if c.Kind == encoding.NumberColumn {
		return []string{name}
	}
	for _, category := range c.Categories {
		names = append(names, name+"="+category)
	}
	return names
}

// next goes to the next record. It returns io.EOF after the last.
func (t *table) next() error {
	if t.first {
		t.first = false
		return nil
	}
	return t.fetch()
}

func (t *table) fetch() error {
	t.budget.left = maxRecord
	t.record++
	fields, err := t.csv.Read()
	var bad *csv.ParseError
	switch {
	case errors.As(err, &bad) && errors.Is(err, csv.ErrFieldCount):
		return t.fault(t.record, "line %d: %d columns, want %d as in the first line", bad.Line, len(fields),
			t.csv.FieldsPerRecord)
	case errors.As(err, &bad):
		return t.fault(t.record, "line %d: %w", bad.Line, bad.Err)
	case err == io.EOF:
		return err
	case err != nil:
		return t.fault(t.record, "%w", damaged(err))
	}
	t.fields = fields
	return nil
}

// wrong is an error in the current record.
func (t *table) wrong(format string, args ...any) error {
	line, _ := t.csv.FieldPos(0)
	return t.fault(t.record, "line %d: %w", line, fmt.Errorf(format, args...))
}

// called names a column for an error: by its number and, where there is a header, its name.
func (t *table) called(at int) string {
	if t.header == nil {
		return fmt.Sprintf("column %d", at+1)
	}
	return fmt.Sprintf("column %d (%s)", at+1, shown(t.header[at]))
}

// class returns the current record's label, which is valid until the next record.
func (t *table) class() (string, error) {
	label := strings.TrimSpace(t.fields[t.label])
	if label == "" {
		return "", t.wrong("the label, %s, is empty", t.called(t.label))
	}
	if len(label) > maxLabel {
		return "", t.wrong("the label, %s, is longer than %d bytes", t.called(t.label), maxLabel)
	}
	if err := checkText("label", label); err != nil {
		return "", t.wrong("%w", err)
	}
	return label, nil
}

// field returns what stands in a column of the current record, and whether its value is missing. It is an error if
// none may be.
func (t *table) field(c *column) (text string, missing bool, err error) {
	text = strings.TrimSpace(t.fields[c.at])
	if !encoding.MissingValue(text) {
		return text, false, nil
	}
	if c.Missing {
		return text, true, nil
	}
	if text == "" {
		err = t.wrong("%s is empty, want a %s", t.called(c.at), c.Kind)
	} else {
		err = t.wrong("%s: %s stands for a value that is missing", t.called(c.at), shown(text))
	}
	remedy := "fill it in: the model was trained without missing values (data.missing)"
	if t.training {
		remedy = "data.missing: median fills numbers and leaves categories open; or name the column in data.drop"
	}
	return text, true, hint.With(err, "%s", remedy)
}

// number returns the value of a column of numbers in the current record, a finite number.
func (t *table) number(c *column) (x float64, missing bool, err error) {
	if x, ok := wholeNumber(t.fields[c.at]); ok {
		return x, false, nil
	}
	text, missing, err := t.field(c)
	if missing || err != nil {
		return c.Fill, missing, err
	}
	x, err = t.parse(text)
	switch {
	case err != nil && !errors.Is(err, strconv.ErrRange):
		return 0, false, t.notNumber(c, text)
	case err != nil || math.IsNaN(x) || math.IsInf(x, 0):
		return 0, false, t.wrong("%s: %s is not a finite number", t.called(c.at), shown(text))
	}
	return x, false, nil
}

// notNumber is the error that a column of numbers holds something else.
func (t *table) notNumber(c *column, text string) error {
	err := t.wrong("%s: %s is not a number", t.called(c.at), shown(text))
	_, other := parseNumber(text, !t.comma)
	switch {
	case other == nil && t.comma:
		return hint.With(err, "it has a point, and data.decimal is comma")
	case other == nil:
		return hint.With(err, "data.decimal: comma reads numbers with a comma")
	case t.training:
		return hint.With(err, "name the column in data.categories if it holds words, or in data.drop to leave it out")
	}
	return err
}

// parse reads a number in the table's way.
func (t *table) parse(text string) (float64, error) { return parseNumber(text, t.comma) }

// parseNumber reads a number with a decimal point or a decimal comma, of which there is at most one.
func parseNumber(text string, comma bool) (float64, error) {
	if comma {
		if strings.Contains(text, ".") {
			return 0, strconv.ErrSyntax
		}
		text = strings.Replace(text, ",", ".", 1)
	}
	if strings.ContainsAny(text, "xX_") { // a form of Go's alone, such as 0x1p-2
		return 0, strconv.ErrSyntax
	}
	return strconv.ParseFloat(text, 64)
}

// wholeNumber reads a number of nothing but digits, so few that it is exact, as most fields of most tables are: in a
// quarter of the time of looking for spaces, words for what is missing, and a point.
func wholeNumber(text string) (x float64, ok bool) {
	if len(text) == 0 || len(text) > 15 {
		return 0, false
	}
	n := uint64(0)
	for _, c := range []byte(text) {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = 10*n + uint64(c-'0')
	}
	return float64(n), true
}

// category returns the word in a column of categories in the current record.
func (t *table) category(c *column) (word string, missing bool, err error) {
	word, missing, err = t.field(c)
	if missing || err != nil {
		return "", missing, err
	}
	if err := checkCategory(word); err != nil {
		return "", false, t.wrong("%s: %w", t.called(c.at), err)
	}
	return word, false, nil
}

// checkCategory refuses words that no category has.
func checkCategory(word string) error {
	if len(word) > maxLabel {
		return fmt.Errorf("category of more than %d bytes", maxLabel)
	}
	return checkText("category", word)
}

// words writes the features of the current record as integers up to max: quantised,
// or without a quantiser as they are.
func (t *table) words(dst []uint16, q *encoding.Quantiser, max uint32) error {
	f := 0
	for i := range t.columns {
		c := &t.columns[i]
		if c.isCategory() {
			if err := t.oneHot(dst[f:f+len(c.Categories)], c, max); err != nil {
				return err
			}
			f += len(c.Categories)
			continue
		}
		x, _, err := t.number(c)
		switch {
		case err != nil:
			return err
		case q != nil:
			dst[f] = q.Apply(f, x, max)
		case !isWord(x, max):
			return t.wrong("%s is %g, want an integer of 0..%d", t.called(c.at), x, max)
		default:
			dst[f] = uint16(x)
		}
		f++
	}
	return nil
}

// oneHot writes the features of a category: one of them is max, none if its word is missing or did not occur in
// training.
func (t *table) oneHot(dst []uint16, c *column, max uint32) error {
	word, missing, err := t.category(c)
	if err != nil {
		return err
	}
	clear(dst)
	if i, known := slices.BinarySearch(c.Categories, word); known && !missing {
		dst[i] = uint16(max)
	}
	return nil
}

func (c *column) isCategory() bool { return c.Kind == encoding.CategoryColumn }

// budget ends a record that takes more than its share of memory.
type budget struct {
	r    io.Reader
	left int
}

func (b *budget) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, fmt.Errorf("longer than %d MiB: a quote is not closed, or this is no CSV file", maxRecord>>20)
	}
	n, err := b.r.Read(p[:min(len(p), b.left)])
	b.left -= n
	return n, err
}

// checkText refuses text that could break out of a comment in generated source.
func checkText(what string, text ...string) error {
	for _, s := range text {
		if !utf8.ValidString(s) || strings.ContainsFunc(s, unicode.IsControl) {
			return fmt.Errorf("%s %s holds control characters or is not UTF-8", what, shown(s))
		}
	}
	return nil
}

// shown quotes a field of the file for an error message.
func shown(s string) string {
	if len(s) > 40 {
		return strconv.Quote(s[:40]) + "..."
	}
	return strconv.Quote(s)
}

func abridged(line []string) string {
	if len(line) > 8 {
		return fmt.Sprintf("%q and %d more", line[:8], len(line)-8)
	}
	return fmt.Sprintf("%q", line)
}
