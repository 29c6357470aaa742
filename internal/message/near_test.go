package message_test

import (
	"errors"
	"testing"

	"ialgn/internal/message"
)

func TestNearest(t *testing.T) {
	commands := []string{"demo", "train", "compile", "verify", "sim"}
	for _, test := range []struct {
		word  string
		names []string
		want  string
	}{
		{"complie", commands, "compile"},
		{"Compile", commands, "compile"},
		{"compiler", commands, "compile"},
		{"tarin", commands, "train"},
		{"smi", commands, "sim"},
		{"frobnicate", commands, ""},
		{"s", commands, ""}, // too short, because every letter would change
		{"", commands, ""},
		{"sime", nil, ""},
		{"ice4", []string{"generic", "ice40", "ecp5"}, "ice40"},
		{"ac", []string{"ab", "ad"}, "ab"}, // the first of equally near words
		{"train.optimizer.learning", []string{"train.optimizer.lr", "train.epochs"}, "train.optimizer.lr"},
		{"train.learning", []string{"train.optimizer.lr", "train.epochs"}, ""},
		{"train.optimiser.lr", []string{"train.optimizer.lr", "train.epochs"}, "train.optimizer.lr"},
	} {
		if got := message.Nearest(test.word, test.names); got != test.want {
			t.Errorf("%q: %q, want %q", test.word, got, test.want)
		}
	}
}

func TestNear(t *testing.T) {
	plain := errors.New("no such thing")
	for _, test := range []struct {
		err        error
		word, want string
	}{
		{plain, "lutt", "did you mean lut"},
		{plain, "other", ""},
		{message.WithHint(plain, "see the list"), "lutt", "did you mean lut; see the list"},
		{message.WithHint(plain, "see the list"), "other", "see the list"},
	} {
		err := message.Near(test.err, test.word, []string{"gates", "lut"})
		if got := message.Hint(err); got != test.want || !errors.Is(err, plain) {
			t.Errorf("%v, %q: hint %q, want %q", test.err, test.word, got, test.want)
		}
	}
	err := message.NoSuch("target", "ice4", []string{"ice40", "ecp5"})
	if got := err.Error() + "|" + message.Hint(err); got != `target "ice4": no such target, use one of ice40, ecp5|did you mean ice40` {
		t.Error(got)
	}
}
