package verilog

import (
	"bufio"
	"bytes"
	"io"
)

// columns is the width to which long lines are wrapped.
const columns = 100

// printer writes lines and remembers the first error.
type printer struct {
	w   *bufio.Writer
	buf []byte // the line being built
	err error
}

func newPrinter(w io.Writer) *printer { return &printer{w: bufio.NewWriterSize(w, 1<<16)} }

// text writes a block unchanged. The block must end with a newline.
func (p *printer) text(s string) {
	if _, err := p.w.WriteString(s); p.err == nil {
		p.err = err
	}
}

// start begins a line and returns the buffer to append to.
func (p *printer) start(s string) []byte { return append(p.buf[:0], s...) }

// end writes a line that was begun with start. It wraps the line at spaces. Continuation lines are indented by four
// more columns.
func (p *printer) end(line []byte) {
	p.buf = line
	rest := bytes.TrimLeft(line, " ")
	first := len(line) - len(rest)
	for lead := first; len(rest) > 0; lead = first + 4 {
		cut := wrapAt(rest, columns-lead)
		p.spaces(lead)
		p.write(rest[:cut])
		p.write([]byte{'\n'})
		rest = bytes.TrimLeft(rest[cut:], " ")
	}
}

// wrapAt returns the position at which to break a line that does not begin with a space. The position is the last
// space within width characters. If there is no such space, it is the first space. If the line has no spaces, it is
// the end of the line.
func wrapAt(line []byte, width int) int {
	if len(line) <= width {
		return len(line)
	}
	if i := bytes.LastIndexByte(line[:width+1], ' '); i > 0 {
		return i
	}
	if i := bytes.IndexByte(line, ' '); i > 0 {
		return i
	}
	return len(line)
}

func (p *printer) spaces(n int) {
	for range n {
		p.write([]byte{' '})
	}
}

func (p *printer) write(b []byte) {
	if _, err := p.w.Write(b); p.err == nil {
		p.err = err
	}
}

// flush writes the buffered text and returns the first error.
func (p *printer) flush() error {
	if err := p.w.Flush(); p.err == nil {
		p.err = err
	}
	return p.err
}
