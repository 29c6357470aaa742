package netlist

import (
	"errors"
	"io"
	"strconv"
)

// These are the kinds of tokens. For a token of one punctuation character, the kind is the character.
const (
	tokenEnd    = 0
	tokenLine   = '\n'
	tokenWord   = 'w'
	tokenNumber = '0'
	tokenString = '"'
	tokenBad    = 'x'
)

// token is a token of the text form.
type token struct {
	kind      byte
	line, col int    // numbered from 1; col counts bytes
	number    uint64 // value of a number token
	text      string // a word, the content of a string, or the error in a bad token
}

// String describes the token for messages.
func (t token) String() string {
	switch t.kind {
	case tokenEnd:
		return "the end of the text"
	case tokenLine:
		return "the end of the line"
	case tokenWord:
		return strconv.Quote(shorten(t.text))
	case tokenNumber:
		return strconv.FormatUint(t.number, 10)
	case tokenString:
		return "the string " + strconv.Quote(shorten(t.text))
	default:
		return strconv.Quote(string(rune(t.kind)))
	}
}

// scanner splits the text form into tokens. It holds one buffer of input and the text of one token.
type scanner struct {
	r         io.Reader
	buf       []byte
	data      []byte // data[i:] is not yet scanned
	i         int
	base      int64 // offset of data[0] in the text
	line      int
	lineStart int64
	text      []byte
	err       error // first error of the reader
}

func newScanner(r io.Reader) *scanner {
	return &scanner{r: r, buf: make([]byte, 1<<16), line: 1}
}

// peek returns the next byte, or -1 at the end of the text.
func (s *scanner) peek() int {
	if s.i == len(s.data) && !s.fill() {
		return -1
	}
	return int(s.data[s.i])
}

func (s *scanner) fill() bool {
	s.base += int64(s.i)
	s.data, s.i = nil, 0
	for tries := 0; s.err == nil && tries < 100; tries++ {
		n, err := s.r.Read(s.buf)
		s.err, s.data = err, s.buf[:n]
		if n > 0 {
			return true
		}
	}
	if s.err == nil {
		s.err = io.ErrNoProgress
	}
	return false
}

// readError returns the reader's error, or nil if the text ended normally.
func (s *scanner) readError() error {
	if s.err == nil || errors.Is(s.err, io.EOF) {
		return nil
	}
	return s.err
}

// next returns the next token. It skips blanks, and comments from # to the end of the line.
func (s *scanner) next() token {
	c := s.blanks()
	t := token{line: s.line, col: int(s.base + int64(s.i) - s.lineStart + 1)}
	switch {
	case c < 0:
		return t
	case isDigit(byte(c)):
		s.number(&t)
	case isNameByte(byte(c)):
		t.kind, t.text = tokenWord, string(s.run())
	case c == '"':
		s.quoted(&t)
	default:
		s.i++
		s.punctuation(&t, byte(c))
	}
	return t
}

// blanks skips blanks and comments and returns the next byte.
func (s *scanner) blanks() int {
	for comment := false; ; s.i++ {
		switch c := s.peek(); {
		case c < 0 || c == '\n':
			return c
		case c == '#':
			comment = true
		case c != ' ' && c != '\t' && c != '\r' && !comment:
			return c
		}
	}
}

func (s *scanner) punctuation(t *token, c byte) {
	switch c {
	case '\n':
		s.line++
		s.lineStart = s.base + int64(s.i)
		t.kind = tokenLine
	case '=', '(', ')', '@', '.', '-':
		t.kind = c
	default:
		t.kind, t.text = tokenBad, "the character "+strconv.QuoteRune(rune(c))+" has no meaning, comments start with #"
	}
}

// run reads letters, digits, _ and $ into s.text.
func (s *scanner) run() []byte {
	s.text = s.text[:0]
	for c := s.peek(); c >= 0 && isNameByte(byte(c)); c = s.peek() {
		s.text = append(s.text, byte(c))
		s.i++
	}
	return s.text
}

// number reads a decimal or, with 0x, a hexadecimal number.
func (s *scanner) number(t *token) {
	text := s.run()
	t.kind = tokenNumber
	if len(text) < 19 { // fewer than 19 digits cannot overflow
		plain := true
		for _, c := range text {
			t.number = 10*t.number + uint64(c-'0')
			plain = plain && isDigit(c)
		}
		if plain {
			return
		}
	}
	var err error
	if len(text) > 2 && text[0] == '0' && text[1] == 'x' {
		t.number, err = strconv.ParseUint(string(text[2:]), 16, 64)
	} else {
		t.number, err = strconv.ParseUint(string(text), 10, 64)
	}
	if err != nil {
		t.kind, t.text = tokenBad, strconv.Quote(shorten(string(text)))+
			" is no number of 64 bits, write it decimal or as 0x and hexadecimal digits"
	}
}

// quoted reads a string with Go's escape sequences.
func (s *scanner) quoted(t *token) {
	s.text = append(s.text[:0], '"')
	s.i++
	for c := s.peek(); ; c = s.peek() {
		if c < 0 || c == '\n' {
			t.kind, t.text = tokenBad, "a string without its closing quote, close it in the line it begins in"
			return
		}
		s.text = append(s.text, byte(c))
		s.i++
		if c == '"' {
			break
		}
		if next := s.peek(); c == '\\' && next >= 0 && next != '\n' {
			s.text = append(s.text, byte(next))
			s.i++
		}
	}
	text, err := strconv.Unquote(string(s.text))
	if err != nil {
		t.kind, t.text = tokenBad, "a string with an unknown escape or a control character, write them as Go does"
		return
	}
	t.kind, t.text = tokenString, text
}
