package config

import (
	"errors"
	"fmt"
	"reflect"
	"strconv"

	"ialgn/internal/decimal"
	"ialgn/internal/message"
)

// scalar is a value in the form in which it is written.
type scalar struct {
	text   string
	quoted bool // a quoted scalar is text, even if it looks like a number
}

// assign sets a key's value. Any scalar can be text, but a number must be written as a number.
func (s scalar) assign(to reflect.Value) error {
	if to.Kind() == reflect.String {
		to.SetString(s.text)
		return nil
	}
	kind := kindName(to)
	if s.quoted {
		return message.WithHint(fmt.Errorf("%s is text, want %s", s.short(), kind), "remove the quotes")
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

// number sets a number. It returns [strconv.ErrSyntax] or [strconv.ErrRange] if the text is not a valid number.
func (s scalar) number(to reflect.Value) error {
	switch {
	case to.CanFloat():
		v, err := decimal.Float(s.text)
		to.SetFloat(v)
		return err
	case to.CanUint():
		v, err := decimal.Uint(s.text)
		to.SetUint(v)
		return err
	}
	v, err := decimal.Int(s.text)
	to.SetInt(int64(v))
	return err
}

// short returns the text in quotes, shortened for a message.
func (s scalar) short() string { return fmt.Sprintf("%.40q", s.text) }

// kindName returns the name of the kind of values that a key takes.
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
