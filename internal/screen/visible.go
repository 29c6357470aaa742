package screen

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Visible returns a text of lines with the characters that act on a terminal written out, such as \x1b and \u202e:
// names from files may hold them. Tabs and line ends stay. With colours, what [Paint] writes stays, too.
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

// acts reports whether a terminal does not show a character, but does something: controls, and what turns the
// direction of writing. Bytes that are no UTF-8 are such characters, too.
func acts(r rune) bool {
	return r != '\n' && r != '\t' && unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) ||
		r == '\u2028' || r == '\u2029' || r == utf8.RuneError
}

// paintIn returns the length of the sequence of [Paint] that a text begins with, 0 for none.
func paintIn(text string) int {
	at := slices.IndexFunc([]Colour{Red, Green, Yellow, Cyan, plainColour}, func(c Colour) bool {
		return strings.HasPrefix(text, c.begin())
	})
	if at < 0 {
		return 0
	}
	return strings.IndexByte(text, 'm') + 1
}
