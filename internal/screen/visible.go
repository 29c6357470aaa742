package screen

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Visible escapes the characters of a text that act on a terminal, for example as \x1b or \u202e, because names
// from files may contain them. Tabs and line ends are kept. With colours, the sequences of [Paint] are also kept.
func Visible(text string, colours bool) string {
	if !strings.ContainsFunc(text, acts) {
		return text
	}
	var b strings.Builder
	for len(text) > 0 {
		r, n := utf8.DecodeRuneInString(text)
		switch painted := paintIn(text); {
		case colours && painted > 0:
			n = painted
			b.WriteString(text[:n])
		case !acts(r) || r == utf8.RuneError && n > 1:
			b.WriteString(text[:n])
		case n == 1:
			fmt.Fprintf(&b, `\x%02x`, text[0])
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
		text = text[n:]
	}
	return b.String()
}

// acts reports whether a character acts on a terminal instead of being shown. These are control characters,
// characters that change the writing direction, and invalid UTF-8.
func acts(r rune) bool {
	return r != '\n' && r != '\t' && unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) ||
		r == '\u2028' || r == '\u2029' || r == utf8.RuneError
}

// paintIn returns the length of the sequence of [Paint] at the beginning of a text, or 0 if there is no such
// sequence.
func paintIn(text string) int {
	at := slices.IndexFunc([]Colour{Red, Green, Yellow, Cyan, plainColour}, func(c Colour) bool {
		return strings.HasPrefix(text, c.begin())
	})
	if at < 0 {
		return 0
	}
	return strings.IndexByte(text, 'm') + 1
}
