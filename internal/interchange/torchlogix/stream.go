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

// stream reads JSON of a known form value by value. Its memory depends only on the data that the caller keeps.
// Package json would hold a whole value in memory and take ten times as long. Unknown keys, repeated keys and values
// of a wrong type are errors. The errors give the line and column.
type stream struct {
	file io.ReaderAt
	size int64 // size of the file
	at   int64 // position of block in the file
	// block is the part of the file that is in memory. Its first pos bytes have been read.
	block []byte
	pos   int
	word  []byte // the last text or number
}

// These are the limits on texts, numbers and nesting. The values in a circuit are far below these limits.
const (
	maxText  = 1 << 8
	maxDepth = 8
)

// newStream returns a stream that begins at a position of a file.
func newStream(file io.ReaderAt, at, size int64) *stream {
	return &stream{file: file, at: at, size: size}
}

// offset returns the position of the stream in the file.
func (s *stream) offset() int64 { return s.at + int64(s.pos) }

// failf returns an error for the current position.
func (s *stream) failf(format string, args ...any) error {
	return failAt(s.file, s.offset(), fmt.Sprintf(format, args...))
}

// failAt returns an error for a position. The error gives the position as line and column.
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

// fill reads the next block of the file.
func (s *stream) fill() error {
	s.at += int64(len(s.block))
	if s.block == nil {
		s.block = make([]byte, 1<<14)
	}
	n, err := s.file.ReadAt(s.block[:max(0, min(int64(cap(s.block)), s.size-s.at))], s.at)
	s.block, s.pos = s.block[:n], 0
	switch {
	case n > 0:
		return nil
	case err == nil || errors.Is(err, io.EOF):
		return io.EOF
	}
	return err
}

// next returns the next byte without reading it. At the end of the file it returns an error.
func (s *stream) next() (byte, error) {
	if s.pos == len(s.block) {
		if err := s.fill(); errors.Is(err, io.EOF) {
			return 0, s.failf("the file ends in the middle")
		} else if err != nil {
			return 0, err
		}
	}
	return s.block[s.pos], nil
}

// peek skips white space and returns the next byte without reading it.
func (s *stream) peek() (byte, error) {
	for {
		b, err := s.next()
		if err != nil || b != ' ' && b != '\n' && b != '\t' && b != '\r' {
			return b, err
		}
		s.pos++
	}
}

// expect skips white space and reads a byte, which must be a or b.
func (s *stream) expect(a, b byte) (byte, error) {
	got, err := s.peek()
	if err != nil {
		return 0, err
	}
	if got != a && got != b {
		if a == b {
			return 0, s.failf("%q, want %q", got, a)
		}
		return 0, s.failf("%q, want %q or %q", got, a, b)
	}
	s.pos++
	return got, nil
}

// ended reports whether only white space follows.
func (s *stream) ended() bool {
	_, err := s.peek()
	return err != nil && s.offset() >= s.size
}

// each reads values between two brackets. Commas separate the values.
func (s *stream) each(open, end byte, value func() error) error {
	if _, err := s.expect(open, open); err != nil {
		return err
	}
	if b, err := s.peek(); err != nil {
		return err
	} else if b == end {
		s.pos++
		return nil
	}
	for {
		if err := value(); err != nil {
			return err
		}
		if b, err := s.expect(',', end); err != nil || b == end {
			return err
		}
	}
}

// array reads an array. value reads each of its elements.
func (s *stream) array(value func() error) error { return s.each('[', ']', value) }

// object reads an object. keys are the keys that the object may have. For the key keys[i], object calls value(i),
// which must read the key's value. Bit i of the result is 1 if the object has this key.
func (s *stream) object(keys []string, value func(i int) error) (there uint, err error) {
	err = s.each('{', '}', func() error {
		key, err := s.text()
		if err != nil {
			return err
		}
		at := -1
		for i, k := range keys {
			if string(key) == k {
				at = i
			}
		}
		switch {
		case at < 0:
			return s.failf("key %.40q, want one of %q", key, keys)
		case there>>at&1 != 0:
			return s.failf("key %q occurs twice", key)
		}
		there |= 1 << at
		if _, err := s.expect(':', ':'); err != nil {
			return err
		}
		return value(at)
	})
	return there, err
}

// text reads a string. The result is valid until the next text or number.
func (s *stream) text() ([]byte, error) {
	b, err := s.peek()
	if err != nil {
		return nil, err
	}
	if b != '"' {
		return nil, s.failf("%q, want a text", b)
	}
	s.word, s.pos = append(s.word[:0], '"'), s.pos+1
	for escaped, plain := false, true; ; {
		if b, err = s.next(); err != nil {
			return nil, err
		}
		s.pos++
		s.word = append(s.word, b)
		switch {
		case len(s.word) > maxText:
			return nil, s.failf("the text %.40q... is longer than any in a circuit", s.word[1:])
		case escaped:
			escaped = false
		case b == '\\':
			escaped, plain = true, false
		case b == '"' && plain:
			return s.word[1 : len(s.word)-1], nil
		case b == '"':
			var v string
			if err := json.Unmarshal(s.word, &v); err != nil {
				return nil, s.failf("the text %.40s is no JSON", s.word)
			}
			return append(s.word[:0], v...), nil
		case b < ' ' || b >= 0x80:
			return nil, s.failf("%q in a text", b)
		}
	}
}

// digits reads the characters of a number.
func (s *stream) digits() ([]byte, error) {
	first, err := s.peek()
	if err != nil {
		return nil, err
	}
	s.word = s.word[:0]
	for {
		b, err := s.next()
		if err != nil {
			return nil, err
		}
		if b < '0' || b > '9' {
			switch b {
			case '-', '+', '.', 'e', 'E':
			default:
				if len(s.word) == 0 {
					return nil, s.failf("%q, want a number", first)
				}
				return s.word, nil
			}
		}
		if len(s.word) >= maxText {
			return nil, s.failf("the number %.40s... is longer than any in a circuit", s.word)
		}
		s.word, s.pos = append(s.word, b), s.pos+1
	}
}

// integer reads a whole number.
func (s *stream) integer() (int64, error) {
	digits, err := s.digits()
	if err != nil {
		return 0, err
	}
	if v, ok := small(digits); ok {
		return v, nil
	}
	v, err := strconv.ParseInt(string(digits), 10, 64)
	if err != nil || !json.Valid(digits) {
		return 0, s.failf("%.40s, want a whole number", digits)
	}
	return v, nil
}

// small returns the value of a number of up to nine digits.
func small(digits []byte) (v int64, ok bool) {
	if len(digits) > 9 || digits[0] == '0' && len(digits) > 1 {
		return 0, false
	}
	for _, d := range digits {
		if d < '0' || d > '9' {
			return 0, false
		}
		v = 10*v + int64(d-'0')
	}
	return v, true
}

// number reads a number.
func (s *stream) number() (float64, error) {
	digits, err := s.digits()
	if err != nil {
		return 0, err
	}
	v, err := strconv.ParseFloat(string(digits), 64)
	if err != nil || math.IsInf(v, 0) || !json.Valid(digits) {
		return 0, s.failf("%.40s, want a number that float64 holds", digits)
	}
	return v, nil
}

// skip skips a value that has one of the types in a circuit.
func (s *stream) skip(depth int) error {
	b, err := s.peek()
	switch {
	case err != nil:
		return err
	case depth > maxDepth:
		return s.failf("nested deeper than %d", maxDepth)
	case b == '[':
		return s.array(func() error { return s.skip(depth + 1) })
	case b == '{':
		return s.each('{', '}', func() error {
			if _, err := s.text(); err != nil {
				return err
			}
			if _, err := s.expect(':', ':'); err != nil {
				return err
			}
			return s.skip(depth + 1)
		})
	case b == '"':
		_, err = s.text()
		return err
	}
	_, err = s.digits()
	return err
}

// upcoming returns the number of elements of the next array if all elements are numbers. It counts the commas before
// the first closing bracket. The result is at most about half the number of bytes that were searched.
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
