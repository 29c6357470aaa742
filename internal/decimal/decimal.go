// Package decimal parses numbers in the only form that the program accepts from its users: decimal, in ASCII
// digits.
//
// Options, configurations, grids and facts all parse numbers here, so that the same text means the same number
// everywhere. Go's own syntax also has 0x10, 1_000, 010 for eight, 0x1p-2, inf and nan. These are not numbers here.
package decimal

import (
	"errors"
	"regexp"
	"strconv"
	"strings"
)

// form matches a number. It allows no leading zeros, which some readers take for octal.
var form = regexp.MustCompile(`^[-+]?((0|[1-9][0-9]*)(\.[0-9]*)?|\.[0-9]+)([eE][-+]?[0-9]+)?$`)

// Valid reports whether the text is a number.
func Valid(text string) bool { return form.MatchString(text) }

// Float parses a number. Its error is [strconv.ErrSyntax] or [strconv.ErrRange].
func Float(text string) (float64, error) {
	if !Valid(text) {
		return 0, strconv.ErrSyntax
	}
	v, err := strconv.ParseFloat(text, 64)
	return v, reason(err)
}

// Int parses a whole number, without a point or an exponent. It returns the errors of [Float].
func Int(text string) (int, error) {
	if !Valid(text) {
		return 0, strconv.ErrSyntax
	}
	v, err := strconv.Atoi(text)
	return v, reason(err)
}

// Uint is [Int] for numbers that are not negative.
func Uint(text string) (uint64, error) {
	if !Valid(text) {
		return 0, strconv.ErrSyntax
	}
	v, err := strconv.ParseUint(strings.TrimPrefix(text, "+"), 10, 64)
	return v, reason(err)
}

// reason returns the cause of an error of package strconv, without the name of the Go function.
func reason(err error) error {
	var e *strconv.NumError
	if errors.As(err, &e) {
		return e.Err
	}
	return err
}
