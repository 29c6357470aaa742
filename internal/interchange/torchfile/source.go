package torchfile

import (
	"fmt"
	"io"
)

// source reads a part of a file from beginning to end. Positions count from the beginning of the part.
type source struct {
	r          io.ReaderAt
	begin, end int64 // positions of the part in r
	at         int64 // position of the next byte in r
	buffer     []byte
	ahead      []byte // bytes in the buffer that were not returned yet
}

func newSource(r io.ReaderAt, begin, end int64) *source {
	return &source{r: r, begin: begin, end: end, at: begin, buffer: make([]byte, min(16<<10, max(0, end-begin)))}
}

// place returns the number of bytes that were read.
func (s *source) place() int64 { return s.at - s.begin }

// left returns the number of bytes that are left to read.
func (s *source) left() int64 { return s.end - s.at }

// next returns the next byte.
func (s *source) next() (byte, error) {
	if len(s.ahead) == 0 {
		if s.left() == 0 {
			return 0, fmt.Errorf("it ends too early: was the file cut short?")
		}
		b := s.buffer[:min(int64(len(s.buffer)), s.left())]
		if err := readAt(s.r, b, s.at); err != nil {
			return 0, err
		}
		s.ahead = b
	}
	b := s.ahead[0]
	s.ahead = s.ahead[1:]
	s.at++
	return b, nil
}

// take returns the next n bytes in a new slice. It allocates nothing if there are not enough bytes.
func (s *source) take(n uint64) ([]byte, error) {
	if n > uint64(s.left()) {
		return nil, fmt.Errorf("%d bytes should follow, and %d are left: was the file cut short?", n, s.left())
	}
	b := make([]byte, n)
	have := copy(b, s.ahead)
	s.ahead = s.ahead[have:]
	if err := readAt(s.r, b[have:], s.at+int64(have)); err != nil {
		return nil, err
	}
	s.at += int64(n)
	return b, nil
}

// number returns the next n bytes as a little-endian number, for n up to 8.
func (s *source) number(n int) (uint64, error) {
	var v uint64
	for i := range n {
		b, err := s.next()
		if err != nil {
			return 0, err
		}
		v |= uint64(b) << (8 * i)
	}
	return v, nil
}

// maxName is the length of the longest name of a module or class in a pickle.
const maxName = 500

// line returns the text up to the next newline, without the newline.
func (s *source) line() (string, error) {
	var text []byte
	for {
		b, err := s.next()
		if err != nil {
			return "", err
		}
		if b == '\n' {
			return string(text), nil
		}
		if len(text) == maxName {
			return "", fmt.Errorf("a name of more than %d bytes", maxName)
		}
		text = append(text, b)
	}
}

// skip skips n bytes. The source must have n more bytes.
func (s *source) skip(n int64) {
	s.ahead = s.ahead[min(n, int64(len(s.ahead))):]
	s.at += n
}
