// Package hint attaches to an error what the user can do about it.
//
// The error's text says where and what and why; the hint says how to mend it. It
// stands apart because only `main` prints it, on a line of its own after the error,
// while callers that wrap, compare or log the error need not know of it. A hint
// survives wrapping with %w and [errors.Join].
package hint

import (
	"errors"

	"ialgn/internal/option"
)

// hinted is an error with a hint.
type hinted struct {
	error
	hint func(words option.Words) string
}

// Unwrap returns the error without its hint.
func (h *hinted) Unwrap() error { return h.error }

// Hint is HintIn the words of Go.
func (h *hinted) Hint() string { return h.hint(option.Fields) }

// HintIn returns how to mend what the error reports: one line, lower case, without a full stop, or such a line
// and a list of names below it, with options in these words.
func (h *hinted) HintIn(words option.Words) string { return h.hint(words) }

// With returns err with a hint, formatted as by [fmt.Sprintf], and with its text
// unchanged. It returns nil if err is nil. Options in braces are named as package option says.
func With(err error, format string, args ...any) error {
	if err == nil {
		return nil
	}
	return &hinted{err, func(words option.Words) string { return option.Text(words, format, args...) }}
}

// Of returns the hint nearest to the outside of err, in the words of Go: that of the first error in the tree of
// [errors.As] that has a method Hint() string. It returns "" if there is none.
func Of(err error) string { return In(err, option.Fields) }

// In is [Of] with options in these words, where the hint knows any: it has a method HintIn(option.Words) string, too.
func In(err error, words option.Words) string {
	var h interface {
		error
		Hint() string
	}
	if !errors.As(err, &h) {
		return ""
	}
	if h, ok := h.(interface {
		HintIn(words option.Words) string
	}); ok {
		return h.HintIn(words)
	}
	return h.Hint()
}
