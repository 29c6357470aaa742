package dataset

import (
	"fmt"
	"slices"
	"strings"

	"ialgn/internal/encoding"
	"ialgn/internal/message"
)

// match finds a model's columns in a file for prediction. If the first line is a header, match finds the columns by
// name. The columns may be in any order, and the file may have other columns. Otherwise match finds them by place.
// The boolean result reports whether the first line is a header.
func (t *table) match(rows [][]string, lay layout) (header bool, err error) {
	line, columns := rows[0], lay.columns
	t.label = -1
	if named(columns) {
		missing := absent(line, columns)
		switch {
		case len(missing) == 0:
			t.header = line
			return true, t.byName(line, columns)
		case !t.looksLikeData(rows, lay):
			return true, message.Near(fmt.Errorf("these columns of the model are missing in the header: %s",
				abridged(missing)), missing[0],
				line)
		}
	}
	if err := t.byPlace(line, columns); err != nil {
		return false, err
	}
	return !t.looksLikeData(rows, lay), nil
}

// named reports whether the columns have names.
func named(columns []encoding.Column) bool {
	return slices.ContainsFunc(columns, func(c encoding.Column) bool { return c.Name != "" })
}

// absent returns the feature names that the line does not have.
func absent(line []string, columns []encoding.Column) (names []string) {
	for i := range columns {
		if c := &columns[i]; !c.Optional() && !slices.Contains(line, c.Name) {
			names = append(names, c.Name)
		}
	}
	return names
}

// byName finds the feature columns by name.
func (t *table) byName(line []string, columns []encoding.Column) error {
	for i := range columns {
		c := &columns[i]
		if c.Optional() {
			continue
		}
		at := slices.Index(line, c.Name)
		if slices.Contains(line[at+1:], c.Name) {
			return fmt.Errorf("two columns are named %q; rename one", c.Name)
		}
		t.add(c, at)
	}
	return nil
}

// byPlace finds the feature columns by place. The line must have all of the model's columns, all except the label,
// or only the feature columns.
func (t *table) byPlace(line []string, columns []encoding.Column) error {
	lacks := func(kinds ...encoding.ColumnKind) []encoding.Column {
		lacking := func(c encoding.Column) bool { return slices.Contains(kinds, c.Kind) }
		return slices.DeleteFunc(slices.Clone(columns), lacking)
	}
	var counts []string
	for _, form := range [][]encoding.Column{
		columns, lacks(encoding.LabelColumn), lacks(encoding.LabelColumn, encoding.DroppedColumn),
	} {
		if len(form) != len(line) {
			counts = append(counts, fmt.Sprint(len(form)))
			continue
		}
		for at := range form {
			if !form[at].Optional() {
				t.add(&form[at], at)
			} else if form[at].Kind == encoding.LabelColumn {
				t.label = at
			}
		}
		return nil
	}
	return fmt.Errorf("%d columns, want %s: all columns of training, all except the label, or only the features",
		len(line), strings.Join(slices.Compact(counts), ", "))
}

// add adds a feature column, which follows the columns added so far.
func (t *table) add(c *encoding.Column, at int) {
	t.columns = append(t.columns, column{Column: *c, at: at})
	t.features += c.Features()
}

// looksLikeData reports whether the first line looks like a record. If the table has numbers, two conditions apply.
// At least one field of a number column must be a number, and the label must not look like a header. If the table has
// no numbers, no field may be the name of a column.
func (t *table) looksLikeData(rows [][]string, lay layout) bool {
	line := rows[0]
	var numbers, names []string
	probe := table{notation: t.notation, declared: t.declared, classes: t.classes, known: true, label: -1}
	if probe.byPlace(line, lay.columns) == nil {
		for _, c := range probe.columns {
			if c.Kind == encoding.NumberColumn {
				numbers = append(numbers, line[c.at])
			}
		}
	}
	for _, c := range lay.columns {
		if c.Name != "" {
			names = append(names, c.Name)
		}
	}
	if len(numbers) == 0 {
		return !slices.ContainsFunc(line, func(field string) bool { return slices.Contains(names, field) })
	}
	if probe.labelOf(rows).foreign || lay.header == "yes" {
		return false
	}
	return slices.ContainsFunc(numbers, func(field string) bool {
		_, err := t.parse(field)
		return err == nil || t.isMissing(field)
	})
}
