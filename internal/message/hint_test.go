package message_test

import (
	"errors"
	"fmt"
	"io"
	"testing"

	"ialgn/internal/message"
)

func TestHint(t *testing.T) {
	inner := message.WithHint(io.ErrUnexpectedEOF, "copy %s again", "it")
	for _, test := range []struct {
		name string
		err  error
		want string
	}{
		{"no error", nil, ""},
		{"none", io.EOF, ""},
		{"direct", inner, "copy it again"},
		{"wrapped", fmt.Errorf("model: %w", inner), "copy it again"},
		{"joined", errors.Join(io.EOF, inner), "copy it again"},
		{"the outer one", message.WithHint(inner, "outer"), "outer"},
		{"cut off with the error", errors.New("model: " + inner.Error()), ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := message.Hint(test.err); got != test.want {
				t.Errorf("hint %q, want %q", got, test.want)
			}
		})
	}
}

func TestWithHint(t *testing.T) {
	if err := message.WithHint(nil, "nothing to mend"); err != nil {
		t.Errorf("no error became %v", err)
	}
	err := message.WithHint(io.ErrUnexpectedEOF, "copy it again")
	if got, want := err.Error(), io.ErrUnexpectedEOF.Error(); got != want {
		t.Errorf("text %q, want it unchanged: %q", got, want)
	}
	if !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Error("the error below the hint is out of reach")
	}
}
