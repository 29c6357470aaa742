package screen

import (
	"cmp"
	"io"
	"os"
	"runtime"

	"golang.org/x/term"
)

// Colour is a colour for text on a terminal.
type Colour string

// These are the colours. Their values are the codes in ECMA-48.
const (
	Red    Colour = "1;31"
	Green  Colour = "32"
	Yellow Colour = "33"
	Cyan   Colour = "36"

	plainColour Colour = "0"
)

// begin returns the sequence that switches a terminal to the colour.
func (c Colour) begin() string { return "\x1b[" + string(c) + "m" }

// Coloured is a writer that knows whether it shows colours.
type Coloured interface {
	io.Writer
	Colours() bool
}

// Paint returns a text in a colour if w is a [Coloured] writer that shows colours, or the text unchanged otherwise.
func Paint(w io.Writer, c Colour, text string) string {
	if t, ok := w.(Coloured); ok && t.Colours() {
		return c.begin() + text + plainColour.begin()
	}
	return text
}

// Colours reports whether a writer shows colours. The writer must be a terminal, the environment variable TERM must
// be set to a type other than dumb, and NO_COLOR (no-color.org) must not be set.
func Colours(w io.Writer) bool {
	if t, ok := w.(Coloured); ok {
		return t.Colours()
	}
	f, ok := w.(*os.File)
	return ok && os.Getenv("NO_COLOR") == "" && colourTerminal() && term.IsTerminal(int(f.Fd()))
}

// colourTerminal reports whether the terminal's type has colours. Windows Terminal has colours, and is recognised by
// its own environment variable. The older console of Windows has no colours.
func colourTerminal() bool {
	kind := os.Getenv("TERM")
	if runtime.GOOS == "windows" {
		kind = cmp.Or(kind, os.Getenv("WT_SESSION"))
	}
	return kind != "" && kind != "dumb"
}
