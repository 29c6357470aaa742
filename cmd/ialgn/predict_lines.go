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
	classes []string // for each class, the text between the sample's number and its numbers for the classes
	doubts  []string // the same for uncertain classes
	margin  int32    // a class is uncertain if its count leads by less than this; 0: lines do not say this
	before  string   // text before the sample's number
	after   string   // text after the numbers for the classes
	numbers numbers
}

// numbers describes the numbers that are written for the classes of each sample.
type numbers struct {
	one, many string                                // what the numbers are, in the singular and in the plural
	append    func(b []byte, counts []int32) []byte // appends the numbers for the counts of a sample, each with a comma
}

// countNumbers writes the class counts.
var countNumbers = numbers{"count", "counts", func(b []byte, counts []int32) []byte {
	for _, n := range counts {
		b = append(appendCount(b, n), ',')
	}
	return b
}}

// scoreNumbers returns the description of scores.
func scoreNumbers(score func(count int) float32) numbers {
	return numbers{"score", "scores", func(b []byte, counts []int32) []byte {
		for _, n := range counts {
			b = append(strconv.AppendFloat(b, float64(score(int(n))), 'g', -1, 32), ',')
		}
		return b
	}}
}

// probabilityNumbers returns the description of probabilities, which are written in single precision.
func probabilityNumbers(probabilities func(counts []int) []float64) numbers {
	var wide []int
	return numbers{"probability", "probabilities", func(b []byte, counts []int32) []byte {
		wide = wide[:0]
		for _, n := range counts {
			wide = append(wide, int(n))
		}
		for _, p := range probabilities(wide) {
			b = append(strconv.AppendFloat(b, p, 'g', -1, 32), ',')
		}
		return b
	}}
}

// linesRoom is the approximate number of bytes to write at once.
const linesRoom = 256 << 10

// tableLines returns a writer of CSV with a header line, which says what the numbers of the classes are. If the margin
// is not 0, the column uncertain follows the class.
func tableLines(w io.Writer, names []string, n numbers, margin int) *lines {
	l := &lines{w: w, after: "\n", numbers: n, margin: clamp(margin)}
	header, sure := "sample,class", ","
	if margin > 0 {
		header, sure = header+",uncertain", ",0,"
	}
	for _, name := range names {
		header += "," + quoted(n.one+"_"+name)
		l.classes = append(l.classes, ","+quoted(name)+sure)
		l.doubts = append(l.doubts, ","+quoted(name)+",1,")
	}
	l.buf = append(l.buf, header+"\n"...)
	return l
}

// objectLines returns a writer of one JSON object in each line, with the keys sample, class, and what the numbers are.
// If the margin is not 0, the key uncertain follows the class.
func objectLines(w io.Writer, names []string, n numbers, margin int) *lines {
	l := &lines{w: w, before: `{"sample":`, after: "]}\n", numbers: n, margin: clamp(margin)}
	sure := ""
	if margin > 0 {
		sure = `,"uncertain":false`
	}
	for _, name := range names {
		text, _ := json.Marshal(name) // a string can always be marshalled
		l.classes = append(l.classes, `,"class":`+string(text)+sure+`,"`+n.many+`":[`)
		l.doubts = append(l.doubts, `,"class":`+string(text)+`,"uncertain":true,"`+n.many+`":[`)
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
		b = l.numbers.append(b, counts[i*width:][:width])
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

// quoted returns s as a CSV field.
func quoted(s string) string {
	if strings.ContainsAny(s, ",\"\n\r") {
		return `"` + strings.ReplaceAll(s, `"`, `""`) + `"`
	}
	return s
}
