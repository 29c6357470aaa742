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

	"ialgn/trainer/encoding"
)

const (
	maxRecord = 4 << 20 // bytes of one CSV record
	maxLabel  = 256     // bytes of one label
)

// layout says how the columns of a CSV file are to be understood.
type layout struct {
	header   string   // auto (or empty), yes, no
	label    string   // name of the label column, or without a header its number, from 1; empty: the last one
	features int      // number of features if it is known, else 0; where it is known, records may lack the label
	names    []string // feature names that mark a first line as the header, even if they look like numbers
}

// table reads a CSV file record by record: numeric features and at most one label.
type table struct {
	*stream
	csv      *csv.Reader
	budget   *budget
	features int
	names    []string // names of the features; nil without a header
	label    int      // column, -1 if there is none
	numbered bool     // the layout gives its number, not its name

	fields []string // fields of the current record
	record int      // number of the current record, from 1, not counting the header
	first  bool     // fields holds the first record, not yet handed out
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
	t := &table{stream: s, budget: &budget{r: s}}
	t.csv = csv.NewReader(t.budget)
	t.csv.ReuseRecord, t.csv.TrimLeadingSpace = true, true
	if err := t.begin(lay); err != nil {
		s.Close()
		return nil, err
	}
	return t, nil
}

func (t *table) begin(lay layout) error {
	if bom, _ := t.Peek(3); string(bom) == "\ufeff" {
		if _, err := t.Discard(3); err != nil {
			return err
		}
	}
	if err := t.fetch(); errors.Is(err, io.EOF) {
		return fmt.Errorf("%s: the file is empty", t.name)
	} else if err != nil {
		return err
	}
	line := slices.Clone(t.fields)
	for i := range line {
		line[i] = strings.TrimSpace(line[i])
	}
	if err := t.columns(line, lay); err != nil {
		return fmt.Errorf("%s: first line: %w", t.name, err)
	}
	header, err := t.header(line, lay)
	if err != nil {
		return fmt.Errorf("%s: first line: %w", t.name, err)
	}
	if !header {
		t.first = true
		return nil
	}
	t.record = 0
	t.names = t.without(line)
	if err := checkText("column name", line...); err != nil {
		return fmt.Errorf("%s: header: %w", t.name, err)
	}
	return nil
}

// columns finds the label column and counts the features.
func (t *table) columns(line []string, lay layout) error {
	if err := t.findLabel(line, lay); err != nil {
		return err
	}
	t.features = len(line)
	if t.label >= 0 {
		t.features--
	}
	if t.features < 1 || t.features > MaxFeatures {
		return fmt.Errorf("%d columns, want a label and 1 to %d features, separated by commas", len(line), MaxFeatures)
	}
	return nil
}

// findLabel finds the label column, by its name or its number, else by its place.
func (t *table) findLabel(line []string, lay layout) error {
	at, number := slices.Index(line, lay.label), lay.number(line)
	known := lay.features != 0
	switch {
	case lay.label != "" && lay.header == "no" && number < 0:
		return fmt.Errorf("data.label: %q is no column, and data.header says that there is no header; give a number from "+
			"1 to %d", lay.label, len(line))
	case known && len(line) == lay.features:
		t.label = -1
		return nil
	case known && len(line) != lay.features+1:
		return fmt.Errorf("%d columns, want %d features and at most a label", len(line), lay.features)
	case number >= 0 && at >= 0 && lay.uncertain() && allNumbers(line):
		return fmt.Errorf("data.label: %s stands in a line of numbers: say with data.header whether that is a header with "+
			"this name (yes), or the label is in column %[1]s (no)", lay.label)
	case number >= 0 && (at < 0 || !lay.uncertain()):
		t.label, t.numbered = number, true
		return nil
	}
	return t.namedLabel(line, lay)
}

// namedLabel takes the column that has the name of the label, and the last one where there is no
// name or, of a file for prediction, no column of that name.
func (t *table) namedLabel(line []string, lay layout) error {
	at := slices.Index(line, lay.label)
	switch {
	case lay.label != "" && at >= 0:
		if t.label = at; slices.Contains(line[at+1:], lay.label) {
			return fmt.Errorf("two columns are named %q, rename the one that is not the label", lay.label)
		}
	case lay.label != "" && lay.features == 0:
		return fmt.Errorf("no column is named %q (data.label), the first line has %s", lay.label, abridged(line))
	default:
		t.label = len(line) - 1
	}
	return nil
}

// number returns the column that a label gives by its number, -1 if it gives none. Where
// there is a header for certain, it gives a name.
func (lay layout) number(line []string) int {
	n, err := strconv.Atoi(lay.label)
	if err != nil || n < 1 || n > len(line) || lay.header == "yes" || lay.features != 0 && lay.names != nil {
		return -1
	}
	return n - 1
}

// uncertain reports whether a label may be a name or a number: nothing says whether there is a header.
func (lay layout) uncertain() bool { return lay.header != "no" && lay.features == 0 }

func allNumbers(line []string) bool {
	return !slices.ContainsFunc(line, func(field string) bool {
		_, err := strconv.ParseFloat(field, 64)
		return err != nil
	})
}

// header decides whether the first line is one: all of its features must be numbers or
// none, anything between is too likely a fault in the data to be guessed at.
func (t *table) header(line []string, lay layout) (bool, error) {
	switch lay.header {
	case "yes":
		return true, nil
	case "no":
		return false, nil
	case "", "auto":
	default:
		return false, fmt.Errorf("data.header: %q is unknown, want auto, yes or no", lay.header)
	}
	if lay.label != "" && t.label >= 0 && !t.numbered && line[t.label] == lay.label {
		return true, nil
	}
	fields := t.without(line)
	if slices.Equal(fields, lay.names) {
		return true, nil
	}
	numbers, other := 0, ""
	for _, field := range fields {
		if _, err := strconv.ParseFloat(field, 64); err == nil {
			numbers++
		} else {
			other = field
		}
	}
	if numbers > 0 && numbers < t.features {
		return false, fmt.Errorf("%q is not a number and others are: say with data.header whether this "+
			"is a header (yes or no)", other)
	}
	if numbers == 0 && t.numbered && lay.features == 0 {
		return false, fmt.Errorf("no column is named %q (data.label), the first line has %s", lay.label, abridged(line))
	}
	return numbers == 0, nil
}

// without returns the line's fields but the label.
func (t *table) without(line []string) []string {
	if t.label < 0 {
		return line
	}
	return slices.Delete(slices.Clone(line), t.label, t.label+1)
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

// class returns the current record's label, which is valid until the next record.
func (t *table) class() (string, error) {
	label := strings.TrimSpace(t.fields[t.label])
	if label == "" {
		return "", t.wrong("the label (column %d) is empty", t.label+1)
	}
	if len(label) > maxLabel {
		return "", t.wrong("the label (column %d) is longer than %d bytes", t.label+1, maxLabel)
	}
	if err := checkText("label", label); err != nil {
		return "", t.wrong("%w", err)
	}
	return label, nil
}

// number returns feature f of the current record, a finite number.
func (t *table) number(f int) (float64, error) {
	column := f
	if t.label >= 0 && f >= t.label {
		column++
	}
	field := strings.TrimSpace(t.fields[column])
	x, err := strconv.ParseFloat(field, 64)
	switch {
	case field == "":
		return 0, t.wrong("column %d is empty, want a number", column+1)
	case err != nil && !errors.Is(err, strconv.ErrRange):
		return 0, t.wrong("column %d: %s is not a number", column+1, shown(field))
	case err != nil || math.IsNaN(x) || math.IsInf(x, 0):
		return 0, t.wrong("column %d: %s is not a finite number", column+1, shown(field))
	}
	return x, nil
}

// words writes the features of the current record as integers up to max: quantised,
// or without a quantiser as they are.
func (t *table) words(dst []uint16, q *encoding.Quantiser, max uint32) error {
	for f := range dst {
		x, err := t.number(f)
		if err != nil {
			return err
		}
		if q != nil {
			dst[f] = q.Apply(f, x, max)
			continue
		}
		if x != math.Trunc(x) || x < 0 || x > float64(max) {
			return t.wrong("feature %d is %g, want an integer of 0..%d", f, x, max)
		}
		dst[f] = uint16(x)
	}
	return nil
}

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
