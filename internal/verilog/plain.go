package verilog

import (
	"bufio"
	"errors"
	"fmt"
	"io"
)

// CheckPlain checks the Verilog of wrappers and folded engines, which package syntax cannot read. It refuses
// constructs that do not describe a circuit but have an effect when a tool reads or simulates the file:
//
//   - system tasks and functions, which write files and, with verilator, run C code;
//   - directives, which read files;
//   - imports of C functions;
//   - escaped identifiers, which could hide the other constructs.
//
// The check is necessary because a folder may come from anybody, and a verification simulates the Verilog in the
// folder. Files that $readmemh reads must be listed in the argument memories.
func CheckPlain(r io.Reader, memories ...string) error {
	s := &plainScanner{r: bufio.NewReaderSize(r, 1<<16), line: 1, memories: memories}
	for {
		c, err := s.next()
		if err == nil {
			err = s.token(c)
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// plainDirectives lists the directives that [Write] uses.
var plainDirectives = map[string]bool{"default_nettype": true, "timescale": true}

// actingWords lists the reserved words that refer to things outside the file.
var actingWords = map[string]bool{
	"import": true, "export": true, "extern": true, "bind": true, "include": true,
	"library": true, "config": true,
}

// plainScanner splits Verilog into the tokens that [CheckPlain] checks.
type plainScanner struct {
	r        *bufio.Reader
	line     int
	memories []string
}

func (s *plainScanner) next() (byte, error) {
	c, err := s.r.ReadByte()
	if c == '\n' {
		s.line++
	}
	return c, err
}

// token reads the token that begins with c.
func (s *plainScanner) token(c byte) error {
	switch {
	case c == '/':
		return s.comment()
	case c == '"':
		return s.quoted()
	case c == '\\':
		return s.refuse("an escaped identifier", "")
	case c == '$':
		word := s.word(c)[1:]
		if word == "readmemh" {
			return s.memory()
		}
		return s.refuse("the system task or function $", word)
	case c == '`':
		if word := s.word(c)[1:]; !plainDirectives[word] {
			return s.refuse("the directive `", word)
		}
	case isWordByte(c):
		if word := s.word(c); actingWords[word] {
			return s.refuse("the word ", word)
		}
	}
	return nil
}

func (s *plainScanner) refuse(what, word string) error {
	return fmt.Errorf("line %d: %s%.40s, which this program never writes: the file was changed, compile again", s.line,
		what, word)
}

// memory reads the file name of a $readmemh.
func (s *plainScanner) memory() error {
	for _, name := range s.memories {
		if text, err := s.r.Peek(len(name) + 4); err == nil && string(text) == "(\""+name+"\"," {
			return nil
		}
	}
	return s.refuse("the system task or function $", "readmemh of another file")
}

// word reads the letters and digits that follow c.
func (s *plainScanner) word(c byte) string {
	word := []byte{c}
	for {
		next, err := s.r.Peek(1)
		if err != nil || !isWordByte(next[0]) {
			return string(word)
		}
		word = append(word, next[0])
		_, _ = s.r.Discard(1) // the byte that Peek has returned
	}
}

func isWordByte(c byte) bool {
	return c|0x20-'a' < 26 || c-'0' < 10 || c == '_' || c == '$'
}

// comment skips a comment, if one begins after the slash.
func (s *plainScanner) comment() error {
	peeked, err := s.r.Peek(1)
	if err != nil || peeked[0] != '/' && peeked[0] != '*' {
		return nil
	}
	kind, last := peeked[0], byte(0)
	_, _ = s.r.Discard(1) // the byte that Peek has returned
	for {
		c, err := s.next()
		if err != nil {
			return err
		}
		if kind == '/' && c == '\n' || kind == '*' && last == '*' && c == '/' {
			return nil
		}
		last = c
	}
}

// quoted skips a string, which must end on the same line.
func (s *plainScanner) quoted() error {
	for {
		c, err := s.next()
		switch {
		case err != nil:
			return err
		case c == '"':
			return nil
		case c == '\\' || c == '\n':
			return s.refuse("a string with an escape sequence", "")
		}
	}
}
