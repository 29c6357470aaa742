package config

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"regexp"
	"strconv"
	"strings"

	"ialgn/internal/hint"
)

// scalar is a value as it was written.
type scalar struct {
	text   string
	quoted bool // a quoted scalar is text, even if it looks like a number
}

// decimal is the form of numbers: what YAML's core schema and Go agree on, without
// hexadecimal, infinity, NaN, and leading zeros, which mean octal to some.
var decimal = regexp.MustCompile(`^[-+]?((0|[1-9][0-9]*)(\.[0-9]*)?|\.[0-9]+)([eE][-+]?[0-9]+)?$`)

// assign sets a key's value. Any scalar can be text; a number has to be written as one.
func (s scalar) assign(to reflect.Value) error {
	if to.Kind() == reflect.String {
		to.SetString(s.text)
		return nil
	}
	kind := kindName(to)
	if s.quoted {
		return hint.With(fmt.Errorf("%s is text, want %s", s.short(), kind), "leave the quotes out")
	}
	if to.Kind() == reflect.Bool {
		if s.text != "true" && s.text != "false" {
			return fmt.Errorf("%s is not %s", s.short(), kind)
		}
		to.SetBool(s.text == "true")
		return nil
	}
	err := s.number(to)
	switch {
	case errors.Is(err, strconv.ErrRange):
		return fmt.Errorf("%s is out of range for %s", s.short(), kind)
	case err != nil:
		return fmt.Errorf("%s is not %s", s.short(), kind)
	}
	return nil
}

// number sets a number; its error is [strconv.ErrSyntax] or [strconv.ErrRange].
func (s scalar) number(to reflect.Value) error {
	if !decimal.MatchString(s.text) {
		return strconv.ErrSyntax
	}
	text := strings.TrimPrefix(s.text, "+")
	switch {
	case to.CanFloat():
		v, err := strconv.ParseFloat(text, 64)
		to.SetFloat(v)
		return err
	case to.CanUint():
		v, err := strconv.ParseUint(text, 10, 64)
		to.SetUint(v)
		return err
	}
	v, err := strconv.ParseInt(text, 10, 64)
	if v > math.MaxInt || v < math.MinInt {
		return strconv.ErrRange
	}
	to.SetInt(v)
	return err
}

// short returns the quoted text, cut where it is too long for a message.
func (s scalar) short() string { return fmt.Sprintf("%.40q", s.text) }

// kindName says what a key's value is to be.
func kindName(v reflect.Value) string {
	switch {
	case v.Kind() == reflect.String:
		return "text"
	case v.Kind() == reflect.Bool:
		return "true or false"
	case v.CanFloat():
		return "a number"
	case v.CanUint():
		return "a whole number of at least 0"
	}
	return "a whole number"
}
