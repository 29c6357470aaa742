// Package message attaches to an error what the user can do about it.
//
// The error's text says where and what and why; the hint says how to mend it. It
// stands apart because only `main` prints it, on a line of its own after the error,
// while callers that wrap, compare or log the error need not know of it. A hint
// survives wrapping with %w and [errors.Join].
package message

import (
	"errors"
)

// hinted is an error with a hint.
type hinted struct {
	error
	hint func(words Words) string
}

// Unwrap returns the error without its hint.
func (h *hinted) Unwrap() error { return h.error }

// Hint is HintIn the words of Go.
func (h *hinted) Hint() string { return h.hint(Fields) }

// HintIn returns how to mend what the error reports: one line, lower case, without a full stop, or such a line
// and a list of names below it, with options in these words.
func (h *hinted) HintIn(words Words) string { return h.hint(words) }

// WithHint returns err with a hint, formatted as by [fmt.Sprintf], and with its text
// unchanged. It returns nil if err is nil. Options in braces are named as [OptionError] says.
func WithHint(err error, format string, args ...any) error {
	if err == nil {
		return nil
	}
	return &hinted{err, func(words Words) string { return Text(words, format, args...) }}
}

// Hint returns the hint nearest to the outside of err, in the words of Go: that of the first error in the tree of
// [errors.As] that has a method Hint() string. It returns "" if there is none.
func Hint(err error) string { return HintIn(err, Fields) }

// HintIn is [Hint] with options in these words, where the hint knows any: it has a method HintIn(Words) string, too.
func HintIn(err error, words Words) string {
	var h interface {
		error
		Hint() string
	}
	if !errors.As(err, &h) {
		return ""
	}
	if h, ok := h.(interface {
		HintIn(words Words) string
	}); ok {
		return h.HintIn(words)
	}
	return h.Hint()
}
