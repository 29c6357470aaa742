package main

import (
	"encoding/json"
	"io"
	"strconv"
	"strings"
)

// lines writes the results of predict, one line for each sample.
type lines struct {
	w       io.Writer
	buf     []byte   // lines that are not yet written
	classes []string // for each class, the text between the number and the counts of a sample
	before  string   // text before the sample's number
	after   string   // text after the counts

	number func(b []byte, count int32) []byte // appends a count or its score
}

// linesRoom is the approximate number of bytes to write at once.
const linesRoom = 256 << 10

// tableLines returns a writer of CSV with a header line. The argument what is "count" or "score". The header uses
// this word for the numbers of the classes.
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

// objectLines returns a writer of one JSON object in each line, with the keys sample, class, and counts or scores.
func objectLines(w io.Writer, names []string, what string, number func([]byte, int32) []byte) *lines {
	l := &lines{w: w, before: `{"sample":`, after: "]}\n", number: number}
	for _, name := range names {
		text, _ := json.Marshal(name) // a string can always be marshalled
		l.classes = append(l.classes, `,"class":`+string(text)+`,"`+what+`s":[`)
	}
	return l
}

// add appends one line for each sample. The parameter first is the number of the first sample. counts is indexed
// [sample][class].
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

// flush writes the buffer.
func (l *lines) flush() error {
	if len(l.buf) == 0 {
		return nil
	}
	_, err := l.w.Write(l.buf)
	l.buf = l.buf[:0]
	return err
}

// appendCount appends a count. It is optimised for counts of up to three digits.
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

// appendScore returns a function that appends the score of a count.
func appendScore(score func(count int) float32) func(b []byte, n int32) []byte {
	return func(b []byte, n int32) []byte { return strconv.AppendFloat(b, float64(score(int(n))), 'g', -1, 32) }
}

// quoted returns s as a CSV field.
func quoted(s string) string {
	if strings.ContainsAny(s, ",\"\n\r") {
		return `"` + strings.ReplaceAll(s, `"`, `""`) + `"`
	}
	return s
}
