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

// output is the standard output of a command. It records whether anything was written, because with --json the output
// must be exactly one object.
type output struct {
	io.Writer
	began   bool
	failed  error // the first write error
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

// failure describes the error that ended a command. With --json, standard output must always have one object. The
// failure is printed as this object unless the command has already printed its report.
type failure struct {
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"`
	Place   *place `json:"place,omitempty"`
	Status  int    `json:"exit_status"`
}

// place is the position of an error in a user's file. Line and column count from 1.
type place struct {
	File   string `json:"file"`
	Line   int    `json:"line"`
	Column int    `json:"column,omitempty"`
}

func newFailure(err error) failure {
	text := say(err)
	return failure{text, advice(err), placeIn(text), status(err)}
}

// placed matches a message that begins with a position, such as errors about text files. A file name must not contain
// a colon followed by a blank. This rule excludes errors of the operating system that end in an address and a port,
// such as "port 80: listen tcp4 127.0.0.1:80: …".
var placed = regexp.MustCompile(`^((?:[^:]|:[^ ])+?):([0-9]+):(?:([0-9]+):)? `)

// placeIn returns the position at the beginning of a message, or nil if there is none.
func placeIn(message string) *place {
	m := placed.FindStringSubmatch(message)
	if m == nil {
		return nil
	}
	line, err := strconv.Atoi(m[2])
	if err != nil {
		return nil
	}
	column, _ := strconv.Atoi(m[3]) // 0 if the message has no column
	return &place{m[1], line, column}
}

// tell writes the error and its hint to standard error.
func (f failure) tell(w io.Writer) {
	fmt.Fprintf(w, "%s %s\n", screen.Paint(w, screen.Red, "ialgn:"), f.Message)
	if f.Hint != "" {
		fmt.Fprintf(w, "ialgn: %s %s\n", screen.Paint(w, screen.Cyan, "hint:"), f.Hint)
	}
}

// write writes the failure as the only object of standard output. It writes nothing if the command has already
// written its own object, such as a report on the differences that a check found.
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
