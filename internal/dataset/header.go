package dataset

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"ialgn/internal/encoding"
	"ialgn/internal/message"
)

// labelNames lists column names, in lower case, that usually denote the class. The first sureLabelNames of them
// hardly ever denote anything else.
var labelNames = []string{
	"label", "labels", "target", "targets", "class", "classes", "category", "outcome", "klasse", "y",
}

const sureLabelNames = 4

func isLabelName(name string, names []string) bool {
	return slices.Contains(names, strings.ToLower(name))
}

// sayHeader is the advice for a table in which the first line may or may not be a header.
const sayHeader = "data.header: yes, or data.header: no"

// fewRows is the number of rows below which it means nothing that most words occur only once.
const fewRows = 20

// isHeadline decides whether the first row is a header, which names the columns. It considers the first rows and, if
// they are known, the classes of the model. It looks only at the label and at the columns that judged selects. It
// returns an error if the decision is unclear.
//
// A word above a column of numbers is a name, and a number above a column of numbers is a value. However, a first
// line of numbers is a header if its field in the label column is a name. This field is a name only if no other row
// has the same label. In addition, the field must be a usual name of a label column, or the line must count 0, 1, 2
// and so on.
//
// A line of words above words is a header if none of the words occurs again in later rows. Missing values and
// infinite values are neither words nor numbers here.
func (t *table) isHeadline(rows [][]string, judged func(column int) bool) (bool, error) {
	f, label := t.judge(rows, judged), t.labelOf(rows)
	switch {
	case label.repeated && len(f.values) > 0:
		return t.numbersAreNames(rows, f.values, label)
	case len(f.names) > 0 && len(f.values) > 0, len(f.names) == 1 && label.repeated:
		return false, t.unclear(f.values, f.names)
	case len(f.names) > 0:
		return true, nil
	case len(f.values) > 0:
		return t.numbersAreNames(rows, f.values, label)
	case f.again || label.repeated || f.words == 0 && !label.name:
		return false, nil
	case !label.name && !t.known && len(rows) > 1 && len(rows) <= fewRows/2:
		return false, message.WithHint(errors.New("the table has only words: set data.header to yes if the first line is "+
			"a header, or else to no"), sayHeader)
	}
	return true, nil
}

// firstFields classifies the fields of a first line.
type firstFields struct {
	names  []string // words above numbers
	values []string // numbers above numbers
	words  int      // number of other fields
	again  bool     // some of these other fields occur again below
}

// judge classifies the fields of the first line. It looks only at the columns that judged selects.
func (t *table) judge(rows [][]string, judged func(column int) bool) (f firstFields) {
	for i, field := range rows[0] {
		if i == t.label || !judged(i) || t.isMissing(field) {
			continue
		}
		below := columnOf(rows, i)
		repeated := slices.Contains(below, field)
		above, number := t.known || t.mostlyNumbers(below), looksNumeric(field)
		switch {
		case number && above:
			f.values = append(f.values, field)
		case number:
		case above && !repeated && !isInfinite(field):
			f.names = append(f.names, field)
		default:
			f.words++
			f.again = f.again || repeated
		}
	}
	return f
}

// unclear returns the error for an ambiguous first line. Such a line has a word where a number should be, but it also
// has numbers or a label.
func (t *table) unclear(values, names []string) error {
	if t.known {
		return message.WithHint(fmt.Errorf("%s is not a number", shown(names[0])),
			"remove the line if it is a header; otherwise write a number, or leave the field empty if values may be missing")
	}
	because := "and others are"
	if len(values) == 0 {
		because = "though the label occurs again below"
	}
	err := fmt.Errorf("%s is not a number %s: set data.header to yes if this line is a header, or else to no",
		shown(names[0]),
		because)
	return message.WithHint(err, sayHeader+"; for a word among numbers, "+
		"name the word in data.missing_values, or the number of the column (from 1) in data.categories")
}

// firstLabel describes the first line's field in the label column.
type firstLabel struct {
	text     string
	repeated bool // other rows have this label
	name     bool // the field is a usual name of a label column, or a word above numbers
	foreign  bool // the field is not a class of the model that reads the table, but the labels below are
	single   bool // the labels below repeat: all of them or, in a table with many rows, at least half
}

func (t *table) labelOf(rows [][]string) (l firstLabel) {
	if t.label < 0 || t.label >= len(rows[0]) || rows[0][t.label] == "" {
		return firstLabel{}
	}
	l.text = rows[0][t.label]
	below := columnOf(rows, t.label)
	foreign := func(label string) bool { return !slices.Contains(t.classes, label) }
	l.repeated = slices.Contains(below, l.text) || !foreign(l.text)
	word := !looksNumeric(l.text)
	l.name = isLabelName(l.text, labelNames) || word && t.mostlyNumbers(below) && !t.isMissing(l.text)
	l.foreign = word && len(below) > 0 && foreign(l.text) && !slices.ContainsFunc(below, foreign)
	count, once := map[string]int{}, 0
	for _, b := range below {
		count[b]++
	}
	for _, n := range count {
		if n == 1 {
			once++
		}
	}
	l.single = len(below) > 2 && (once == 0 || len(below) > fewRows && once <= len(count)/2)
	return l
}

// numbersAreNames decides whether a first line of numbers is a header.
func (t *table) numbersAreNames(rows [][]string, values []string, label firstLabel) (header bool, err error) {
	word, usual := !looksNumeric(label.text), isLabelName(label.text, labelNames)
	if label.text == "" || label.foreign || t.known {
		return label.foreign || word && usual && !label.repeated, nil
	}
	if label.repeated, err = t.occursAgain(label); err != nil || word && (label.repeated || usual) {
		return !label.repeated, err
	}
	counted := len(values) > 1 && counts(values) && len(columnOf(rows, 0)) > 2
	if counted && (word || counts(append(slices.Clone(values), label.text))) {
		return t.countedNames(rows, len(values), label)
	}
	if !label.repeated && (label.single || label.name) {
		err = message.WithHint(
			fmt.Errorf("no other row has the label %s: set data.header to yes if this line is a header, or else to no",
				shown(label.text)), sayHeader)
	}
	return false, err
}

// occursAgain reports whether any later row has the same label. If the file can be read only once, it looks only at
// the first rows.
func (t *table) occursAgain(label firstLabel) (bool, error) {
	if label.repeated || t.file == nil {
		return label.repeated, nil
	}
	other, err := t.file.table(layout{separator: t.csv.separator})
	if err != nil {
		return false, err
	}
	defer other.Close()
	other.rows()
	for first := true; ; first = false {
		r := other.take()
		if r.err != nil {
			return false, nil // the error is reported when the table is read again
		}
		if !first && t.label < len(r.fields) && strings.TrimSpace(r.fields[t.label]) == label.text {
			return true, nil
		}
	}
}

// counts reports whether the texts are the whole numbers from 0 or 1 upwards, in order.
func counts(texts []string) bool {
	first := texts[0]
	for i, text := range texts {
		if n, err := strconv.Atoi(text); err != nil || first != "0" && first != "1" || n != i+int(first[0]-'0') {
			return false
		}
	}
	return true
}

// manyCounted is the least number of values that are unlikely to count up by chance.
const manyCounted = 8

// countedNames decides whether a first line 0, 1, 2 and so on is a header. The line is a header if all numbers below
// have a decimal mark. It is data if it has few values, no number below has a decimal mark, and its label occurs
// again.
func (t *table) countedNames(rows [][]string, numbers int, label firstLabel) (bool, error) {
	whole, points := 0, 0
	for _, row := range rows[1:] {
		for i, field := range row {
			if i != t.label && strings.ContainsAny(field, ".,") {
				points++
			} else if i != t.label {
				whole++
			}
		}
	}
	switch {
	case whole == 0, label.name && !looksNumeric(label.text):
		return true, nil
	case points == 0 && numbers < manyCounted && label.repeated:
		return false, nil
	}
	return false, message.WithHint(
		fmt.Errorf("the numbers count from %s: set data.header to yes if this line is a header, or else to no",
			shown(rows[0][0])), sayHeader)
}

// columnOf returns the fields of a column below the first row. It skips rows with another number of fields than the
// first row.
func columnOf(rows [][]string, at int) (fields []string) {
	for _, row := range rows[1:] {
		if len(row) == len(rows[0]) {
			fields = append(fields, row[at])
		}
	}
	return fields
}

// mostlyNumbers reports whether the fields contain more numbers than words.
func (t *table) mostlyNumbers(fields []string) bool {
	numbers, words := 0, 0
	for _, field := range fields {
		switch {
		case looksNumeric(field):
			numbers++
		case !t.isMissing(field):
			words++
		}
	}
	return numbers > words
}

// isMissing reports whether a field in a column of numbers marks a missing value.
func (t *table) isMissing(field string) bool {
	return t.lacks(encoding.NumberColumn, field)
}

// lacks reports whether a field in a column of the given kind marks a missing value.
func (t *table) lacks(kind encoding.ColumnKind, field string) bool {
	return encoding.MissingValue(kind, field) || slices.Contains(t.declared, field)
}

// isInfinite reports whether a field is an infinite number, or a spreadsheet's mark for a failed calculation.
func isInfinite(field string) bool {
	switch strings.ToLower(strings.TrimLeft(field, "+-")) {
	case "inf", "infinity", "∞", "1.#inf", "#div/0!", "#num!":
		return true
	}
	return false
}

// findLabelByName returns the label column of a table with a header. It is used if the configuration does not name
// the label. The label is the last column, unless this column looks unlike a label and another column has a usual
// name of a label. findLabelByName returns an error if the decision is unclear.
func (t *table) findLabelByName(rows [][]string) (int, error) {
	last := len(rows[0]) - 1
	var named []int
	sure := false
	for i, name := range rows[0] {
		if isLabelName(name, labelNames) {
			named = append(named, i)
			sure = sure || isLabelName(name, labelNames[:sureLabelNames])
		}
	}
	unlike := rows[0][last] == "" || t.unlikeLabels(columnOf(rows, last))
	switch {
	case len(named) == 0, slices.Contains(named, last), !unlike && !sure:
		return last, nil
	case unlike && len(named) == 1:
		return named[0], nil
	}
	return 0, t.askLabel(rows[0], named[0], last)
}

// askLabel returns the error for a table in which either of two columns may be the label.
func (t *table) askLabel(line []string, one, other int) error {
	remedy := "data.label: " + line[one]
	if line[other] != "" {
		remedy += ", or data.label: " + line[other]
	}
	return message.WithHint(fmt.Errorf("the label may be column %d (%s) or column %d (%s): choose one with data.label",
		one+1,
		shown(line[one]), other+1, shown(line[other])), "%s", remedy)
}

// manyFractions is the largest number of distinct labels that are not whole numbers.
const manyFractions = 10

// unlikeLabels reports whether a column does not look like labels. This is the case if most fields differ, or if
// there are many fractions.
func (t *table) unlikeLabels(fields []string) bool {
	different, fraction := map[string]bool{}, false
	for _, field := range fields {
		different[field] = true
		fraction = fraction || isFraction(field)
	}
	return len(fields) >= fewRows && len(different) > len(fields)/2 || fraction && len(different) > manyFractions
}

// isFraction reports whether a text is a number but not a whole number.
func isFraction(text string) bool {
	for _, n := range []notation{{}, {comma: true}} {
		if x, ok := n.finite(text); ok {
			return x != float64(int64(x))
		}
	}
	return false
}
