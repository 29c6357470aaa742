package dataset

import (
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// notation says how the numbers of a table are written. Numbers have a decimal point or a decimal comma. A character
// may separate thousands.
type notation struct {
	comma     bool
	thousands string // a name in groupMarks; if empty, thousands are not separated
}

// groupMarks lists the characters that may separate thousands, with a name for each kind.
var groupMarks = []struct{ name, marks string }{
	{"comma", ","}, {"point", "."}, {"space", " \u00a0\u2009\u202f"}, {"apostrophe", "'\u2019"},
}

// marksOf returns the characters of a row of groupMarks.
func marksOf(name string) string {
	for _, g := range groupMarks {
		if g.name == name {
			return g.marks
		}
	}
	return ""
}

// parse reads a number. In every notation, a number may also be written without thousands separators.
func (n notation) parse(text string) (float64, error) {
	if strings.ContainsAny(text, "xX_") { // only Go accepts such numbers, for example 0x1p-2
		return 0, strconv.ErrSyntax
	}
	if n.thousands != "" {
		plain, ok := n.ungroup(text)
		if !ok {
			return 0, strconv.ErrSyntax
		}
		text = plain
	}
	if n.comma {
		if strings.Contains(text, ".") {
			return 0, strconv.ErrSyntax
		}
		text = strings.Replace(text, ",", ".", 1)
	}
	return strconv.ParseFloat(text, 64)
}

// finite reads a number that is neither infinite nor NaN.
func (n notation) finite(text string) (float64, bool) {
	x, err := n.parse(text)
	return x, err == nil && !math.IsInf(x, 0) && !math.IsNaN(x)
}

// ungroup removes the thousands separators of a number. Exactly three digits must follow each separator.
func (n notation) ungroup(text string) (plain string, ok bool) {
	marks := marksOf(n.thousands)
	if !strings.ContainsAny(text, marks) {
		return text, true
	}
	if len(text) > longestNumeral {
		return "", false
	}
	decimal := "."
	if n.comma {
		decimal = ","
	}
	whole, rest := text, ""
	if end := strings.IndexAny(text, decimal+"eE"); end >= 0 {
		whole, rest = text[:end], text[end:]
	}
	groups, _ := split(strings.TrimLeft(whole, "+-"), marks)
	if !grouped(groups) || strings.ContainsAny(rest, marks) {
		return "", false
	}
	return whole[:len(whole)-len(strings.TrimLeft(whole, "+-"))] + strings.Join(groups, "") + rest, true
}

// longestNumeral is the greatest length of a number with thousands separators, in bytes.
const longestNumeral = 400

// split splits a text at each of the marks. It also returns the marks that it found, one after the other.
func split(text, marks string) (parts []string, found string) {
	var all []byte
	for {
		i := strings.IndexAny(text, marks)
		if i < 0 {
			return append(parts, text), string(all)
		}
		_, size := utf8.DecodeRuneInString(text[i:])
		parts, all, text = append(parts, text[:i]), append(all, text[i:i+size]...), text[i+size:]
	}
}

// grouped reports whether the texts are the digit groups of a number that is at least 1000.
func grouped(groups []string) bool {
	for i, g := range groups {
		if !allDigits(g) || len(g) != 3 && (i > 0 || len(g) > 3) {
			return false
		}
	}
	return len(groups) > 1 && groups[0][0] != '0'
}

func allDigits(text string) bool { return text != "" && noneButDigits(text) }

func noneButDigits(text string) bool { return strings.Trim(text, "0123456789") == "" }

// looksNumeric reports whether a text is a finite number in at least one notation.
func looksNumeric(text string) bool {
	for _, n := range []notation{{}, {comma: true}} {
		if _, ok := n.finite(text); ok {
			return true
		}
	}
	_, ok := marksIn(text)
	return ok
}

// numeral says what the marks in a number mean. The field group is the thousands separator, and decimal is the
// decimal mark. The field either is a mark that may be a thousands separator or a decimal mark, as in 1,021. Each
// field is the index of a row of groupMarks, or -1 if there is no such mark.
type numeral struct{ group, decimal, either int }

// exponent matches the end of a number in scientific notation.
var exponent = regexp.MustCompile(`[eE][+-]?[0-9]+$`)

// numeralOf determines the meaning of the marks in a number. ok is false if the text is not a number. A number with
// an exponent has no thousands separators.
func numeralOf(text string) (n numeral, ok bool) {
	at := exponent.FindStringIndex(text)
	if at == nil {
		return marksIn(text)
	}
	n, ok = marksIn(text[:at[0]])
	if n.either == markComma || n.either == markPoint {
		n.decimal, n.either = n.either, -1
	}
	return n, ok && n.group < 0
}

// marksIn is numeralOf for a number without an exponent.
func marksIn(text string) (n numeral, ok bool) {
	n = numeral{-1, -1, -1}
	text = strings.TrimLeft(text, "+-")
	if allDigits(text) || len(text) > longestNumeral || !strings.ContainsAny(text, allMarks) {
		return n, allDigits(text)
	}
	parts, marks := split(text, allMarks)
	// If the last mark is the decimal mark, all other marks separate thousands and must be alike.
	first, last, end := firstMark(marks), lastMark(marks), len(parts)-1
	before := marks[:strings.LastIndex(marks, last)]
	alone, decimal := before == "", strings.Contains(",.", last) && noneButDigits(parts[end])
	switch {
	case alone && decimal && grouped(parts):
		n.either = kindOf(last)
	case strings.Trim(marks, first) == "" && grouped(parts):
		n.group = kindOf(first)
	case alone && decimal && text != marks && noneButDigits(parts[0]):
		n.decimal = kindOf(last)
	case !alone && decimal && first != last && strings.Trim(before, first) == "" && grouped(parts[:end]):
		n.group, n.decimal = kindOf(first), kindOf(last)
	default:
		return n, false
	}
	return n, true
}

// allMarks holds the marks of all rows of groupMarks.
var allMarks = func() (all string) {
	for _, g := range groupMarks {
		all += g.marks
	}
	return all
}()

func firstMark(marks string) string {
	_, size := utf8.DecodeRuneInString(marks)
	return marks[:size]
}

func lastMark(marks string) string {
	_, size := utf8.DecodeLastRuneInString(marks)
	return marks[len(marks)-size:]
}

// kindOf returns the index of the row of groupMarks that contains a mark.
func kindOf(mark string) int {
	return slices.IndexFunc(groupMarks, func(g struct{ name, marks string }) bool {
		return strings.Contains(g.marks, mark)
	})
}

// evidence counts the marks in the numbers of a column. An index into its arrays is the number of a row of
// groupMarks.
type evidence struct {
	group, decimal, either [4]int
	rounded                [4]int // number of values that have a mark of unclear meaning and end in 0
	small, large           int    // number of whole numbers below 1000, and number of larger whole numbers
	example                [4]place
}

// place is a value in a column, together with the value's line.
type place struct {
	text string
	line int
}

// add counts the marks of a value.
func (e *evidence) add(text string, line int) {
	n, ok := numeralOf(text)
	switch {
	case !ok:
	case n.either >= 0:
		if e.either[n.either]++; e.example[n.either].text == "" {
			e.example[n.either] = place{strings.Clone(text), line}
		}
		if strings.HasSuffix(text, "0") {
			e.rounded[n.either]++
		}
	case n.group < 0 && n.decimal < 0 && len(text) <= 3:
		e.small++
	case n.group < 0 && n.decimal < 0:
		e.large++
	}
	if n.group >= 0 {
		e.group[n.group]++
	}
	if n.decimal >= 0 {
		e.decimal[n.decimal]++
	}
}

func (e *evidence) join(o *evidence) {
	for k := range e.group {
		e.group[k], e.decimal[k], e.either[k] = e.group[k]+o.group[k], e.decimal[k]+o.decimal[k], e.either[k]+o.either[k]
	}
}

// These are the rows of groupMarks. The marks of the first two rows can also be decimal marks.
const (
	markComma = iota
	markPoint
	markSpace
	markApostrophe
)

// manyGroups is a number of values with three digits after a point. If a column has this number of such values, the
// points separate thousands. If the points were decimal marks, some values would have fewer digits, because programs
// omit trailing zeros.
const manyGroups = 50

// pointsAsGroups reports whether the points of a column look like thousands separators. This is the case if three
// digits follow each point and all whole numbers without a point are below 1000. In addition, some number with a
// point must end in 0, or there must be at least manyGroups numbers with a point.
func (e *evidence) pointsAsGroups() bool {
	return e.either[markPoint] > 0 && e.decimal == [4]int{} && e.small > 0 && e.large == 0 &&
		(e.rounded[markPoint] > 0 || e.either[markPoint] >= manyGroups)
}

// These are results of decimalMark in addition to the rows of groupMarks.
const (
	markUnknown = -1
	markMixed   = -2
)

// decimalMark returns the decimal mark of the numbers. The comma is the decimal mark if it certainly is the decimal
// mark of some number, or if points certainly separate thousands. The same rule, with the two marks exchanged, holds
// for the point.
func (e *evidence) decimalMark() int {
	sure := func(mark, other int) bool { return e.decimal[mark] > 0 || e.group[other] > 0 }
	switch comma, point := sure(markComma, markPoint), sure(markPoint, markComma); {
	case comma && point:
		return markMixed // the marks are in different columns; unless a notation is given, some of these columns hold words
	case comma:
		return markComma
	case point:
		return markPoint
	}
	return markUnknown
}

// decide returns the notation of the numbers in some columns. If a column has an ambiguous mark, decide also returns
// the column's index and the mark's row in groupMarks. Otherwise the index is -1.
func decide(columns []*evidence) (n notation, column, mark int) {
	var all evidence
	for _, e := range columns {
		all.join(e)
	}
	switch decimal := all.decimalMark(); decimal {
	case markMixed:
	case markUnknown:
		either := func(e *evidence) bool { return e.either[markComma] > 0 }
		if column = slices.IndexFunc(columns, either); column >= 0 {
			return n, column, markComma
		}
		if column = slices.IndexFunc(columns, (*evidence).pointsAsGroups); column >= 0 {
			return n, column, markPoint
		}
	default:
		n.comma = decimal == markComma
		if other := markComma + markPoint - decimal; all.group[other]+all.either[other] > 0 {
			n.thousands = groupMarks[other].name
		}
	}
	for _, k := range []int{markSpace, markApostrophe} {
		if all.group[k] > 0 && n.thousands == "" {
			n.thousands = groupMarks[k].name
		}
	}
	return n, -1, -1
}
