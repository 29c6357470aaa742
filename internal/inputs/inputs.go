// Package inputs describes how the inputs of a classifier are made from a user's values: which column becomes which
// feature, how a real value becomes a feature's word (by scale and offset, or by cuts), and what the words and the
// classes are called.
//
// The owner of the model fills a [Table] once. Everything that leaves the program reads it: the header comments of
// Verilog, C and Go ([Table.Lines]), functions in C and Go that take real values, programs for the host of a
// wrapper, and NAME.json ([WriteJSON]), which describes the same for other programs.
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
	Label   string // name or number of the label's column in the training table; empty: unknown
	Bits    int    // of a feature's word
	Max     uint32 // largest word
	Scaled  bool   // real values become words by offset and scale or by cuts; otherwise values are words
	ByCuts  bool   // in a Scaled table: by cuts
	// DecimalComma says that numbers in the table have a decimal comma, unless commas separate its columns.
	DecimalComma bool
	Missing      Missing
	Features     []Feature
	Columns      []Column
	// Thresholds, [feature][Bits-1], is set if the design takes thermometer bits (scopes gates and core). Bit j of
	// feature f is word > Thresholds[f][j], with the first feature's bits lowest. Nil: the design takes words.
	Thresholds [][]uint16
	// Trials are sample rows for tests: real values, one for each feature, and the words that the trainer makes of
	// them.
	Trials []Trial
}

// Missing lists the words for a missing value in a table.
type Missing struct {
	Words    []string // in any column, in upper or lower case
	Numbers  []string // also in columns of numbers, in upper or lower case
	Declared []string // in any column, exactly as written
}

// Feature is one word of a sample.
type Feature struct {
	Name          string
	Offset, Scale float64   // only in a Scaled table that is not ByCuts
	Cuts          []float64 // only in a table ByCuts: Max cuts, ascending
	Category      bool      // the value is 1 if a column has the feature's word, else 0
	Missing       bool      // the value may be missing; the word is then Fill
	Fill          uint16
}

// Kind says what a column holds.
type Kind string

// The kinds of columns.
const (
	Number   Kind = "number"
	Category Kind = "category" // one of several words; each becomes a feature
	Label    Kind = "label"    // the class; rows may lack it
	Dropped  Kind = "dropped"  // not read; rows may lack it
)

// Column is a column of the table that holds the samples.
type Column struct {
	Name    string // empty: the table has no header
	Kind    Kind
	Feature int      // its first feature
	Values  []string // of a category: its words, in the order of the features
	Missing bool     // the value may be missing
	Fill    float64  // of a number: replaces a missing value
}

// Trial is a row of real values with its words.
type Trial struct {
	Values []float64
	Words  []uint16
}

// maxLines bounds the features that a comment lists, and maxCuts the cuts of each feature.
const (
	maxLines = 48
	maxCuts  = 8
)

// Lines returns lines for a comment that describe how words are made from real values, with the offsets and scales
// or the cuts of the first features. It returns nil for a table that is not Scaled. Names in the lines are not
// escaped.
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

// AsIs describes how a whole number becomes its word without arithmetic, or returns "" if it does not.
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

// more appends a line with the number of omitted features, if there are any.
func (t *Table) more(lines []string) []string {
	if more := len(t.Features) - maxLines; more > 0 {
		lines = append(lines, fmt.Sprintf("  ... and %d more", more))
	}
	return lines
}

// Decimal returns the shortest decimal that is read as exactly x.
func Decimal(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

// Real returns the table if it describes how the words of a design are made from real values, or nil otherwise.
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
