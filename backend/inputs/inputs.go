// Package inputs describes how the inputs of a classifier are made of the values that its user has: which column
// becomes which feature, by what scale and offset a real value becomes a feature's word, what the words and the classes
// are called.
//
// A [Table] is filled by whoever has the model, and read by all that leaves the program: heads of Verilog, C and Go
// ([Table.Lines]), functions in C and Go that take real values, programs for the host of a wrapper, and NAME.json
// ([WriteJSON]), which says the same to other programs. It is not changed once it is made.
//
// The formula, in doubles, is the trainer's (package encoding):
//
//	word = (x - offset) * scale, rounded to the nearest integer, halves away from zero,
//	       at least 0 and at most max; 0 where scale is 0
package inputs

import (
	"fmt"
	"strconv"
)

// Table says how feature words are made.
type Table struct {
	Module  string // of the design
	File    string // name of the file that WriteJSON writes: NAME.json
	Scope   string // gates, core or full
	Classes []string
	Label   string // name or number of the column that has the class in the training set's table; empty: none is known
	Bits    int    // of a feature's word
	Max     uint32 // largest word
	Scaled  bool   // real values become words by offset and scale; else the values are the words
	// DecimalComma says that numbers have a comma in the table, unless commas separate its columns.
	DecimalComma bool
	Features     []Feature
	Columns      []Column
	// Thresholds are those of each feature where the design takes thermometer bits, scopes gates and core: bit j of
	// feature f is word > Thresholds[f][j], the first feature's bits lowest. Nil: the design takes the words.
	Thresholds [][]uint16
	// Trials are rows of real values, a value a feature, and the words that the trainer makes of them, for tests.
	Trials []Trial
}

// Feature is a word of a sample.
type Feature struct {
	Name          string
	Offset, Scale float64 // only in a table that is Scaled
	Category      bool    // the value is 1 where a column has the feature's word, else 0
	Missing       bool    // the value may be missing; then the word is Fill
	Fill          uint16
}

// Kind says what a column holds.
type Kind string

// The kinds of columns.
const (
	Number   Kind = "number"
	Category Kind = "category" // one of some words, a feature for each
	Label    Kind = "label"    // the class, which rows may lack
	Dropped  Kind = "dropped"  // nothing that is read, which rows may lack
)

// Column is a column of the table that samples come in.
type Column struct {
	Name    string // empty: the table has no header
	Kind    Kind
	Feature int      // its first feature
	Values  []string // of a category, in the order of the features
	Missing bool     // the value may be missing
	Fill    float64  // of a number: stands for a value that is missing
}

// Trial is a row of real values with its words.
type Trial struct {
	Values []float64
	Words  []uint16
}

// maxLines is how many features a comment lists.
const maxLines = 48

// Lines returns lines for a comment that say how words are made of real values, with the first features' offsets and
// scales; none of a table that is not Scaled. Names stand in them as they are.
func (t *Table) Lines() []string {
	if t == nil || !t.Scaled {
		return nil
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
		lines = append(lines, fmt.Sprintf("  %-5d  %-22s  %-22s  %s", i, Decimal(f.Offset), Decimal(f.Scale), f.Name))
	}
	if more := len(t.Features) - maxLines; more > 0 {
		lines = append(lines, fmt.Sprintf("  ... and %d more", more))
	}
	return lines
}

// Decimal returns the shortest decimal that reads as x.
func Decimal(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

// Real returns the table where it says how the words that a design takes are made of real values, else nil.
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
