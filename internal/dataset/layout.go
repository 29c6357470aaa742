package dataset

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"ialgn/internal/config"
	"ialgn/internal/decimal"
	"ialgn/internal/encoding"
	"ialgn/internal/message"
)

// layout says how to read a CSV file and how to interpret its columns.
type layout struct {
	header    string   // auto, yes or no; empty means auto
	label     string   // name of the label column or, if there is no header, its number from 1; empty: the last column
	separator byte     // if 0, the first lines determine the separator
	notation           // notation of numbers; if commas separate fields, numbers with a decimal comma are quoted
	said      bool     // the configuration gives the notation
	words     []string // words for a missing value, in addition to the usual words

	// These fields list columns by name or, if there is no header, by number. The columns in only are read, the columns
	// in drop are not read, and the columns in categories hold words. If only is empty, all columns are read.
	only, drop, categories []string
	group                  []string // the column of data.group, if there is one; it is no feature
	missing                bool     // values may be missing

	// The remaining fields are for files for prediction. They give the number of features and the names of the
	// features. A first line with these names is a header, even if the names look like numbers. Records may lack the
	// label. If the model knows its columns, they are listed in the field columns and are looked up in the file.
	features int
	names    []string
	columns  []encoding.Column
	classes  []string
}

// layoutOf returns the layout that a configuration gives its CSV files.
func layoutOf(cfg *config.Data) (layout, error) {
	lay := layout{
		header: cfg.Header, label: cfg.Label, missing: cfg.Missing == "median", notation: notationOf(cfg),
		said: cfg.Decimal != "" || cfg.Thousands != "",
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
		{"data.missing_values", cfg.MissingValues, &lay.words},
	} {
		var err error
		if *list.names, err = config.Names(list.text); err != nil {
			return lay, fmt.Errorf("%s: %w", list.key, err)
		}
	}
	if cfg.Group != "" {
		lay.group = []string{cfg.Group}
	}
	return lay, nil
}

// noFeatures lists the columns that the configuration excludes from the features.
func (lay layout) noFeatures() []string { return slices.Concat(lay.drop, lay.group) }

// notationOf returns the number notation that a configuration declares.
func notationOf(cfg *config.Data) notation {
	n := notation{comma: cfg.Decimal == "comma"}
	if cfg.Thousands != "none" {
		n.thousands = cfg.Thousands
	}
	return n
}

// understand finds the columns of a file from its first rows. It reports whether the first row is a header.
func (t *table) understand(rows [][]string, lay layout) (header bool, err error) {
	line := rows[0]
	if lay.columns != nil {
		return t.match(rows, lay)
	}
	if err := t.findLabel(line, lay); err != nil {
		return false, err
	}
	if err := checkWidth(rows, t.label >= 0); err != nil {
		return false, err
	}
	if header, err = t.isHeader(rows, lay); err != nil {
		return false, err
	}
	if header {
		t.header = line
	}
	if header && lay.label == "" && !t.known && lay.classes == nil {
		if at, err := t.findLabelByName(rows); err != nil {
			return false, err
		} else if at != t.label {
			return false, t.askLabel(line, at, t.label)
		}
	}
	if err := t.choose(line, lay); err != nil || t.known || lay.classes != nil {
		return header, err
	}
	return header, t.checkNumbers(rows, lay)
}

// checkNumbers inspects the first rows of number columns. If points look like thousands separators, it returns an
// error that asks for their meaning.
func (t *table) checkNumbers(rows [][]string, lay layout) error {
	var seen []*evidence
	var places []int
	for i := range t.columns {
		c, e := &t.columns[i], &evidence{}
		below := columnOf(rows, c.at)
		for k, field := range below {
			e.add(field, t.ahead[k+1].line)
		}
		c.words = !t.mostlyNumbers(below) && len(below) > 0
		t.points = t.points || e.decimal[markPoint] > 0
		if c.Kind == encoding.NumberColumn && !c.words {
			seen, places = append(seen, e), append(places, c.at)
		}
	}
	if _, i, mark := decide(seen); i >= 0 && mark == markPoint && !lay.said {
		return t.ask(seen[i], places[i], mark)
	}
	return nil // other unclear fields are not numbers
}

// mayLack reports whether a model accepts a row in which all values are missing.
func (lay layout) mayLack() bool {
	return slices.ContainsFunc(lay.columns, func(c encoding.Column) bool { return c.Missing })
}

// sparse matches a row in LIBSVM's sparse form. Such a row has a label, followed by pairs of index and value.
var sparse = regexp.MustCompile(`^\S+( \d+:\S+)+$`)

// checkWidth returns an error if the number of columns is impossible.
func checkWidth(rows [][]string, label bool) error {
	line := rows[0]
	columns, rest := len(line), len(line)
	if label {
		rest--
	}
	if rest >= 1 && rest <= MaxFeatures {
		return nil
	}
	if sparse.MatchString(line[0]) {
		return message.WithHint(errors.New("the rows are in the sparse format of LIBSVM, which is not read"),
			"write one column for each feature")
	}
	err := fmt.Errorf("%d columns, want a label and 1 to %d features, separated by commas, semicolons or tabs", columns,
		MaxFeatures)
	if columns == 1 && len(rows) > 2 && strings.ContainsAny(strings.Join(rows[2], ","), ",;\t|") {
		return message.WithHint(err, "remove the text above the table, such as the line %s", shown(line[0]))
	}
	return message.WithHint(err, "set data.separator if another character separates the columns")
}

// findLabel finds the label column by name or number. If the layout gives neither name nor number, it finds the
// column by place.
func (t *table) findLabel(line []string, lay layout) error {
	at, number := slices.Index(line, lay.label), lay.number(line)
	known := lay.features != 0
	switch {
	case lay.label != "" && lay.header == "no" && number < 0:
		return fmt.Errorf("data.label: no column %q, and data.header says that there is no header; give a number from "+
			"1 to %d", lay.label, len(line))
	case known && len(line) == lay.features:
		t.label = -1
		return nil
	case known && len(line) != lay.features+1:
		return fmt.Errorf("%d columns, want %d features and at most a label", len(line), lay.features)
	case number >= 0 && at >= 0 && lay.uncertain() && allNumbers(line):
		return fmt.Errorf("data.label: %s occurs in a line of numbers: set data.header to yes if the line is a header with "+
			"this name, or to no if the label is column number %[1]s", lay.label)
	case number >= 0 && (at < 0 || !lay.uncertain()):
		t.label, t.numbered = number, true
		return nil
	}
	return t.namedLabel(line, lay)
}

// namedLabel finds the label column by the label's name. If the layout gives no name, it takes the last column. In a
// file for prediction, the label is the column that is not among the feature names, or else the last column.
func (t *table) namedLabel(line []string, lay layout) error {
	at := slices.Index(line, lay.label)
	t.label = len(line) - 1
	switch {
	case lay.label != "" && at >= 0:
		if t.label = at; slices.Contains(line[at+1:], lay.label) {
			return fmt.Errorf("two columns are named %q; rename the one that is not the label", lay.label)
		}
	case lay.label != "" && lay.features == 0:
		return noColumn("data.label", lay.label, line)
	case len(lay.names) == lay.features && len(line) == lay.features+1:
		beside := 0
		for beside < lay.features && line[beside] == lay.names[beside] {
			beside++
		}
		if slices.Equal(line[beside+1:], lay.names[beside:]) {
			t.label = beside
		}
	}
	return nil
}

// noColumn returns the error for a key that names a column if the first line does not have this column.
func noColumn(key, name string, line []string) error {
	return message.Near(fmt.Errorf("no column is named %q (%s); the first line has %s", name, key, abridged(line)), name,
		line)
}

// number returns the column that the label gives by number. It returns -1 if the label is not a number. If there
// certainly is a header, the label is always a name.
func (lay layout) number(line []string) int {
	if lay.header == "yes" || lay.features != 0 && lay.names != nil {
		return -1
	}
	return columnNumber(lay.label, len(line))
}

// columnNumber returns the column whose number, counted from 1, is the given text. It returns -1 if the text is not a
// number from 1 to the number of columns.
func columnNumber(text string, columns int) int {
	n, err := decimal.Int(text)
	if err != nil || n < 1 || n > columns {
		return -1
	}
	return n - 1
}

// uncertain reports whether the label in the layout may be a name or a number. This is the case if the layout does
// not say whether there is a header.
func (lay layout) uncertain() bool { return lay.header != "no" && lay.features == 0 }

func allNumbers(line []string) bool {
	return !slices.ContainsFunc(line, func(field string) bool {
		_, err := notation{}.parse(field)
		return err != nil
	})
}

// isHeader decides whether the first row is a header. It uses the configuration, the names in the row, or the looks
// of the first rows.
func (t *table) isHeader(rows [][]string, lay layout) (bool, error) {
	line := rows[0]
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
	if slices.Equal(t.without(line), lay.names) {
		return true, nil
	}
	judged := lay.judged(line)
	some := false
	for i := range line {
		some = some || judged(i) && i != t.label
	}
	if !some && lay.lists() {
		return false, nil
	}
	header, err := t.isHeadline(rows, judged)
	if header && t.numbered && !t.known && !lay.lists() {
		return false, noColumn("data.label", lay.label, line)
	}
	return header, err
}

// lists reports whether the configuration lists columns.
func (lay layout) lists() bool { return len(lay.only)+len(lay.noFeatures())+len(lay.categories) > 0 }

// named reports whether some listed column must be a name because it cannot be a number.
func (lay layout) named(line []string) bool {
	return slices.ContainsFunc(slices.Concat(lay.only, lay.noFeatures(), lay.categories), func(name string) bool {
		_, err := decimal.Int(name)
		return err != nil || columnNumber(name, len(line)) < 0 && slices.Contains(line, name)
	})
}

// judged returns a function that selects columns for the decision about the header. It selects the columns whose
// fields would be numbers if the line is not a header. The label is handled separately.
func (lay layout) judged(line []string) func(column int) bool {
	at := func(list []string) (columns []int) {
		for _, name := range list {
			columns = append(columns, columnNumber(name, len(line)))
		}
		return columns
	}
	only, others := at(lay.only), append(at(lay.noFeatures()), at(lay.categories)...)
	return func(i int) bool {
		return !slices.Contains(others, i) && (len(only) == 0 || slices.Contains(only, i))
	}
}

// without returns the line's fields without the label.
func (t *table) without(line []string) []string {
	if t.label < 0 {
		return line
	}
	return slices.Delete(slices.Clone(line), t.label, t.label+1)
}

// choose selects the columns that become features.
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
	if err := t.findGroup(lay, line); err != nil {
		return err
	}
	for i := range line {
		chosen := (len(only) == 0 || slices.Contains(only, i)) && i != t.group
		if slices.Contains(categories, i) && (!chosen || i == t.label) {
			return fmt.Errorf("data.categories: %s is not a feature", t.called(i))
		}
		if i == t.label || !chosen || slices.Contains(drop, i) {
			continue
		}
		c := column{Column: encoding.Column{Kind: encoding.NumberColumn, Missing: lay.missing}, at: i}
		if t.header != nil {
			c.Name = line[i]
		}
		if slices.Contains(categories, i) {
			c.Kind = encoding.CategoryColumn
		}
		t.columns = append(t.columns, c)
	}
	if t.features = len(t.columns); t.features == 0 {
		return errors.New("no column is left for features; name fewer columns in data.drop")
	}
	return t.unambiguous(lay)
}

// findGroup finds the column of data.group, if there is one.
func (t *table) findGroup(lay layout, line []string) error {
	at, err := t.find("data.group", lay.group, line)
	if err != nil || len(at) == 0 {
		return err
	}
	if t.group = at[0]; t.group == t.label {
		return message.WithHint(fmt.Errorf("data.group: %s is the label", t.called(t.group)),
			"name another column, or name the label with data.label")
	}
	return nil
}

// find returns the columns in a list of names. If there is no header, the list has column numbers instead.
func (t *table) find(key string, names, line []string) (columns []int, err error) {
	for _, name := range names {
		at := columnNumber(name, len(line))
		if t.header != nil {
			at = slices.Index(line, name)
		}
		switch {
		case at < 0 && t.header == nil:
			return nil, fmt.Errorf("%s: no column %q, and there is no header; give numbers from 1 to %d", key, name,
				len(line))
		case at < 0:
			return nil, noColumn(key, name, line)
		}
		columns = append(columns, at)
	}
	return columns, nil
}

// unambiguous returns an error if a column name occurs twice and a model will find its columns by name.
func (t *table) unambiguous(lay layout) error {
	if t.header == nil || !lay.lists() && !lay.missing {
		return nil
	}
	for i, name := range t.header {
		if slices.Contains(t.header[:i], name) {
			return fmt.Errorf("two columns are named %q; rename one", name)
		}
	}
	return nil
}

// wholeLine returns all columns of the table, in order, as a model records them.
func (t *table) wholeLine() []encoding.Column {
	all := make([]encoding.Column, t.width)
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
