// Package hint attaches to an error what the user can do about it.
//
// The error's text says where and what and why; the hint says how to mend it. It
// stands apart because only `main` prints it, on a line of its own after the error,
// while callers that wrap, compare or log the error need not know of it. A hint
// survives wrapping with %w and [errors.Join].
package hint

import (
	"errors"
	"fmt"
)

// hinted is an error with a hint.
type hinted struct {
	error
	hint string
}

// Unwrap returns the error without its hint.
func (h *hinted) Unwrap() error { return h.error }

// Hint returns how to mend what the error reports: one line, lower case, without a
// full stop, or such a line and a list of names below it.
func (h *hinted) Hint() string { return h.hint }

// With returns err with a hint, formatted as by [fmt.Sprintf], and with its text
// unchanged. It returns nil if err is nil.
func With(err error, format string, args ...any) error {
	if err == nil {
		return nil
	}
	return &hinted{err, fmt.Sprintf(format, args...)}
}

// Of returns the hint nearest to the outside of err: that of the first error in the
// tree of [errors.As] that has a method Hint() string. It returns "" if there is none.
func Of(err error) string {
	var h interface {
		error
		Hint() string
	}
	if errors.As(err, &h) {
		return h.Hint()
	}
	return ""
}
