package dataset

import (
	"errors"
	"fmt"
	"slices"

	"ialgn/internal/decimal"
	"ialgn/internal/hint"
	"ialgn/trainer/config"
	"ialgn/trainer/encoding"
)

// layout says how a CSV file is to be read, and how its columns are to be understood.
type layout struct {
	header    string // auto (or empty), yes, no
	label     string // name of the label column, or without a header its number, from 1; empty: the last one
	separator rune   // 0: found in the first lines
	comma     bool   // numbers have a decimal comma, unless commas separate them

	// Columns by their names or, without a header, their numbers: only is those that are read, all if there are none.
	only, drop, categories []string
	missing                bool // values may be missing

	// Of files for prediction: the number of features, and names that mark a first line as the header, even if they look
	// like numbers. Records may lack the label. Where the model knows its columns, they are found by these.
	features int
	names    []string
	columns  []encoding.Column
}

// separators are the characters that separate the fields of a line, by their names, the usual one first.
var separators = []struct {
	name string
	char rune
}{{"comma", ','}, {"semicolon", ';'}, {"tab", '\t'}}

// layoutOf returns the layout of a set of CSV files.
func layoutOf(cfg *config.Data) (layout, error) {
	lay := layout{
		header: cfg.Header, label: cfg.Label, comma: cfg.Decimal == "comma", missing: cfg.Missing == "median",
	}
	for _, s := range separators {
		if s.name == cfg.Separator {
			lay.separator = s.char
		}
	}
	for _, list := range []struct {
		key, text string
		names     *[]string
	}{
		{"data.columns", cfg.Columns, &lay.only},
		{"data.drop", cfg.Drop, &lay.drop},
		{"data.categories", cfg.Categories, &lay.categories},
	} {
		var err error
		if *list.names, err = config.Names(list.text); err != nil {
			return lay, fmt.Errorf("%s: %w", list.key, err)
		}
	}
	return lay, nil
}

// understand finds the columns of a file from its first line, and reports whether that is a header.
func (t *table) understand(line []string, lay layout) (header bool, err error) {
	if lay.columns != nil {
		return t.match(line, lay.columns)
	}
	if err := t.findLabel(line, lay); err != nil {
		return false, err
	}
	rest := len(line)
	if t.label >= 0 {
		rest--
	}
	if rest < 1 || rest > MaxFeatures {
		return false, fmt.Errorf("%d columns, want a label and 1 to %d features, separated by commas, semicolons or tabs",
			len(line), MaxFeatures)
	}
	if header, err = t.isHeader(line, lay); err != nil {
		return false, err
	}
	if header {
		t.header = line
	}
	return header, t.choose(line, lay)
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
		return noColumn("data.label", lay.label, line)
	default:
		t.label = len(line) - 1
	}
	return nil
}

// noColumn is the error that a key names no column of the first line.
func noColumn(key, name string, line []string) error {
	return hint.Near(fmt.Errorf("no column is named %q (%s), the first line has %s", name, key, abridged(line)), name,
		line)
}

// number returns the column that a label gives by its number, -1 if it gives none. Where
// there is a header for certain, it gives a name.
func (lay layout) number(line []string) int {
	if lay.header == "yes" || lay.features != 0 && lay.names != nil {
		return -1
	}
	return columnNumber(lay.label, len(line))
}

// columnNumber returns the column of so many that a text gives by its number, counted from 1; -1 if it gives none.
func columnNumber(text string, columns int) int {
	n, err := decimal.Int(text)
	if err != nil || n < 1 || n > columns {
		return -1
	}
	return n - 1
}

// uncertain reports whether a label may be a name or a number: nothing says whether there is a header.
func (lay layout) uncertain() bool { return lay.header != "no" && lay.features == 0 }

func allNumbers(line []string) bool {
	return !slices.ContainsFunc(line, func(field string) bool {
		_, err := parseNumber(field, false)
		return err != nil
	})
}

// isHeader decides whether the first line is one: the fields of columns of numbers must all be numbers or
// none, anything between is too likely a fault in the data to be guessed at. A list of names makes it one, too.
func (t *table) isHeader(line []string, lay layout) (bool, error) {
	switch lay.header {
	case "yes":
		return true, nil
	case "no":
		return false, nil
	case "", "auto":
	default:
		return false, fmt.Errorf("data.header: %q is unknown, want auto, yes or no", lay.header)
	}
	if lay.label != "" && t.label >= 0 && !t.numbered && line[t.label] == lay.label || lay.named(line) {
		return true, nil
	}
	fields := t.without(line)
	if slices.Equal(fields, lay.names) {
		return true, nil
	}
	return t.looksLikeHeader(line, lay)
}

// looksLikeHeader is isHeader where no name says that it is one.
func (t *table) looksLikeHeader(line []string, lay layout) (bool, error) {
	judged := t.judged(line, lay)
	numbers, others, other := 0, 0, ""
	for _, field := range judged {
		if _, err := t.parse(field); err == nil {
			numbers++
		} else if !encoding.MissingValue(field) {
			others, other = others+1, field
		}
	}
	switch {
	case numbers > 0 && others > 0:
		return false, hint.With(fmt.Errorf("%q is not a number and others are: say with data.header whether this "+
			"is a header (yes or no)", other), "where it is a word among numbers, name the column in data.categories by its "+
			"number, counted from 1")
	case len(judged) == 0 && lay.lists():
		return false, nil
	case numbers == 0 && t.numbered && lay.features == 0 && !lay.lists():
		return false, noColumn("data.label", lay.label, line)
	}
	return numbers == 0, nil
}

// lists reports whether columns are named.
func (lay layout) lists() bool { return len(lay.only)+len(lay.drop)+len(lay.categories) > 0 }

// named reports whether a list has a name that cannot be the number of a column.
func (lay layout) named(line []string) bool {
	return slices.ContainsFunc(slices.Concat(lay.only, lay.drop, lay.categories), func(name string) bool {
		_, err := decimal.Int(name)
		return err != nil || columnNumber(name, len(line)) < 0 && slices.Contains(line, name)
	})
}

// judged returns the fields of a line that are numbers if it is no header.
func (t *table) judged(line []string, lay layout) (fields []string) {
	at := func(list []string) (columns []int) {
		for _, name := range list {
			columns = append(columns, columnNumber(name, len(line)))
		}
		return columns
	}
	only, others := at(lay.only), append(at(lay.drop), at(lay.categories)...)
	for i, field := range line {
		if i != t.label && !slices.Contains(others, i) && (len(only) == 0 || slices.Contains(only, i)) {
			fields = append(fields, field)
		}
	}
	return fields
}

// without returns the line's fields but the label.
func (t *table) without(line []string) []string {
	if t.label < 0 {
		return line
	}
	return slices.Delete(slices.Clone(line), t.label, t.label+1)
}

// choose makes the columns of a first line that become features.
func (t *table) choose(line []string, lay layout) error {
	only, err := t.find("data.columns", lay.only, line)
	if err != nil {
		return err
	}
	drop, err := t.find("data.drop", lay.drop, line)
	if err != nil {
		return err
	}
	categories, err := t.find("data.categories", lay.categories, line)
	if err != nil {
		return err
	}
	for i := range line {
		chosen := len(only) == 0 || slices.Contains(only, i)
		if slices.Contains(categories, i) && (!chosen || i == t.label) {
			return fmt.Errorf("data.categories: %s is not read as a feature", t.called(i))
		}
		if i == t.label || !chosen || slices.Contains(drop, i) {
			continue
		}
		c := column{encoding.Column{Kind: encoding.NumberColumn, Missing: lay.missing}, i}
		if t.header != nil {
			c.Name = line[i]
		}
		if slices.Contains(categories, i) {
			c.Kind = encoding.CategoryColumn
		}
		t.columns = append(t.columns, c)
	}
	if t.features = len(t.columns); t.features == 0 {
		return errors.New("no column is left for features, name fewer in data.drop")
	}
	return t.unambiguous(lay)
}

// find returns the columns that a list names, by their numbers where there is no header.
func (t *table) find(key string, names, line []string) (columns []int, err error) {
	for _, name := range names {
		at := columnNumber(name, len(line))
		if t.header != nil {
			at = slices.Index(line, name)
		}
		switch {
		case at < 0 && t.header == nil:
			return nil, fmt.Errorf("%s: %q is no column, and there is no header; give numbers from 1 to %d", key, name,
				len(line))
		case at < 0:
			return nil, noColumn(key, name, line)
		}
		columns = append(columns, at)
	}
	return columns, nil
}

// unambiguous refuses names that two columns have, where a model will find its columns by them.
func (t *table) unambiguous(lay layout) error {
	if t.header == nil || !lay.lists() && !lay.missing {
		return nil
	}
	for i, name := range t.header {
		if slices.Contains(t.header[:i], name) {
			return fmt.Errorf("two columns are named %q, rename one", name)
		}
	}
	return nil
}

// line returns the columns of the whole table, in order, as a model knows them.
func (t *table) line() []encoding.Column {
	all := make([]encoding.Column, t.csv.FieldsPerRecord)
	for i := range all {
		all[i].Kind = encoding.DroppedColumn
		if i == t.label {
			all[i].Kind = encoding.LabelColumn
		}
		if t.header != nil {
			all[i].Name = t.header[i]
		}
	}
	for _, c := range t.columns {
		all[c.at] = c.Column
	}
	return all
}
