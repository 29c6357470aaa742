package dataset

import (
	"bufio"
	"bytes"
)

// separatorRow is a character that separates the fields of a line, together with the character's name.
type separatorRow struct {
	name string
	char byte
}

// separators lists the known separators. The usual separators come first. The others also occur in words, and are
// chosen only if no usual separator fits. The space means any number of spaces and tabs.
var separators = []separatorRow{{"comma", ','}, {"semicolon", ';'}, {"tab", '\t'}, {"pipe", '|'}, {"space", ' '}}

const usualSeparators = 3

// These constants limit the amount of text that is inspected to determine the form of a file.
const (
	headBytes      = 1 << 16 // limited by the buffer of a stream
	separatorLines = 20
)

// separatorOf returns the character that separates the fields of the first lines. It prefers a character with which
// all lines have the same number of fields, at least two. Of two such characters, it chooses the character with more
// fields that are numbers. If there is no such character, it chooses the character with the most fields in the first
// line, or else the comma. Unless head is the whole file, separatorOf ignores the last line, because it may be
// incomplete.
func separatorOf(head []byte, whole, weka bool) byte {
	if end := bytes.LastIndexByte(head, '\n'); end >= 0 && !whole {
		head = head[:end+1]
	}
	best, most := separators[0].char, separated{}
	for i, s := range separators {
		got := separatedBy(head, s.char, weka)
		if got.better(most) && (i < usualSeparators || !most.even && got.even || got.onlyNumbers() && !most.numeric()) {
			best, most = s.char, got
		}
	}
	return best
}

// separated describes the result of splitting lines with a separator.
type separated struct {
	even    bool // all lines have the same number of fields, at least two
	fields  int  // number of fields in the first line
	lines   int
	numbers int // number of fields that are numbers, in all lines
	all     int // number of fields in all lines
}

func (s separated) better(than separated) bool {
	switch {
	case s.even != than.even:
		return s.even
	case s.even:
		return s.numbers*max(1, than.all) > than.numbers*max(1, s.all)
	}
	return s.fields > than.fields
}

// onlyNumbers reports whether all lines after the first consist of numbers. Each line must have several fields, and
// one of them may be other text.
func (s separated) onlyNumbers() bool {
	return s.even && s.fields > 2 && s.lines > 1 && s.numbers >= (s.lines-1)*(s.fields-1)
}

// numeric reports whether some fields are numbers.
func (s separated) numeric() bool { return s.numbers > 0 }

func separatedBy(head []byte, separator byte, weka bool) (s separated) {
	r := records{in: bufio.NewReaderSize(bytes.NewReader(head), len(head)+1), separator: separator, weka: weka}
	s.even = true
	for s.lines < separatorLines {
		fields, err := r.read()
		if err != nil {
			break // the same error occurs again when the file is read
		}
		if s.lines++; s.lines == 1 {
			s.fields = len(fields)
		}
		s.even = s.even && len(fields) == s.fields
		for _, field := range fields {
			if s.all++; looksNumeric(field) {
				s.numbers++
			}
		}
	}
	s.even = s.even && s.fields > 1
	return s
}
