package dataset

import (
	"bufio"
	"bytes"
)

// separatorRow is a character that separates the fields of a line, with its name.
type separatorRow struct {
	name string
	char byte
}

// separators are those that there are, the usual one first. The last ones are found only where none of the first is,
// since they occur in words, too; a space stands for any number of spaces and tabs.
var separators = []separatorRow{{"comma", ','}, {"semicolon", ';'}, {"tab", '\t'}, {"pipe", '|'}, {"space", ' '}}

const usualSeparators = 3

// What is looked at to find the form of a file.
const (
	headBytes      = 1 << 16 // at most, the buffer of a stream
	separatorLines = 20
)

// separatorOf returns the character that separates the fields of the lines, the last of which may be cut unless they
// are the whole file. It is that with which each line has the same number of fields, of which there are several; if
// there are two such, the one with which more of the fields are numbers; else the comma. Where lines differ it is the
// one with most fields in the first line.
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

// separated is what a separator makes of lines.
type separated struct {
	even    bool // all have the same number of fields, at least two
	fields  int  // of the first line
	lines   int
	numbers int // fields, of all lines
	all     int // fields
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

// onlyNumbers reports whether each line below the first has at most one field that is no number, and several numbers.
func (s separated) onlyNumbers() bool {
	return s.even && s.fields > 2 && s.lines > 1 && s.numbers >= (s.lines-1)*(s.fields-1)
}

// numeric reports whether there are numbers.
func (s separated) numeric() bool { return s.numbers > 0 }

func separatedBy(head []byte, separator byte, weka bool) (s separated) {
	r := records{in: bufio.NewReaderSize(bytes.NewReader(head), len(head)+1), separator: separator, weka: weka}
	s.even = true
	for s.lines < separatorLines {
		fields, err := r.read()
		if err != nil {
			break // what is wrong is found again
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
