package fit

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ialgn/internal/config"
)

// TestForeignTable searches networks for a CSV file with semicolons, words and missing values. The search must detect
// the kinds of the columns. Each configuration that the search writes must contain these kinds, unless the draft sets
// them.
func TestForeignTable(t *testing.T) {
	var b strings.Builder
	b.WriteString("x;colour;state\n")
	for i := range 40 {
		fmt.Fprintf(&b, "%s;%s;%s\n", []string{"-1,5", "NA", "2"}[i%3], []string{"red", "blue"}[i%2],
			[]string{"up", "down"}[i/2%2])
	}
	path := filepath.Join(t.TempDir(), "points.csv")
	if err := os.WriteFile(path, []byte(b.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	var notes []string
	o := Options{Target: "xilinx7", Dir: t.TempDir(), Note: func(s string) { notes = append(notes, s) }}
	s, err := newSearch(t.Context(), tableDraft(t, path), o)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"data.decimal=comma", "data.categories=colour", "data.missing=median"}
	cfg, err := s.config(s.usual(), 10, 1, "", 0, 0)
	if err != nil || cfg.Data.Categories != "colour" || cfg.Data.Missing != "median" {
		t.Errorf("configuration %+v, error %v", cfg.Data, err)
	}
	written := s.draft.Written()
	for _, key := range want {
		if !slices.Contains(written, key) || len(notes) != 1 || !strings.Contains(notes[0], key) {
			t.Errorf("%s is not in %q, or not in the notes %q", key, written, notes)
		}
	}
	if s.features != 3 || s.classes != 2 {
		t.Errorf("%d features, %d classes", s.features, s.classes)
	}
	_, err = newSearch(t.Context(), tableDraft(t, path, "data.missing=median"), o)
	if err == nil || !strings.Contains(err.Error(), "is not a number") {
		t.Errorf("with a key of its own: %v", err)
	}
}

// TestSurveyedTable searches networks for tables of numbers. A table with an identifier, persons and a test file is
// examined as by Init, unless a configuration of the user names it. Keys that the user gives are kept. A plain table is
// read without further keys.
func TestSurveyedTable(t *testing.T) {
	lines := func(header string, rows int, row func(i int) []any) []byte {
		b := []byte(header + "\n")
		for i := range rows {
			b = append(b, strings.Trim(strings.ReplaceAll(fmt.Sprint(row(i)), " ", ","), "[]")+"\n"...)
		}
		return b
	}
	walk := func(i int) []any { return []any{i * 7 % 61, i / 2 % 6, i * i % 11, i % 2} }
	plain := func(i int) []any { return []any{7, i * i % 11, i % 2} }
	dir := t.TempDir()
	for name, content := range map[string][]byte{
		"walk-train.csv": lines("id,person,size,state", 60, walk), "walk-test.csv": lines("id,person,size,state", 3, walk),
		"run-train.csv": lines("id,person,size,state", 60, walk), "run-test.csv": []byte("id,person,size,state\n1,2,3,9\n"),
		"plain.csv":     lines("constant,size,state", 60, plain),
		"fit-train.csv": lines("constant,size,state", 60, plain), "fit-test.csv": lines("constant,size,state", 3, plain),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	grouped := []string{"data.header=yes", "data.group=person", "data.drop=id"}
	test := func(name string) string { return "data.test=" + filepath.Join(dir, name) }
	for name, c := range map[string]struct {
		file, sets    string
		draft         bool // the draft is a configuration of the user
		want          []string
		noted, warned string
		features      int
	}{
		"identifiers, test file": {
			file: "walk-train.csv", want: append(grouped, test("walk-test.csv")),
			noted: "the test samples are in", warned: "data.test: 2 of 2 groups", features: 1,
		},
		"a share of the rows": {
			file: "walk-train.csv", sets: "data.test_share=0.3", want: append(grouped, "data.test_share=0.3"), features: 1,
		},
		"a configuration": {file: "walk-train.csv", draft: true, features: 3},
		"chosen columns":  {file: "walk-train.csv", sets: "data.drop=size", want: []string{"data.drop=size"}, features: 2},
		"test file with another class": {
			file: "run-train.csv", want: grouped, noted: "run-test.csv does not have the test samples: ", features: 1,
		},
		"plain": {file: "plain.csv", features: 2},
		"plain with a test file": {
			file: "fit-train.csv", want: []string{"data.header=yes", "data.drop=constant", test("fit-test.csv")},
			noted: "the test samples are in", features: 1,
		},
	} {
		train := filepath.Join(dir, c.file)
		keys := strings.Fields("data.set=csv data.label=state name=points data.train=" + train + " " + c.sets)
		var notes, warnings []string
		s, err := newSearch(t.Context(), draftOf(t, keys...), Options{
			Target: "xilinx7", Dir: t.TempDir(), Survey: !c.draft,
			Note: func(s string) { notes = append(notes, s) },
			Warn: func(err error) { warnings = append(warnings, err.Error()) },
		})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		got := slices.DeleteFunc(s.draft.Written(), func(k string) bool { return slices.Contains(keys[:4], k) })
		slices.Sort(got)
		slices.Sort(c.want)
		if !slices.Equal(got, c.want) || s.features != c.features {
			t.Errorf("%s: keys %q, want %q; %d features, want %d", name, got, c.want, s.features, c.features)
		}
		noted, warned := strings.Join(notes, "\n"), strings.Join(warnings, "\n")
		if !strings.Contains(noted, c.noted) || strings.Contains(noted, "test samples") != (c.noted != "") ||
			!strings.HasPrefix(warned, c.warned) || (warned == "") != (c.warned == "") {
			t.Errorf("%s: notes %q, warnings %q", name, notes, warnings)
		}
	}
}

// TestAskedTable checks that the label column is found by its name if the draft only says how numbers are written.
func TestAskedTable(t *testing.T) {
	var b strings.Builder
	b.WriteString("class;colour;income\n")
	for i := range 40 {
		fmt.Fprintf(&b, "%s;%s;%d,%03d\n", []string{"up", "down"}[i/2%2], []string{"red", "blue"}[i%2], i%7+1, i*23)
	}
	path := filepath.Join(t.TempDir(), "income.csv")
	if err := os.WriteFile(path, []byte(b.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	o := Options{Target: "xilinx7", Dir: t.TempDir()}
	keys := []string{"data.set=csv", "data.train=" + path, "name=income", "data.thousands=comma"}
	s, err := newSearch(t.Context(), draftOf(t, keys...), o)
	if err != nil {
		t.Fatal(err)
	}
	written := s.draft.Written()
	for _, key := range []string{"data.label=class", "data.categories=colour", "data.thousands=comma"} {
		if !slices.Contains(written, key) {
			t.Errorf("%s is not in %q", key, written)
		}
	}
	_, err = newSearch(t.Context(), draftOf(t, keys[:3]...), o)
	if err == nil || !strings.Contains(err.Error(), "column 3") {
		t.Errorf("the error does not mention how numbers are written: %v", err)
	}
}

// TestLongConfig checks that there is a warning for a configuration that is too long to be read again.
func TestLongConfig(t *testing.T) {
	for _, long := range []bool{false, true} {
		warnings := 0
		s := &search{Options: Options{Dir: t.TempDir(), Warn: func(error) { warnings++ }}}
		cfg := config.Default()
		cfg.Data.Set, cfg.Data.Categories = "csv", "colour"
		if long {
			cfg.Data.Categories = strings.Repeat("c", config.MaxSource)
		}
		if err := s.writeConfig("best", &cfg); err != nil {
			t.Fatal(err)
		}
		_, err := config.LoadDraft(s.path("best"+configEnding), nil)
		if long != (err != nil) || long != (warnings == 1) {
			t.Errorf("long %v: %d warnings, read again: %v", long, warnings, err)
		}
	}
}
