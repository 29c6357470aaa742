package screen

import (
	"cmp"
	"io"
	"os"
	"runtime"

	"golang.org/x/term"
)

// Colour makes a word stand out on a terminal.
type Colour string

// The colours, by their numbers in ECMA-48.
const (
	Red    Colour = "1;31"
	Green  Colour = "32"
	Yellow Colour = "33"
	Cyan   Colour = "36"

	plainColour Colour = "0"
)

// begin returns what has a terminal write in the colour.
func (c Colour) begin() string { return "\x1b[" + string(c) + "m" }

// Coloured is a writer that knows whether it shows colours.
type Coloured interface {
	io.Writer
	Colours() bool
}

// Paint returns a text in a colour for a [Coloured] writer that shows colours, and as it is for all others.
func Paint(w io.Writer, c Colour, text string) string {
	if t, ok := w.(Coloured); ok && t.Colours() {
		return c.begin() + text + plainColour.begin()
	}
	return text
}

// Colours reports whether a writer shows colours: it is a terminal, whose type TERM names and is not dumb, and the
// user has not set NO_COLOR (no-color.org).
func Colours(w io.Writer) bool {
	if t, ok := w.(Coloured); ok {
		return t.Colours()
	}
	f, ok := w.(*os.File)
	return ok && os.Getenv("NO_COLOR") == "" && colourTerminal() && term.IsTerminal(int(f.Fd()))
}

// colourTerminal reports whether the terminal is of a type with colours. Windows Terminal is, and says so in a
// variable of its own; the console that Windows had before it is not.
func colourTerminal() bool {
	kind := os.Getenv("TERM")
	if runtime.GOOS == "windows" {
		kind = cmp.Or(kind, os.Getenv("WT_SESSION"))
	}
	return kind != "" && kind != "dumb"
}
