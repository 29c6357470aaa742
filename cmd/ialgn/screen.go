package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/urfave/cli/v2"
	"golang.org/x/term"

	"ialgn/internal/progress"
)

// screen is standard error. On a terminal its last line may be a bar, which changes in place and
// is no wider than the terminal is at that moment; whatever else is written takes the bar's
// place. Elsewhere there are lines alone, the fewer the longer the command runs.
type screen struct {
	columns func() int // of the terminal now; nil: it is none

	mu    sync.Mutex
	w     io.Writer
	bar   bool      // there is one
	drawn time.Time // when that was
	said  time.Time // when the last line of progress was, or the command began
	pause time.Duration
}

// The time between two states of a bar, and between lines elsewhere: at first, and at most.
const (
	redraw     = 200 * time.Millisecond
	firstPause = 10 * time.Second
	lastPause  = time.Minute
)

// usualColumns is the width of a terminal that does not tell it.
const usualColumns = 80

func newScreen(w io.Writer) *screen {
	s := &screen{w: w, said: time.Now(), pause: firstPause}
	if f, ok := w.(*os.File); ok && term.IsTerminal(int(f.Fd())) && os.Getenv("TERM") != "dumb" {
		s.columns = func() int {
			if columns, _, err := term.GetSize(int(f.Fd())); err == nil && columns > 0 {
				return columns
			}
			return usualColumns
		}
	}
	return s
}

// screenOf returns standard error of a command.
func screenOf(c *cli.Context) *screen { return c.App.ErrWriter.(*screen) }

// watched has the long steps of a command show how far they are.
func (s *screen) watched(c *cli.Context) {
	if !c.Bool("quiet") {
		c.Context = progress.With(c.Context, progress.NewBoard(redraw, s.tell))
	}
}

// terminal reports whether there can be a bar.
func (s *screen) terminal() bool { return s.columns != nil }

// Write writes whole lines in the place of the bar.
func (s *screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.erase()
	return s.w.Write(p)
}

// warn tells in one line of something that went wrong while the command goes on, with --quiet too.
func (s *screen) warn(err error) { fmt.Fprintf(s, "ialgn: warning: %s\n", oneLine(message(err))) }

// erase takes the bar away.
func (s *screen) erase() {
	if s.bar {
		fmt.Fprint(s.w, "\r\x1b[K")
		s.bar = false
	}
}

// clear takes the bar away, if there is one.
func (s *screen) clear() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.erase()
}

// draw makes what fits of the parts the bar, unless the last is too young. It does nothing where
// there is no terminal.
func (s *screen) draw(parts func(columns int) []part) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.terminal() || time.Since(s.drawn) < redraw {
		return
	}
	columns := max(1, s.columns()-1) // in the last one, some terminals begin a new line
	fmt.Fprintf(s.w, "\r\x1b[K%s", fit(parts(columns), columns))
	s.bar, s.drawn = true, time.Now()
}

// due reports whether it is time for a line of progress where there is no terminal, which the
// caller then writes.
func (s *screen) due() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.terminal() || time.Since(s.said) < s.pause {
		return false
	}
	s.said, s.pause = time.Now(), min(2*s.pause, lastPause)
	return true
}

// tell says what is under way, as a board asks for.
func (s *screen) tell(all []progress.Status) {
	switch {
	case len(all) == 0:
		s.clear()
	case s.terminal():
		s.draw(func(columns int) []part { return taskParts(all, columns) })
	case s.due():
		for _, one := range all {
			fmt.Fprintln(s, one)
		}
	}
}

// taskParts returns the bar of the first of the tasks under way. Where room is short, it says the
// detail and not the whole.
func taskParts(all []progress.Status, columns int) []part {
	one := all[0]
	for len(one.Doing) > 1 && cells(one.String()) > columns {
		one.Doing = one.Doing[1:]
	}
	parts := []part{{one.String(), 0}}
	if one.Of > 0 {
		parts = append(parts, part{gauge(one.Done, one.Of, columns), 1})
	}
	if more := len(all) - 1; more > 0 {
		parts = append(parts, part{fmt.Sprintf("and %d more", more), 2})
	}
	return parts
}

// part is a piece of a line that is left out where there is no room for it. That with the highest
// rank goes first.
type part struct {
	text string
	rank int
}

// gap is between the parts of a line.
const gap = "  "

// fit returns what has room of a line's parts. columns of 0 or less are no bound.
func fit(parts []part, columns int) string {
	for {
		line := join(parts)
		if columns <= 0 || cells(line) <= columns {
			return line
		}
		if len(parts) == 1 {
			return shorten(line, columns)
		}
		parts = withoutLeast(parts)
	}
}

func join(parts []part) string {
	texts := make([]string, len(parts))
	for i, p := range parts {
		texts[i] = p.text
	}
	return strings.Map(plain, strings.Join(texts, gap))
}

// withoutLeast returns the parts but for the last of those with the highest rank.
func withoutLeast(parts []part) []part {
	least := 0
	for i, p := range parts {
		if p.rank >= parts[least].rank {
			least = i
		}
	}
	return append(parts[:least:least], parts[least+1:]...)
}

// dots stand for what was left out.
const dots = "..."

// shorten returns the beginning of a line that has room, with dots for the rest.
func shorten(line string, columns int) string {
	if columns <= len(dots) {
		return dots[:columns]
	}
	room := columns - len(dots)
	for i, r := range line {
		if room -= runeCells(r); room < 0 {
			return line[:i] + dots
		}
	}
	return line
}

// cells returns how many columns a text takes, at most.
func cells(line string) (n int) {
	for _, r := range line {
		n += runeCells(r)
	}
	return n
}

// firstWide is the first character that terminals may draw in two columns.
const firstWide = 0x1100

func runeCells(r rune) int {
	if r >= firstWide {
		return 2
	}
	return 1
}

// gauge draws a share, in a fifth of the columns.
func gauge(done, of, columns int) string {
	width := min(max(columns/5, 8), 24)
	at := min(max(width*done/max(1, of), 0), width)
	return "[" + strings.Repeat("#", at) + strings.Repeat(".", width-at) + "]"
}

// oneLine puts a text into one line, without characters that move a terminal's cursor.
func oneLine(text string) string {
	line := ""
	for part := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == '\n' || r == '\r' }) {
		switch part = strings.TrimSpace(part); {
		case part == "":
		case line == "" || strings.HasSuffix(line, ":"):
			line = strings.TrimSpace(line + " " + part)
		default:
			line += "; " + part
		}
	}
	return strings.Map(plain, line)
}

// plain returns a space for a character that moves the cursor.
func plain(r rune) rune {
	if unicode.IsControl(r) {
		return ' '
	}
	return r
}
