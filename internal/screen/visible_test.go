package screen

import (
	"strings"
	"testing"
)

// TestVisible checks characters that control terminals, and characters that terminals show.
func TestVisible(t *testing.T) {
	for _, c := range []struct {
		text    string
		colours bool
		want    string
	}{
		{"plain, \u00e4\u4e16\U0001f600\u00a0\n\tline\n", false, "plain, \u00e4\u4e16\U0001f600\u00a0\n\tline\n"},
		{"\x1b]0;title\a\x1b[2J", false, `\x1b]0;title\x07\x1b[2J`},
		{"a\rb\bc\x00\x7f", false, `a\x0db\x08c\x00\x7f`},
		{"\u009b2J\u0085", false, `\u009b2J\u0085`},
		{"\x9b2J\xff\xe2\x80", false, `\x9b2J\xff\xe2\x80`},
		{"\u202eevil\u2066\u2069\u200f\u061c", false, `\u202eevil\u2066\u2069\u200f\u061c`},
		{"a\u2028b\u2029c\ufffd", false, `a\u2028b\u2029c` + "\ufffd"},
		{"\x1b[1;31mred\x1b[0m", false, `\x1b[1;31mred\x1b[0m`},
		{"\x1b[1;31mred\x1b[0m", true, "\x1b[1;31mred\x1b[0m"},
		{"\x1b[5mblinks\x1b[0m\x1b[2J", true, `\x1b[5mblinks` + "\x1b[0m" + `\x1b[2J`},
	} {
		if got := Visible(c.text, c.colours); got != c.want {
			t.Errorf("Visible(%q, %v) is %q, want %q", c.text, c.colours, got, c.want)
		}
	}
}

// TestScreenWrite checks that text written to a screen is made visible, and that Write returns the length of the
// original text.
func TestScreenWrite(t *testing.T) {
	var b strings.Builder
	if n, err := New(&b).Write([]byte("\x1b[2J\n")); n != 5 || err != nil || b.String() != "\\x1b[2J\n" {
		t.Errorf("%d bytes, error %v: %q", n, err, b.String())
	}
}
