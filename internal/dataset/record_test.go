package dataset

import (
	"bufio"
	"encoding/csv"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// allRecords reads a text with a buffer that is smaller than a line.
func allRecords(text string, separator byte, weka bool) (all [][]string, err error) {
	r := records{in: bufio.NewReaderSize(strings.NewReader(text), 16), separator: separator, weka: weka}
	for {
		fields, err := r.read()
		if errors.Is(err, io.EOF) {
			return all, nil
		} else if err != nil {
			return all, err
		}
		all = append(all, slices.Clone(fields))
	}
}

func TestRecords(t *testing.T) {
	for name, test := range map[string]struct {
		text      string
		separator byte
		weka      bool
		want      [][]string
	}{
		"plain":             {"a,b\n1,2\n", ',', false, [][]string{{"a", "b"}, {"1", "2"}}},
		"no end, CRLF":      {"a,b\r\n1,2", ',', false, [][]string{{"a", "b"}, {"1", "2"}}},
		"empty lines":       {"\n\na,b\n \n\r\n1,2\n\n", ',', false, [][]string{{"a", "b"}, {"1", "2"}}},
		"empty fields":      {",,\na,,\n", ',', false, [][]string{{"", "", ""}, {"a", "", ""}}},
		"tabs":              {"\t\t\n a\t \tb \n", '\t', false, [][]string{{"", "", ""}, {"a", "", "b"}}},
		"quotes":            {"\"a,b\",\"c \"\"d\"\"\"\n \"x\" ,y\n", ',', false, [][]string{{"a,b", `c "d"`}, {"x", "y"}}},
		"quotes, lines":     {"\"a\r\nb\",c\n", ',', false, [][]string{{"a\nb", "c"}}},
		"quotes in fields":  {"5\" pipe,it's\n", ',', false, [][]string{{`5" pipe`, "it's"}}},
		"spaces":            {"  a \t b\n\"c d\"  e \n", ' ', false, [][]string{{"a", "b"}, {"c d", "e"}}},
		"Weka":              {"% x\n'a\\'s',\"b\"\n  % y\nc,%\n", ',', true, [][]string{{"a's", "b"}, {"c", "%"}}},
		"Weka, not escaped": {"'a\\n',it's\n", ',', true, [][]string{{"an", "it's"}}},
	} {
		got, err := allRecords(test.text, test.separator, test.weka)
		if diff := cmp.Diff(test.want, got); diff != "" || err != nil {
			t.Errorf("%s: error %v, records (-want +got):\n%s", name, err, diff)
		}
	}
}

// FuzzRecords checks that every text accepted by [csv.Reader] is read in the same way, except for spaces around fields
// and lines of spaces.
func FuzzRecords(f *testing.F) {
	for _, text := range []string{
		"a,b\n1,2\n", "\"a\"\"b\",\"c\r\nd\"\n", " \"x\",\"\"\n", "a\rb,c\r\n\r\n", "\"open", "a\"b,c\n", "\"a\"b\n",
		",\n\n,", "\f\"\f\"", "\ufeff;\t;\n",
	} {
		f.Add(text, uint8(0))
		f.Add(strings.ReplaceAll(text, ",", ";"), uint8(1))
	}
	f.Fuzz(func(t *testing.T, text string, k uint8) {
		separator := separators[int(k)%usualSeparators].char
		r := csv.NewReader(strings.NewReader(text))
		r.Comma, r.FieldsPerRecord, r.TrimLeadingSpace = rune(separator), -1, separator != '\t'
		want, err := r.ReadAll()
		got, gotErr := allRecords(text, separator, false)
		if err != nil {
			return
		}
		trim := func(all [][]string) (left [][]string) {
			for _, fields := range all {
				for i := range fields {
					fields[i] = strings.TrimSpace(fields[i])
				}
				if len(fields) > 1 || fields[0] != "" {
					left = append(left, fields)
				}
			}
			return left
		}
		if diff := cmp.Diff(trim(want), trim(got)); diff != "" || gotErr != nil {
			t.Errorf("%q: error %v, records (-encoding/csv +got):\n%s", text, gotErr, diff)
		}
	})
}
