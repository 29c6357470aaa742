package inputs

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// small returns a table with a column of each kind.
func small() *Table {
	return &Table{
		Module: "m", File: "m.json", Scope: "full", Classes: []string{"a", "b \"c\""}, Label: "kind", Bits: 8, Max: 255,
		Scaled: true, DecimalComma: true,
		Features: []Feature{
			{Name: "width", Offset: -1, Scale: 0.1, Missing: true, Fill: 7},
			{Name: "state=<x>", Scale: 255, Category: true},
			{Name: "state=y", Scale: 255, Category: true},
		},
		Columns: []Column{
			{Name: "id", Kind: Dropped},
			{Name: "width", Kind: Number, Missing: true, Fill: 69},
			{Name: "state", Kind: Category, Feature: 1, Values: []string{"<x>", "y"}},
			{Name: "kind", Kind: Label, Feature: 3},
		},
	}
}

func TestWriteJSON(t *testing.T) {
	var b strings.Builder
	if err := WriteJSON(&b, small(), &struct {
		Kind string `json:"kind"`
	}{"uart"}); err != nil {
		t.Fatal(err)
	}
	want := `{
  "format": 1,
  "module": "m",
  "scope": "full",
  "classes": ["a","b \"c\""],
  "label": "kind",
  "decimal": "comma",
  "words": {"bits":8,"max":255,"scaled":true,"rule":"` + rule + `"},
  "columns": [
    {"name":"id","kind":"dropped"},
    {"name":"width","kind":"number","feature":0,"missing":true,"fill":69},
    {"name":"state","kind":"category","feature":1,"values":["<x>","y"]},
    {"name":"kind","kind":"label"}
  ],
  "features": [
    {"name":"width","offset":-1,"scale":0.1},
    {"name":"state=<x>","offset":0,"scale":255},
    {"name":"state=y","offset":0,"scale":255}
  ],
  "interface": {"kind":"uart"}
}
`
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Errorf("file (-want +got):\n%s", diff)
	}
	if !json.Valid([]byte(b.String())) {
		t.Error("no JSON")
	}
}

func TestWriteJSONOfWords(t *testing.T) {
	table := &Table{
		Module: "m", Scope: "core", Classes: []string{"0"}, Bits: 2, Max: 3, Features: []Feature{{Name: "pixel 0"}},
		Columns: []Column{{Kind: Number}}, Thresholds: [][]uint16{{0, 1}},
	}
	var b strings.Builder
	if err := WriteJSON[int](&b, table, nil); err != nil {
		t.Fatal(err)
	}
	want := `{
  "format": 1,
  "module": "m",
  "scope": "core",
  "classes": ["0"],
  "words": {"bits":2,"max":3,"scaled":false},
  "columns": [
    {"kind":"number","feature":0}
  ],
  "features": [
    {"name":"pixel 0"}
  ],
  "thresholds": [
    [0,1]
  ]
}
`
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Errorf("file (-want +got):\n%s", diff)
	}
}

// TestLines checks that a comment lists a limited number of features. It also checks that there are no lines for
// words that are not scaled.
func TestLines(t *testing.T) {
	table := small()
	lines := strings.Join(table.Lines(), "\n")
	for _, want := range []string{
		"at most 255", "  0      -1                      0.1                     width", "255 where it is so, else 0",
		"state=<x>",
	} {
		if !strings.Contains(lines, want) {
			t.Errorf("the lines lack %q:\n%s", want, lines)
		}
	}
	for i := range 1000 {
		table.Features = append(table.Features, Feature{Name: fmt.Sprint("f", i)})
	}
	if n := len(table.Lines()); n > maxLines+5 {
		t.Errorf("%d lines", n)
	}
	if last := table.Lines()[len(table.Lines())-1]; last != "  ... and 955 more" {
		t.Errorf("the last line is %q", last)
	}
	table.Scaled = false
	if got := table.Lines(); got != nil || (*Table)(nil).Lines() != nil {
		t.Errorf("lines of words: %q", got)
	}
}

// byCuts returns the table of the function small with cuts instead of scales.
func byCuts() *Table {
	t := small()
	t.Bits, t.Max, t.ByCuts = 4, 10, true
	for i := range t.Features {
		t.Features[i].Offset, t.Features[i].Scale = 0, 0
		t.Features[i].Cuts = []float64{0, 0, 0.1, 0.1, 0.1, 0.1, 0.1, 0.125, 0.5, 0.75}
	}
	return t
}

func TestCutsJSON(t *testing.T) {
	var b strings.Builder
	if err := WriteJSON[int](&b, byCuts(), nil); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"{\n  \"format\": 2,\n", `"words": {"bits":4,"max":10,"scaled":true,"rule":"` + cutsRule + `"},`,
		`    {"name":"state=y","cuts":[0,0,0.1,0.1,0.1,0.1,0.1,0.125,0.5,0.75]}` + "\n",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("the file lacks %q:\n%s", want, b.String())
		}
	}
	if strings.Contains(b.String(), "offset\"") || strings.Contains(b.String(), "scale\"") || !json.Valid([]byte(b.String())) {
		t.Errorf("file %s", b.String())
	}
}

func TestCutLines(t *testing.T) {
	table := byCuts()
	lines := strings.Join(table.Lines(), "\n")
	for _, want := range []string{
		"how many of the feature's cuts x is greater than", "\n  0      width: 0 0 0.1 0.1 0.1 0.1 0.1 0.125 ... and 2 more\n",
	} {
		if !strings.Contains(lines, want) {
			t.Errorf("the lines lack %q:\n%s", want, lines)
		}
	}
	for i := range 1000 {
		table.Features = append(table.Features, Feature{Name: fmt.Sprint("f", i)})
	}
	if all := table.Lines(); len(all) > maxLines+5 || all[len(all)-1] != "  ... and 955 more" {
		t.Errorf("%d lines, the last is %q", len(all), all[len(all)-1])
	}
}

func TestReal(t *testing.T) {
	bits, words := small(), small()
	bits.Thresholds, words.Scaled = [][]uint16{{1}, {1}, {1}}, false
	if table := small(); table.Real() != table || bits.Real() != nil || words.Real() != nil || (*Table)(nil).Real() != nil {
		t.Error("what takes real values is not a table of scaled words")
	}
}

func TestC(t *testing.T) {
	for text, want := range map[string]string{
		"plain": `"plain"`, `a"b\c`: `"a\"b\\c"`, "??/": `"\077\077/"`, "gr\u00fcn\n9": `"gr\303\274n\0129"`,
	} {
		if got := CString(text); got != want {
			t.Errorf("CString(%q) = %s, want %s", text, got, want)
		}
	}
	for text, want := range map[string]string{"a */ b\\\u00fc": "a ?/ b??", "ends in ??/": "ends in ? ?/", "???)": "?? ?)"} {
		if got := CComment(text); got != want {
			t.Errorf("CComment(%q) = %q, want %q", text, got, want)
		}
	}
	for _, x := range []float64{0, 0.1, -1e300, math.SmallestNonzeroFloat64, math.MaxFloat64} {
		for _, text := range []string{CDouble(x), CDecimal(x), Decimal(x)} {
			if got, err := strconv.ParseFloat(text, 64); err != nil || got != x {
				t.Errorf("%s reads as %v, want %v", text, got, x)
			}
		}
	}
}
