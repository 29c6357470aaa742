package dataset

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"ialgn/internal/message"
)

// text returns the text of a stream in UTF-8. It removes a byte order mark, and the Ctrl-Z with which DOS ends a
// text. If there are no line feeds, it replaces carriage returns with line feeds.
func (s *stream) text() (*bufio.Reader, error) {
	switch {
	case s.begins("\ufeff"):
		if _, err := s.Discard(len("\ufeff")); err != nil {
			return nil, err
		}
	case s.begins("\xff\xfe"), s.begins("\xfe\xff"), s.everyOther():
		return nil, message.WithHint(fmt.Errorf("%s: text in UTF-16, want UTF-8", s.name), "save it as CSV in UTF-8")
	case s.begins(zipMagic):
		return nil, s.archived()
	}
	if err := s.foreign(); err != nil {
		return nil, err
	}
	head, _ := s.Peek(headBytes)
	t := &text{in: s.Reader, cr: bytes.IndexByte(head, '\n') < 0 && bytes.IndexByte(head, '\r') >= 0}
	return bufio.NewReaderSize(t, headBytes), nil
}

// everyOther reports whether exactly one of the first two bytes is zero. This is typical of a letter in UTF-16.
func (s *stream) everyOther() bool {
	head, err := s.Peek(2)
	return err == nil && (head[0] == 0) != (head[1] == 0)
}

// text is the text of a stream.
type text struct {
	in    *bufio.Reader
	cr    bool // lines end with a carriage return
	ended bool // Ctrl-Z has ended the text
}

// Read reads the text.
func (t *text) Read(p []byte) (int, error) {
	if t.ended {
		return 0, io.EOF
	}
	n, err := t.in.Read(p)
	if t.cr {
		for i := range p[:n] {
			if p[i] == '\r' {
				p[i] = '\n'
			}
		}
	}
	if i := bytes.IndexByte(p[:n], ctrlZ); i >= 0 && padding(p[i:n]) {
		if rest, err := t.in.Peek(maxPadding); errors.Is(err, io.EOF) && padding(rest) {
			n, t.ended = i, true
		}
	}
	return n, err
}

const (
	ctrlZ      = 0x1a
	maxPadding = 512 // greatest number of bytes after Ctrl-Z
)

// padding reports whether the last bytes of a text have no content.
func padding(b []byte) bool { return len(bytes.Trim(b, "\x1a\x00\r\n ")) == 0 }

// sepLine matches a first line that tells Excel which character separates the fields.
var sepLine = regexp.MustCompile(`(?i)^"?sep=(.)"?[;,\t ]*\r?\n`)

// skipSep skips a first line that matches sepLine, and returns the separator in this line. If there is no such line,
// it returns 0.
func (t *table) skipSep() (byte, error) {
	head, _ := t.csv.in.Peek(len("\"sep=;\"\r\n") + 8)
	found := sepLine.FindSubmatch(head)
	if found == nil {
		return 0, nil
	}
	if _, err := t.csv.in.Discard(len(found[0])); err != nil {
		return 0, err
	}
	t.csv.lines++
	separator := found[1][0]
	if !slices.ContainsFunc(separators, func(s separatorRow) bool { return s.char == separator }) {
		return 0, message.WithHint(fmt.Errorf("%s: first line: the separator is %q, want a comma, semicolon, tab, "+
			"space or |",
			t.name, found[1]), "save the table with one of these separators")
	}
	return separator, nil
}

// attribute matches a line of an ARFF header that names a column.
var attribute = regexp.MustCompile(`(?i)^@attribute\s+('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|[^\s{]+)\s*(.*)$`)

// weka reads the header of an ARFF file, which is the format of Weka. It returns the names of the file's columns. For
// any other file, it returns nil.
func (t *table) weka() (names []string, err error) {
	head, _ := t.csv.in.Peek(headBytes)
	for len(head) > 0 && (head[0] == '%' || strings.ContainsRune(" \t\r\n", rune(head[0]))) {
		_, head, _ = bytes.Cut(head, []byte("\n"))
	}
	const relation = "@relation"
	if len(head) < len(relation) || !strings.EqualFold(string(head[:len(relation)]), relation) {
		return nil, nil
	}
	for len(names) <= MaxFeatures+1 {
		t.csv.left = maxRecord
		raw, err := t.csv.nextLine()
		if errors.Is(err, io.EOF) {
			return nil, fmt.Errorf("%s: line %d: the ARFF file has no @data", t.name, t.csv.lines)
		} else if err != nil {
			return nil, fmt.Errorf("%s: %w", t.name, err)
		}
		line := string(bytes.TrimSpace(raw))
		word, _, _ := strings.Cut(strings.ReplaceAll(line, "\t", " "), " ")
		switch strings.ToLower(word) {
		case "@data":
			return names, t.sparse()
		case "@attribute":
			found := attribute.FindStringSubmatch(line)
			if found == nil || strings.HasPrefix(strings.ToLower(found[2]), "relational") {
				return nil, fmt.Errorf("%s: line %d: %.60q does not declare a column of numbers or words", t.name, t.csv.lines,
					line)
			}
			names = append(names, unquoted(found[1]))
		}
	}
	return nil, fmt.Errorf("%s: the ARFF file has more than %d columns", t.name, MaxFeatures+1)
}

// unquoted returns a name of an ARFF file without its quotes.
func unquoted(name string) string {
	if name[0] != '\'' && name[0] != '"' {
		return name
	}
	name = name[1 : len(name)-1]
	return strings.NewReplacer(`\\`, `\`, `\'`, `'`, `\"`, `"`).Replace(name)
}

// sparse returns an error for an ARFF file in sparse form. The rows of such a file list only the columns that are not
// zero.
func (t *table) sparse() error {
	head, _ := t.csv.in.Peek(headBytes)
	for len(head) > 0 && (head[0] == '%' || strings.ContainsRune(" \t\r\n", rune(head[0]))) {
		_, head, _ = bytes.Cut(head, []byte("\n"))
	}
	if len(head) > 0 && head[0] == '{' {
		return message.WithHint(fmt.Errorf("%s: line %d: the rows are in the sparse format of ARFF, which is not read",
			t.name, t.csv.lines+1),
			"convert the file with Weka's filter SparseToNonSparse")
	}
	return nil
}
