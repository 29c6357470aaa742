// Package decimal reads numbers in the one form that the program takes from its users: decimal, in ASCII digits.
//
// Options, configurations, grids and facts all read numbers here, so that the same text means the same number
// everywhere. Go's own syntax also has 0x10, 1_000, 010 for eight, 0x1p-2, inf and nan, and those are no numbers here.
package decimal

import (
	"errors"
	"regexp"
	"strconv"
	"strings"
)

// form is the form of a number. It has no leading zeros, which mean octal to some.
var form = regexp.MustCompile(`^[-+]?((0|[1-9][0-9]*)(\.[0-9]*)?|\.[0-9]+)([eE][-+]?[0-9]+)?$`)

// Valid reports whether the text is a number.
func Valid(text string) bool { return form.MatchString(text) }

// Float returns the number of a text. Its error is [strconv.ErrSyntax] or [strconv.ErrRange].
func Float(text string) (float64, error) {
	if !Valid(text) {
		return 0, strconv.ErrSyntax
	}
	v, err := strconv.ParseFloat(text, 64)
	return v, reason(err)
}

// Int returns the whole number of a text, which has no point and no exponent. Its error is that of [Float].
func Int(text string) (int, error) {
	if !Valid(text) {
		return 0, strconv.ErrSyntax
	}
	v, err := strconv.Atoi(text)
	return v, reason(err)
}

// Uint is [Int] of numbers of at least 0.
func Uint(text string) (uint64, error) {
	if !Valid(text) {
		return 0, strconv.ErrSyntax
	}
	v, err := strconv.ParseUint(strings.TrimPrefix(text, "+"), 10, 64)
	return v, reason(err)
}

// reason returns the cause in an error of package strconv, whose text names a function of Go.
func reason(err error) error {
	var e *strconv.NumError
	if errors.As(err, &e) {
		return e.Err
	}
	return err
}
