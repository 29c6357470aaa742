package dataset

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"ialgn/internal/message"
)

// leastAhead is the least number of training rows that are read ahead to determine the columns. It applies even if
// the rows are very long.
const leastAhead = 8

// readAhead reads the first rows. The columns are determined from these rows. If a model reads the file, readAhead
// takes only the rows that are already available, because the next row may come late.
func (t *table) readAhead() {
	enough := headBytes / 2
	if _, err := t.csv.in.Peek(headBytes); err != nil {
		enough = headBytes // the text has ended
	}
	for begun := t.csv.bytes; ; {
		fields, err := t.csv.read()
		t.ahead = append(t.ahead, record{slices.Clone(fields), t.csv.line, err})
		done := t.csv.bytes - begun
		if err != nil || done >= enough && (t.known || len(t.ahead) > leastAhead || done > maxRecord) {
			return
		}
	}
}

// rows returns the first rows, without leading rows that consist only of separators.
func (t *table) rows() (rows [][]string) {
	for t.skipBlank && len(t.ahead) > 1 && isBlank(t.ahead[0].fields) && t.ahead[0].err == nil {
		t.ahead = t.ahead[1:]
	}
	for _, r := range t.ahead {
		if r.err != nil {
			break
		}
		for i, field := range r.fields {
			r.fields[i] = strings.TrimSpace(field)
		}
		rows = append(rows, r.fields)
	}
	return rows
}

// noRows returns the error that says why there are no first rows.
func (t *table) noRows() error {
	if err := t.next(); !errors.Is(err, io.EOF) {
		return err
	}
	return fmt.Errorf("%s: the file has no records", t.name)
}

// isBlank reports whether all fields are empty.
func isBlank(fields []string) bool {
	return !slices.ContainsFunc(fields, func(f string) bool { return strings.TrimSpace(f) != "" })
}

// leaveBlank sets the width of the table. It removes empty last columns from the first rows if they have neither a
// name nor a value. Files whose lines end with separators have such columns.
func (t *table) leaveBlank(rows [][]string, lay layout) (without [][]string) {
	all := len(rows[0])
	t.width = all
	holds := func(r []string) bool { return len(r) >= t.width && r[t.width-1] != "" }
	for t.width > 1 && !slices.ContainsFunc(rows, holds) {
		t.width--
	}
	asked := len(lay.only) > 0 || slices.ContainsFunc(append(lay.noFeatures(), lay.label), func(name string) bool {
		return columnNumber(name, all) >= t.width
	})
	if asked || t.width < all && lay.fits(all) {
		t.width = all
	}
	if t.width == all {
		return rows
	}
	for _, r := range rows {
		without = append(without, r[:min(len(r), t.width)])
	}
	return without
}

// fits reports whether a model can read a file with the given number of columns.
func (lay layout) fits(columns int) bool {
	if lay.columns != nil {
		return (&table{}).byPlace(make([]string, columns), lay.columns) == nil
	}
	return lay.features > 0 && (columns == lay.features || columns == lay.features+1)
}

// next goes to the next record. After the last record, it returns io.EOF. It skips records that consist only of
// separators. However, such a record may be a row without a label in which all values are missing. If the model
// accepts such rows, next skips these records only at the end of the file.
func (t *table) next() error {
	if t.blank > 0 {
		t.blank, t.record, t.at = t.blank-1, t.record+1, t.at+1
		return nil
	}
	if t.held != nil {
		r := *t.held
		t.held = nil
		return t.accept(r)
	}
	r := t.take()
	if r.err != nil || t.width < 2 || !isBlank(r.fields) {
		return t.accept(r)
	}
	blank := record{make([]string, t.width), r.line, nil}
	for n := 0; ; n++ {
		if r = t.take(); r.err == nil && isBlank(r.fields) {
			continue
		}
		if t.skipBlank || t.label >= 0 || errors.Is(r.err, io.EOF) {
			return t.accept(r)
		}
		t.held, t.blank = &r, n
		return t.accept(blank)
	}
}

// take returns the next record of the file. The record remains valid during the next call of take, but not during the
// one after that.
func (t *table) take() record {
	if len(t.ahead) > 0 {
		r := t.ahead[0]
		t.ahead = t.ahead[1:]
		return r
	}
	fields, err := t.csv.read()
	return record{fields, t.csv.line, err}
}

// accept makes r the current record.
func (t *table) accept(r record) error {
	t.record++
	t.at = r.line
	switch {
	case errors.Is(r.err, io.EOF):
		return io.EOF
	case r.err != nil:
		return t.fault(t.record, "%w", damaged(r.err))
	case len(r.fields) < t.width || !isBlank(r.fields[t.width:]):
		return t.uneven(r.fields)
	}
	t.fields = r.fields[:t.width]
	return nil
}

// uneven returns the error for a current record whose number of fields differs from the first line.
func (t *table) uneven(fields []string) error {
	err := t.fault(t.record, "line %d: %d columns, but the first line has %d", t.at, len(fields), t.width)
	switch {
	case t.csv.separator == ' ' && len(fields) > 1 && strings.Contains(fields[1], ":"):
		return message.WithHint(err, "the sparse format of LIBSVM is not read; write one column for each feature")
	case len(fields) == t.width+1 && t.record == 1 && t.header != nil:
		return message.WithHint(err, "R writes row names to a column without a name; use write.csv(x, NAME, row.names = "+
			"FALSE)")
	}
	return err
}
