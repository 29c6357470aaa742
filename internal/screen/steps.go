package screen

import (
	"fmt"
	"time"

	"ialgn/internal/message"
)

// Steps shows the progress of a calculation of many equal steps.
type Steps struct {
	*Screen
	what  string
	quiet bool
	start time.Time
	done  int
}

// NewSteps starts to show a calculation. If quiet is set, nothing is shown.
func NewSteps(s *Screen, what string, quiet bool) *Steps {
	return &Steps{Screen: s, what: what, quiet: quiet, start: time.Now()}
}

// Show shows how many steps are done. The argument called of is the number of all steps.
func (p *Steps) Show(done, of int) {
	p.done = done
	switch {
	case p.quiet:
	case p.Terminal():
		p.Draw(func(columns int) []Part { return p.parts(done, of, Gauge(done, of, columns)) })
	case p.Due():
		fmt.Fprintln(p, Join(p.parts(done, of, "")))
	}
}

// parts returns the line about the steps done so far.
func (p *Steps) parts(done, of int, gauge string) []Part {
	left := time.Since(p.start) / time.Duration(max(1, done)) * time.Duration(of-done)
	parts := []Part{{p.what, 2}}
	if gauge != "" {
		parts = append(parts, Part{gauge, 3})
	}
	return append(parts, Part{fmt.Sprintf("%d/%d", done, of), 0}, Part{left.Round(time.Second).String() + " left", 1})
}

// End removes the bar and, unless an error ended the calculation, writes how long it took.
func (p *Steps) End(err error) {
	p.Clear()
	if err == nil && !p.quiet {
		fmt.Fprintf(p, "%s: %s in %.1f s\n", p.what, message.Plural(p.done, "step", "steps"), time.Since(p.start).Seconds())
	}
}
