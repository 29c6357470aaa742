package main

import (
	"encoding/json"
	"io"
	"math"
	"strconv"
	"strings"

	"ialgn/internal/metrics"
)

// lines writes the results of predict, one line for each sample.
type lines struct {
	w       io.Writer
	buf     []byte   // lines that are not yet written
	classes []string // for each class, the text between the number and the counts of a sample
	doubts  []string // the same for uncertain classes
	margin  int32    // a class is uncertain if its count leads by less than this; 0: lines do not say this
	before  string   // text before the sample's number
	after   string   // text after the counts

	number func(b []byte, count int32) []byte // appends a count or its score
}

// linesRoom is the approximate number of bytes to write at once.
const linesRoom = 256 << 10

// tableLines returns a writer of CSV with a header line. The argument what is "count" or "score". The header uses
// this word for the numbers of the classes. If the margin is not 0, the column uncertain follows the class.
func tableLines(w io.Writer, names []string, what string, number func([]byte, int32) []byte, margin int) *lines {
	l := &lines{w: w, after: "\n", number: number, margin: clamp(margin)}
	header, sure := "sample,class", ","
	if margin > 0 {
		header, sure = header+",uncertain", ",0,"
	}
	for _, name := range names {
		header += "," + quoted(what+"_"+name)
		l.classes = append(l.classes, ","+quoted(name)+sure)
		l.doubts = append(l.doubts, ","+quoted(name)+",1,")
	}
	l.buf = append(l.buf, header+"\n"...)
	return l
}

// objectLines returns a writer of one JSON object in each line, with the keys sample, class, and counts or scores. If
// the margin is not 0, the key uncertain follows the class.
func objectLines(w io.Writer, names []string, what string, number func([]byte, int32) []byte, margin int) *lines {
	l := &lines{w: w, before: `{"sample":`, after: "]}\n", number: number, margin: clamp(margin)}
	sure := ""
	if margin > 0 {
		sure = `,"uncertain":false`
	}
	for _, name := range names {
		text, _ := json.Marshal(name) // a string can always be marshalled
		l.classes = append(l.classes, `,"class":`+string(text)+sure+`,"`+what+`s":[`)
		l.doubts = append(l.doubts, `,"class":`+string(text)+`,"uncertain":true,"`+what+`s":[`)
	}
	return l
}

// clamp returns a margin as the type of counts. All larger margins have the same effect as the largest.
func clamp(margin int) int32 { return int32(min(margin, math.MaxInt32)) }

// add appends one line for each sample. The parameter first is the number of the first sample. counts is indexed
// [sample][class].
func (l *lines) add(first int, classes []uint16, counts []int32) error {
	width := len(l.classes)
	for i, class := range classes {
		b := append(l.buf, l.before...)
		b = strconv.AppendInt(b, int64(first+i), 10)
		text := l.classes[class]
		if l.margin > 0 && metrics.Lead(counts[i*width:][:width]) < l.margin {
			text = l.doubts[class]
		}
		b = append(b, text...)
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
