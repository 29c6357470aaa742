package config

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// docRow is a row of docs/reference/config.md that describes one key.
type docRow struct{ key, standard, values string }

// docRows returns the rows of the documentation's tables that describe a key.
func docRows(t *testing.T) []docRow {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("..", "..", "docs", "reference", "config.md"))
	if err != nil {
		t.Fatal(err)
	}
	var rows []docRow
	for line := range strings.Lines(string(b)) {
		cells := strings.Split(line, "|")
		if !strings.HasPrefix(line, "| `") {
			continue
		}
		if len(cells) != 6 {
			t.Fatalf("docs/reference/config.md: row of %d cells: %s", len(cells)-2, line)
		}
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		rows = append(rows, docRow{strings.Trim(cells[1], "`"), cells[3], cells[4]})
	}
	return rows
}

func TestDocKeys(t *testing.T) {
	var documented []string
	for _, row := range docRows(t) {
		documented = append(documented, row.key)
	}
	if diff := cmp.Diff(Keys(), documented); diff != "" {
		t.Errorf("keys of docs/reference/config.md, in the order of the struct (-want +got):\n%s", diff)
	}
}

// TestDocDefaults compares each default that the documentation gives as code with the actual default for a CSV set.
func TestDocDefaults(t *testing.T) {
	standard, c := Default(), Default()
	c.Data.Set = setCSV
	c = c.Complete()
	for _, row := range docRows(t) {
		if !strings.HasPrefix(row.standard, "`") {
			if v := standard.value(row.key); !v.IsZero() {
				t.Errorf("%s: the default is %v, not %q", row.key, v, row.standard)
			}
			continue
		}
		if got := strings.Trim(row.standard, "`"); got != fmt.Sprint(c.value(row.key)) {
			t.Errorf("%s: the default is %v, not %s", row.key, c.value(row.key), got)
		}
	}
}

func TestDocRanges(t *testing.T) {
	rows := map[string]string{}
	for _, row := range docRows(t) {
		rows[row.key] = row.values
	}
	for _, l := range allLimits() {
		if got, _, _ := strings.Cut(rows[l.key], ","); got != l.String() {
			t.Errorf("%s: the range is %s, not %s", l.key, l, got)
		}
	}
	for _, ch := range append(choices[:len(choices):len(choices)], headers) {
		var want []string
		for _, v := range ch.values {
			want = append(want, "`"+v+"`")
		}
		if got := strings.Join(want, ", "); got != rows[ch.key] {
			t.Errorf("%s: the values are %s, not %s", ch.key, got, rows[ch.key])
		}
	}
}

// allLimits returns the ranges of all keys. It includes keys that apply only to some configurations.
func allLimits() []limit {
	all := append(slices.Clone(limits), bitsInLimit, testShareLimit, foldsLimit, foldLimit)
	for i := range kindKeys {
		all = append(all, kindKeys[i].limit)
	}
	return all
}

// TestTables checks that every key in the tables exists, and that every numeric key except the seeds has a range.
func TestTables(t *testing.T) {
	ranged := map[string]bool{"data.split_seed": true, "train.seed": true}
	for _, l := range allLimits() {
		ranged[l.key] = true
	}
	c := Default()
	for _, f := range fields(&c) {
		numeric := f.value.CanInt() || f.value.CanUint() || f.value.CanFloat()
		if numeric != ranged[f.key] {
			t.Errorf("%s: numeric %v, range %v", f.key, numeric, ranged[f.key])
		}
		delete(ranged, f.key)
	}
	if len(ranged) > 0 {
		t.Errorf("ranges of keys that do not exist: %v", ranged)
	}
	for _, ch := range append(choices[:len(choices):len(choices)], headers) {
		c.value(ch.key)
	}
}
