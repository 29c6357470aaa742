package dataset

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ialgn/internal/config"
	"ialgn/internal/message"
)

// read is the result of reading a table. It has the samples, the class names and the survey.
type read struct {
	Samples []sample
	Classes []string
	survey  *Survey
}

// throughDoors reads a table in the same ways as several commands. It reads the table as init does. With the keys
// that init writes, it then reads the table as train, eval and predict do. For predict, it reads the table both at
// once and byte by byte, as from a pipe. All results must agree. Without the keys, train must agree or refuse the
// table.
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
		t.Fatalf("init accepts the table, but train does not: %v", err)
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

// openBoth opens a set whose training and test files are the same file.
func openBoth(t *testing.T, cfg config.Data, f file) (*Set, error) {
	t.Helper()
	cfg.Set, cfg.Train, cfg.Test = "csv", f.name, f.name
	return openCSVFiles(t.Context(), cfg, form{bitsIn: 8}, found{files: []file{f, f}})
}

// predicted reads samples for prediction with a model that was trained on set.
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

// plainRows returns the rows of a simple table with two numbers and a label in each row.
func plainRows() (rows [][]string) {
	for i := range 30 {
		rows = append(rows, []string{fmt.Sprintf("%.2f", float64(i*37%100)/4-5), fmt.Sprint(i * i % 7), string("xyz"[i%3])})
	}
	return rows
}

// joined joins rows into a text. The text begins with the header, unless the header is empty.
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

// with returns the plain rows after fn has changed each row.
func with(fn func(i int, a, b, label string) []string) (changed [][]string) {
	for i, row := range plainRows() {
		changed = append(changed, fn(i, row[0], row[1], row[2]))
	}
	return changed
}

// columnIs returns the plain rows with other values in one column. The values are repeated until the column is full.
func columnIs(at int, of ...string) (changed [][]string) {
	for i, row := range plainRows() {
		row[at] = of[i%len(of)]
		changed = append(changed, row)
	}
	return changed
}

const plainBzip2 = "QlpoOTFBWSZTWVdEOUkAAILZgAAQAAd/4DIEAHAwALlBKap6nqHlANqCgaaGRkxBKbSlGoaeo9TelN77XutVFVWRFVZz8kk" +
	"JCZISSTISQnvbyfp+FqQVaWFUjX0Zx4m/Zi4hXUrIfSiCIedlLkshJJkesY4qwM2C60hlArdZhLXQCy+vjIYRuvOYpBBZJN8ddd3MzP8XckU4" +
	"UJBXRDlJ"

// TestFormsReadAlike reads one table in the formats that various programs write. Every command must read the same
// samples.
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
	comma := func(x string) string { return strings.Replace(x, ".", ",", 1) }
	commas := with(func(_ int, a, b, label string) []string { return []string{comma(a), b, label} })
	quotedCommas := with(func(_ int, a, b, label string) []string { return []string{`"` + comma(a) + `"`, b, label} })
	quoted := with(func(_ int, a, b, label string) []string {
		return []string{`"` + a + `"`, `"` + b + `"`, `"` + label + `"`}
	})
	behind := func(before, after string) [][]string { // puts text, such as quotes or spaces, around the first value
		return with(func(_ int, a, b, label string) []string { return []string{before + a + after, b, label} })
	}
	apart := with(func(_ int, a, b, label string) []string { return []string{a, b + "\t\"" + label + "\""} })
	singly := with(func(_ int, a, b, label string) []string { return []string{a, b, "'" + label + "'"} })
	named := func(format string) [][]string {
		return with(func(i int, a, b, label string) []string { return []string{fmt.Sprintf(format, i), a, b, label} })
	}
	equal := columnIs(2, "1", "2.0", "3", "1.0", "2", "3e0", "+1", " 2 ", "3.00")
	equalQuoted := columnIs(2, `"1"`, "2.0", "3", "1.0", "2", `"3e0"`, "1e0", `" 2"`, "3.")
	codes := columnIs(2, "01", "2.0", "3", "01", "2", "3e0", "01", " 2", "3.0")
	arff := "% Weka\n\n@RELATION 'my set'\n@ATTRIBUTE 'petal length' NUMERIC\n@attribute\tb real\n" +
		"@attribute class {x, y, 'z'}\n@DATA\n% rows\n"
	for name, text := range map[string]string{
		"sep":                         "sep=;\n" + joined(head, ";", "\n", rows),
		"sep in quotes, CRLF":         "\"sep=;\"\r\n" + joined(head, ";", "\r\n", rows),
		"sep, mark, upper case":       "\ufeffSEP=,\r\n" + joined(head, ",", "\r\n", rows),
		"sep of a tab":                "sep=\t\n" + joined(head, "\t", "\n", rows),
		"CR":                          joined(head, ",", "\r", rows),
		"CR CR LF":                    joined(head, ",", "\r\r\n", rows),
		"separators at the ends":      joined(head+",", ",", ",\n", rows),
		"two of them":                 joined(head+",,", ";", ";;\n", rows),
		"without a header":            joined("", ",", ",\n", rows),
		"in the rows alone":           joined(head, ",", ",\n", rows),
		"rows of separators":          joined(head, ",", "\n,,\n", rows) + ",,\n\n,,\n",
		"a first row of them":         ",,\n" + plain,
		"spaces":                      joined("", " ", "\n", rows),
		"many spaces, and tabs":       joined("", "  \t ", "  \n", behind("  ", "")),
		"tabs before quotes, spaces":  joined("", "   ", "\n", apart),
		"pipes":                       joined(head, "|", "\n", rows),
		"pipes, decimal commas":       joined(head, "|", "\n", commas),
		"spaces, decimal commas":      joined(head, " ", "\n", commas),
		"semicolons, decimal commas":  joined(head, ";", "\r\n", commas),
		"decimal commas in quotes":    joined(head, ",", "\n", quotedCommas),
		"all in quotes":               joined(`"a","b","label"`, `,`, "\n", quoted),
		"spaces around quotes":        joined(head, ",", "\n", behind(` "`, `" `)),
		"ARFF":                        arff + joined("", ",", "\n", rows),
		"ARFF, quotes, tabs":          arff + joined("", "\t", "\n", singly),
		"bzip2":                       string(packed),
		"gzip":                        string(gzipped([]byte(plain))),
		"Ctrl-Z":                      plain + "\x1a",
		"Ctrl-Z, padded":              strings.TrimSuffix(plain, "\n") + strings.Repeat("\x1a", 100),
		"Ctrl-Z, in a line":           plain + "\x1a\r\n",
		"numeric names":               joined("0,1,target", ",", "\n", rows),
		"years":                       joined("2001,2002,label", ",", "\n", rows),
		"wave lengths":                joined("400.5,401.5,class", ",", "\n", rows),
		"years, another label's name": joined("2001,2002,Target", ",", "\n", rows),
		"names of rows":               joined(",a,b,label", ",", "\n", named("%d")),
		"KNIME":                       joined("row ID,a,b,label", ",", "\n", named("Row%d")),
		"a pipe's diameter":           joined("kind,a,b,label", ",", "\n", named(`5" pipe`)),
		"equal numbers for labels":    joined(head, ",", "\n", equal),
		"equal numbers in quotes":     joined(head, ",", "\n", equalQuoted),
		"equal numbers, two are not":  joined(head, ",", "\n", codes),
	} {
		t.Run(name, func(t *testing.T) {
			got, err := throughDoors(t, []byte(text), config.Data{})
			if err != nil {
				t.Fatalf("%v (%s)", err, message.Hint(err))
			}
			if diff := cmp.Diff(want.Samples, got.Samples); diff != "" {
				t.Errorf("samples (-plain +%s):\n%s", name, diff)
			}
		})
	}
}

// TestNotationsReadAlike reads numbers with thousands separators in the notations of several countries and programs.
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
		{"commas, thousands said", write(";", "", ",", false), "none", "comma", config.Data{Thousands: "none"}},
		{
			"points, whole, said", write(";", ".", "", false), "point", "comma",
			config.Data{Thousands: "point", Decimal: "comma"},
		},
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
	powers := with(func(i int, _, b, label string) []string { return []string{fmt.Sprintf("%d,%d7e-02", i, i%3), b, label} })
	if got, err := throughDoors(t, []byte(joined("a,b,label", ";", "\n", powers)), config.Data{}); err != nil ||
		got.survey.Decimal != "comma" || *got.survey.Columns[0].Max != 0.2927 {
		t.Errorf("commas and exponents: %v, survey %+v", err, got.survey)
	}
	if _, err := throughDoors(t, []byte(write(";", ".", "", false)), config.Data{Thousands: "none"}); err != nil {
		t.Errorf("thousands: none: %v", err)
	}
}

// TestAsked checks tables that can be read in two ways. init and train must refuse such a table unless they are told
// how to read it. The error names the line or column and the key.
func TestAsked(t *testing.T) {
	rows, head := plainRows(), "a,b,label"
	table := func(header string, rows [][]string) string { return joined(header, ",", "\n", rows) }
	semicolons := func(rows [][]string) string { return joined(head, ";", "\n", rows) }
	counted := with(func(i int, _, b, _ string) []string { return []string{b, b, b, fmt.Sprint(i % 3)} })
	reversed := with(func(i int, a, _, label string) []string { return []string{label, fmt.Sprint(i % 2), a} })
	numbers := with(func(_ int, a, b, _ string) []string { return []string{b, b, a} })
	numbered := with(func(i int, a, b, label string) []string { return []string{fmt.Sprint(i), a, b, label} })
	for name, test := range map[string]struct{ text, want, hint string }{
		"thousands or decimals": {
			semicolons(columnIs(0, "263", "938", "1,416")), `line 4: column 1 ("a"): "1,416"`, "data.thousands: comma",
		},
		"in quotes": {
			table(head, columnIs(0, "263", "938", `"1,416"`)), `line 4: column 1 ("a"): "1,416"`,
			"data.decimal: comma with data.separator: comma",
		},
		"decimals of three": {semicolons(columnIs(0, "12,417", "45,120")), `"12,417"`, "data.decimal: comma"},
		"points between": {
			semicolons(columnIs(0, "263", "938", "1.410")), `line 4: column 1 ("a"): "1.410" may be 1410 or 1.410`,
			"data.thousands: none",
		},
		"another notation":  {semicolons(rows) + "1,5;2;x\n", `line 32: column 1 ("a"): "1,5" is written in another way`, ""},
		"a name, a number":  {table("id,2001,label", rows), `"id" is not a number and others are`, "data.header: yes"},
		"a name of its own": {table("2001,2002,Zustand", rows), `no other row has the label "Zustand"`, "data.header: yes"},
		"numbers for names": {
			table("2001,2002,2003", columnIs(2, "0", "1", "2")), `no other row has the label "2003"`, "data.header: yes",
		},
		"0 to 3":    {table("0,1,2,3", counted), `the numbers count from "0"`, "data.header"},
		"few words": {"red,small,no\nblue,large,yes\n", "the table has only words", "data.header"},
		"target or last": {
			table("target,b,kind", columnIs(0, "0", "1")), `the label may be column 1 ("target") or column 3 ("kind")`,
			"data.label: target",
		},
		"class or target": {table("class,target,a", reversed), "choose one with data.label", "data.label"},
		"no label":        {table("", numbers), "is this column the label?", "data.label"},
		"code and number": {table(head, columnIs(2, "1", "01", "2")), `labels "01" and "1" are the same number`, "code"},
		"one label":       {table(head, columnIs(2, "1", "1.0")), `all records have the label "1"`, ""},
		"names of rows":   {table(head, numbered), "line 2: 4 columns, but the first line has 3", "row.names = FALSE"},
		"a title":         {"Report of May\n" + table(head, rows), "1 columns", `remove the text above the table`},
		"units":           {table(head+"\nmV,rpm,-", rows), "line 2: every column of numbers has a word in this line", "data.missing_values: mV, rpm"},
		"another minus sign": {
			table(head, rows) + "\u22120.5,1,x\n", "line 32: column 1 (\"a\"): \"\u22120.5\" is not", `the minus sign as "-"`,
		},
		"a unit":      {table(head, rows) + "7 °,1,x\n", `line 32: column 1 ("a"): "7 °" is not`, "without its unit"},
		"unknown sep": {"sep=^\na^b\n1^x\n", `the separator is "^"`, "save the table"},

		"Latin-1":               {table(head, columnIs(2, "gr\xfcn", "rot")), `label "gr\xfcn" is not in UTF-8`, "iconv"},
		"Latin-1 in a name":     {table("Gr\xf6\xdfe,b,label", rows), "column name \"Gr\\xf6\\xdfe\" is not in UTF-8", "iconv"},
		"Latin-1 in a category": {table(head, columnIs(1, "gr\xfcn", "rot")), `category "gr\xfcn" is not in UTF-8`, "iconv"},
		"UTF-16, no mark":       {"a\x00,\x00b\x00\n\x00", "UTF-16", "UTF-8"},
		"UTF-16, the other":     {"\x00a\x00,\x00b\x00\n", "UTF-16", "UTF-8"},

		"xz":      {"\xfd7zXZ\x00 and more", "compressed with xz", "xz -dk"},
		"zstd":    {"\x28\xb5\x2f\xfd and more", "compressed with zstd", "zstd -dk"},
		"Excel":   {"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "is a spreadsheet", "CSV"},
		"Parquet": {"PAR1\x15", "a Parquet file", "to_csv"},
		"sparse ARFF": {
			"@relation t\n@attribute a numeric\n@attribute c {x,y}\n@data\n{0 1, 1 x}\n",
			"line 5: the rows are in the sparse form", "SparseToNonSparse",
		},
		"ARFF without rows": {"@relation t\n@attribute a numeric\n", "has no @data", ""},
		"LIBSVM":            {"1 1:0.5 2:3\n2 1:0.5\n1 2:7\n", "the rows are in the sparse format of LIBSVM", "write one column for each feature"},

		"an open quote": {table(head, rows) + "1,2,\"x\n", "line 32: the quote of column 3 is not closed", "close the quote that opens the field"},
		"a quote within": {
			table(head, columnIs(2, `"5" pipe"`, "y")), `line 2: column 3: "pipe\"" follows`, "double each quote",
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := inMemory("in.csv", []byte(test.text))
			_, looked := survey(t.Context(), config.Data{}, f)
			_, trained := openBoth(t, config.Data{}, f)
			for door, err := range map[string]error{"init": looked, "train": trained} {
				number := door == "train" && err != nil && strings.Contains(err.Error(), "is not a number")
				if err == nil || !strings.Contains(err.Error(), test.want) && !number {
					t.Errorf("%s: error %v, want %q in it", door, err, test.want)
				}
				if door == "init" && !strings.Contains(message.Hint(err), test.hint) {
					t.Errorf("%s: hint %q, want %q in it", door, message.Hint(err), test.hint)
				}
			}
		})
	}
}
