package message

import (
	"strings"
	"testing"
)

func TestPlural(t *testing.T) {
	for n, want := range map[int]string{0: "0 batches", 1: "1 batch", 2: "2 batches", -1: "-1 batches"} {
		if got := Plural(n, "batch", "batches"); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

func TestOr(t *testing.T) {
	for _, want := range []string{"", "a", "a or b", "a, b or c"} {
		if got := Or(strings.FieldsFunc(strings.ReplaceAll(want, " or ", ","),
			func(r rune) bool { return r == ',' || r == ' ' })); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
