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
