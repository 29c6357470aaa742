// This file lets messages name options in the way that the reader knows.
//
// The same option is a field of a struct for a caller in Go, and a flag for the user of the command line. Texts
// therefore name options by their field in braces: {Name}, or {Name value} with a value for the option. [Optionf]
// makes an error from such a text; its Error method names options as in Go ([Fields]). [In] returns the error's text
// with options named in another way, even if the error was wrapped. Only the format is searched for braces, and not
// the values formatted into it.

package message

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
)

// Words is a function that names an option in the way that the reader knows. The result includes the value, unless
// value is empty.
type Words func(name, value string) string

// Fields names an option as a caller in Go does, such as `Scope: core`.
func Fields(name, value string) string {
	if value == "" {
		return name
	}
	return name + ": " + value
}

// marked matches an option in a text.
var marked = regexp.MustCompile(`\{([A-Z][A-Za-z]*)( [^{}]+)?\}`)

// Text formats a text like [fmt.Sprintf], with its options named by the function words.
func Text(words Words, format string, args ...any) string {
	return fmt.Sprintf(named(words, format), args...)
}

// named returns a text with its options named by the function words.
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

// Optionf returns an error about options, formatted like [fmt.Errorf].
func Optionf(format string, args ...any) error { return &OptionError{format, args} }

// Error returns the text with options named as in Go.
func (e *OptionError) Error() string { return e.in(Fields).Error() }

// Unwrap returns the wrapped error, or nil if there is none.
func (e *OptionError) Unwrap() error { return errors.Unwrap(e.in(Fields)) }

func (e *OptionError) in(words Words) error { return fmt.Errorf(named(words, e.format), e.args...) }

// In returns the text of an error, with all options in it named by the function words.
func In(err error, words Words) string {
	text := err.Error()
	for e := (*OptionError)(nil); errors.As(err, &e); err = e.Unwrap() {
		text = strings.Replace(text, e.Error(), e.in(words).Error(), 1)
	}
	return text
}
