package dataset

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"ialgn/internal/config"
	"ialgn/internal/encoding"
	"ialgn/internal/message"
)

// Survey is the result of inspecting a CSV file whose columns are unknown. It says how to read the file and its
// columns.
type Survey struct {
	Separator string   // comma, semicolon, tab, pipe or space
	Decimal   string   // point or comma
	Thousands string   // thousands separator; empty if none was found; "none" if the configuration says so
	Declared  []string // words for missing values that the configuration gives
	Header    bool
	// LabelFound says that the label is not the last column. It was found by a usual name of a label.
	LabelFound bool
	Group      string // the column of data.group: its name or, if there is no header, its number; empty: none
	Rows       int
	Columns    []Surveyed
	Classes    []Counted // the classes in the order of their first rows

	// Ungrouped lists notes about columns that tell persons or machines apart, but whose rows need not or cannot stay in
	// one part.
	Ungrouped []string

	first     int // line of the first row
	groupable []groupable
}

// Surveyed describes a column in a survey.
type Surveyed struct {
	Name     string              `json:"name"`   // name of the column; empty if there is no header
	Number   int                 `json:"number"` // number of the column, counted from 1
	Kind     encoding.ColumnKind `json:"kind"`   // how the column should be read
	Reason   string              `json:"reason,omitempty"`
	Distinct int                 `json:"distinct"` // number of distinct values; MostDistinct means at least this number
	Missing  int                 `json:"missing"`
	Constant bool                `json:"constant"`
	Min      *float64            `json:"min,omitempty"` // only for a column of numbers
	Max      *float64            `json:"max,omitempty"`

	Categories []string `json:"categories,omitempty"` // the words of a column of categories that become features
	Rare       int      `json:"rare,omitempty"`       // number of values with other words, which set no feature
	Odd        []Odd    `json:"odd,omitempty"`        // words in a column of numbers that are treated as missing values
}

// Odd is a word in a column of numbers.
type Odd struct {
	Word  string `json:"word"`
	Line  int    `json:"line"` // line of the first occurrence
	Count int    `json:"count"`
}

// Counted is a word and the number of its occurrences.
type Counted struct {
	Name  string `json:"name"`
	Count int    `json:"count"`
}

// MostDistinct is the greatest number of distinct values of a column that are counted.
const MostDistinct = 10_000

// identifierRows is the least number of values of an identifier column. In such a column, each number is larger by
// one than the number before, or more than half of the words are distinct.
const identifierRows = 10

// leastValues is the least number of values in a column with missing values. If there were fewer, all of them might
// be in the test part.
const leastValues = 5

// These are the limits within which a column with some words is still a column of numbers (see takeMissing).
const (
	mostOdd      = 8  // greatest number of distinct words
	oddShare     = 20 // a column needs this number of values for each occurrence of such a word
	fewOdd       = 3  // up to this number of distinct words may occur more often
	manyDistinct = 10 // if the column has more than this number of distinct values
)

// SurveyTable surveys the training file of a CSV set. If the configuration does not give the label, the survey finds
// it.
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
	return l.survey, l.judge(cfg)
}

// lookThrough inspects all rows of a file. If the numbers turn out to have another notation, it inspects the rows
// again.
func lookThrough(ctx context.Context, cfg config.Data, f file) (*looker, error) {
	lay, err := layoutOf(&cfg)
	if err != nil {
		return nil, err
	}
	for settled := cfg.Decimal != ""; ; settled = true {
		l, err := lookAs(ctx, cfg, f, lay)
		if err != nil || settled {
			return l, err
		}
		found, err := l.decide()
		switch {
		case lay.said: // the thousands separator is given, so the meaning is clear
			found.thousands = lay.thousands
		case err != nil:
			return nil, fmt.Errorf("%s: %w", l.name, err)
		}
		if found == l.notation {
			return l, nil
		}
		lay.notation, lay.said = found, true
		if found.comma {
			lay.separator = l.csv.separator // commas in quoted fields are then decimal marks
		}
	}
}

// lookAs inspects all rows of a file with a given layout.
func lookAs(ctx context.Context, cfg config.Data, f file, lay layout) (l *looker, err error) {
	l = &looker{at: classes{notation: lay.notation}, given: cfg.Label != ""}
	if l.table, err = f.table(lay); err != nil {
		return nil, err
	}
	defer l.Close()
	if l.csv.weka {
		cfg.Header = "yes"
	}
	l.survey = &Survey{
		Separator: nameOf(l.csv.separator), Decimal: "point", Thousands: cmp.Or(cfg.Thousands, l.thousands),
		Declared: lay.words,
	}
	if l.comma {
		l.survey.Decimal = "comma"
	}
	rows := l.rows()
	if len(rows) == 0 {
		return nil, l.noRows()
	}
	if err := l.understand(l.leaveBlank(rows, lay), cfg, lay); err != nil {
		return nil, fmt.Errorf("%s: first line: %w", l.name, err)
	}
	return l, l.read(ctx)
}

// looker holds the state of a survey.
type looker struct {
	*table
	survey *Survey
	seen   []looked
	at     classes
	given  bool // the configuration names the label
	owners []owner
	labels []uint8 // for each row, its class in the order of at; nil if there are no owners
}

// decide determines the notation from the columns of numbers.
func (l *looker) decide() (notation, error) {
	var columns []*evidence
	var places []int
	for i := range l.seen {
		if c := &l.seen[i]; c.numerals > c.values/2 {
			columns, places = append(columns, &c.marks), append(places, i)
		}
	}
	n, column, mark := decide(columns)
	if column < 0 {
		return n, nil
	}
	return n, l.ask(columns[column], places[column], mark)
}

// ask returns the error for an ambiguous mark in the numbers of a column.
func (t *table) ask(e *evidence, column, mark int) error {
	name, example := groupMarks[mark].name, e.example[mark]
	whole := strings.Replace(example.text, groupMarks[mark].marks, "", 1)
	decimal, with := strings.Replace(example.text, ",", ".", 1), ""
	if mark == markPoint {
		with = " with data.decimal: comma"
	}
	keys := fmt.Sprintf("data.thousands: %s%s reads it as %s, data.decimal: %s", name, with, whole, name)
	if mark == markComma && t.csv.separator == ',' {
		keys += " with data.separator: comma"
	}
	if mark == markPoint {
		keys = fmt.Sprintf("data.thousands: %s%s reads it as %s, data.thousands: none", name, with, whole)
	}
	err := fmt.Errorf("line %d: %s: %s may be %s or %s", example.line, t.called(column), shown(example.text), whole,
		decimal)
	return message.WithHint(err, "%s as %s", keys, decimal)
}

// nameOf returns the name of a separator.
func nameOf(separator byte) string {
	i := slices.IndexFunc(separators, func(s separatorRow) bool { return s.char == separator })
	return separators[i].name
}

// read inspects all rows.
func (l *looker) read(ctx context.Context) error {
	if l.survey.Header {
		l.ahead = l.ahead[1:]
	}
	for {
		switch err := l.next(); {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
		if err := cmp.Or(l.add(), ctx.Err()); err != nil {
			return err
		}
	}
}

// understand determines the header, the label and the column of groups.
func (l *looker) understand(rows [][]string, cfg config.Data, lay layout) (err error) {
	line := rows[0]
	if err := checkWidth(rows, true); err != nil {
		return err
	}
	number, at := columnNumber(cfg.Label, len(line)), slices.Index(line, cfg.Label)
	l.label = len(line) - 1
	if at >= 0 && cfg.Label != "" {
		l.label = at
	} else if number >= 0 {
		l.label = number
	}
	if l.survey.Header, err = l.looksLikeHeader(rows, cfg); err != nil {
		return err
	}
	switch {
	case cfg.Label == "" && l.survey.Header:
		l.label, err = l.findLabelByName(rows)
		l.survey.LabelFound = l.label != len(line)-1
	case cfg.Label == "", l.survey.Header && at >= 0:
	case !l.survey.Header && number >= 0:
		l.label = number
	case !l.survey.Header:
		err = message.WithHint(fmt.Errorf("no column is named %q, and the file seems to have no header", cfg.Label),
			"give the column number, 1 to %d, or set data.header: yes if there is a header", len(line))
	default:
		err = noColumn("data.label", cfg.Label, line)
	}
	if err != nil {
		return err
	}
	if l.survey.Header {
		l.header = line
		if err := checkText("column name", line...); err != nil {
			return err
		}
	}
	l.seen = make([]looked, len(line))
	if err := l.findGroup(lay, line); err != nil {
		return err
	}
	l.findOwners()
	return nil
}

// looksLikeHeader reports whether the first row is a header. It uses the configuration, the label's name in the row,
// or the looks of the rows.
func (l *looker) looksLikeHeader(rows [][]string, cfg config.Data) (bool, error) {
	if cfg.Header == "yes" || cfg.Header == "no" {
		return cfg.Header == "yes", nil
	}
	if slices.Contains(rows[0], cfg.Label) && !looksNumeric(cfg.Label) && cfg.Label != "" {
		return true, nil
	}
	return l.isHeadline(rows, func(int) bool { return true })
}

// add inspects the current row.
func (l *looker) add() error {
	if l.survey.Rows++; l.survey.Rows == 1 {
		l.survey.first = l.table.at
	}
	for i, field := range l.fields {
		if i != l.label {
			l.seen[i].add(strings.TrimSpace(field), l.table)
		}
	}
	label, err := l.class()
	if err != nil {
		return err
	}
	at := l.at.add(label)
	if at >= MaxClasses {
		return message.WithHint(l.wrong("label %s exceeds the maximum of %d classes: is %s the label?",
			shown(label), MaxClasses, l.called(l.label)), "name the column with the classes with {Label NAME}")
	}
	if at == len(l.survey.Classes) {
		l.survey.Classes = append(l.survey.Classes, Counted{})
	}
	l.survey.Classes[at].Name = l.at.names[at]
	l.survey.Classes[at].Count++
	l.addOwners(at)
	return nil
}

// judge decides which kind each column has.
func (l *looker) judge(cfg config.Data) error {
	s := l.survey
	if s.Rows == 0 {
		return fmt.Errorf("%s: the file has no records", l.name)
	}
	err := l.at.check(s.Rows, l.called(l.label), l.given)
	if err == nil {
		_, _, err = l.at.sorted()
	}
	if err != nil {
		return fmt.Errorf("%s: %w", l.name, err)
	}
	for i := range l.seen {
		c := Surveyed{Number: i + 1}
		if l.header != nil {
			c.Name = l.header[i]
		}
		switch i {
		case l.label:
			c.Kind, c.Distinct = encoding.LabelColumn, len(s.Classes)
		case l.group:
			c.Kind, c.Reason = encoding.DroppedColumn, groupReason
			c.Distinct, c.Missing, s.Group = len(l.seen[i].distinct), l.seen[i].missing, s.reference(&c)
		default:
			if err := l.seen[i].judge(&c); err != nil {
				return fmt.Errorf("%s: %w", l.name, err)
			}
			l.judgeName(i, &c, cfg)
		}
		s.Columns = append(s.Columns, c)
	}
	if err := s.checkSecondLine(); err != nil {
		return fmt.Errorf("%s: %w", l.name, err)
	}
	s.keepConstants()
	if len(s.references((*Surveyed).feature)) > 0 {
		return nil
	}
	i := slices.IndexFunc(s.Columns, func(c Surveyed) bool { return c.dropped() })
	return fmt.Errorf("%s: no column is left for features: column %d %s", l.name, i+1, s.Columns[i].Reason)
}

// checkSecondLine refuses a table whose first data row has a word, such as a unit, in every number column. It applies
// only if there are several number columns.
func (s *Survey) checkSecondLine() error {
	var words []string
	for i := range s.Columns {
		c := &s.Columns[i]
		switch {
		case c.Kind != encoding.NumberColumn:
			continue
		case len(c.Odd) == 0 || c.Odd[0].Line != s.first || c.Odd[0].Count > 1 || isInfinite(c.Odd[0].Word):
			return nil
		}
		words = append(words, c.Odd[0].Word)
	}
	if len(words) < 2 {
		return nil
	}
	slices.Sort(words)
	return message.WithHint(fmt.Errorf("line %d: every column of numbers has a word in this line, and nowhere else",
		s.first),
		"remove the line if it has units or is a second header; or treat the words as missing with data.missing_values: %s",
		config.JoinNames(slices.Compact(words)))
}

// mostConstants is the greatest number of constant columns that are dropped. A configuration must have room for their
// names, and constant columns do no harm.
const mostConstants = 50

// keepConstants keeps the columns with a constant number if there are more than mostConstants such columns. Otherwise
// it drops them.
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

// feature reports whether the column should become one or more features.
func (c *Surveyed) feature() bool {
	return c.Kind == encoding.NumberColumn || c.Kind == encoding.CategoryColumn
}

func (c *Surveyed) dropped() bool { return c.Kind == encoding.DroppedColumn }
