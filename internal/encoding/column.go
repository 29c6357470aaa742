package encoding

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// ColumnKind says what a column of a table holds.
type ColumnKind string

// The kinds of columns.
const (
	// NumberColumn holds numbers: one feature, the word that the [Quantiser] gives for it.
	NumberColumn ColumnKind = "number"
	// CategoryColumn holds one of some words: a feature for each of them, which is the encoder's Max where the column has
	// that word and 0 where it has another. A word that training has not seen sets none.
	CategoryColumn ColumnKind = "category"
	// LabelColumn holds the class; no feature. Rows to be classified may lack it.
	LabelColumn ColumnKind = "label"
	// DroppedColumn is not read; no feature. Rows to be classified may lack it.
	DroppedColumn ColumnKind = "dropped"
)

// Column is a column of the table that a model was trained on. A row of raw values becomes feature words column by
// column, in their order: spaces around a value are left out; then a number is parsed and quantised by the feature's
// offset and scale or its cuts, a category compared with each of the categories.
type Column struct {
	Name       string     `json:"name,omitempty"` // empty in a table without a header
	Kind       ColumnKind `json:"kind"`
	Categories []string   `json:"categories,omitempty"` // of a category: in the order of its features

	// Missing says that a value may be missing ([MissingValue]): a number is Fill then, and a category sets no feature.
	// Elsewhere a missing value is an error.
	Missing bool    `json:"missing,omitempty"`
	Fill    float64 `json:"fill,omitempty"`
}

// Features returns how many features the column becomes.
func (c *Column) Features() int {
	switch c.Kind {
	case NumberColumn:
		return 1
	case CategoryColumn:
		return len(c.Categories)
	}
	return 0
}

// Optional reports whether a row to be classified may lack the column.
func (c *Column) Optional() bool { return c.Kind == LabelColumn || c.Kind == DroppedColumn }

// MissingWords say in any column that a value is missing, in upper or lower case, with spaces around them or not.
var MissingWords = []string{"", "NA", "N/A", "NaN", "null", "?"}

// MissingNumbers say the same in a column of numbers. In a column of categories they may be words like others.
var MissingNumbers = []string{
	"#N/A", "#N/A N/A", "#NA", "#NV", "#N/D", "<NA>", "None", `\N`, "-", "--", ".", "..", "NaT", "-nan", "+nan",
	"1.#QNAN", "-1.#IND", "1.#IND", "-1.#QNAN",
}

// MissingValue reports whether a field of a column of a kind says that its value is missing.
func MissingValue(kind ColumnKind, field string) bool {
	field = strings.TrimSpace(field)
	is := func(word string) bool { return strings.EqualFold(word, field) }
	return slices.ContainsFunc(MissingWords, is) || kind == NumberColumn && slices.ContainsFunc(MissingNumbers, is)
}

// MiddleThreshold returns the threshold in the middle of words of so many bits: what is above it has the highest bit,
// so that the comparison costs no look-up table.
func MiddleThreshold(bitsIn int) uint16 { return uint16(1)<<(bitsIn-1) - 1 }

// PlaceMiddle puts all thresholds of the features of categories, whose words are 0 or Max, in the middle.
func (e *Encoder) PlaceMiddle() {
	for f, row := range e.Thresholds {
		if e.Binary(f) {
			for j := range row {
				row[j] = MiddleThreshold(e.BitsIn)
			}
		}
	}
}

// Binary reports whether a feature belongs to a category: its words are 0 or Max, and its thresholds all in the middle,
// unless words are made by cuts.
func (e *Encoder) Binary(feature int) bool {
	for i := range e.Columns {
		c := &e.Columns[i]
		if feature -= c.Features(); feature < 0 {
			return c.Kind == CategoryColumn
		}
	}
	return false
}

// checkColumns reports what is wrong with columns of the given number of features.
func checkColumns(columns []Column, features int) error {
	n, labels := 0, 0
	for i := range columns {
		c := &columns[i]
		if err := c.check(); err != nil {
			return fmt.Errorf("column %d: %w", i+1, err)
		}
		if c.Kind == LabelColumn {
			labels++
		}
		n += c.Features()
	}
	switch {
	case len(columns) > 0 && n != features:
		return fmt.Errorf("the columns become %d features, want %d", n, features)
	case labels > 1:
		return fmt.Errorf("%d columns are labels, want at most one", labels)
	}
	return nil
}

func (c *Column) check() error {
	for _, text := range append([]string{c.Name}, c.Categories...) {
		if !utf8.ValidString(text) || strings.ContainsFunc(text, unicode.IsControl) {
			return fmt.Errorf("%q holds control characters or is not UTF-8", text)
		}
	}
	switch {
	case !slices.Contains([]ColumnKind{NumberColumn, CategoryColumn, LabelColumn, DroppedColumn}, c.Kind):
		return fmt.Errorf("the kind %.40q is unknown", c.Kind)
	case (c.Kind == CategoryColumn) != (len(c.Categories) > 0):
		return fmt.Errorf("%d categories of a %s", len(c.Categories), c.Kind)
	case !slices.IsSorted(c.Categories) || len(slices.Compact(slices.Clone(c.Categories))) < len(c.Categories):
		return fmt.Errorf("its categories are not in order, or not different")
	case math.IsNaN(c.Fill) || math.IsInf(c.Fill, 0) || c.Fill != 0 && (!c.Missing || c.Kind != NumberColumn):
		return fmt.Errorf("a missing value is %v, want a finite number, and none elsewhere", c.Fill)
	}
	return nil
}
