package inputs

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// Features returns how many features the column becomes.
func (c *Column) Features() int {
	switch c.Kind {
	case Number:
		return 1
	case Category:
		return len(c.Values)
	}
	return 0
}

// FillWord returns the word of a missing value, -1 where none may be missing.
func (f *Feature) FillWord() int {
	if !f.Missing {
		return -1
	}
	return int(f.Fill)
}

// CString returns s as a string literal of C: bytes beyond ASCII, and what begins a trigraph, in octal.
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

// CComment returns s with everything replaced that is not printable ASCII or could end a comment or begin another, and
// with trigraphs taken apart, which compilers warn of.
func CComment(s string) string {
	s = strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' || r == '*' || r == '\\' {
			return '?'
		}
		return r
	}, s)
	return trigraph.ReplaceAllString(s, "? ?$1")
}

// trigraph matches what C takes for another character.
var trigraph = regexp.MustCompile(`\?\?([=/'()!<>-])`)

// CDouble returns x as a literal of C99 that is x, to the bit.
func CDouble(x float64) string { return strconv.FormatFloat(x, 'x', -1, 64) }

// CDecimal returns x as a literal of C99 and of any C++, which compilers that round to the nearest double read as x.
func CDecimal(x float64) string { return strconv.FormatFloat(x, 'e', -1, 64) }
