// Package screen manages the standard error of a command. It writes lines. On a terminal, it also shows a bar in the
// last line, which changes in place and is never wider than the terminal.
package screen

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"
	"unicode"

	"golang.org/x/term"

	"ialgn/internal/progress"
)

// Screen is standard error. On a terminal its last line may be a bar, which changes in place and is never wider than
// the terminal's current width. Other output replaces the bar. Without a terminal, progress is shown as lines, at
// longer and longer intervals.
type Screen struct {
	columns func() int // current width of the terminal; nil without a terminal
	colours bool

	mu    sync.Mutex
	w     io.Writer
	bar   bool      // whether a bar is shown
	drawn time.Time // time at which the bar was last drawn
	said  time.Time // time of the last line of progress, or of the command's start
	pause time.Duration
}

// These are the time between two states of a bar and, without a terminal, the first and the longest time between two
// lines.
const (
	Redraw     = 200 * time.Millisecond
	firstPause = 10 * time.Second
	LastPause  = time.Minute
)

// usualColumns is the assumed width of a terminal that does not report its width.
const usualColumns = 80

// New returns the screen for a writer. It recognises whether the writer is a terminal.
func New(w io.Writer) *Screen {
	s := &Screen{w: w, colours: Colours(w), said: time.Now(), pause: firstPause}
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

// NewTerminal returns the screen for a terminal. columns returns the terminal's current width.
func NewTerminal(w io.Writer, columns func() int) *Screen {
	s := New(w)
	s.columns = columns
	return s
}

// Watch returns a context whose long tasks are shown while they run; see package progress.
func (s *Screen) Watch(ctx context.Context) context.Context {
	return progress.With(ctx, progress.NewBoard(Redraw, s.Tell))
}

// Columns returns the width of the terminal, or 0 without a terminal.
func (s *Screen) Columns() int {
	if !s.Terminal() {
		return 0
	}
	return s.columns()
}

// Terminal reports whether the screen can show a bar.
func (s *Screen) Terminal() bool { return s.columns != nil }

// Colours implements [Coloured].
func (s *Screen) Colours() bool { return s.colours }

// Write writes whole lines, escaped by [Visible], in place of the bar.
func (s *Screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.erase()
	if _, err := io.WriteString(s.w, Visible(string(p), s.colours)); err != nil {
		return 0, err
	}
	return len(p), nil
}

// erase removes the bar.
func (s *Screen) erase() {
	if s.bar {
		fmt.Fprint(s.w, "\r\x1b[K")
		s.bar = false
	}
}

// Clear removes the bar, if there is one.
func (s *Screen) Clear() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.erase()
}

// Draw draws the bar, with the parts that fit on the line. It does nothing if the bar was drawn very recently. It
// also does nothing without a terminal.
func (s *Screen) Draw(parts func(columns int) []Part) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.Terminal() || time.Since(s.drawn) < Redraw {
		return
	}
	columns := max(1, s.columns()-1) // some terminals wrap when the last column is filled
	fmt.Fprintf(s.w, "\r\x1b[K%s", Fit(parts(columns), columns))
	s.bar, s.drawn = true, time.Now()
}

// Due reports whether the caller should write a line of progress now. It returns true only if there is no terminal
// and enough time has passed.
func (s *Screen) Due() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.Terminal() || time.Since(s.said) < s.pause {
		return false
	}
	s.said, s.pause = time.Now(), min(2*s.pause, LastPause)
	return true
}

// Tell shows the tasks in progress. It is the show function of a [progress.Board].
func (s *Screen) Tell(all []progress.Status) {
	switch {
	case len(all) == 0:
		s.Clear()
	case s.Terminal():
		s.Draw(func(columns int) []Part { return taskParts(all, columns) })
	case s.Due():
		for _, one := range all {
			fmt.Fprintln(s, one)
		}
	}
}

// taskParts returns a bar about the first task in progress. If there is little room, the bar shows the innermost
// tasks and omits the outer tasks.
func taskParts(all []progress.Status, columns int) []Part {
	one := all[0]
	for len(one.Doing) > 1 && Cells(one.String()) > columns {
		one.Doing = one.Doing[1:]
	}
	parts := []Part{{one.String(), 0}}
	if one.Of > 0 {
		parts = append(parts, Part{Gauge(one.Done, one.Of, columns), 1})
	}
	if more := len(all) - 1; more > 0 {
		parts = append(parts, Part{fmt.Sprintf("and %d more", more), 2})
	}
	return parts
}

// Part is a piece of a line that is omitted if there is no room for it. The part with the highest rank is omitted
// first.
type Part struct {
	Text string
	Rank int
}

// gap separates the parts of a line.
const gap = "  "

// Fit returns a line of the parts that fit into the given number of columns. columns <= 0 means no limit.
func Fit(parts []Part, columns int) string {
	for {
		line := Join(parts)
		if columns <= 0 || Cells(line) <= columns {
			return line
		}
		if len(parts) == 1 {
			return shorten(line, columns)
		}
		parts = withoutLeast(parts)
	}
}

// Join returns a line of all parts.
func Join(parts []Part) string {
	texts := make([]string, len(parts))
	for i, p := range parts {
		texts[i] = p.Text
	}
	return strings.Map(plain, strings.Join(texts, gap))
}

// withoutLeast removes the last of the parts with the highest rank.
func withoutLeast(parts []Part) []Part {
	least := 0
	for i, p := range parts {
		if p.Rank >= parts[least].Rank {
			least = i
		}
	}
	return append(parts[:least:least], parts[least+1:]...)
}

// dots replace omitted text.
const dots = "..."

// shorten returns the beginning of a line, with dots for the rest if the line is too long.
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

// Cells returns the largest number of columns that a text may take.
func Cells(line string) (n int) {
	for _, r := range line {
		n += runeCells(r)
	}
	return n
}

// firstWide is the first character that terminals may draw two columns wide.
const firstWide = 0x1100

func runeCells(r rune) int {
	if r >= firstWide {
		return 2
	}
	return 1
}

// Gauge draws the fraction done/of as a bar that takes about a fifth of the columns.
func Gauge(done, of, columns int) string {
	width := min(max(columns/5, 8), 24)
	at := min(max(width*done/max(1, of), 0), width)
	return "[" + strings.Repeat("#", at) + strings.Repeat(".", width-at) + "]"
}

// OneLine turns a text into one line, without characters that move a terminal's cursor.
func OneLine(text string) string {
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

// plain returns a space for a control character, which could move the cursor.
func plain(r rune) rune {
	if unicode.IsControl(r) {
		return ' '
	}
	return r
}
