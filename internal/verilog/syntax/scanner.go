package syntax

import (
	"bytes"
	"fmt"
	"strconv"
)

// scanner splits a text into tokens. After the first error, it stays at the end of the text, where it finds no more
// tokens.
type scanner struct {
	text []byte
	at   int
	err  error
}

// fail records an error about the line of the current place.
func (s *scanner) fail(format string, args ...any) {
	if s.err == nil {
		s.err = refuse(1+bytes.Count(s.text[:s.at], []byte{'\n'}), fmt.Sprintf(format, args...))
	}
	s.at = len(s.text)
}

// odd records an error with the unexpected text at the current place.
func (s *scanner) odd() {
	if s.err != nil {
		return
	}
	begin := bytes.LastIndexByte(s.text[:s.at], '\n') + 1
	line, _, _ := bytes.Cut(s.text[begin:], []byte{'\n'})
	if s.at == len(s.text) {
		s.fail("an end of the file")
		return
	}
	s.fail("%.60q from character %d on", bytes.TrimLeft(line, " "), s.at-begin+1)
}

// plain fails if the text has characters other than printable ASCII and newlines.
func (s *scanner) plain() {
	for i, c := range s.text {
		if c-' ' > '~'-' ' && c != '\n' {
			s.at = i
			s.fail("the character %q", rune(c))
			return
		}
	}
}

// blank skips spaces and newlines.
func (s *scanner) blank() {
	for s.at < len(s.text) && (s.text[s.at] == ' ' || s.text[s.at] == '\n') {
		s.at++
	}
}

// fixed skips the given text, which must be at the current place.
func (s *scanner) fixed(text string) {
	if !bytes.HasPrefix(s.text[s.at:], []byte(text)) {
		for i := 0; i < len(text) && s.at < len(s.text) && s.text[s.at] == text[i]; i++ {
			s.at++
		}
		s.odd()
		return
	}
	s.at += len(text)
}

// next skips blanks and returns the next character without reading it. At the end, it returns 0.
func (s *scanner) next() byte {
	s.blank()
	if s.at == len(s.text) {
		return 0
	}
	return s.text[s.at]
}

// eat skips blanks and reads the next character if it is c.
func (s *scanner) eat(c byte) bool {
	if s.next() != c {
		return false
	}
	s.at++
	return true
}

// expect skips blanks and reads the next character, which must be c.
func (s *scanner) expect(c byte) {
	if !s.eat(c) {
		s.odd()
	}
}

// word skips blanks and reads a word. The word is empty if the next character does not begin one.
func (s *scanner) word() []byte {
	s.blank()
	begin := s.at
	if s.at < len(s.text) && isLetter(s.text[s.at]) {
		for s.at++; s.at < len(s.text) && isWord(s.text[s.at]); s.at++ {
		}
	}
	return s.text[begin:s.at]
}

// peekWord skips blanks and returns the next word without reading it.
func (s *scanner) peekWord() []byte {
	s.blank()
	begin := s.at
	word := s.word()
	s.back(begin)
	return word
}

// expectWord skips blanks and reads a word, which must be the given one.
func (s *scanner) expectWord(word string) {
	s.blank()
	if begin := s.at; string(s.word()) != word {
		s.back(begin)
		s.odd()
	}
}

// back moves the scanner back to an earlier place, unless an error has occurred since.
func (s *scanner) back(at int) {
	if s.err == nil {
		s.at = at
	}
}

func isLetter(c byte) bool { return c|0x20-'a' < 26 || c == '_' }
func isDigit(c byte) bool  { return c-'0' < 10 }
func isWord(c byte) bool   { return isLetter(c) || isDigit(c) || c == '$' }

// mostWidth is the largest width that is accepted. No file reaches this width.
const mostWidth = 1 << 30

// number skips blanks and reads a decimal number without leading zeros.
func (s *scanner) number() int {
	s.blank()
	begin := s.at
	value := s.digits()
	if value > mostWidth {
		s.back(begin)
		s.odd()
		return 0
	}
	return int(value)
}

// digits reads a decimal number of up to 64 bits at the current place.
func (s *scanner) digits() uint64 {
	begin := s.at
	for s.at < len(s.text) && isDigit(s.text[s.at]) {
		s.at++
	}
	digits := s.text[begin:s.at]
	value, err := strconv.ParseUint(string(digits), 10, 64)
	if err != nil || len(digits) > 1 && digits[0] == '0' {
		s.back(begin)
		s.odd()
		return 0
	}
	return value
}

// commentWords has the first words of the comments that package verilog writes. Tools interpret comments such as "//
// synopsys ..." and "// verilator ..." as directives, but not comments that begin with one of the words in
// commentWords. Text from outside comes only after a dash or a name.
var commentWords = func() map[string]bool {
	words := map[string]bool{}
	for _, w := range []string{
		"", "-", "Module", "Stages", "data", "Register", "Input", "Output", "Probes", "Wire", "chains", "Argmax:",
		"layer", "functions", "comparators", "popcounts", "counters", "argmax", "carries", "outputs", "probes", "bits",
		"what",
		"valid[i]:", "registers", "samples", "stage", "What",
	} {
		words[w] = true
	}
	return words
}()

// comments skips empty lines and comment lines, and reports whether there were any.
func (s *scanner) comments() bool {
	begin := s.at
	for {
		end := bytes.IndexByte(s.text[s.at:], '\n')
		if end < 0 {
			return s.at > begin
		}
		line := bytes.TrimLeft(s.text[s.at:s.at+end], " ")
		text, isComment := bytes.CutPrefix(line, []byte("//"))
		switch {
		case len(line) > 0 && !isComment:
			return s.at > begin
		case isComment && !written(text):
			s.fail("the comment %.60q", line)
			return false
		}
		s.at += end + 1
	}
}

// written reports whether a comment begins like a comment that package verilog writes.
func written(text []byte) bool {
	word, _, _ := bytes.Cut(bytes.TrimLeft(text, " "), []byte{' '})
	return (len(text) == 0 || text[0] == ' ') && commentWords[string(word)]
}
