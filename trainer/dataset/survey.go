package dataset

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"math"
	"slices"
	"strings"

	"ialgn/internal/hint"
	"ialgn/trainer/config"
	"ialgn/trainer/encoding"
)

// Survey is what a look at a CSV file finds without being told what its columns are, and how they should be read.
type Survey struct {
	Separator string // comma, semicolon or tab
	Decimal   string // point or comma
	Header    bool
	Rows      int
	Columns   []Surveyed
	Classes   []Counted // in the order of their first rows
}

// Surveyed is a column of a survey.
type Surveyed struct {
	Name     string              `json:"name"`   // empty without a header
	Number   int                 `json:"number"` // from 1
	Kind     encoding.ColumnKind `json:"kind"`   // how it should be read
	Reason   string              `json:"reason,omitempty"`
	Distinct int                 `json:"distinct"` // different values; MostDistinct stands for as many or more
	Missing  int                 `json:"missing"`
	Constant bool                `json:"constant"`
	Min      *float64            `json:"min,omitempty"` // of a column of numbers
	Max      *float64            `json:"max,omitempty"`

	Categories []string `json:"categories,omitempty"` // words of a category
}

// Counted is a word with how often it occurs.
type Counted struct {
	Name  string `json:"name"`
	Count int    `json:"count"`
}

// MostDistinct is how many different values of a column are counted.
const MostDistinct = 10_000

// When a column of a survey is taken for an identifier: it has this many values at least, and each of them is one more
// than that before; or it has words, of which more than half are different.
const identifierRows = 10

// leastValues is how many values a column that has missing ones has at least: fewer may all be in the test part.
const leastValues = 5

// surveyRows is how many rows are looked at to see whether the first one is a header.
const surveyRows = 200

// SurveyTable surveys the training file of a CSV set. The label is that of the configuration, else the last column.
func SurveyTable(ctx context.Context, cfg config.Data, folders []string) (*Survey, error) {
	f, err := findCSV(cfg, folders)
	if err != nil {
		return nil, err
	}
	return survey(ctx, cfg, f.files[0])
}

func survey(ctx context.Context, cfg config.Data, f file) (*Survey, error) {
	l, err := lookThrough(ctx, cfg, f)
	if err != nil {
		return nil, err
	}
	return l.survey, l.judge()
}

// lookThrough looks at all rows of a file.
func lookThrough(ctx context.Context, cfg config.Data, f file) (*looker, error) {
	l, first, err := begin(cfg, f)
	if err != nil {
		return nil, err
	}
	if l.table, err = l.open(f); err != nil {
		return nil, err
	}
	defer l.Close()
	if err := l.understand(first, cfg); err != nil {
		return nil, fmt.Errorf("%s: first line: %w", l.name, err)
	}
	return l, l.read(ctx)
}

// looker is a survey under way.
type looker struct {
	*table
	layout layout
	survey *Survey
	seen   []looked
	at     map[string]int // place of each class in the survey
}

// begin reads the first rows of a file, by which it is seen whether one is a header.
func begin(cfg config.Data, f file) (l *looker, first [][]string, err error) {
	lay, err := layoutOf(&cfg)
	if err != nil {
		return nil, nil, err
	}
	l = &looker{layout: lay, at: map[string]int{}}
	if l.table, err = l.open(f); err != nil {
		return nil, nil, err
	}
	defer l.Close()
	l.survey = &Survey{Separator: nameOf(l.csv.Comma)}
	l.layout.separator = l.csv.Comma
	for bytes := 0; len(first) < surveyRows && bytes < maxRecord; {
		row, err := l.row()
		if errors.Is(err, io.EOF) || err != nil && len(first) > 0 {
			break // what is wrong is found again
		}
		if err != nil {
			return nil, nil, err
		}
		for _, field := range row {
			bytes += len(field)
		}
		first = append(first, slices.Clone(row))
	}
	if len(first) == 0 {
		return nil, nil, fmt.Errorf("%s: the file is empty", l.name)
	}
	return l, first, nil
}

// open opens the file without a view of its columns.
func (l *looker) open(f file) (*table, error) {
	s, err := f.stream()
	if err != nil {
		return nil, err
	}
	t := newTable(s)
	t.label, t.training = -1, true
	if err := t.skipMark(); err != nil {
		s.Close()
		return nil, err
	}
	t.separate(l.layout)
	return t, nil
}

// nameOf returns the name of a separator.
func nameOf(separator rune) string {
	i := slices.IndexFunc(separators, func(s struct {
		name string
		char rune
	},
	) bool {
		return s.char == separator
	})
	return separators[i].name
}

// looked is what has been seen of a column.
type looked struct {
	values, numbers, missing int
	points, commas           int // numbers that have one
	lo, hi                   float64
	sequence                 bool // each is one more than that before
	last                     float64
	distinct                 map[uint64]bool // hashes of the values, which may be long and many
	words                    []string        // the first of the different values, as many as a column of categories has
	unfit                    string          // why some value can be no category
	word                     string          // the first value that is no number
	comma                    string          // the first number with a comma
}

// read looks at all rows.
func (l *looker) read(ctx context.Context) error {
	if l.survey.Header {
		if err := l.fetch(); err != nil {
			return err
		}
		l.record = 0
	}
	for {
		row, err := l.row()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
		if err := cmp.Or(l.add(row), ctx.Err()); err != nil {
			return err
		}
	}
}

// row reads the next row.
func (l *looker) row() ([]string, error) {
	if err := l.fetch(); err != nil {
		return nil, err
	}
	for i, field := range l.fields {
		l.fields[i] = strings.TrimSpace(field)
	}
	return l.fields, nil
}

// understand finds out about the header and the label.
func (l *looker) understand(rows [][]string, cfg config.Data) error {
	line := rows[0]
	number := columnNumber(cfg.Label, len(line))
	l.survey.Header = looksLikeHeader(rows, cfg)
	l.label = len(line) - 1
	switch at := slices.Index(line, cfg.Label); {
	case cfg.Label == "":
	case l.survey.Header && at >= 0:
		l.label = at
	case !l.survey.Header && number >= 0:
		l.label = number
	case !l.survey.Header:
		return hint.With(fmt.Errorf("no column is named %q, and this looks like a file without a header", cfg.Label),
			"give the number of the column, from 1 to %d, or say that there is a header with data.header: yes", len(line))
	default:
		return noColumn("data.label", cfg.Label, line)
	}
	if len(line) < 2 || len(line) > MaxFeatures {
		return fmt.Errorf("%d columns, want a label and 1 to %d features, separated by commas, semicolons or tabs", len(line),
			MaxFeatures)
	}
	if l.survey.Header {
		l.header = line
		if err := checkText("column name", line...); err != nil {
			return err
		}
	}
	l.seen = make([]looked, len(line))
	return nil
}

// looksLikeHeader compares the first row with those below it. It is a header if it has the name of the label, or has no
// number and some column below it has; and where there are only words, if none of its own occurs below in its column.
func looksLikeHeader(rows [][]string, cfg config.Data) bool {
	if cfg.Header == "yes" || cfg.Header == "no" {
		return cfg.Header == "yes"
	}
	line := rows[0]
	number := func(field string) bool {
		_, point := parseNumber(field, false)
		_, comma := parseNumber(field, true)
		return point == nil || comma == nil
	}
	if slices.Contains(line, cfg.Label) && !number(cfg.Label) {
		return true
	}
	if slices.ContainsFunc(line, number) {
		return false
	}
	again := false
	for _, row := range rows[1:] {
		for i, field := range row {
			if number(field) {
				return true
			}
			again = again || field == line[i]
		}
	}
	return !again
}

// add looks at a row.
func (l *looker) add(row []string) error {
	l.survey.Rows++
	for i, field := range row {
		if i == l.label {
			continue
		}
		l.seen[i].add(field, l.csv.Comma != ',')
	}
	label, err := l.class()
	if err != nil {
		return err
	}
	at, known := l.at[label]
	if !known {
		if at = len(l.at); at == MaxClasses {
			return hint.With(l.wrong("label %s is one more than the %d classes that are possible: is %s the label?",
				shown(label), MaxClasses, l.called(l.label)), "name the column with the classes by {Label NAME}")
		}
		label = strings.Clone(label)
		l.at[label] = at
		l.survey.Classes = append(l.survey.Classes, Counted{Name: label})
	}
	l.survey.Classes[at].Count++
	return nil
}

// add looks at a value.
func (c *looked) add(field string, commas bool) {
	if encoding.MissingValue(field) {
		c.missing++
		return
	}
	c.values++
	c.remember(field)
	x, err := parseNumber(field, false)
	switch {
	case err == nil && strings.Contains(field, "."):
		c.points++
	case err != nil && commas:
		if x, err = parseNumber(field, true); err == nil && strings.Contains(field, ",") {
			c.commas++
			c.comma = cmp.Or(c.comma, strings.Clone(field))
		}
	}
	if err != nil || math.IsInf(x, 0) || math.IsNaN(x) {
		if c.word == "" {
			c.word = strings.Clone(field)
		}
		return
	}
	c.number(x)
}

// hashSeed is that of the hashes of values, which are only compared with each other.
var hashSeed = maphash.MakeSeed()

// remember counts a value among the different ones.
func (c *looked) remember(field string) {
	hash := maphash.String(hashSeed, field)
	if len(c.distinct) == MostDistinct || c.distinct[hash] {
		return
	}
	if c.distinct == nil {
		c.distinct = map[uint64]bool{}
	}
	c.distinct[hash] = true
	if err := checkCategory(field); err != nil {
		c.unfit = cmp.Or(c.unfit, err.Error())
	} else if len(c.words) < maxCategories {
		c.words = append(c.words, strings.Clone(field))
	}
}

func (c *looked) number(x float64) {
	if c.numbers++; c.numbers == 1 {
		c.lo, c.hi, c.sequence = x, x, x == math.Trunc(x)
	} else {
		c.lo, c.hi, c.sequence = min(c.lo, x), max(c.hi, x), c.sequence && x == c.last+1
	}
	c.last = x
}

// judge says what each column is.
func (l *looker) judge() error {
	s := l.survey
	if s.Rows == 0 {
		return fmt.Errorf("%s: the file has no records", l.name)
	}
	if len(s.Classes) < 2 {
		return fmt.Errorf("%s: all records have the label %s, want at least two classes", l.name,
			shown(s.Classes[0].Name))
	}
	points, commas := 0, 0
	for i := range l.seen {
		points, commas = points+l.seen[i].points, commas+l.seen[i].commas
	}
	s.Decimal = "point"
	if commas > 0 && points == 0 {
		s.Decimal = "comma"
	}
	for i := range l.seen {
		c := Surveyed{Number: i + 1}
		if l.header != nil {
			c.Name = l.header[i]
		}
		if i == l.label {
			c.Kind, c.Distinct = encoding.LabelColumn, len(s.Classes)
		} else {
			l.seen[i].judge(&c, s)
		}
		s.Columns = append(s.Columns, c)
	}
	s.keepConstants()
	if !slices.ContainsFunc(s.Columns, func(c Surveyed) bool { return c.feature() }) {
		return fmt.Errorf("%s: no column is left for features: %s", l.name, s.Columns[0].Reason)
	}
	return nil
}

// mostConstants is how many columns that are constant are left out: a configuration must have room to name them, and
// they do no harm.
const mostConstants = 50

// keepConstants has the columns of one number read after all, where there are many.
func (s *Survey) keepConstants() {
	var constant []*Surveyed
	for i := range s.Columns {
		if c := &s.Columns[i]; c.Constant && c.Min != nil {
			constant = append(constant, c)
		}
	}
	for _, c := range constant {
		if c.Kind = encoding.NumberColumn; len(constant) <= mostConstants {
			c.Kind = encoding.DroppedColumn
		}
	}
}

// judge says what the column is, in a file of so many rows.
func (c *looked) judge(to *Surveyed, s *Survey) {
	words := c.values - c.numbers
	if s.Decimal == "point" {
		words += c.commas
	}
	to.Distinct, to.Missing, to.Kind = len(c.distinct), c.missing, encoding.NumberColumn
	to.Constant = len(c.distinct) < 2 || words == 0 && c.lo == c.hi
	if words == 0 && c.values > 0 {
		lo, hi := c.lo, c.hi
		to.Min, to.Max = &lo, &hi
	}
	switch {
	case c.values == 0:
		to.Reason = "has no values"
	case c.values < leastValues && c.missing > 0:
		to.Reason = "has hardly any values"
	case to.Constant:
		to.Reason = "is constant"
	case words == 0 && c.sequence && c.values >= identifierRows:
		to.Reason = "counts the rows, like an identifier"
	case words == 0:
		return
	case c.numbers-c.commas > c.values/2:
		to.Reason = "has words among its numbers, such as " + shown(cmp.Or(c.word, c.comma))
	case len(c.distinct) > c.values/2 && c.values >= identifierRows:
		to.Reason = "has a different word in most rows, like an identifier"
	case len(c.distinct) > maxCategories:
		to.Reason = fmt.Sprintf("has more than %d different words", maxCategories)
	case c.unfit != "":
		to.Reason = "has words that are no categories: " + c.unfit
	default:
		to.Kind, to.Categories = encoding.CategoryColumn, slices.Sorted(slices.Values(c.words))
		return
	}
	to.Kind = encoding.DroppedColumn
}

// feature reports whether the column should become features.
func (c *Surveyed) feature() bool {
	return c.Kind == encoding.NumberColumn || c.Kind == encoding.CategoryColumn
}

func (c *Surveyed) dropped() bool { return c.Kind == encoding.DroppedColumn }
