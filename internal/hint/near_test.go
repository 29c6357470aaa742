package hint_test

import (
	"errors"
	"testing"

	"ialgn/internal/hint"
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
		{"s", commands, ""}, // nothing of it would be left
		{"", commands, ""},
		{"sime", nil, ""},
		{"ice4", []string{"generic", "ice40", "ecp5"}, "ice40"},
		{"ac", []string{"ab", "ad"}, "ab"}, // the first of equals
		{"train.optimizer.learning", []string{"train.optimizer.lr", "train.epochs"}, "train.optimizer.lr"},
		{"train.learning", []string{"train.optimizer.lr", "train.epochs"}, ""},
		{"train.optimiser.lr", []string{"train.optimizer.lr", "train.epochs"}, "train.optimizer.lr"},
	} {
		if got := hint.Nearest(test.word, test.names); got != test.want {
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
		{hint.With(plain, "see the list"), "lutt", "did you mean lut; see the list"},
		{hint.With(plain, "see the list"), "other", "see the list"},
	} {
		err := hint.Near(test.err, test.word, []string{"gates", "lut"})
		if got := hint.Of(err); got != test.want || !errors.Is(err, plain) {
			t.Errorf("%v, %q: hint %q, want %q", test.err, test.word, got, test.want)
		}
	}
	err := hint.NoSuch("target", "ice4", []string{"ice40", "ecp5"})
	if got := err.Error() + "|" + hint.Of(err); got != `target "ice4": no such target, use one of ice40, ecp5|did you mean ice40` {
		t.Error(got)
	}
}
