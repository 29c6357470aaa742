package dataset

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"ialgn/internal/config"
	"ialgn/internal/message"
)

// TestFirstLine checks that headers are distinguished from data rows. A first row of words must not count as a header
// only because a value below it is missing or infinite.
func TestFirstLine(t *testing.T) {
	words := func(first string) string {
		return first + rows("", 30, func(i int) string {
			return []string{"green", "blue"}[i%2] + "," + []string{"small", "large"}[i/2%2] + "," + []string{"yes", "no"}[i%3/2]
		})
	}
	numbers := func(i int) string { return fmt.Sprintf("%d,%d,%s", i*i%11, i*i%7, string("xy"[i%2])) }
	for name, test := range map[string]struct {
		text   string
		header bool
	}{
		"words":                    {words("green,small,no\n"), false},
		"words, names":             {words("colour,size,ok\n"), true},
		"nan below":                {words("green,small,no\nblue,nan,yes\n"), false},
		"inf below":                {words("green,small,no\ninf,large,yes\n"), false},
		"Infinity below":           {words("green,small,no\n-Infinity,large,yes\n"), false},
		"a number below":           {words("green,small,no\n5,large,yes\n"), false},
		"missing in the first row": {words("NULL,small,no\n"), false},
		"numbers, missing in the first row": {
			rows("?,,x", 30, numbers), false,
		},
		"numbers, a word in the first row": {
			rows("k.A.,2,x", 30, numbers), false,
		},
		"numbers, inf in the first row": {
			rows("inf,nan,x", 30, numbers), false,
		},
		"elements": {
			rows("RI,Na,Mg,Type", 30, func(i int) string { return fmt.Sprintf("1.%d,%d,%d,%d", i, i*i%7, i%5, i%2) }), true,
		},
		"truth table": {"0,1,x\n1,0,x\n0,0,y\n1,1,y\n", false},
		"counting rows": {
			rows("", 30, func(i int) string { return fmt.Sprintf("%d,%d,%s", i*i%29, i, string("xy"[i/10%2])) }), false,
		},
		"the first row's label comes late": {
			rows("5,2,rare", 6000, func(i int) string {
				return fmt.Sprintf("%d,%d,%s", i, i%7, map[bool]string{true: "rare", false: "often"}[i == 5999])
			}) +
				rows("", 30, func(i int) string { return fmt.Sprintf("%d,%d,%s", i, i%7, "other") }), false,
		},
	} {
		f := inMemory("in.csv", []byte(test.text))
		s, err := survey(t.Context(), config.Data{}, f)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		rows := strings.Count(test.text, "\n")
		if test.header {
			rows--
		}
		if s.Header != test.header || s.Rows != rows {
			t.Errorf("%s: header %v, %d rows, want %v, %d", name, s.Header, s.Rows, test.header, rows)
		}
		if set, err := openBoth(t, config.Data{}, f); err == nil && set.TrainSamples != rows {
			t.Errorf("%s: train has %d samples, init %d", name, set.TrainSamples, rows)
		}
	}
}

// TestPredictFirstLine checks files for a model without column names. Headers must be distinguished from data rows by
// the class names.
func TestPredictFirstLine(t *testing.T) {
	for name, test := range map[string]struct {
		text    string
		samples int
	}{
		"names that are numbers":     {"400.5,401.5,kind\n1,2,x\n3,4,y\n", 2},
		"numbers from 0":             {"0,1,target\n1,2,x\n3,4,y\n", 2},
		"a class in the first row":   {"0,1,x\n1,2,y\n3,4,y\n", 3},
		"other labels than classes":  {"5,1,cat\n1,2,dog\n", 2},
		"one row":                    {"5,1,cat\n", 1},
		"rows of separators between": {"1,2,x\n,,\n3,4,y\n,,\n,,\n", 2},
		"separators at the ends":     {"1,2,x,\n3,4,y,\n", 2},
		"of features alone":          {"1;2\n3;4\n", 2},
	} {
		s, err := openSamples(inMemory("in", []byte(test.text)), encoderOf(2, nil, nil, 255),
			config.Data{Classes: &[]string{"x", "y"}})
		n := 0
		for ; err == nil; n++ {
			err = s.Next(make([]uint16, 2))
		}
		if !errors.Is(err, io.EOF) || n-1 != test.samples {
			t.Errorf("%s: %d samples, error %v, want %d", name, n-1, err, test.samples)
		}
	}
}

// TestLabelByName checks how the label is found. If the last column does not look like a label, init chooses a column
// with a usual name of a label. Otherwise the label is the last column. If init would choose another column than the
// last, train asks the user.
func TestLabelByName(t *testing.T) {
	for name, test := range map[string]struct {
		header string
		last   func(i int) string
		want   string
	}{
		"fractions behind it":        {"class,a,b", func(i int) string { return fmt.Sprintf("%d.25", i) }, "class"},
		"words behind it":            {"a,Target,name", func(i int) string { return fmt.Sprintf("w%d", i) }, "Target"},
		"whole numbers behind it":    {"y,a,b", func(i int) string { return fmt.Sprint(i * 31) }, "y"},
		"no name behind it":          {"a,label,", func(i int) string { return fmt.Sprint(i % 2) }, "label"},
		"the passenger's class":      {"class,age,survived", func(i int) string { return fmt.Sprint(i % 2) }, "survived"},
		"coordinates":                {"x,y,kind", func(i int) string { return fmt.Sprint(i % 2) }, "kind"},
		"ratings":                    {"y,a,rating", func(i int) string { return fmt.Sprint(float64(i%10+1) / 2) }, "rating"},
		"the last one is called so":  {"class,a,label", func(i int) string { return fmt.Sprint(i % 2) }, "label"},
		"no usual name, many values": {"a,b,state", func(i int) string { return fmt.Sprint(i % 12) }, "state"},
	} {
		text := rows(test.header, 30, func(i int) string { return fmt.Sprintf("%d,%d,%s", i%3, i/2%3, test.last(i)) })
		s, err := lookAt(text, "")
		if err != nil || s.Label() != test.want {
			t.Errorf("%s: label %v, error %v, want %s", name, s, err, test.want)
			continue
		}
		_, err = openBoth(t, config.Data{}, inMemory("in.csv", []byte(text)))
		last := strings.HasSuffix(test.header, test.want)
		if !last && (err == nil || !strings.Contains(message.Hint(err), "data.label: "+test.want)) || last && err != nil {
			t.Errorf("%s: train: error %v, hint %q", name, err, message.Hint(err))
		}
	}
}
