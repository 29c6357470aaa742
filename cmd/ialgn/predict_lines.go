package main

import (
	"encoding/json"
	"io"
	"strconv"
	"strings"
)

// lines writes the results of predict, a line a sample.
type lines struct {
	w       io.Writer
	buf     []byte   // lines that are not written yet
	classes []string // what stands between a sample's number and its counts, for each class
	before  string   // a line's number
	after   string   // a line's counts

	number func(b []byte, count int32) []byte // appends a count, or what it comes to
}

// linesRoom is how many bytes are written at a time, about.
const linesRoom = 256 << 10

// tableLines returns the writer of CSV, the header of which is its first line. What says what the numbers of the
// classes are: count or score.
func tableLines(w io.Writer, names []string, what string, number func([]byte, int32) []byte) *lines {
	l := &lines{w: w, after: "\n", number: number}
	header := "sample,class"
	for _, name := range names {
		header += "," + quoted(what+"_"+name)
		l.classes = append(l.classes, ","+quoted(name)+",")
	}
	l.buf = append(l.buf, header+"\n"...)
	return l
}

// objectLines returns the writer of an object a line, with the keys sample, class and counts, or scores.
func objectLines(w io.Writer, names []string, what string, number func([]byte, int32) []byte) *lines {
	l := &lines{w: w, before: `{"sample":`, after: "]}\n", number: number}
	for _, name := range names {
		text, _ := json.Marshal(name) // a string has a form always
		l.classes = append(l.classes, `,"class":`+string(text)+`,"`+what+`s":[`)
	}
	return l
}

// add appends the lines of samples from number first on, with their classes and counts, [sample][class].
func (l *lines) add(first int, classes []uint16, counts []int32) error {
	width := len(l.classes)
	for i, class := range classes {
		b := append(l.buf, l.before...)
		b = strconv.AppendInt(b, int64(first+i), 10)
		b = append(b, l.classes[class]...)
		for _, n := range counts[i*width:][:width] {
			b = append(l.number(b, n), ',')
		}
		l.buf = append(b[:len(b)-1], l.after...)
		if len(l.buf) >= linesRoom {
			if err := l.flush(); err != nil {
				return err
			}
		}
	}
	return nil
}

// flush writes what stands in the buffer.
func (l *lines) flush() error {
	if len(l.buf) == 0 {
		return nil
	}
	_, err := l.w.Write(l.buf)
	l.buf = l.buf[:0]
	return err
}

// appendCount appends a count, most of which have up to three digits.
func appendCount(b []byte, n int32) []byte {
	switch {
	case 0 <= n && n < 10:
		return append(b, '0'+byte(n))
	case 0 <= n && n < 100:
		return append(b, '0'+byte(n/10), '0'+byte(n%10))
	case 0 <= n && n < 1000:
		return append(b, '0'+byte(n/100), '0'+byte(n/10%10), '0'+byte(n%10))
	}
	return strconv.AppendInt(b, int64(n), 10)
}

// appendScore returns what appends the score of a count.
func appendScore(score func(count int) float32) func(b []byte, n int32) []byte {
	return func(b []byte, n int32) []byte { return strconv.AppendFloat(b, float64(score(int(n))), 'g', -1, 32) }
}

// quoted returns a CSV field.
func quoted(s string) string {
	if strings.ContainsAny(s, ",\"\n\r") {
		return `"` + strings.ReplaceAll(s, `"`, `""`) + `"`
	}
	return s
}
