// This file lets messages name options in the reader's words.
//
// The same option is a field of a struct to a caller in Go, and a flag to the user of the command line. A text about
// options therefore names them in braces, {Name}, or with the value to give them, {Name value}, by the field's
// name. [Optionf] makes an error of such a text, which reads in the words of Go ([Fields]); [In] has it, wherever it
// was wrapped since, in other words. Only the text itself is searched for braces, not what is formatted into it.

package message

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
)

// Words returns what a reader calls an option, together with a value to give it unless that is empty.
type Words func(name, value string) string

// Fields are the words of a caller in Go, such as `Scope: core`.
func Fields(name, value string) string {
	if value == "" {
		return name
	}
	return name + ": " + value
}

// marked is an option in a text.
var marked = regexp.MustCompile(`\{([A-Z][A-Za-z]*)( [^{}]+)?\}`)

// Text formats a text about options, as [fmt.Sprintf] does, in these words.
func Text(words Words, format string, args ...any) string {
	return fmt.Sprintf(named(words, format), args...)
}

// named returns a text with its options in these words.
func named(words Words, text string) string {
	return marked.ReplaceAllStringFunc(text, func(mark string) string {
		part := marked.FindStringSubmatch(mark)
		return words(part[1], strings.TrimPrefix(part[2], " "))
	})
}

// OptionError is an error about options.
type OptionError struct {
	format string
	args   []any
}

// Optionf returns an error about options, as [fmt.Errorf] does.
func Optionf(format string, args ...any) error { return &OptionError{format, args} }

// OptionError returns the text in the words of Go.
func (e *OptionError) Error() string { return e.in(Fields).Error() }

// Unwrap returns what the error wraps, nil for nothing.
func (e *OptionError) Unwrap() error { return errors.Unwrap(e.in(Fields)) }

func (e *OptionError) in(words Words) error { return fmt.Errorf(named(words, e.format), e.args...) }

// In returns the text of an error with all of its options in these words.
func In(err error, words Words) string {
	text := err.Error()
	for e := (*OptionError)(nil); errors.As(err, &e); err = e.Unwrap() {
		text = strings.Replace(text, e.Error(), e.in(words).Error(), 1)
	}
	return text
}
