package torchlogix

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
)

// stream reads JSON of a known form value by value, so that memory depends on what is kept of it alone. Keys that are
// not known, keys that stand twice and values of another kind are errors, which say at which line and column.
type stream struct {
	file  io.ReaderAt
	begin int64 // where in the file the decoder begins
	size  int64 // of the file
	dec   *json.Decoder
}

// maxDepth is how deep arrays and objects may be nested in a value that is passed over.
const maxDepth = 8

// newStream returns a stream of the value at an offset of a file.
func newStream(file io.ReaderAt, at, size int64) *stream {
	s := &stream{file: file, begin: at, size: size}
	s.dec = json.NewDecoder(io.NewSectionReader(file, at, size-at))
	s.dec.UseNumber()
	return s
}

// offset returns where in the file the stream stands.
func (s *stream) offset() int64 { return s.begin + s.dec.InputOffset() }

// failf is an error at the place where the stream stands.
func (s *stream) failf(format string, args ...any) error {
	return failAt(s.file, s.offset(), fmt.Sprintf(format, args...))
}

// failAt is an error at an offset, which it names by line and column.
func failAt(file io.ReaderAt, offset int64, what string) error {
	line, last := int64(1), int64(-1)
	block := make([]byte, 1<<16)
	for at := int64(0); at < offset; {
		n, err := file.ReadAt(block[:min(int64(len(block)), offset-at)], at)
		line += int64(bytes.Count(block[:n], []byte{'\n'}))
		if i := bytes.LastIndexByte(block[:n], '\n'); i >= 0 {
			last = at + int64(i)
		}
		if at += int64(n); err != nil || n == 0 {
			break
		}
	}
	return fmt.Errorf("line %d, column %d: %s", line, max(offset-last-1, 1), what)
}

// token returns the next token.
func (s *stream) token() (json.Token, error) {
	t, err := s.dec.Token()
	if err == nil {
		return t, nil
	}
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &syntax):
		return nil, failAt(s.file, s.begin+syntax.Offset, syntax.Error())
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return nil, failAt(s.file, s.size, "the file ends in the middle")
	}
	return nil, err
}

// open reads the beginning of an object or array.
func (s *stream) open(delim json.Delim) error {
	t, err := s.token()
	if err != nil {
		return err
	}
	if t != delim {
		return s.failf("%s, want %v", kindOf(t), delim)
	}
	return nil
}

// kindOf names a token in an error.
func kindOf(t json.Token) string {
	switch t := t.(type) {
	case json.Delim:
		return t.String()
	case string:
		return fmt.Sprintf("the text %.40q", t)
	case json.Number:
		return fmt.Sprintf("the number %.40s", string(t))
	case nil:
		return "null"
	}
	return fmt.Sprint(t)
}

// object reads an object, of which value reads the values of the named keys: i is the place of the key among them. It
// returns which of them there were, as bits.
func (s *stream) object(keys []string, value func(i int) error) (there uint, err error) {
	if err := s.open('{'); err != nil {
		return 0, err
	}
	for s.dec.More() {
		t, err := s.token()
		if err != nil {
			return 0, err
		}
		at := -1
		for i, k := range keys {
			if t == k {
				at = i
			}
		}
		switch {
		case at < 0:
			return 0, s.failf("key %.40q, want one of %q", t, keys)
		case there>>at&1 != 0:
			return 0, s.failf("key %q stands a second time", t)
		}
		there |= 1 << at
		if err := value(at); err != nil {
			return 0, err
		}
	}
	_, err = s.token()
	return there, err
}

// array reads an array, of which value reads the values.
func (s *stream) array(value func() error) error {
	if err := s.open('['); err != nil {
		return err
	}
	for s.dec.More() {
		if err := value(); err != nil {
			return err
		}
	}
	_, err := s.token()
	return err
}

// text reads a string.
func (s *stream) text() (string, error) {
	t, err := s.token()
	if err != nil {
		return "", err
	}
	v, ok := t.(string)
	if !ok {
		return "", s.failf("%s, want a text", kindOf(t))
	}
	return v, nil
}

// integer reads a whole number.
func (s *stream) integer() (int64, error) {
	t, err := s.token()
	if err != nil {
		return 0, err
	}
	number, ok := t.(json.Number)
	if !ok {
		return 0, s.failf("%s, want a whole number", kindOf(t))
	}
	v, err := strconv.ParseInt(string(number), 10, 64)
	if err != nil {
		return 0, s.failf("%s, want a whole number", kindOf(t))
	}
	return v, nil
}

// number reads a number.
func (s *stream) number() (float64, error) {
	t, err := s.token()
	if err != nil {
		return 0, err
	}
	number, ok := t.(json.Number)
	if !ok {
		return 0, s.failf("%s, want a number", kindOf(t))
	}
	v, err := strconv.ParseFloat(string(number), 64)
	if err != nil || math.IsInf(v, 0) {
		return 0, s.failf("%s, want a number that float64 holds", kindOf(t))
	}
	return v, nil
}

// skip passes over a value.
func (s *stream) skip() error {
	depth := 0
	for {
		t, err := s.token()
		if err != nil {
			return err
		}
		switch t {
		case json.Delim('{'), json.Delim('['):
			depth++
		case json.Delim('}'), json.Delim(']'):
			depth--
		}
		if depth > maxDepth {
			return s.failf("nested deeper than %d", maxDepth)
		}
		if depth == 0 {
			return nil
		}
	}
}

// upcoming returns how many values the array has that comes next, if it has none but numbers: it counts commas up to
// the first bracket that closes. Whatever stands there, it returns at most half as many as there are bytes.
func (s *stream) upcoming() int {
	commas, begin, block := 0, s.offset(), make([]byte, 1<<12)
	for at := begin; ; {
		k, err := s.file.ReadAt(block, at)
		end := bytes.IndexByte(block[:k], ']')
		if end >= 0 {
			k = end
		}
		commas += bytes.Count(block[:k], []byte{','})
		if at += int64(k); end >= 0 || err != nil {
			return min(commas, int((at-begin)/2)) + 1
		}
	}
}
