package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"strconv"

	"ialgn/internal/screen"
)

// output is standard output of a command. It knows whether anything was written, for with --json there is one object
// and nothing else.
type output struct {
	io.Writer
	began   bool
	failed  error // the first error of writing
	colours bool
}

func newOutput(w io.Writer) *output { return &output{Writer: w, colours: screen.Colours(w)} }

// Write implements io.Writer.
func (o *output) Write(p []byte) (int, error) {
	o.began = o.began || len(p) > 0
	n, err := o.Writer.Write(p)
	o.failed = cmp.Or(o.failed, err)
	return n, err
}

// Colours implements [screen.Coloured].
func (o *output) Colours() bool { return o.colours }

// failure is what a command ends with that could not do what it was asked for.
type failure struct {
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"`
	Place   *place `json:"place,omitempty"`
	Status  int    `json:"exit_status"`
}

// place is where in a file of the user's the error is; lines and columns count from 1.
type place struct {
	File   string `json:"file"`
	Line   int    `json:"line"`
	Column int    `json:"column,omitempty"`
}

func newFailure(err error) failure {
	text := say(err)
	return failure{text, advice(err), placeIn(text), status(err)}
}

// placed is a message that begins with a place, as those about files of text do. What comes before a colon and a blank
// is no file: the system's errors name the port of an address like a line.
var placed = regexp.MustCompile(`^((?:[^:]|:[^ ])+?):([0-9]+):(?:([0-9]+):)? `)

// placeIn returns the place that a message begins with, nil for none.
func placeIn(message string) *place {
	m := placed.FindStringSubmatch(message)
	if m == nil {
		return nil
	}
	line, err := strconv.Atoi(m[2])
	if err != nil {
		return nil
	}
	column, _ := strconv.Atoi(m[3]) // 0: the message names none
	return &place{m[1], line, column}
}

// tell says what went wrong on standard error.
func (f failure) tell(w io.Writer) {
	fmt.Fprintf(w, "%s %s\n", screen.Paint(w, screen.Red, "ialgn:"), f.Message)
	if f.Hint != "" {
		fmt.Fprintf(w, "ialgn: %s %s\n", screen.Paint(w, screen.Cyan, "hint:"), f.Hint)
	}
}

// write writes the failure as the one object of standard output, unless the command has written its own: a
// comparison that found differences has reported them.
func (f failure) write(o *output) error {
	if o.began {
		return nil
	}
	enc := json.NewEncoder(o)
	enc.SetIndent("", "  ")
	return enc.Encode(struct {
		Error failure `json:"error"`
	}{f})
}
