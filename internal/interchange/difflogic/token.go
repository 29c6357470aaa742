package difflogic

import (
	"errors"
	"fmt"
	"strconv"
)

// tokens splits C and Verilog into tokens. A token is a name, a number together with its suffix, or any other single
// byte. Comments and lines of the preprocessor are skipped.
type tokens struct {
	text  []byte
	at    int
	line  int    // line of the current token
	word  string // the current token; empty at the end
	begin bool   // only blanks precede the current position on its line
}

func newTokens(text []byte) *tokens { return &tokens{text: text, line: 1, begin: true} }

// next reads the next token and returns it.
func (t *tokens) next() string {
	t.skip()
	start := t.at
	switch {
	case start == len(t.text):
	case isWord(t.text[start]):
		for t.at < len(t.text) && (isWord(t.text[t.at]) || t.text[t.at] == '\'' && isDigit(t.text[start])) {
			t.at++
		}
	default:
		t.at++
	}
	t.begin = false
	t.word = string(t.text[start:t.at])
	return t.word
}

// skip moves to the next token.
func (t *tokens) skip() {
	for t.at < len(t.text) {
		switch c := t.text[t.at]; {
		case c == '\n':
			t.line++
			t.at++
			t.begin = true
		case c == ' ' || c == '\t' || c == '\r':
			t.at++
		case c == '#' && t.begin || t.follows("//"):
			for t.at < len(t.text) && t.text[t.at] != '\n' {
				t.at++
			}
		case t.follows("/*"):
			t.at += 2
			for t.at < len(t.text) && !t.follows("*/") {
				if t.text[t.at] == '\n' {
					t.line++
				}
				t.at++
			}
			t.at = min(t.at+2, len(t.text))
		default:
			return
		}
	}
}

func (t *tokens) follows(s string) bool {
	return t.at+len(s) <= len(t.text) && string(t.text[t.at:t.at+len(s)]) == s
}

func isWord(c byte) bool {
	return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || isDigit(c)
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// want reads a token. It returns an error unless the token is the given word.
func (t *tokens) want(word string) error {
	if got := t.next(); got != word {
		return t.unexpected(strconv.Quote(word))
	}
	return nil
}

// unexpected returns the error for a current token that is not the expected token.
func (t *tokens) unexpected(want string) error {
	if t.word == "" {
		return fmt.Errorf("the text ends where %s is expected", want)
	}
	return fmt.Errorf("%.40q where %s is expected", t.word, want)
}

// maxNumber is greater than the number of any bit, layer or gate.
const maxNumber = 1 << 30

// number reads a whole number.
func (t *tokens) number() (int, error) {
	n, err := number(t.next())
	if err != nil {
		return 0, t.unexpected("a number")
	}
	return n, nil
}

// number returns the value of decimal digits.
func number(word string) (int, error) {
	n, err := strconv.ParseUint(word, 10, 31)
	if err != nil || n >= maxNumber {
		return 0, errors.New("no number")
	}
	return int(n), nil
}
