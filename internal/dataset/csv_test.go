package dataset

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ialgn/internal/config"
	"ialgn/internal/encoding"
)

// openCSVText opens a CSV set whose files have the given contents. test may be empty.
func openCSVText(t *testing.T, cfg config.Data, bitsIn int, train, test string) (*Set, error) {
	t.Helper()
	files := map[string][]byte{"train.csv": []byte(train)}
	cfg.Set, cfg.Train = "csv", "train.csv"
	if test != "" {
		files["test.csv"], cfg.Test = []byte(test), "test.csv"
	}
	cfg.Dir = writeFiles(t, files)
	return Open(context.Background(), cfg, bitsIn, nil)
}

func TestCSV(t *testing.T) {
	type result struct {
		Classes, Names []string
		Train, Test    []sample
	}
	numbers := result{
		Classes: []string{"2", "10"},
		Train:   []sample{{[]uint16{0, 15}, 1}, {[]uint16{15, 0}, 0}, {[]uint16{8, 8}, 0}},
		Test:    []sample{{[]uint16{0, 15}, 0}},
	}
	named := numbers
	named.Names = []string{"a", "b c"}
	words := named
	words.Classes = []string{"blue", "red soil"}
	tests := []struct {
		name        string
		cfg         config.Data
		train, test string
		want        result
	}{
		{"no header, label last", config.Data{}, "-1,2.5,10\n1,-2.5,2\n0,0,2\n", "-7,9e9,2\n", numbers},
		{"header detected", config.Data{}, "a,b c,class\n-1,2.5,10\n1,-2.5,2\n0,0,2\n", "a,b c,class\n-7,99,2\n", named},
		{
			"quoted, CRLF, spaces",
			config.Data{Header: "auto"},
			"\"a\",\"b c\",\"class\"\r\n\"-1\", 2.5,\"red soil\"\r\n1,\"-2.5\",blue\r\n0, 0, \"blue\"", "-7,99, blue \r\n",
			words,
		},
		{
			"label by name",
			config.Data{Label: "class"},
			"class,a,b c\n10,-1,2.5\n2,1,-2.5\n2,0,0\n", "class,a,b c\n2,-7,99\n",
			named,
		},
		{
			"label in the middle",
			config.Data{Label: "class"},
			"a,class,b c\n-1,10,2.5\n1,2,-2.5\n0,2,0\n",
			"a,class,b c\n-7,2,99\n", named,
		},
		{
			"byte order mark",
			config.Data{Label: "a b"},
			"\ufeffa b,a,b c\n10,-1,2.5\n2,1,-2.5\n2,0,0\n",
			"a b,a,b c\n2,-7,99\n", named,
		},
		{
			"header of numbers declared",
			config.Data{Header: "yes"},
			"1,2,3\n-1,2.5,10\n1,-2.5,2\n0,0,2\n", "1,2,3\n-7,99,2\n",
			func() result {
				r := numbers
				r.Names = []string{"1", "2"}
				return r
			}(),
		},
		{
			"gzip",
			config.Data{Header: "no"},
			string(gzipped([]byte("-1,2.5,10\n1,-2.5,2\n0,0,2\n"))),
			string(gzipped([]byte("-7,99,2\n"))), numbers,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s, err := openCSVText(t, tt.cfg, 4, tt.train, tt.test)
			if err != nil {
				t.Fatal(err)
			}
			got := result{s.Classes, s.FeatureNames, mustCollect(t, s, Train), mustCollect(t, s, Test)}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("set (-want +got):\n%s", diff)
			}
			if s.BitsIn != 4 || s.Max != 15 || s.Features != 2 || s.Name != "train" {
				t.Errorf("set %+v", s)
			}
		})
	}
}

// TestWholeNumber compares the fast reader of whole numbers with the general reader.
func TestWholeNumber(t *testing.T) {
	for _, text := range []string{"0", "7", "007", "16", "65536", "999999999999999"} {
		want, err := notation{}.parse(text)
		if got, ok := wholeNumber(text); err != nil || !ok || got != want {
			t.Errorf("%q: %v, %v, want %v, %v", text, got, ok, want, err)
		}
	}
	for _, text := range []string{"", " 1", "1 ", "-1", "+1", "1.0", "1,0", "1e3", "0x10", "NA", "9999999999999999"} {
		if got, ok := wholeNumber(text); ok {
			t.Errorf("%q: %v, want it left to the general reader", text, got)
		}
	}
}

func TestCSVQuantiser(t *testing.T) {
	s, err := openCSVText(t, config.Data{}, 8, "-1,3,10,0\n1,3,20,1\n", "0,7,30,1\n")
	if err != nil {
		t.Fatal(err)
	}
	want := &encoding.Quantiser{Offset: []float64{-1, 3, 10}, Scale: []float64{127.5, 0, 25.5}}
	if diff := cmp.Diff(want, s.Quantiser); diff != "" {
		t.Errorf("quantiser (-want +got):\n%s", diff)
	}
	got := mustCollect(t, s, Test)
	if diff := cmp.Diff([]sample{{[]uint16{128, 0, 255}, 1}}, got); diff != "" {
		t.Errorf("test sample (-want +got):\n%s", diff)
	}
}

func TestCSVFaults(t *testing.T) {
	many := strings.Builder{}
	for i := range 257 {
		fmt.Fprintf(&many, "1,label %d\n", i)
	}
	tests := []struct {
		name        string
		cfg         config.Data
		train, test string
		want        []string
	}{
		{"empty", config.Data{}, "", "1,2", []string{"train.csv", "empty"}},
		{"header only", config.Data{}, "a,class\n", "1,2", []string{"train.csv", "no records"}},
		{"one column", config.Data{}, "1\n2\n", "1,2", []string{"train.csv", "1 columns", "commas"}},
		{"one class", config.Data{}, "1,x\n2,x\n", "1,x", []string{"train.csv", `all records have the label "x"`}},
		{"too many classes", config.Data{}, many.String(), "1,x", []string{
			"record 257", "line 257", "256 classes",
			"column 2",
		}},
		{
			"not a number",
			config.Data{},
			"a,b,class\n1,2,x\n1,oops,y\n", "1,2,x",
			[]string{"train.csv", "record 2", "line 3", `column 2 ("b"): "oops" is not a number`},
		},
		{
			"NaN",
			config.Data{},
			"a,class\n1,x\nNaN,y\n",
			"1,x",
			[]string{"record 2", `column 1 ("a"): "NaN" marks a missing value`},
		},
		{"Inf", config.Data{}, "a,class\n1,x\n-inf,y\n", "1,x", []string{"record 2", "not a finite number"}},
		{"beyond float64", config.Data{}, "a,class\n1,x\n1e999,y\n", "1,x", []string{"record 2", "not a finite number"}},
		{
			"missing value",
			config.Data{},
			"a,b,class\n1,2,x\n1,,y\n",
			"1,2,x",
			[]string{"record 2", `column 2 ("b") is empty`},
		},
		{
			"missing label",
			config.Data{},
			"a,b,class\n1,2,x\n1,2,\n", "1,2,x",
			[]string{"record 2", `the label, column 3 ("class"), is empty`},
		},
		{
			"short row",
			config.Data{},
			"a,b,class\n1,2,x\n1,y\n", "1,2,x",
			[]string{"record 2", "line 3", "columns, but the first line has 3"},
		},
		{"long row", config.Data{}, "1,2,x\n1,2,3,y\n", "1,2,x", []string{
			"record 2", "line 2",
			"columns, but the first line has 3",
		}},
		{
			"open quote",
			config.Data{},
			"1,2,x\n1,\"2,y\n",
			"1,2,x",
			[]string{"record 2: line 2: the quote of column 2 is not closed"},
		},
		{
			"endless record",
			config.Data{},
			"1,x\n1,\"" + strings.Repeat("y", maxRecord+5000), "1,x",
			[]string{"record 2", "longer than 4 MiB"},
		},
		{
			"half a header",
			config.Data{},
			"a,2,class\n1,2,x\n", "1,2,x",
			[]string{"first line", `"a" is not a number and others are`, "data.header"},
		},
		{
			"no header, but one",
			config.Data{Header: "no"},
			"a,b,class\n1,2,x\n", "1,2,x",
			[]string{"record 1", `"a" is not a number`},
		},
		{"header unknown", config.Data{Header: "maybe"}, "1,x\n2,y\n", "1,x", []string{`data.header: "maybe"`}},
		{
			"label not there",
			config.Data{Label: "species"},
			"a,class\n1,x\n2,y\n", "1,x",
			[]string{`no column is named "species"`, "class"},
		},
		{
			"label twice",
			config.Data{Label: "class"},
			"class,a,class\n1,2,x\n", "1,x",
			[]string{`two columns are named "class"`},
		},
		{
			"label without header",
			config.Data{Label: "class", Header: "no"},
			"1,x\n2,y\n", "1,x",
			[]string{`data.label: no column "class"`, "no header", "from 1 to 2"},
		},
		{
			"label number beyond the columns",
			config.Data{Label: "3", Header: "no"},
			"1,x\n2,y\n", "1,x",
			[]string{`data.label: no column "3"`, "from 1 to 2"},
		},
		{"label number 0", config.Data{Label: "0"}, "1,x\n2,y\n", "1,x", []string{`no column is named "0"`}},
		{
			"label number with a header",
			config.Data{Label: "2"},
			"a,class\n1,x\n2,y\n", "1,x",
			[]string{`no column is named "2"`},
		},
		{
			"label number with a header, as is said",
			config.Data{Label: "2", Header: "yes"},
			"a,class\n1,x\n2,y\n", "1,x",
			[]string{`no column is named "2"`},
		},
		{
			"label that is number or name",
			config.Data{Label: "2"},
			"1,2,3\n4,5,6\n", "1,2,3",
			[]string{"data.label: 2 occurs in a line of numbers", "data.header", "set data.header to yes if the line is a header with this name", "or to no if the label is column number 2"},
		},
		{
			"control character in a name",
			config.Data{},
			"\"a\nb\",class\n1,x\n2,y\n", "1,x",
			[]string{"header", `"a\nb" holds control characters`},
		},
		{
			"control character in a label",
			config.Data{},
			"a,class\n1,x\n2,\"y\n\"\"z\"\n", "1,x",
			[]string{"record 2", "control characters"},
		},
		{"long label", config.Data{}, "1," + strings.Repeat("y", 257), "1,x", []string{"record 1", "longer than 256 bytes"}},
		{"equal labels", config.Data{}, "1,1\n2,1.0\n", "1,1", []string{`all records have the label "1"`}},
		{"code and number", config.Data{}, "1,1\n2,01\n", "1,1", []string{`labels "01" and "1" are the same number`}},
		{
			"test label unknown",
			config.Data{},
			"1,x\n2,y\n", "1,x\n1,z\n",
			[]string{"test.csv", "record 2", `label "z" does not occur in`, "train.csv"},
		},
		{"test columns differ", config.Data{}, "1,x\n2,y\n", "1,2,x\n", []string{"test.csv", "the columns differ from the columns of"}},
		{
			"test names differ",
			config.Data{},
			"a,class\n1,x\n2,y\n", "b,class\n2,x\n",
			[]string{"test.csv", "the columns differ from the columns of"},
		},
		{"range beyond float64", config.Data{}, "1e308,x\n-1e308,y\n", "1,x", []string{"train.csv", "column 1", "rescale"}},
		{"no share", config.Data{}, "1,x\n2,y\n", "", []string{"data.test_share: 0", "data.test"}},
		{"share of all", config.Data{TestShare: 1}, "1,x\n2,y\n", "", []string{"data.test_share: 1"}},
		{"share NaN", config.Data{TestShare: math.NaN()}, "1,x\n2,y\n", "", []string{"data.test_share"}},
		{"share too small", config.Data{TestShare: 0.1}, "1,x\n2,y\n", "", []string{"0.1 of 2 samples gives no test sample"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s, err := openCSVText(t, tt.cfg, 8, tt.train, tt.test)
			for _, part := range []Part{Train, Test} {
				if err == nil {
					_, err = collect(s, part)
				}
			}
			wantError(t, err, tt.want...)
		})
	}
}

// TestCSVLabelNumber refers to the label by its column number, in files without a header.
func TestCSVLabelNumber(t *testing.T) {
	for _, test := range []struct {
		name, text, header, label string
		samples, features         int
		classes                   []string
	}{
		{"number, header by looks", "7,0.5,3\n8,0.6,3\n7,0.1,4\n", "", "1", 3, 2, []string{"7", "8"}},
		{"number, which stands in the line", "7,0.5,1\n8,0.6,3\n7,0.1,4\n", "no", "1", 3, 2, []string{"7", "8"}},
		{"number of a text", "oak,0.5\nelm,0.6\n", "", "1", 2, 1, []string{"elm", "oak"}},
		{"name that is a number", "1,2\n0.5,3\n0.6,4\n", "yes", "2", 2, 1, []string{"3", "4"}},
		{"name that is a number, among words", "a,2\n0.5,3\n0.6,4\n", "", "2", 2, 1, []string{"3", "4"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			s, err := openCSVText(t, config.Data{Header: test.header, Label: test.label}, 8, test.text, test.text)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.classes, s.Classes); diff != "" || s.Features != test.features ||
				s.TrainSamples != test.samples {
				t.Errorf("%d samples of %d features, classes (-want +got):\n%s", s.TrainSamples, s.Features, diff)
			}
		})
	}
}

// TestPredictLabelNumber checks that the label column of a file for prediction is skipped, even if the column's
// number occurs in the first line.
func TestPredictLabelNumber(t *testing.T) {
	s, err := openSamples(inMemory("new", []byte("9,1,2\n9,3,4\n")), encoderOf(2, nil, nil, 15), config.Data{Label: "1"})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	values := make([]uint16, 2)
	if err := s.Next(values); err != nil || values[0] != 1 || values[1] != 2 {
		t.Errorf("values %v, error %v, want 1 and 2", values, err)
	}
}

func TestCSVOpenErrors(t *testing.T) {
	ctx := context.Background()
	_, err := Open(ctx, config.Data{Set: "csv"}, 8, nil)
	wantError(t, err, "data.train: missing")
	for _, bits := range []int{0, 17} {
		_, err = openCSVText(t, config.Data{}, bits, "1,x\n2,y\n", "1,x\n")
		wantError(t, err, "encoder.bits_in")
	}
	_, err = Open(ctx, config.Data{Set: "csv", Train: "none.csv", Test: "neither.csv"}, 8, []string{"some", "where"})
	wantError(t, err, "none.csv, neither.csv", "searched ., some, where")
	var missing *MissingError
	if !errors.As(err, &missing) || missing.Set != "csv" {
		t.Errorf("error %v is no MissingError of csv", err)
	}
}

func TestCSVPlaces(t *testing.T) {
	dir := writeFiles(t, map[string][]byte{"tabular/iris.csv.gz": gzipped([]byte("1,x\n2,y\n3,x\n4,y\n"))})
	for name, cfg := range map[string]config.Data{
		"below a folder": {Set: "csv", Train: "tabular/iris.csv", TestShare: 0.5},
		"absolute":       {Set: "csv", Train: dir + "/tabular/iris.csv.gz", TestShare: 0.5, Dir: "nowhere"},
	} {
		t.Run(name, func(t *testing.T) {
			s, err := Open(context.Background(), cfg, 8, []string{dir})
			if err != nil {
				t.Fatal(err)
			}
			if s.Name != "iris" || s.TrainSamples != 2 || s.TestSamples != 2 {
				t.Errorf("set %s with %d + %d samples, want iris with 2 + 2", s.Name, s.TrainSamples, s.TestSamples)
			}
		})
	}
}

func TestCSVCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	dir := writeFiles(t, map[string][]byte{"a.csv": []byte("1,x\n2,y\n")})
	_, err := Open(ctx, config.Data{Set: "csv", Train: "a.csv", Dir: dir}, 8, nil)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want cancelled", err)
	}
}
