package dataset

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"ialgn/internal/encoding"
	"ialgn/internal/message"
)

const (
	maxRecord = 4 << 20 // greatest size of a CSV record in bytes
	maxLabel  = 256     // greatest size of a label in bytes
)

// table reads a CSV file record by record. It has columns of features and at most one label.
type table struct {
	*stream
	notation           // notation of numbers
	file      *file    // nil if the file can be read only once
	csv       *records //
	ahead     []record // records that were read to determine the columns
	width     int      // number of columns
	skipBlank bool     // rows that consist only of separators are skipped
	features  int      // number of features that the columns become
	header    []string // names of all columns; nil if there is no header
	columns   []column // the columns that become features, in order
	label     int      // the label's column, or -1 if there is none
	group     int      // the column of data.group, or -1 if there is none
	numbered  bool     // the layout gives the label by number, not by name
	points    bool     // the first rows have numbers with a decimal point
	declared  []string // words for a missing value, in addition to the usual words
	known     bool     // a model reads the file, so the number of features is known
	classes   []string // the known classes of labels

	fields []string // fields of the current record
	record int      // number of the current record, counted from 1, without the header
	at     int      // line in which the current record begins
	blank  int      // number of empty records that come next
	held   *record  // the record after the empty records
}

// record is a record together with the line in which it begins. If reading failed, it has an error instead.
type record struct {
	fields []string
	line   int
	err    error
}

// column is a column of a table that becomes features.
type column struct {
	encoding.Column
	at    int  // index in a record, counted from 0
	words bool // the first rows hold words in this column
}

// openTable opens a CSV file and determines its columns from the first rows.
func openTable(f file, lay layout) (*table, error) {
	t, err := f.table(lay)
	if err != nil {
		return nil, err
	}
	return t, t.orClose(t.begin(lay))
}

// tableOf determines the columns of a CSV file from its first rows. On an error, tableOf closes the stream.
func tableOf(s *stream, lay layout) (*table, error) {
	t, err := newTable(s, lay)
	if err != nil {
		return nil, err
	}
	return t, t.orClose(t.begin(lay))
}

// table opens a file as a table. The table's columns are not yet determined.
func (f file) table(lay layout) (*table, error) {
	s, err := f.stream()
	if err != nil {
		return nil, err
	}
	t, err := newTable(s, lay)
	if err != nil {
		return nil, err
	}
	t.file = &f
	return t, nil
}

// newTable returns a table that reads the stream. The first rows of the table were already read. On an error,
// newTable closes the stream.
func newTable(s *stream, lay layout) (*table, error) {
	t := &table{
		stream: s, label: -1, group: -1, skipBlank: !lay.mayLack(), known: lay.features > 0, declared: lay.words,
		classes: lay.classes,
	}
	return t, t.orClose(t.look(lay))
}

// orClose closes the table if err is not nil. It returns err.
func (t *table) orClose(err error) error {
	if err != nil {
		t.Close()
	}
	return err
}

// look determines the form of the text and reads its first rows.
func (t *table) look(lay layout) error {
	text, err := t.text()
	if err != nil {
		return err
	}
	t.csv = &records{in: text}
	names, err := t.weka()
	if err != nil {
		return err
	}
	t.csv.weka = names != nil
	t.csv.separator, err = t.skipSep()
	if err != nil {
		return err
	}
	if lay.separator != 0 {
		t.csv.separator = lay.separator
	} else if t.csv.separator == 0 {
		head, err := text.Peek(headBytes)
		t.csv.separator = separatorOf(head, err != nil, t.csv.weka)
	}
	if names != nil {
		t.ahead = append(t.ahead, record{fields: names, line: t.csv.lines})
	}
	t.readAhead()
	t.notation = lay.notation
	if t.csv.separator == ',' && lay.separator == 0 { // a separator that was given is no decimal comma
		t.comma = lay.comma && slices.ContainsFunc(t.ahead, func(r record) bool {
			return slices.ContainsFunc(r.fields, func(f string) bool {
				_, ok := (notation{comma: true, thousands: t.thousands}).finite(f)
				return ok && strings.Contains(f, ",")
			})
		})
	}
	if r := t.ahead[0]; errors.Is(r.err, io.EOF) {
		return fmt.Errorf("%s: the file is empty", t.name)
	}
	return nil
}

// begin determines the columns.
func (t *table) begin(lay layout) error {
	rows := t.rows()
	if t.csv.weka {
		lay.header = "yes"
	}
	if len(rows) == 0 {
		return t.noRows()
	}
	rows = t.leaveBlank(rows, lay)
	header, err := t.understand(rows, lay)
	if err != nil {
		return fmt.Errorf("%s: first line: %w", t.name, err)
	}
	if !header {
		return nil
	}
	t.ahead = t.ahead[1:]
	if err := checkText("column name", rows[0]...); err != nil {
		return fmt.Errorf("%s: header: %w", t.name, err)
	}
	return nil
}

// names returns the names of the features, including the categories that are known so far. If there is neither a
// header nor a category, it returns nil.
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
	name := c.title()
	if c.Kind == encoding.NumberColumn {
		return []string{name}
	}
	for _, category := range c.Categories {
		names = append(names, name+"="+category)
	}
	return names
}

// title returns the name of a column, or its number if there is no header.
func (c *column) title() string {
	if c.Name == "" {
		return fmt.Sprintf("column %d", c.at+1)
	}
	return c.Name
}

// wrong returns an error for the current record.
func (t *table) wrong(format string, args ...any) error {
	return t.fault(t.record, "line %d: %w", t.at, fmt.Errorf(format, args...))
}

// called returns the name of a column for errors. It consists of the number and, if there is a header, the name.
func (t *table) called(at int) string {
	if t.header == nil {
		return fmt.Sprintf("column %d", at+1)
	}
	return fmt.Sprintf("column %d (%s)", at+1, shown(t.header[at]))
}

// class returns the current record's label. The result is valid until the next record is read.
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

// field returns the text of a column in the current record. missing reports whether the value is missing. field
// returns an error if a value is missing where it must not be.
func (t *table) field(c *column) (text string, missing bool, err error) {
	text = strings.TrimSpace(t.fields[c.at])
	if missing = t.lacks(c.Kind, text); !missing {
		return text, false, nil
	}
	if c.Missing {
		return text, true, nil
	}
	if text == "" {
		err = t.wrong("%s is empty, want a %s", t.called(c.at), c.Kind)
	} else {
		err = t.wrong("%s: %s marks a missing value", t.called(c.at), shown(text))
	}
	remedy := "fill in the value: the model was trained without missing values (data.missing)"
	if !t.known {
		remedy = "set data.missing: median to fill in numbers, or exclude the column with data.drop"
	}
	return text, true, message.WithHint(err, "%s", remedy)
}

// number returns the finite number in a column of the current record.
func (t *table) number(c *column) (x float64, missing bool, err error) {
	text := strings.TrimSpace(t.fields[c.at])
	if len(t.declared) == 0 || !slices.Contains(t.declared, text) {
		if x, ok := wholeNumber(text); ok {
			return x, false, nil
		}
		if x, ok := t.finite(text); ok {
			return x, false, nil
		}
	}
	text, missing, err = t.field(c)
	switch {
	case missing || err != nil:
		return c.Fill, missing, err
	case isInfinite(text), t.tooLarge(text):
		err = t.wrong("%s: %s is not a finite number", t.called(c.at), shown(text))
		return 0, false, message.WithHint(err, "%s", t.declare(text))
	}
	return 0, false, t.notNumber(c, text)
}

// tooLarge reports whether a number is too large for a float64.
func (t *table) tooLarge(text string) bool {
	_, err := t.parse(text)
	return errors.Is(err, strconv.ErrRange)
}

// wholeNumber reads a number that consists only of digits and is short enough to be exact. Most fields of most tables
// are such numbers. wholeNumber takes a quarter of the time that is needed to search for spaces, marks of missing
// values, and a point.
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

// category returns the word of the current record in a column of categories.
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

// checkCategory returns an error for a word that cannot be a category.
func checkCategory(word string) error {
	if len(word) > maxLabel {
		return fmt.Errorf("category of more than %d bytes", maxLabel)
	}
	return checkText("category", word)
}

// words writes the feature words of the current record to dst.
func (t *table) words(dst []uint16, s *scaling) error {
	f := 0
	for i := range t.columns {
		c := &t.columns[i]
		if c.isCategory() {
			if err := t.oneHot(dst[f:f+len(c.Categories)], c, s.max); err != nil {
				return err
			}
			f += len(c.Categories)
			continue
		}
		x, _, err := t.number(c)
		if err != nil {
			return err
		}
		var ok bool
		if dst[f], ok = s.word(f, x); !ok {
			return t.wrong("%s is %g, want an integer of 0..%d", t.called(c.at), x, s.max)
		}
		f++
	}
	return nil
}

// oneHot writes the features of a category column. The feature of the record's word gets the value max, and all other
// features get 0. If the word is missing or did not occur in training, all features are 0.
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

// checkText returns an error for text that could end a comment in generated source.
func checkText(what string, text ...string) error {
	for _, s := range text {
		switch {
		case !utf8.ValidString(s):
			return message.WithHint(fmt.Errorf("%s %s is not in UTF-8", what, shown(s)), "%s", toUTF8)
		case strings.ContainsFunc(s, unicode.IsControl):
			return fmt.Errorf("%s %s holds control characters", what, shown(s))
		}
	}
	return nil
}

// shown returns a field of the file in quotes, for an error.
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
