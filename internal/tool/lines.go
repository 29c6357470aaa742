package tool

import (
	"bytes"
	"io"
	"sync"
)

// longestLine bounds what is kept of a line that has not ended.
const longestLine = 1 << 16

// teller returns writers to both outputs that tell the command's Line of what is written.
func (c Command) teller(out, errs io.Writer) (toOut, toErrs io.Writer) {
	if c.Line == nil {
		return out, errs
	}
	var turn sync.Mutex
	tell := func(line string) {
		turn.Lock()
		defer turn.Unlock()
		c.Line(line)
	}
	return io.MultiWriter(out, &lines{tell: tell}), io.MultiWriter(errs, &lines{tell: tell})
}

// lines cuts what is written into lines.
type lines struct {
	tell func(line string)
	open []byte // the part of the unfinished line that is not passed on yet
	rest bool   // a part of the unfinished line was passed on already
}

// Write never fails. A line that does not end is told in pieces.
func (l *lines) Write(p []byte) (int, error) {
	for rest := p; len(rest) > 0; {
		line, after, ended := bytes.Cut(rest, []byte("\n"))
		l.open, rest = append(l.open, line...), after
		if long := len(l.open) > longestLine; long || ended && (len(l.open) > 0 || !l.rest) {
			l.tell(string(bytes.TrimSuffix(l.open, []byte("\r"))))
			l.open = l.open[:0]
		}
		l.rest = !ended
	}
	return len(p), nil
}
