package inputs

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// Features returns the number of features that the column becomes.
func (c *Column) Features() int {
	switch c.Kind {
	case Number:
		return 1
	case Category:
		return len(c.Values)
	}
	return 0
}

// FillWord returns the word that replaces a missing value, or -1 if values must not be missing.
func (f *Feature) FillWord() int {
	if !f.Missing {
		return -1
	}
	return int(f.Fill)
}

// CString returns s as a C string literal. Bytes outside printable ASCII are written in octal. Question marks are
// also written in octal, because they begin trigraphs.
func CString(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, c := range []byte(s) {
		switch {
		case c < ' ' || c > '~' || c == '?':
			fmt.Fprintf(&b, "\\%03o", c)
		case c == '"' || c == '\\':
			b.WriteString("\\" + string(c))
		default:
			b.WriteByte(c)
		}
	}
	return b.String() + "\""
}

// CComment returns s for a C comment. It replaces every character that is not printable ASCII and every sequence that
// could end or begin a comment. It also separates trigraphs, because compilers warn about them.
func CComment(s string) string {
	s = strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' || r == '*' || r == '\\' {
			return '?'
		}
		return r
	}, s)
	return trigraph.ReplaceAllString(s, "? ?$1")
}

// trigraph matches a sequence that C replaces with another character.
var trigraph = regexp.MustCompile(`\?\?([=/'()!<>-])`)

// CDouble returns x as a C99 literal that is exactly x.
func CDouble(x float64) string { return strconv.FormatFloat(x, 'x', -1, 64) }

// CDecimal returns x as a literal for C99 and any C++. A compiler that rounds to the nearest double reads the literal
// as exactly x.
func CDecimal(x float64) string { return strconv.FormatFloat(x, 'e', -1, 64) }
