package liberty

import (
	"errors"
	"fmt"
	"strings"
)

// group is a group of a Liberty file, such as a library, a cell or a pin.
type group struct {
	kind       string   // such as cell
	args       []string // values in parentheses, without quotes
	line       int
	attributes []attribute
	groups     []*group
}

// attribute is an attribute of a group. A simple attribute has one value.
type attribute struct {
	name   string
	values []string // without quotes
	line   int
}

// name returns the first argument of a group, or "".
func (g *group) name() string {
	if len(g.args) == 0 {
		return ""
	}
	return g.args[0]
}

// find returns the last attribute with a name, because later attributes replace earlier ones. It returns nil if there
// is none.
func (g *group) find(name string) *attribute {
	for i := len(g.attributes) - 1; i >= 0; i-- {
		if g.attributes[i].name == name {
			return &g.attributes[i]
		}
	}
	return nil
}

// text returns the value of a simple attribute, or "".
func (g *group) text(name string) string {
	if a := g.find(name); a != nil && len(a.values) > 0 {
		return a.values[0]
	}
	return ""
}

// is returns whether a simple attribute has the value true.
func (g *group) is(name string) bool { return g.text(name) == "true" }

// maxNesting bounds how deeply groups may be nested. Liberty files nest six groups.
const maxNesting = 32

// maxText is the size of the largest file that is read, in bytes. Libraries with many conditions have some hundred
// MB.
const maxText = 1 << 30

// lineError is an error at a line of a file.
type lineError struct {
	line int
	text string
}

func (e *lineError) Error() string { return fmt.Sprintf("line %d: %s", e.line, e.text) }

func errorAt(line int, format string, args ...any) error {
	return &lineError{line, fmt.Sprintf(format, args...)}
}

// reader reads the text of a Liberty file.
type reader struct {
	text string
	at   int
	line int
}

// parse returns the outermost group of a text. The text must have exactly one.
func parse(text string) (*group, error) {
	if len(text) > maxText {
		return nil, fmt.Errorf("%d bytes, at most %d can be read", len(text), maxText)
	}
	r := &reader{text: text, line: 1}
	if err := r.blanks(true); err != nil {
		return nil, err
	}
	if r.at == len(r.text) {
		return nil, errors.New("the file is empty")
	}
	top := &group{}
	if err := r.statement(top, 0); err != nil {
		return nil, err
	}
	if err := r.blanks(true); err != nil {
		return nil, err
	}
	switch {
	case len(top.groups) == 0:
		return nil, errorAt(1, "want a group such as library(NAME) { ... }")
	case r.at < len(r.text):
		return nil, errorAt(r.line, "%.20q follows the end of the library", r.text[r.at:])
	}
	return top.groups[0], nil
}

// blanks skips blanks, comments and backslashes before the end of a line. With lines set, it also skips line ends and
// semicolons.
func (r *reader) blanks(lines bool) error {
	for r.at < len(r.text) {
		switch rest := r.text[r.at:]; {
		case rest[0] == ' ' || rest[0] == '\t' || rest[0] == '\r':
			r.at++
		case lines && (rest[0] == '\n' || rest[0] == ';'):
			if rest[0] == '\n' {
				r.line++
			}
			r.at++
		case strings.HasPrefix(rest, "\\\n"):
			r.at, r.line = r.at+2, r.line+1
		case strings.HasPrefix(rest, "\\\r\n"):
			r.at, r.line = r.at+3, r.line+1
		case strings.HasPrefix(rest, "//"):
			if end := strings.IndexByte(rest, '\n'); end >= 0 {
				r.at += end
			} else {
				r.at = len(r.text)
			}
		case strings.HasPrefix(rest, "/*"):
			end := strings.Index(rest, "*/")
			if end < 0 {
				return errorAt(r.line, "a comment has no end")
			}
			r.line += strings.Count(rest[:end], "\n")
			r.at += end + len("*/")
		default:
			return nil
		}
	}
	return nil
}

// statement reads an attribute or a group and adds it to g.
func (r *reader) statement(g *group, depth int) error {
	line := r.line
	name, err := r.word()
	if err != nil {
		return err
	}
	if err := r.blanks(false); err != nil {
		return err
	}
	switch r.next() {
	case ':':
		r.at++
		values, err := r.simple()
		g.attributes = append(g.attributes, attribute{name, values, line})
		return err
	case '(':
		return r.parentheses(g, name, line, depth)
	}
	return errorAt(r.line, "%.20q follows %.40q, want a colon or a parenthesis", r.rest(), name)
}

// parentheses reads what follows a name: a list of values and, for a group, its content.
func (r *reader) parentheses(g *group, name string, line, depth int) error {
	r.at++
	values, err := r.list()
	if err != nil {
		return err
	}
	before := *r
	if err := r.blanks(true); err != nil {
		return err
	}
	if r.next() != '{' {
		*r = before
		g.attributes = append(g.attributes, attribute{name, values, line})
		return nil
	}
	if depth == maxNesting {
		return errorAt(line, "more than %d nested groups", maxNesting)
	}
	r.at++
	inner := &group{kind: name, args: values, line: line}
	g.groups = append(g.groups, inner)
	for {
		if err := r.blanks(true); err != nil {
			return err
		}
		switch r.next() {
		case 0:
			return errorAt(line, "the group %.40q has no end", name)
		case '}':
			r.at++
			return nil
		}
		if err := r.statement(inner, depth+1); err != nil {
			return err
		}
	}
}

// next returns the next byte, or 0 at the end.
func (r *reader) next() byte {
	if r.at == len(r.text) {
		return 0
	}
	return r.text[r.at]
}

// rest returns the beginning of the text that is not read yet, for messages.
func (r *reader) rest() string {
	rest := r.text[r.at:]
	if end := strings.IndexByte(rest, '\n'); end >= 0 {
		rest = rest[:end]
	}
	return rest[:min(len(rest), 20)]
}

// ends has the bytes that end a word.
const ends = " \t\r\n\\\"(){};:,"

// word reads a name or a string.
func (r *reader) word() (string, error) {
	if r.next() == '"' {
		return r.quoted()
	}
	rest := r.text[r.at:]
	n := strings.IndexAny(rest, ends)
	if n < 0 {
		n = len(rest)
	}
	if n == 0 {
		return "", errorAt(r.line, "%.20q is not a name", r.rest())
	}
	r.at += n
	return rest[:n], nil
}

// quoted reads a string. A backslash before the end of a line continues the string on the next line.
func (r *reader) quoted() (string, error) {
	line, begin := r.line, r.at+1
	for r.at++; r.at < len(r.text); r.at++ {
		switch r.text[r.at] {
		case '"':
			text := r.text[begin:r.at]
			r.at++
			if strings.ContainsRune(text, '\\') {
				text = strings.NewReplacer("\\\r\n", "", "\\\n", "", `\"`, `"`).Replace(text)
			}
			return text, nil
		case '\\':
			if r.at+1 < len(r.text) && r.text[r.at+1] == '"' {
				r.at++
			}
		case '\n':
			r.line++
		}
	}
	return "", errorAt(line, "a string has no end")
}

// simple reads the value of a simple attribute, up to a semicolon, the end of the line or the end of the group. The
// value is a string, or words that may form an expression such as 0.1 * VDD.
func (r *reader) simple() ([]string, error) {
	if err := r.blanks(false); err != nil {
		return nil, err
	}
	if r.next() == '"' {
		text, err := r.quoted()
		return []string{text}, err
	}
	begin := r.at
	n := strings.IndexAny(r.text[begin:], ";\n}")
	if n < 0 {
		n = len(r.text) - begin
	}
	value := r.text[begin : begin+n]
	if i := strings.Index(value, "/*"); i >= 0 {
		value = value[:i]
	}
	if i := strings.Index(value, "//"); i >= 0 {
		value = value[:i]
	}
	r.at += len(value)
	value = strings.TrimSpace(strings.TrimRight(value, "\\\r"))
	if value == "" {
		return nil, errorAt(r.line, "an attribute has no value")
	}
	return []string{value}, nil
}

// list reads values up to a closing parenthesis. Values are separated by commas or blanks.
func (r *reader) list() (values []string, err error) {
	line := r.line
	for {
		if err := r.blanks(true); err != nil {
			return nil, err
		}
		switch r.next() {
		case 0:
			return nil, errorAt(line, "a parenthesis is not closed")
		case ')':
			r.at++
			return values, nil
		case ',', ':', '\\':
			r.at++
			continue
		}
		value, err := r.word()
		if err != nil {
			return nil, err
		}
		values = append(values, value)
	}
}
