package dataset

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ialgn/internal/hint"
	"ialgn/trainer/config"
)

// read is a table as the doors read it: its samples, with the names of their classes, and its survey.
type read struct {
	Samples []sample
	Classes []string
	survey  *Survey
}

// throughDoors reads a table as init does and then, with the keys that it writes, as train, eval and predict do, of which
// the last has it at once, or byte by byte as from a pipe. They agree; and train without keys agrees or refuses.
func throughDoors(t *testing.T, text []byte, said config.Data) (read, error) {
	t.Helper()
	f := inMemory("in.csv", text)
	s, err := survey(t.Context(), said, f)
	if err != nil {
		return read{}, err
	}
	keys, err := s.Keys()
	if err != nil {
		return read{}, err
	}
	cfg := configOf(s, keys)
	set, err := openBoth(t, cfg, f)
	if err != nil {
		t.Fatalf("init takes it, but train does not: %v", err)
	}
	r := read{mustCollect(t, set, Train), set.Classes, s}
	if diff := cmp.Diff(r.Samples, mustCollect(t, set, Test)); diff != "" {
		t.Errorf("samples of train and of eval (-train +eval):\n%s", diff)
	}
	var words [][]uint16
	for _, sample := range r.Samples {
		words = append(words, sample.Values)
	}
	cfg.Classes = &set.Classes
	for _, way := range []string{"at once", "one by one"} {
		got, err := predicted(readers[way](bytes.NewReader(text)), set, cfg)
		if diff := cmp.Diff(words, got); diff != "" || err != nil {
			t.Errorf("predict, %s: error %v, samples (-train +predict):\n%s", way, err, diff)
		}
	}
	said.Label = cfg.Label
	if bare, err := openBoth(t, said, f); err == nil && len(bare.FeatureNames) == len(set.FeatureNames) {
		if diff := cmp.Diff(r.Samples, mustCollect(t, bare, Train)); diff != "" {
			t.Errorf("train without the keys of init (-with +without):\n%s", diff)
		}
	}
	return r, nil
}

// openBoth opens a set whose training and test file are the same.
func openBoth(t *testing.T, cfg config.Data, f file) (*Set, error) {
	t.Helper()
	cfg.Set, cfg.Train, cfg.Test = "csv", f.name, f.name
	return openCSVFiles(t.Context(), cfg, form{bitsIn: 8}, found{files: []file{f, f}})
}

// predicted reads samples for a model of a set.
func predicted(r io.Reader, set *Set, cfg config.Data) (all [][]uint16, err error) {
	s, err := ReadSamples(context.Background(), "in", r, asEncoder(set), cfg)
	for err == nil {
		values := make([]uint16, set.Features)
		if err = s.Next(values); err == nil {
			all = append(all, values)
		}
	}
	if errors.Is(err, io.EOF) {
		return all, nil
	}
	return all, err
}

// plainRows are the rows of a table, two numbers and a label, as a file of commas has them.
func plainRows() (rows [][]string) {
	for i := range 30 {
		rows = append(rows, []string{fmt.Sprintf("%.2f", float64(i*37%100)/4-5), fmt.Sprint(i * i % 7), string("xyz"[i%3])})
	}
	return rows
}

// joined returns rows below a header, unless that is empty.
func joined(header, separator, end string, rows [][]string) string {
	var b strings.Builder
	if header != "" {
		b.WriteString(strings.ReplaceAll(header, ",", separator) + end)
	}
	for _, row := range rows {
		b.WriteString(strings.Join(row, separator) + end)
	}
	return b.String()
}

// with returns rows changed by fn.
func with(rows [][]string, fn func(i int, row []string) []string) (changed [][]string) {
	for i, row := range rows {
		changed = append(changed, fn(i, slices.Clone(row)))
	}
	return changed
}

const plainBzip2 = "QlpoOTFBWSZTWVdEOUkAAILZgAAQAAd/4DIEAHAwALlBKap6nqHlANqCgaaGRkxBKbSlGoaeo9TelN77XutVFVWRFVZz8kk" +
	"JCZISSTISQnvbyfp+FqQVaWFUjX0Zx4m/Zi4hXUrIfSiCIedlLkshJJkesY4qwM2C60hlArdZhLXQCy+vjIYRuvOYpBBZJN8ddd3MzP8XckU4" +
	"UJBXRDlJ"

// TestFormsReadAlike reads a table in the forms in which programs write it: all doors read the same samples.
func TestFormsReadAlike(t *testing.T) {
	rows, head := plainRows(), "a,b,label"
	packed, err := base64.StdEncoding.DecodeString(plainBzip2)
	if err != nil {
		t.Fatal(err)
	}
	plain := joined(head, ",", "\n", rows)
	want, err := throughDoors(t, []byte(plain), config.Data{})
	if err != nil {
		t.Fatal(err)
	}
	commas := func(_ int, row []string) []string {
		return []string{strings.Replace(row[0], ".", ",", 1), row[1], row[2]}
	}
	quotedCommas := func(_ int, row []string) []string {
		return []string{`"` + strings.Replace(row[0], ".", ",", 1) + `"`, row[1], row[2]}
	}
	labels := func(of ...string) func(int, []string) []string {
		return func(i int, row []string) []string { return []string{row[0], row[1], of[i%len(of)]} }
	}
	arff := "% Weka\n\n@RELATION 'my set'\n@ATTRIBUTE 'petal length' NUMERIC\n@attribute\tb real\n" +
		"@attribute class {x, y, 'z'}\n@DATA\n% rows\n"
	for name, text := range map[string]string{
		"sep":                    "sep=;\n" + joined(head, ";", "\n", rows),
		"sep in quotes, CRLF":    "\"sep=;\"\r\n" + joined(head, ";", "\r\n", rows),
		"sep, mark, upper case":  "\ufeffSEP=,\r\n" + joined(head, ",", "\r\n", rows),
		"sep of a tab":           "sep=\t\n" + joined(head, "\t", "\n", rows),
		"CR":                     joined(head, ",", "\r", rows),
		"CR CR LF":               joined(head, ",", "\r\r\n", rows),
		"separators at the ends": joined(head+",", ",", ",\n", rows),
		"two of them":            joined(head+",,", ";", ";;\n", rows),
		"without a header":       joined("", ",", ",\n", rows),
		"in the rows alone":      joined(head, ",", ",\n", rows),
		"rows of separators":     joined(head, ",", "\n,,\n", rows) + ",,\n\n,,\n",
		"a first row of them":    ",,\n" + plain,
		"spaces":                 joined("", " ", "\n", rows),
		"many spaces, and tabs":  joined("", "  \t ", "  \n", with(rows, func(_ int, row []string) []string { row[0] = "  " + row[0]; return row })),
		"spaces and tabs only in front of quoted labels": joined("", "   ", "\n", with(rows, func(_ int, row []string) []string {
			return []string{row[0], row[1] + "\t\"" + row[2] + "\""}
		})),
		"pipes":                      joined(head, "|", "\n", rows),
		"pipes, decimal commas":      joined(head, "|", "\n", with(rows, commas)),
		"spaces, decimal commas":     joined(head, " ", "\n", with(rows, commas)),
		"semicolons, decimal commas": joined(head, ";", "\r\n", with(rows, commas)),
		"decimal commas in quotes":   joined(head, ",", "\n", with(rows, quotedCommas)),
		"all in quotes": joined(`"a","b","label"`, `,`, "\n", with(rows, func(_ int, r []string) []string {
			return []string{`"` + r[0] + `"`, `"` + r[1] + `"`, `"` + r[2] + `"`}
		})),
		"spaces around quotes":        joined(head, ",", "\n", with(rows, func(_ int, r []string) []string { return []string{` "` + r[0] + `" `, r[1], r[2]} })),
		"ARFF":                        arff + joined("", ",", "\n", rows),
		"ARFF, quotes, tabs":          arff + joined("", "\t", "\n", with(rows, func(_ int, r []string) []string { return []string{r[0], r[1], "'" + r[2] + "'"} })),
		"bzip2":                       string(packed),
		"gzip":                        string(gzipped([]byte(plain))),
		"Ctrl-Z":                      plain + "\x1a",
		"Ctrl-Z, padded":              strings.TrimSuffix(plain, "\n") + strings.Repeat("\x1a", 100),
		"Ctrl-Z, in a line":           plain + "\x1a\r\n",
		"numeric names":               joined("0,1,target", ",", "\n", rows),
		"years":                       joined("2001,2002,label", ",", "\n", rows),
		"wave lengths":                joined("400.5,401.5,class", ",", "\n", rows),
		"years, another label's name": joined("2001,2002,Target", ",", "\n", rows),
		"names of rows": joined(",a,b,label", ",", "\n", with(rows, func(i int, r []string) []string {
			return append([]string{fmt.Sprint(i)}, r...)
		})),
		"KNIME": joined("row ID,a,b,label", ",", "\n", with(rows, func(i int, r []string) []string {
			return append([]string{fmt.Sprintf("Row%d", i)}, r...)
		})),
		"a pipe's diameter":          joined("kind,a,b,label", ",", "\n", with(rows, func(_ int, r []string) []string { return append([]string{`5" pipe`}, r...) })),
		"equal numbers for labels":   joined(head, ",", "\n", with(rows, labels("1", "2.0", "3", "1.0", "2", "3e0", "+1", " 2 ", "3.00"))),
		"equal numbers in quotes":    joined(head, ",", "\n", with(rows, labels(`"1"`, "2.0", "3", "1.0", "2", `"3e0"`, "1e0", `" 2"`, "3."))),
		"equal numbers, two are not": joined(head, ",", "\n", with(rows, labels("01", "2.0", "3", "01", "2", "3e0", "01", " 2", "3.0"))),
	} {
		t.Run(name, func(t *testing.T) {
			got, err := throughDoors(t, []byte(text), config.Data{})
			if err != nil {
				t.Fatalf("%v (%s)", err, hint.Of(err))
			}
			if diff := cmp.Diff(want.Samples, got.Samples); diff != "" {
				t.Errorf("samples (-plain +%s):\n%s", name, diff)
			}
		})
	}
}

// TestNotationsReadAlike reads numbers with thousands in the notations of countries and programs.
func TestNotationsReadAlike(t *testing.T) {
	write := func(separator, thousands, decimal string, quote bool) string {
		rows := plainRows()
		for i, row := range rows {
			x := i*797%9000 + 100
			row[0] = fmt.Sprintf("%d", x%1000)
			if x >= 1000 {
				row[0] = fmt.Sprintf("%d%s%03d", x/1000, thousands, x%1000)
			}
			if decimal != "" {
				row[0] += decimal + fmt.Sprintf("%02d", i)
			}
			if quote {
				row[0] = `"` + row[0] + `"`
			}
		}
		return joined("a,b,label", separator, "\n", rows)
	}
	for _, test := range []struct {
		name, text, thousands, decimal string
		said                           config.Data
	}{
		{"plain", write(",", "", ".", false), "", "point", config.Data{}},
		{"plain, whole", write(",", "", "", false), "", "point", config.Data{}},
		{"German", write(";", ".", ",", false), "point", "comma", config.Data{}},
		{"German, commas and quotes", write(",", ".", ",", true), "point", "comma", config.Data{}},
		{"American, quotes", write(",", ",", ".", true), "comma", "point", config.Data{}},
		{"British, semicolons", write(";", ",", ".", false), "comma", "point", config.Data{}},
		{"French, narrow space", write(";", "\u202f", ",", false), "space", "comma", config.Data{}},
		{"French, no-break space", write("\t", "\u00a0", ",", false), "space", "comma", config.Data{}},
		{"Swiss", write(";", "'", ".", false), "apostrophe", "point", config.Data{}},
		{"Swiss, typographic", write(",", "\u2019", ".", false), "apostrophe", "point", config.Data{}},
		{"Swiss, whole", write(";", "'", "", false), "apostrophe", "point", config.Data{}},
		{"spaces, whole", write(",", " ", "", false), "space", "point", config.Data{}},
		{"commas, whole, said", write(",", ",", "", true), "comma", "point", config.Data{Thousands: "comma"}},
		{"semicolons, whole, said", write(";", ",", "", false), "comma", "point", config.Data{Thousands: "comma"}},
		{"points, whole, said", write(";", ".", "", false), "point", "comma", config.Data{Thousands: "point", Decimal: "comma"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			plain := write(",", "", map[bool]string{true: "", false: "."}[strings.Contains(test.name, "whole")], false)
			want, err := throughDoors(t, []byte(plain), config.Data{})
			if err != nil {
				t.Fatal(err)
			}
			got, err := throughDoors(t, []byte(test.text), test.said)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want.Samples, got.Samples); diff != "" {
				t.Errorf("samples (-plain +%s):\n%s", test.name, diff)
			}
			if s := got.survey; s.Thousands != test.thousands || s.Decimal != test.decimal {
				t.Errorf("thousands %q, decimal %q, want %q and %q", s.Thousands, s.Decimal, test.thousands, test.decimal)
			}
		})
	}
	if _, err := throughDoors(t, []byte(write(";", ".", "", false)), config.Data{Thousands: "none"}); err != nil {
		t.Errorf("thousands: none: %v", err)
	}
}

// TestAsked refuses tables that can be read in two ways, in all doors that read a table without being told how. The
// errors name the line or the column, and the key.
func TestAsked(t *testing.T) {
	rows := plainRows()
	column := func(at int, of ...string) [][]string {
		return with(rows, func(i int, row []string) []string {
			row[at] = of[i%len(of)]
			return row
		})
	}
	for name, test := range map[string]struct{ text, want, hint string }{
		"thousands or decimals": {joined("a,b,label", ";", "\n", column(0, "263", "938", "1,416")), `line 4: column 1 ("a"): "1,416"`, "data.thousands: comma"},
		"in quotes":             {joined("a,b,label", ",", "\n", column(0, "263", "938", `"1,416"`)), `line 4: column 1 ("a"): "1,416"`, "data.decimal: comma with data.separator: comma"},
		"decimals of three":     {joined("a,b,label", ";", "\n", column(0, "12,417", "45,120")), `"12,417"`, "data.decimal: comma"},
		"points between":        {joined("a,b,label", ";", "\n", column(0, "263", "938", "1.410")), `line 4: column 1 ("a"): "1.410" may be 1410 or 1.410`, "data.thousands: none"},
		"a name, a number":      {joined("id,2001,label", ",", "\n", rows), `"id" is not a number and others are`, "data.header: yes"},
		"a name of its own":     {joined("2001,2002,Zustand", ",", "\n", rows), `no other row has the label "Zustand"`, "data.header: yes"},
		"numbers for names":     {joined("2001,2002,2003", ",", "\n", column(2, "0", "1", "2")), `no other row has the label "2003"`, "data.header: yes"},
		"0 to 3":                {joined("0,1,2,3", ",", "\n", with(rows, func(i int, r []string) []string { return []string{r[1], r[1], r[1], fmt.Sprint(i % 3)} })), `the numbers count from "0"`, "data.header"},
		"few words":             {"red,small,no\nblue,large,yes\n", "words alone", "data.header"},
		"target or last":        {joined("target,b,kind", ",", "\n", column(0, "0", "1")), `the label is column 1 ("target") or column 3 ("kind")`, "data.label: target"},
		"class or target":       {joined("class,target,a", ",", "\n", with(column(1, "0", "1"), func(_ int, r []string) []string { return []string{r[2], r[1], r[0]} })), "say with data.label which", "data.label"},
		"no label":              {joined("", ",", "\n", with(rows, func(_ int, r []string) []string { return []string{r[1], r[1], r[0]} })), "is it the label?", "data.label"},
		"code and number":       {joined("a,b,label", ",", "\n", column(2, "1", "01", "2")), `labels "01" and "1" are the same number`, "code"},
		"unknown sep":           {"sep=^\na^b\n1^x\n", `"^" separates the fields`, "save the table"},
		"names of rows":         {joined("a,b,label", ",", "\n", with(rows, func(i int, r []string) []string { return append([]string{fmt.Sprint(i)}, r...) })), "line 2: 4 columns, want 3", "row.names = FALSE"},
		"Latin-1":               {joined("a,b,label", ",", "\n", column(2, "gr\xfcn", "rot")), `label "gr\xfcn" is not UTF-8`, "iconv"},
		"Latin-1 in a name":     {joined("Gr\xf6\xdfe,b,label", ",", "\n", rows), `is not UTF-8`, "iconv"},
		"Latin-1 in a category": {joined("a,b,label", ",", "\n", column(1, "gr\xfcn", "rot")), "", ""},
		"UTF-16 without a mark": {"a\x00,\x00b\x00\n\x00", "UTF-16", "UTF-8"},
		"UTF-16, the other":     {"\x00a\x00,\x00b\x00\n", "UTF-16", "UTF-8"},
		"xz":                    {"\xfd7zXZ\x00 and more", "compressed by xz", "xz -dk"},
		"zstd":                  {"\x28\xb5\x2f\xfd and more", "compressed by zstd", "zstd -dk"},
		"Excel":                 {"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "spreadsheet of Excel", "CSV"},
		"Parquet":               {"PAR1\x15", "a Parquet file", "to_csv"},
		"sparse ARFF":           {"@relation t\n@attribute a numeric\n@attribute c {x,y}\n@data\n{0 1, 1 x}\n", "line 5: the rows are in the sparse form", "SparseToNonSparse"},
		"ARFF without rows":     {"@relation t\n@attribute a numeric\n", "has no @data", ""},
		"LIBSVM":                {"1 1:0.5 2:3\n2 1:0.5\n1 2:7\n", "sparse form of LIBSVM", "a column"},
		"an open quote":         {joined("a,b,label", ",", "\n", rows) + "1,2,\"x\n", "line 32: the quote of column 3 is not closed", "closes it"},
		"a quote within":        {joined("a,b,label", ",", "\n", column(2, `"5" pipe"`, "y")), `line 2: column 3: "pipe\"" follows`, "double a quote"},
		"another notation":      {joined("a,b,label", ";", "\n", rows) + "1,5;2;x\n", `"1,5"`, ""},
		"one-valued labels":     {joined("a,b,label", ",", "\n", column(2, "1", "1.0")), `all records have the label "1"`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			f := inMemory("in.csv", []byte(test.text))
			_, looked := survey(t.Context(), config.Data{}, f)
			_, trained := openBoth(t, config.Data{}, f)
			for door, err := range map[string]error{"init": looked, "train": trained} {
				if err == nil || !strings.Contains(err.Error(), test.want) && (door == "init" || !strings.Contains(err.Error(), "not a number")) {
					t.Errorf("%s: error %v, want %q in it", door, err, test.want)
				}
				if door == "init" && !strings.Contains(hint.Of(err), test.hint) {
					t.Errorf("%s: hint %q, want %q in it", door, hint.Of(err), test.hint)
				}
			}
		})
	}
}

// TestMissingWords reads words for missing numbers: those that are known, and others that have to be declared, which
// train refuses with their place until they are.
func TestMissingWords(t *testing.T) {
	for word, known := range map[string]bool{
		"": true, "NA": true, "n/a": true, "NULL": true, "NaN": true, "-nan": true, "#N/A": true, "#NV": true, "None": true,
		"-": true, `\N`: true, "<NA>": true, "NaT": true, ".": true, "k.A.": false, "n.v.": false, "ERROR": false,
		"12 kPa": false, ">100": false, "1.2.3": false, "inf": false, "-Infinity": false, "#DIV/0!": false, "1e999": false,
		`"a, b"`: false,
	} {
		rows := plainRows()
		rows[7][0] = word
		text := []byte(joined("a,b,label", ",", "\n", rows))
		r, err := throughDoors(t, text, config.Data{})
		if err != nil {
			t.Errorf("%q: %v", word, err)
			continue
		}
		c := r.survey.Columns[0]
		plain := strings.Trim(word, `"`)
		odd := []Odd{{plain, 9, 1}}
		if known {
			odd = nil
		}
		if diff := cmp.Diff(odd, c.Odd); diff != "" || c.Missing != 1 || c.Min == nil || *c.Max != 19.75 {
			t.Errorf("%q: column %+v, odd values (-want +got):\n%s", word, c, diff)
		}
		_, err = openBoth(t, config.Data{Missing: "median"}, inMemory("in.csv", text))
		if known != (err == nil) {
			t.Errorf("%q: train without its being declared: %v", word, err)
		}
		if err != nil && (!strings.Contains(err.Error(), `line 9: column 1 ("a")`) ||
			!strings.Contains(hint.Of(err), "data.missing_values: "+config.JoinNames([]string{plain}))) {
			t.Errorf("%q: error %v, hint %s", word, err, hint.Of(err))
		}
	}
}

// TestMissingWordsDeclared declares a number, and keeps words for missing numbers as categories.
func TestMissingWordsDeclared(t *testing.T) {
	text := rows("a,colour,label", 30, func(i int) string {
		return fmt.Sprintf("%d,%s,%d", []int{-999, i, 2 * i}[i%3], []string{"None", "-", "red", "k.A."}[i%4], i%2)
	})
	cfg := config.Data{Categories: "colour", Missing: "median", MissingValues: "-999, k.A."}
	s, err := openBoth(t, cfg, inMemory("in.csv", []byte(text)))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"a", "colour=-", "colour=None", "colour=red"}
	if diff := cmp.Diff(want, s.FeatureNames); diff != "" || s.Quantiser.Offset[0] != 1 {
		t.Errorf("least number %v, want 1; features (-want +got):\n%s", s.Quantiser.Offset[0], diff)
	}
}

// TestManyOddWords keeps a column of numbers with one word in many rows, and leaves one of few numbers out.
func TestManyOddWords(t *testing.T) {
	for name, test := range map[string]struct {
		value func(i int) string
		kind  string
	}{
		"one word":     {func(i int) string { return []string{fmt.Sprint(i), "k.A."}[i%3/2] }, "number"},
		"few numbers":  {func(i int) string { return []string{"1", "2", "low"}[i%3] }, "dropped"},
		"many words":   {func(i int) string { return []string{fmt.Sprint(i), fmt.Sprint(i), fmt.Sprintf("w%d", i)}[i%3] }, "dropped"},
		"None alone":   {func(i int) string { return []string{"None", fmt.Sprint(i), "None"}[i%3] }, "number"},
		"words of two": {func(i int) string { return []string{"None", "red", "3"}[i%3] }, "category"},
	} {
		s, err := lookAt(rows("x,a,label", 90, func(i int) string { return fmt.Sprintf("%d,%s,%d", i*i%7, test.value(i), i%2) }), "")
		if err != nil {
			t.Errorf("%s: %v", name, err)
		} else if c := s.Columns[1]; string(c.Kind) != test.kind {
			t.Errorf("%s: column %+v, want a %s", name, c, test.kind)
		}
	}
}

// TestFirstLine tells headers from rows. A row of words is none because of a missing or infinite value below.
func TestFirstLine(t *testing.T) {
	words := func(first string) string {
		return first + rows("", 30, func(i int) string {
			return []string{"green", "blue"}[i%2] + "," + []string{"small", "large"}[i/2%2] + "," + []string{"yes", "no"}[i%3/2]
		})
	}
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
			rows("?,,x", 30, func(i int) string { return fmt.Sprintf("%d,%d,%s", i, i*i%7, string("xy"[i%2])) }), false,
		},
		"numbers, a word in the first row": {
			rows("k.A.,2,x", 30, func(i int) string { return fmt.Sprintf("%d,%d,%s", i*i%11, i*i%7, string("xy"[i%2])) }), false,
		},
		"numbers, inf in the first row": {
			rows("inf,nan,x", 30, func(i int) string { return fmt.Sprintf("%d,%d,%s", i*i%11, i*i%7, string("xy"[i%2])) }), false,
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

// TestPredictFirstLine tells headers from rows in files for a model that has no names of columns: by its classes.
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

// TestLabelByName finds the label by a usual name of one where the last column looks like none. It is the last one
// otherwise, and train asks where init finds another.
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
		if !last && (err == nil || !strings.Contains(hint.Of(err), "data.label: "+test.want)) || last && err != nil {
			t.Errorf("%s: train: error %v, hint %q", name, err, hint.Of(err))
		}
	}
}
