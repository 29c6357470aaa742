package dataset

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ialgn/internal/config"
	"ialgn/internal/message"
)

// lookAt surveys a file with the given content.
func lookAt(text, label string) (*Survey, error) {
	return survey(context.Background(), config.Data{Label: label}, inMemory("in.csv", []byte(text)))
}

// rows returns a header, unless it is empty, and n lines below. The function line makes each line from the line's
// number.
func rows(header string, n int, line func(i int) string) string {
	var b strings.Builder
	if header != "" {
		b.WriteString(header + "\n")
	}
	for i := range n {
		b.WriteString(line(i) + "\n")
	}
	return b.String()
}

// configOf returns the configuration that a survey proposes.
func configOf(s *Survey, keys []Key) config.Data {
	cfg := config.Data{Label: s.Label()}
	for _, k := range keys {
		*map[string]*string{
			"data.header": &cfg.Header, "data.separator": &cfg.Separator, "data.decimal": &cfg.Decimal,
			"data.thousands": &cfg.Thousands, "data.columns": &cfg.Columns, "data.drop": &cfg.Drop,
			"data.categories": &cfg.Categories, "data.missing": &cfg.Missing, "data.missing_values": &cfg.MissingValues,
		}[k.Name] = k.Value
	}
	return cfg
}

// TestLook surveys tables and checks that a set opens with the keys that the survey proposes.
func TestLook(t *testing.T) {
	class := func(i int) string { return []string{"a", "b"}[i%2] }
	for name, test := range map[string]struct {
		text, label string
		keys        []string
		kinds       string // for each column, the first letter of its kind
		plain       bool
	}{
		"numbers": {
			rows("x,y,class", 20, func(i int) string { return fmt.Sprintf("-%d.5,%d,%s", i, i%3, class(i)) }), "",
			[]string{"header=yes"},
			"nnl", true,
		},
		"no header": {
			rows("", 20, func(i int) string { return fmt.Sprintf("%d,%s,%d", i%3, class(i), i%4) }), "2",
			[]string{"header=no"},
			"nln", true,
		},
		"semicolons, words, holes": {
			rows("x;colour;class", 20, func(i int) string {
				return fmt.Sprintf("%s;%s;%s", []string{"1,5", "NA", "2,5"}[i%3], []string{"red", "blue", ""}[i%3], class(i))
			}), "class",
			[]string{"header=yes", "separator=semicolon", "decimal=comma", "categories=colour", "missing=median"},
			"ncl", false,
		},
		"points and commas": {
			rows("x;y;class", 20, func(i int) string {
				return fmt.Sprintf("%s;1.%d;%s", []string{"1,5", "2,5"}[i%2], i, class(i))
			}), "",
			[]string{"header=yes", "separator=semicolon", "categories=x"},
			"cnl", false,
		},
		"left out": {
			rows("\"nr, old\",constant,name,code,empty,x,class", 80, func(i int) string {
				return fmt.Sprintf("%d,7.0,person %d,%s,?,%d,%s", i+100, i, []string{"1", "2", "3", "low"}[i%4], i*i%7, class(i))
			}), "",
			[]string{"header=yes", `drop="nr, old", constant, name, code, empty`},
			"dddddnl", false,
		},
		"left out, without a name": {
			rows(",x,class", 20, func(i int) string { return fmt.Sprintf("%d,%d,%s", i, i*i%7, class(i)) }), "",
			[]string{"header=yes", "columns=x"},
			"dnl", false,
		},
		"a constant word": {
			rows("x,unit,class", 20, func(i int) string { return fmt.Sprintf("%d,cm,%s", i*i%7, class(i)) }), "",
			[]string{"header=yes", "drop=unit"},
			"ndl", false,
		},
		"words that are no categories": {
			rows("x,note,text,class", 80, func(i int) string {
				return fmt.Sprintf("%d,\"two\nlines %d\",%s,%s", i*i%7, i%3, strings.Repeat("t", maxLabel+i%2), class(i))
			}), "",
			[]string{"header=yes", "drop=note, text"},
			"nddl", false,
		},
		"only words, no header": {
			rows("", 20, func(i int) string { return class(i/2) + "," + []string{"p", "q"}[i/3%2] + "," + class(i) }), "",
			[]string{"header=no", "categories=1, 2"},
			"ccl", false,
		},
		"only words": {
			rows("u,v,class", 20, func(i int) string { return class(i/2) + "," + class(i/3) + "," + class(i) }), "",
			[]string{"header=yes", "categories=u, v"},
			"ccl", false,
		},
		"hardly any value": {
			rows("x,y,class", 20, func(i int) string {
				return fmt.Sprintf("%d,%s,%s", i*i%7, []string{"", "", "", "", "", "", "1", "2"}[i%8], class(i))
			}), "",
			[]string{"header=yes", "drop=y"},
			"ndl", false,
		},
	} {
		t.Run(name, func(t *testing.T) {
			s, err := lookAt(test.text, test.label)
			if err != nil {
				t.Fatal(err)
			}
			keys, err := s.Keys()
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, k := range keys {
				got = append(got, strings.TrimPrefix(k.Name, "data.")+"="+k.Value)
			}
			cfg := configOf(s, keys)
			cfg.TestShare = 0.2
			if diff := cmp.Diff(test.keys, got); diff != "" {
				t.Errorf("keys (-want +got):\n%s", diff)
			}
			kinds := ""
			for _, c := range s.Columns {
				kinds += string(c.Kind[:1])
			}
			if kinds != test.kinds || s.Plain() != test.plain || len(s.Classes) != 2 {
				t.Errorf("columns %s, want %s; plain %v, want %v; classes %v", kinds, test.kinds, s.Plain(), test.plain,
					s.Classes)
			}
			set, err := openCSVText(t, cfg, 8, test.text, "")
			if err != nil {
				t.Fatalf("opened with the survey's keys: %v", err)
			}
			if n := len(mustCollect(t, set, Train)) + len(mustCollect(t, set, Test)); n != s.Rows {
				t.Errorf("%d samples, the survey has %d", n, s.Rows)
			}
		})
	}
}

// TestLookManyConstants checks that constant columns are kept if there are too many to name them all.
func TestLookManyConstants(t *testing.T) {
	for _, test := range []struct{ constants, keys int }{{mostConstants, 2}, {mostConstants + 1, 1}} {
		header := "x,class"
		for i := range test.constants {
			header = fmt.Sprintf("c%d,%s", i, header)
		}
		text := rows(header, 20, func(i int) string {
			return strings.Repeat("0,", test.constants) + fmt.Sprintf("%d,%s", i%3, []string{"a", "b"}[i%2])
		})
		s, err := lookAt(text, "")
		if err != nil {
			t.Fatal(err)
		}
		if keys, err := s.Keys(); err != nil || len(keys) != test.keys {
			t.Errorf("%d constants: keys %v, error %v", test.constants, keys, err)
		}
	}
}

func TestLookFaults(t *testing.T) {
	for name, test := range map[string]struct{ text, label, want string }{
		"empty":                  {"", "", "in.csv: the file is empty"},
		"separators alone":       {",,\n,,\n", "", "in.csv: the file has no records"},
		"line ends alone":        {"\n\r\r\n", "", "in.csv: the file has no records"},
		"header alone":           {"x,class\n", "class", "in.csv: the file has no records"},
		"one column":             {"1\n2\n", "", "1 columns, want a label"},
		"one class":              {"1,a\n2,a\n", "", `all records have the label "a"`},
		"no such label":          {"x,class\n1,a\n2,b\n", "clss", `no column is named "clss"`},
		"no such number":         {"1,a\n2,b\n", "3", `no column is named "3", and the file seems to have no header`},
		"a line that is short":   {"x,y,class\n1,2,a\n1,b\n", "", "in.csv: record 2: line 3: 2 columns, but the first line has 3"},
		"a label that is empty":  {"x,class\n1,a\n2,\n", "", `record 2: line 3: the label, column 2 ("class"), is empty`},
		"nothing but a constant": {"x,class\n1,a\n1,b\n", "", "no column is left for features: column 1 is constant"},
		"too many classes": {
			rows("x,class", 257, func(i int) string { return fmt.Sprintf("%d,c%d", i%5, i) }), "",
			`label "c256" exceeds the maximum of 256 classes: is column 2 ("class") the label?`,
		},
		"names twice": {
			rows("x,x,y,class", 20, func(i int) string { return fmt.Sprintf("r,s,%d,%d", i%3, i%2) }), "", `"x" twice`,
		},
	} {
		s, err := lookAt(test.text, test.label)
		if err == nil {
			_, err = s.Keys()
		}
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: error %v, want %q in it", name, err, test.want)
		}
	}
}

// TestFilesThatAreNoText checks the error for a file that is not text. In every place that reads a table, the error
// must name the kind of file.
func TestFilesThatAreNoText(t *testing.T) {
	for _, test := range []struct{ name, text, want, hint string }{
		{"table.xlsx", zipMagic + "\x14", "table.xlsx: an archive, such as a spreadsheet", "as CSV"},
		{"x.npz", zipMagic + "\x14", "x.npz: an archive of arrays, but no array is named", "write x.npz:NAME"},
		{"wide.csv", "\xff\xfex\x00", "wide.csv: text in UTF-16", "UTF-8"},
		{"wide.csv", "\xfe\xff\x00x", "wide.csv: text in UTF-16", "UTF-8"},
	} {
		f := inMemory(test.name, []byte(test.text))
		_, looked := survey(t.Context(), config.Data{}, f)
		_, opened := openTable(f, layout{})
		_, predicted := openSamples(f, encoderOf(2, nil, nil, 15), config.Data{})
		for _, err := range []error{looked, opened, predicted} {
			if err == nil || !strings.HasPrefix(err.Error(), test.want) || !strings.Contains(message.Hint(err), test.hint) {
				t.Errorf("error %v with hint %q, want %q and %q", err, message.Hint(err), test.want, test.hint)
			}
		}
	}
}

// TestLookLong surveys many long words. The survey must not keep them.
func TestLookLong(t *testing.T) {
	const n, long = 500, 10_000
	text := rows("x,text,class", n, func(i int) string {
		return fmt.Sprintf("%d,%0*d w,%d", i*i%7, long, i, i%2)
	})
	l, err := lookThrough(t.Context(), config.Data{}, inMemory("in.csv", []byte(text)))
	if err != nil {
		t.Fatal(err)
	}
	kept := 0
	for word := range l.seen[1].words {
		kept += len(word)
	}
	if got := len(l.seen[1].distinct); got != n || kept > long {
		t.Errorf("%d different words, %d bytes kept", got, kept)
	}
}

// TestAddTest counts the missing values of test samples, even if the samples have other faults.
func TestAddTest(t *testing.T) {
	train := rows("x,y,class", 20, func(i int) string { return fmt.Sprintf("%d,%d,%d", i*i%7, i%3, i%2) })
	for name, test := range map[string]struct {
		text string
		want []int
	}{
		"one class": {"x,y,class\n1,?,1\n1,NA,1\n", []int{0, 2, 0}},
		"one row":   {"x,y,class\n,1,0\n", []int{1, 0, 0}},
	} {
		s, err := lookAt(train, "class")
		if err != nil {
			t.Fatal(err)
		}
		if err := s.addTest(t.Context(), inMemory("test.csv", []byte(test.text))); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		var got []int
		for _, c := range s.Columns {
			got = append(got, c.Missing)
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s: missing (-want +got):\n%s", name, diff)
		}
	}
}

// FuzzLook surveys any file. A survey must give a configuration, or an error that says why it cannot.
func FuzzLook(f *testing.F) {
	f.Add([]byte(wild), "state")
	f.Add([]byte("1,a\n2,b\n"), "2")
	f.Add([]byte("\ufeffx\ty\n1\t?\n\t2\n"), "")
	f.Fuzz(func(t *testing.T, data []byte, label string) {
		plain := decoded(data)
		bounded(t, len(plain)+len(data), func() {
			s, err := survey(context.Background(), config.Data{Label: label}, inMemory("in.csv", data))
			if err != nil {
				return
			}
			classes := 0
			for _, c := range s.Classes {
				classes += c.Count
			}
			if classes != s.Rows || s.Columns[0].Number != 1 || s.Label() == "" && !s.Header {
				t.Fatalf("survey %+v", s)
			}
			keys, err := s.Keys()
			for _, k := range keys {
				if err == nil && k.Value == "" {
					t.Fatalf("%s has no value", k.Name)
				}
			}
		})
	})
}
