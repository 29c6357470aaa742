// Package inputs describes how the inputs of a classifier are made from a user's values. It says which column becomes
// which feature, and how a real value becomes a feature's word (by scale and offset, or by cuts). It also holds the
// names of the words and the classes.
//
// The owner of the model fills a [Table] once. Everything that the program exports is written from this table:
//   - the header comments of Verilog, C and Go ([Table.Lines]);
//   - functions in C and Go that take real values;
//   - programs for the host of a wrapper;
//   - NAME.json ([WriteJSON]), which describes the table for other programs.
//
// The formula, in float64, is the trainer's formula (package encoding):
//
//	word = (x - offset) * scale, rounded to the nearest integer, halves away from zero,
//	       at least 0 and at most max; 0 where scale is 0
//
// or, in a table by cuts,
//
//	word = the number of the feature's cuts that x is greater than
package inputs

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Table describes how feature words are made.
type Table struct {
	Module  string // name of the design's module
	File    string // name of the file that WriteJSON writes: NAME.json
	Scope   string // gates, core or full
	Classes []string
	Label   string // name or number of the label's column in the training table; empty if unknown
	Bits    int    // width of each feature's word
	Max     uint32 // the largest word of a feature
	Scaled  bool   // real values become words by offset and scale or by cuts; if false, the values are the words
	ByCuts  bool   // in a Scaled table, real values become words by cuts
	// DecimalComma says that numbers in the table have a decimal comma, unless commas separate its columns.
	DecimalComma bool
	Missing      Missing
	Features     []Feature
	Columns      []Column
	// Thresholds, [feature][Bits-1], is set if the design takes thermometer bits (scopes gates and core). Bit j of
	// feature f is word > Thresholds[f][j], and the first feature's bits are the lowest. Thresholds is nil if the design
	// takes words.
	Thresholds [][]uint16
	// Trials are sample rows for tests. Each row has one real value for each feature, and the words that the trainer
	// computes from these values.
	Trials []Trial
}

// Missing lists the words for a missing value in a table.
type Missing struct {
	Words    []string // valid in any column, in upper or lower case
	Numbers  []string // also valid in columns of numbers, in upper or lower case
	Declared []string // valid in any column, exactly as written
}

// Feature is one word of a sample.
type Feature struct {
	Name          string
	Offset, Scale float64   // only in a Scaled table that is not ByCuts
	Cuts          []float64 // only in a table by cuts: Max cuts in ascending order
	Category      bool      // the value is 1 if a column has this feature's category, else 0
	Missing       bool      // the value may be missing; the word is then Fill
	Fill          uint16
}

// Kind says what a column holds.
type Kind string

// These are the kinds of columns.
const (
	Number   Kind = "number"
	Category Kind = "category" // one of several words; each word becomes a feature
	Label    Kind = "label"    // the class; may be absent from a row
	Dropped  Kind = "dropped"  // not read; may be absent from a row
)

// Column is a column of the table that holds the samples.
type Column struct {
	Name    string // empty if the table has no header
	Kind    Kind
	Feature int      // number of the column's first feature
	Values  []string // in a category column, the column's words in the order of the features
	Missing bool     // the value may be missing
	Fill    float64  // in a number column, the value that replaces a missing value
}

// Trial is a row of real values with its words.
type Trial struct {
	Values []float64
	Words  []uint16
}

// maxLines is the greatest number of features that a comment lists. maxCuts is the greatest number of cuts that it
// lists for each feature.
const (
	maxLines = 48
	maxCuts  = 8
)

// Lines returns the lines of a comment that says how words are made from real values. The lines give the offsets and
// scales, or the cuts, of the first features. Lines returns nil for a table that is not Scaled. Names in the lines
// are not escaped.
func (t *Table) Lines() []string {
	if t == nil || !t.Scaled {
		return nil
	}
	if t.ByCuts {
		return t.more(t.cutLines())
	}
	lines := []string{
		"Feature word of a real value x: (x - offset) times scale, in doubles, rounded to the nearest integer",
		fmt.Sprintf("Halves are rounded away from zero; a word is at least 0, at most %d, and 0 where scale is 0", t.Max),
		fmt.Sprintf("  %-5s  %-22s  %-22s  %s", "word", "offset", "scale", "feature"),
	}
	for i, f := range t.Features[:min(len(t.Features), maxLines)] {
		if f.Category {
			lines = append(lines, fmt.Sprintf("  %-5d  %-46s  %s", i, fmt.Sprintf("%d where it is so, else 0", t.Max), f.Name))
			continue
		}
		name := f.Name
		if as := t.AsIs(&f); as != "" {
			name += ", " + as
		}
		lines = append(lines, fmt.Sprintf("  %-5d  %-22s  %-22s  %s", i, Decimal(f.Offset), Decimal(f.Scale), name))
	}
	return t.more(lines)
}

// AsIs says how a whole number becomes a word of feature f without arithmetic. It returns "" if arithmetic is needed.
func (t *Table) AsIs(f *Feature) string {
	switch {
	case !t.Scaled || t.ByCuts || f.Category || f.Scale != 1:
		return ""
	case f.Offset == 0:
		return "the number itself"
	case f.Offset == -math.Ldexp(1, t.Bits-1):
		return fmt.Sprintf("the number in two's complement of %d bits, the highest bit inverted", t.Bits)
	}
	return ""
}

// cutLines returns the lines of a table by cuts.
func (t *Table) cutLines() []string {
	lines := []string{
		"Feature word of a real value x: how many of the feature's cuts x is greater than, in doubles",
		"Values for a category are 1 where it is so, else 0",
		fmt.Sprintf("  %-5s  %s", "word", "feature: cuts"),
	}
	for i, f := range t.Features[:min(len(t.Features), maxLines)] {
		var cuts []string
		for _, c := range f.Cuts[:min(len(f.Cuts), maxCuts)] {
			cuts = append(cuts, Decimal(c))
		}
		if more := len(f.Cuts) - maxCuts; more > 0 {
			cuts = append(cuts, fmt.Sprintf("... and %d more", more))
		}
		lines = append(lines, fmt.Sprintf("  %-5d  %s: %s", i, f.Name, strings.Join(cuts, " ")))
	}
	return lines
}

// more appends a line with the number of omitted features. It appends nothing if no feature is omitted.
func (t *Table) more(lines []string) []string {
	if more := len(t.Features) - maxLines; more > 0 {
		lines = append(lines, fmt.Sprintf("  ... and %d more", more))
	}
	return lines
}

// Decimal returns the shortest decimal number that is read as exactly x.
func Decimal(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

// Real returns the table if it describes how the words of a design are made from real values. Otherwise it returns
// nil.
func (t *Table) Real() *Table {
	if t == nil || !t.Scaled || t.Thresholds != nil {
		return nil
	}
	return t
}

// FeatureNames returns the names of all features.
func (t *Table) FeatureNames() (names []string) {
	for _, f := range t.Features {
		names = append(names, f.Name)
	}
	return names
}
