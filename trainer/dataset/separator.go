package dataset

import (
	"bytes"
	"encoding/csv"
	"strings"
)

// What is looked at to find the separator of a file.
const (
	separatorBytes = 1 << 16 // at most, the buffer of a stream
	separatorLines = 20
)

// separate sets the separator of a file: that of the layout, or the one that its first lines have.
func (t *table) separate(lay layout) {
	t.csv.Comma = lay.separator
	if lay.separator == 0 {
		head, err := t.Peek(separatorBytes)
		t.csv.Comma = separatorOf(head, err != nil)
	}
	t.csv.TrimLeadingSpace = t.csv.Comma != '\t' // it would take empty fields for space
	t.comma = lay.comma && t.csv.Comma != ','
}

// separatorOf returns the character that separates the fields of the lines, the last of which may be cut unless they
// are the whole file. It is that with which each line has the same number of fields, of which there are several; if
// there are two such, the one with which more of the fields are numbers; else the comma. Where lines differ it is the
// one with most fields in the first line.
func separatorOf(head []byte, whole bool) rune {
	if end := bytes.LastIndexByte(head, '\n'); end >= 0 && !whole {
		head = head[:end+1]
	}
	best, most := separators[0].char, separated{}
	for _, s := range separators {
		if got := separatedBy(head, s.char); got.better(most) {
			best, most = s.char, got
		}
	}
	return best
}

// separated is what a separator makes of lines.
type separated struct {
	even    bool // all have the same number of fields, at least two
	fields  int  // of the first line
	numbers float64
}

func (s separated) better(than separated) bool {
	switch {
	case s.even != than.even:
		return s.even
	case s.even:
		return s.numbers > than.numbers
	}
	return s.fields > than.fields
}

func separatedBy(head []byte, separator rune) (s separated) {
	r := csv.NewReader(bytes.NewReader(head))
	r.Comma, r.FieldsPerRecord, r.TrimLeadingSpace = separator, -1, separator != '\t'
	numbers, all := 0, 0
	s.even = true
	for n := range separatorLines {
		fields, err := r.Read()
		if err != nil {
			break
		}
		if n == 0 {
			s.fields = len(fields)
		}
		s.even = s.even && len(fields) == s.fields
		for _, field := range fields {
			all++
			field = strings.TrimSpace(field)
			_, point := parseNumber(field, false)
			_, comma := parseNumber(field, true)
			if point == nil || comma == nil {
				numbers++
			}
		}
	}
	s.even = s.even && s.fields > 1
	s.numbers = float64(numbers) / float64(max(1, all))
	return s
}
