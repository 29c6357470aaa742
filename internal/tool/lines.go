package tool

import (
	"bytes"
	"io"
	"sync"
)

// longestLine is the largest number of bytes of an unfinished line that are kept.
const longestLine = 1 << 16

// teller returns writers for both outputs of a command. The writers also pass each line to the command's function
// Line.
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

// lines splits the written text into lines.
type lines struct {
	tell func(line string)
	open []byte // part of the unfinished line that is not yet passed on
	rest bool   // whether a part of the unfinished line was already passed on
}

// Write never fails. A very long line is passed on in pieces.
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
