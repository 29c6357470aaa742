// Package inputs describes how the inputs of a classifier are made of the values that its user has: which column
// becomes which feature, by what scale and offset, or by what cuts, a real value becomes a feature's word, what the
// words and the classes are called.
//
// A [Table] is filled by whoever has the model, and read by all that leaves the program: heads of Verilog, C and Go
// ([Table.Lines]), functions in C and Go that take real values, programs for the host of a wrapper, and NAME.json
// ([WriteJSON]), which says the same to other programs. It is not changed once it is made.
//
// The formula, in doubles, is the trainer's (package encoding):
//
//	word = (x - offset) * scale, rounded to the nearest integer, halves away from zero,
//	       at least 0 and at most max; 0 where scale is 0
//
// or, of a table by cuts,
//
//	word = the number of the feature's cuts that x is greater than
package inputs

import (
	"fmt"
	"math"
	"strconv"
	"strings"
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
	Scaled  bool   // real values become words by offset and scale or by cuts; else the values are the words
	ByCuts  bool   // of a table that is Scaled: by cuts
	// DecimalComma says that numbers have a comma in the table, unless commas separate its columns.
	DecimalComma bool
	Missing      Missing
	Features     []Feature
	Columns      []Column
	// Thresholds are those of each feature where the design takes thermometer bits, scopes gates and core: bit j of
	// feature f is word > Thresholds[f][j], the first feature's bits lowest. Nil: the design takes the words.
	Thresholds [][]uint16
	// Trials are rows of real values, a value a feature, and the words that the trainer makes of them, for tests.
	Trials []Trial
}

// Missing has the words of a table that say that a value is missing.
type Missing struct {
	Words    []string // of any column, in upper or lower case
	Numbers  []string // of a column of numbers, too, in upper or lower case
	Declared []string // of any column, as they are written
}

// Feature is a word of a sample.
type Feature struct {
	Name          string
	Offset, Scale float64   // only in a table that is Scaled, and not ByCuts
	Cuts          []float64 // only in a table ByCuts: Max of them, ascending
	Category      bool      // the value is 1 where a column has the feature's word, else 0
	Missing       bool      // the value may be missing; then the word is Fill
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

// maxLines is how many features a comment lists, and maxCuts how many cuts of each.
const (
	maxLines = 48
	maxCuts  = 8
)

// Lines returns lines for a comment that say how words are made of real values, with the first features' offsets and
// scales or first cuts; none of a table that is not Scaled. Names stand in them as they are.
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

// AsIs says how the word of a feature of whole numbers is one of them without arithmetic; "" if it is not.
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

// more ends lines with the number of the features that they leave out.
func (t *Table) more(lines []string) []string {
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
