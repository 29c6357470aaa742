// Package message attaches to an error a hint on how the user can fix the problem.
//
// The error's text says where the problem is, what it is, and why it is a problem. The hint says how to fix it. The
// hint is separate because only `main` prints it, on its own line after the error, while callers that wrap, compare
// or log the error can ignore it. A hint survives wrapping with %w and [errors.Join].
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

// Hint returns the hint with options named as in Go.
func (h *hinted) Hint() string { return h.hint(Fields) }

// HintIn returns how to fix the problem, with options named by the function words. It is one line in lower case
// without a full stop. A list of names may follow on more lines.
func (h *hinted) HintIn(words Words) string { return h.hint(words) }

// WithHint returns err with a hint, formatted like [fmt.Sprintf]. The text of err is unchanged. WithHint returns
// nil if err is nil. Options in braces are replaced as in [Text].
func WithHint(err error, format string, args ...any) error {
	if err == nil {
		return nil
	}
	return &hinted{err, func(words Words) string { return Text(words, format, args...) }}
}

// Hint returns the outermost hint of err, with options named as in Go. It is the hint of the first error in the
// tree of [errors.As] that has a method Hint() string, or "" if there is none.
func Hint(err error) string { return HintIn(err, Fields) }

// HintIn is like [Hint], but with options named by the function words. If the error has a method HintIn(Words)
// string, it calls this method instead of Hint.
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
