package dataset

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ialgn/internal/config"
	"ialgn/internal/encoding"
	"ialgn/internal/message"
)

// asEncoder returns the encoder that a model trained on the set would have.
func asEncoder(s *Set) *encoding.Encoder {
	e := encoderOf(s.Features, s.FeatureNames, s.Quantiser, s.Max)
	e.Columns = s.Columns
	return e
}

func TestSeparatorOf(t *testing.T) {
	for name, test := range map[string]struct {
		head  string
		whole bool
		want  byte
	}{
		"commas":                          {"a,b,c\n1,2,x\n", true, ','},
		"semicolons":                      {"a;b;c\n1;2;x\n", true, ';'},
		"tabs":                            {"a\tb\tc\n1\t\tx\n", true, '\t'},
		"semicolons, decimal commas":      {"1,5;2,5;7\n3,5;4,5;8\n", true, ';'},
		"semicolons, some decimal commas": {"a;b;c\n1,5;2;x\n1;2;y\n", true, ';'},
		"commas, words with semicolons":   {"1,2,a;b\n3,4,c;d\n", true, ','},
		"tabs, words with commas":         {"Doe, J\t1\t2\nRoe, K\t3\t4\n", true, '\t'},
		"quoted semicolons":               {"\"a;b\",1,x\n\"c;d\",2,y\n", true, ','},
		"uneven lines":                    {"a;b;c\n1;2\n", true, ';'},
		"one column":                      {"1\n2\n", true, ','},
		"nothing":                         {"", true, ','},
		"last line cut":                   {"1;2;x\n1;2;y\n1", false, ';'},
		"spaces":                          {"a ; b ; c\n-1 ; 2 ; x\n", true, ';'},
	} {
		if got := separatorOf([]byte(test.head), test.whole, false); got != test.want {
			t.Errorf("%s: %q, want %q", name, got, test.want)
		}
	}
}

// wild is a table in the style of other programs. It has semicolons, decimal commas, words, empty cells, and a column
// without information.
const wild = "id ; size ; colour; \"how, old\"; state\n" +
	"1; -1,5 ; red  ; 3 ; good\n2 ; 0 ; blue ; NA ; bad\n3;;green;5;good\n4; 4,5 ;?; 7 ;bad\n"

var wildConfig = config.Data{
	Label: "state", Decimal: "comma", Drop: "id", Categories: "colour", Missing: "median",
}

// TestTable reads a table and checks the recorded columns and the words of its samples. It also checks the words that
// a model trained on the table gets from other files.
func TestTable(t *testing.T) {
	s, err := openCSVText(t, wildConfig, 4, wild, wild)
	if err != nil {
		t.Fatal(err)
	}
	columns := []encoding.Column{
		{Name: "id", Kind: encoding.DroppedColumn},
		{Name: "size", Kind: encoding.NumberColumn, Missing: true, Fill: 0},
		{Name: "colour", Kind: encoding.CategoryColumn, Categories: []string{"blue", "green", "red"}, Missing: true},
		{Name: "how, old", Kind: encoding.NumberColumn, Missing: true, Fill: 5},
		{Name: "state", Kind: encoding.LabelColumn},
	}
	if diff := cmp.Diff(columns, s.Columns); diff != "" {
		t.Errorf("columns (-want +got):\n%s", diff)
	}
	names := []string{"size", "colour=blue", "colour=green", "colour=red", "how, old"}
	if diff := cmp.Diff(names, s.FeatureNames); diff != "" {
		t.Errorf("features (-want +got):\n%s", diff)
	}
	want := []sample{
		{[]uint16{0, 0, 0, 15, 0}, 1},
		{[]uint16{4, 15, 0, 0, 8}, 0},
		{[]uint16{4, 0, 15, 0, 8}, 1},
		{[]uint16{15, 0, 0, 0, 15}, 0},
	}
	for _, part := range []Part{Train, Test} {
		if diff := cmp.Diff(want, mustCollect(t, s, part)); diff != "" {
			t.Errorf("%s samples (-want +got):\n%s", part, diff)
		}
	}
	first := []uint16{0, 0, 0, 15, 0}
	for name, test := range map[string]struct {
		text string
		want []uint16
	}{
		"as in training":            {"id;size;colour;how, old;state\n9;-1,5;red;3;good\n", first},
		"other order, no label":     {"how, old;colour;size\n3;red;-1,5\n", first},
		"commas":                    {"size,colour,other,\"how, old\"\n-1.5,red,x,3\n", first},
		"no header":                 {"9;-1,5;red;3;good\n", first},
		"no header, no label":       {"9;-1,5;red;3\n", first},
		"no header, features alone": {"-1,5;red;3\n", first},
		"tabs, all is missing":      {"\t\tnull\t\n", []uint16{4, 0, 0, 0, 8}},
		"a word not in training":    {"9;-1,5;Red;3;good\n", []uint16{0, 0, 0, 0, 0}},
		"beyond the ranges":         {"9;-99;red;99;good\n", []uint16{0, 0, 0, 15, 15}},
	} {
		in, err := openSamples(inMemory("in", []byte(test.text)), asEncoder(s), wildConfig)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		got := make([]uint16, s.Features)
		if err := in.Next(got); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if err := in.Next(make([]uint16, s.Features)); !errors.Is(err, io.EOF) {
			t.Errorf("%s: after the samples: %v, want the end of the file", name, err)
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	for name, test := range map[string]struct{ text, want string }{
		"a feature lacks":    {"size;colour;state\n1;red;bad\n", `columns of the model are missing in the header: ["how, old"]`},
		"named twice":        {"size;size;colour;how, old\n1;1;red;3\n", `two columns are named "size"`},
		"number of columns":  {"1;2\n", "2 columns, want 5, 4, 3"},
		"a point in numbers": {"9;-1.5;red;3;good\n9;1.5;red;3;good\n", `column 2: "-1.5" is not a number`},
	} {
		in, err := openSamples(inMemory("in", []byte(test.text)), asEncoder(s), wildConfig)
		if err == nil {
			err = in.Next(make([]uint16, s.Features))
		}
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: error %v, want %q in it", name, err, test.want)
		}
	}
}

// TestPlainMissing checks that a model trained without missing values refuses an empty cell and says why.
func TestPlainMissing(t *testing.T) {
	_, err := readSamples([]byte("1,2\n1,?\n"), 2, nil, "", nil, 15)
	if err == nil || !strings.Contains(err.Error(), `line 2: column 2: "?" marks a missing value`) ||
		!strings.Contains(message.Hint(err), "trained without missing values") {
		t.Errorf("error %v, hint %q", err, message.Hint(err))
	}
}

// TestTableWithoutHeader refers to columns by their numbers.
func TestTableWithoutHeader(t *testing.T) {
	text := "7,red,1,a\n8,blue,2,b\n9,red,3,a\n"
	for name, cfg := range map[string]config.Data{
		"dropped": {Drop: "1", Categories: "2"}, "chosen": {Columns: "3, 2", Categories: "2", Header: "no"},
	} {
		s, err := openCSVText(t, cfg, 4, text, text)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if diff := cmp.Diff([]string{"column 2=blue", "column 2=red", "column 3"}, s.FeatureNames); diff != "" {
			t.Errorf("%s: features (-want +got):\n%s", name, diff)
		}
		for _, text := range []string{text, "x,y,z,label\n7,red,1,a\n", "red,1\n"} {
			in, err := openSamples(inMemory("in", []byte(text)), asEncoder(s), cfg)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			got := make([]uint16, 3)
			if err := in.Next(got); err != nil || got[0] != 0 || got[1] != 15 || got[2] != 0 {
				t.Errorf("%s: %q: words %v, error %v", name, text, got, err)
			}
		}
	}
}

// TestTableSplit changes a test record. Categories, ranges and medians must not change, because they are computed
// only from the training part.
func TestTableSplit(t *testing.T) {
	var b strings.Builder
	b.WriteString("x,colour,class\n")
	for i := range 40 {
		b.WriteString([]string{"1,red,a\n", "2,blue,b\n"}[i%2])
	}
	cfg := config.Data{Categories: "colour", Missing: "median", TestShare: 0.025}
	plain, err := openCSVText(t, cfg, 4, b.String(), "")
	if err != nil {
		t.Fatal(err)
	}
	test := -1 // a record of the test part, with class a
	src := plain.source.(*csvSource)
	for i, chosen := range src.split {
		if chosen && i%2 == 0 {
			test = i
		}
	}
	if test < 0 {
		t.Fatal("no test record of class a")
	}
	lines := strings.SplitAfter(b.String(), "\n")
	lines[1+test] = "100,green,a\n"
	s, err := openCSVText(t, cfg, 4, strings.Join(lines, ""), "")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(plain.Columns, s.Columns); diff != "" {
		t.Errorf("columns with another test record (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(plain.Quantiser, s.Quantiser); diff != "" {
		t.Errorf("ranges with another test record (-want +got):\n%s", diff)
	}
}

// TestPlainTable checks that a set without any of the column keys has no columns.
func TestPlainTable(t *testing.T) {
	s, err := openCSVText(t, config.Data{Separator: "semicolon"}, 4, "a;b\n-1;x\n1;y\n", "a;b\n0;x\n")
	if err != nil || s.Columns != nil {
		t.Errorf("columns %v, error %v", s.Columns, err)
	}
}

func TestTableFaults(t *testing.T) {
	var many strings.Builder
	for i := range mostWords + 1 {
		many.WriteString(fmt.Sprintf("w%d", i) + "," + []string{"a", "b"}[i%2] + "\n")
	}
	for name, test := range map[string]struct {
		cfg        config.Data
		text       string
		want, hint string
	}{
		"words": {
			config.Data{}, "size,colour,state\n1,red,a\n2,blue,b\n", `"colour"): "red" is not a number`, "data.categories",
		},
		"words, no header": {config.Data{}, "1,red,a\n2,blue,b\n", `column 2: "red" is not a number`, "data.categories"},
		"a hole": {
			config.Data{},
			"x,y,state\n1,2,a\n?,1,b\n", `line 3: column 1 ("x"): "?" marks a missing value`,
			"data.missing",
		},
		"a hole in words": {
			config.Data{Categories: "c"}, "c,state\nred,a\n,b\n", `column 1 ("c") is empty`, "data.missing",
		},
		"decimal comma": {
			config.Data{}, "x;y;state\n1;2;a\n1,5;1;b\n", `column 1 ("x"): "1,5" is not a number`, "data.decimal: comma",
		},
		"decimal point": {
			config.Data{Decimal: "comma"}, "x;y;state\n1;2;a\n1.5;1;b\n", `"1.5" is not a number`, "data.decimal is comma",
		},
		"dropped is not there": {
			config.Data{Drop: "ident"},
			"idents,x,state\n1,2,a\n2,3,b\n", `no column is named "ident" (data.drop)`,
			"did you mean idents",
		},
		"chosen is not there": {
			config.Data{Columns: "y"},
			"x,state\n1,a\n2,b\n", `no column is named "y" (data.columns)`,
			"",
		},
		"no such number": {config.Data{Drop: "4"}, "1,2,a\n2,3,b\n", `no column "4", and there is no header`, ""},
		"category not chosen": {
			config.Data{Columns: "x", Categories: "c"},
			"x,c,s\n1,r,a\n2,r,b\n",
			"is not a feature", "",
		},
		"category is the label": {config.Data{Categories: "s"}, "x,s\n1,a\n2,b\n", "is not a feature", ""},
		"all dropped":           {config.Data{Drop: "x"}, "x,s\n1,a\n2,b\n", "no column is left", ""},
		"named twice":           {config.Data{Drop: "x"}, "x,y,y,s\n1,1,1,a\n2,2,2,b\n", `two columns are named "y"`, ""},
		"too many categories": {
			config.Data{Categories: "1"},
			many.String(), "column 1 has more than 4096 different words, the first extra one is \"w4096\"",
			"data.drop",
		},
		"control character": {config.Data{Categories: "1"}, "\"a\x01\",x\nb,y\n", "control characters", ""},
		"nothing but holes": {
			config.Data{Missing: "median"}, "x,y,s\n1,,a\n2,?,b\n", `column 2 ("y") has no value`, "data.drop",
		},
		"no list":    {config.Data{Drop: `"x`}, "x,y,s\n1,1,a\n", "data.drop", ""},
		"empty name": {config.Data{Drop: `x,`}, "x,y,s\n1,1,a\n", "name 2 is empty", ""},
		"range": {
			config.Data{Missing: "median"},
			"x,s\n1e308,a\n-1e308,b\n", `column 1 ("x"): values from -1e+308`,
			"",
		},
		"other order": {config.Data{Drop: "x"}, "x,y,s\n1,1,a\n2,2,b\n", "", ""},
	} {
		other := test.text
		if name == "other order" {
			other, test.want = "y,x,s\n1,1,a\n", "the columns differ from the columns of"
		}
		s, err := openCSVText(t, test.cfg, 8, test.text, other)
		if err == nil {
			_, err = collect(s, Test)
		}
		if err == nil || !strings.Contains(err.Error(), test.want) || !strings.Contains(message.Hint(err), test.hint) {
			t.Errorf("%s: error %v with hint %q, want %q and %q", name, err, message.Hint(err), test.want, test.hint)
		}
	}
}

// FuzzTable opens tables with arbitrary lists of columns. A table that is accepted for training must also be accepted
// for prediction, with and without its header. The feature words must be within their limits.
func FuzzTable(f *testing.F) {
	f.Add([]byte(wild), "id", "colour", "state", true)
	f.Add([]byte("7,red,1,a\n8,blue,2,b\n9,red,3,a\n4,red,5,b\n"), "1", "2", "", false)
	f.Add([]byte("a\tb\tc\n\t1\tx\nq\t2\ty\nq\t\tx\n"), "", "a", "c", true)
	f.Fuzz(func(t *testing.T, data []byte, drop, categories, label string, missing bool) {
		bounded(t, len(decoded(data))+len(data), func() {
			cfg := config.Data{Set: "csv", Train: "in.csv", Drop: drop, Categories: categories, Label: label, TestShare: 0.5}
			if missing {
				cfg.Missing = "median"
			}
			fuzzTable(t, data, cfg)
		})
	})
}

func fuzzTable(t *testing.T, data []byte, cfg config.Data) {
	in := inMemory("in.csv", data)
	s, err := openCSVFiles(context.Background(), cfg, form{bitsIn: 4}, found{files: []file{in}})
	if err != nil {
		return
	}
	words := 0
	for _, part := range []Part{Train, Test} {
		all, err := collect(s, part)
		if err != nil {
			if part == Test { // has an empty cell, or a word that is not in the training part
				return
			}
			t.Fatalf("the set was opened, but reading the %s part failed: %v", part, err)
		}
		words += len(all)
	}
	if !cfg.HasColumns() {
		return
	}
	enc := asEncoder(s)
	enc.Bits, enc.BitsIn = 2, 4
	for f := range enc.Thresholds {
		enc.Thresholds[f] = []uint16{3}
	}
	if err := enc.Check(); err != nil {
		t.Fatalf("%+v: %v", s.Columns, err)
	}
	samples, err := openSamples(in, enc, cfg)
	if err != nil {
		t.Fatalf("accepted for training, but refused for prediction: %v", err)
	}
	defer samples.Close()
	for n := 0; ; n++ {
		values := make([]uint16, s.Features)
		if err := samples.Next(values); errors.Is(err, io.EOF) && n == words {
			return
		} else if err != nil {
			t.Fatalf("sample %d of %d for prediction: %v", n, words, err)
		}
	}
}
