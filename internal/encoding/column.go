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

// These are the kinds of columns.
const (
	// NumberColumn holds numbers. It becomes one feature, whose word the [Quantiser] computes.
	NumberColumn ColumnKind = "number"
	// CategoryColumn holds one of several category words. It becomes one feature for each category word. The feature is
	// the encoder's Max if the row has this category word, and 0 otherwise. A word that did not occur in training sets
	// no feature.
	CategoryColumn ColumnKind = "category"
	// LabelColumn holds the class. It becomes no feature. It may be absent from rows to be classified.
	LabelColumn ColumnKind = "label"
	// DroppedColumn is not read. It becomes no feature. It may be absent from rows to be classified.
	DroppedColumn ColumnKind = "dropped"
)

// Column is a column of the table that a model was trained on. A row of raw values becomes feature words column by
// column, in order. Spaces around a value are removed. A number is then parsed and quantised, either by the feature's
// offset and scale or by its cuts. The word in a category column is compared with each category.
type Column struct {
	Name       string     `json:"name,omitempty"` // empty in a table without a header
	Kind       ColumnKind `json:"kind"`
	Categories []string   `json:"categories,omitempty"` // words of a category column, in the order of their features

	// Missing says that values may be missing ([MissingValue]). A missing number is replaced with Fill. A missing word
	// sets no feature. If Missing is false, a missing value is an error.
	Missing bool    `json:"missing,omitempty"`
	Fill    float64 `json:"fill,omitempty"`
}

// Features returns the number of features that the column becomes.
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

// MissingWords lists words that mark a missing value in any column. The words may be in upper or lower case, and may
// have spaces around them.
var MissingWords = []string{"", "NA", "N/A", "NaN", "null", "?"}

// MissingNumbers also mark a missing value in a column of numbers. In a column of categories, they are ordinary
// words.
var MissingNumbers = []string{
	"#N/A", "#N/A N/A", "#NA", "#NV", "#N/D", "<NA>", "None", `\N`, "-", "--", ".", "..", "NaT", "-nan", "+nan",
	"1.#QNAN", "-1.#IND", "1.#IND", "-1.#QNAN",
}

// MissingValue reports whether a field in a column of the given kind marks a missing value.
func MissingValue(kind ColumnKind, field string) bool {
	field = strings.TrimSpace(field)
	is := func(word string) bool { return strings.EqualFold(word, field) }
	return slices.ContainsFunc(MissingWords, is) || kind == NumberColumn && slices.ContainsFunc(MissingNumbers, is)
}

// MiddleThreshold returns the threshold in the middle of words of bitsIn bits. A word is above the threshold exactly
// if the word's highest bit is 1, so the comparison takes no look-up table.
func MiddleThreshold(bitsIn int) uint16 { return uint16(1)<<(bitsIn-1) - 1 }

// PlaceMiddle sets all thresholds of category features to the middle. The words of these features are 0 or Max.
func (e *Encoder) PlaceMiddle() {
	for f, row := range e.Thresholds {
		if e.Binary(f) {
			for j := range row {
				row[j] = MiddleThreshold(e.BitsIn)
			}
		}
	}
}

// Binary reports whether a feature belongs to a category. The words of such a feature are 0 or Max. Its thresholds
// are all in the middle, unless the encoder works by cuts.
func (e *Encoder) Binary(feature int) bool {
	for i := range e.Columns {
		c := &e.Columns[i]
		if feature -= c.Features(); feature < 0 {
			return c.Kind == CategoryColumn
		}
	}
	return false
}

// checkColumns returns an error if the columns are invalid or become a different number of features than given.
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
