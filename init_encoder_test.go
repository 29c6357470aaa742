package ialgn_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ialgn"
)

// TestInitEncoder checks that tables with various kinds of numbers get suitable thresholds, words and validation
// sets, and that extreme values are reported.
func TestInitEncoder(t *testing.T) {
	for name, c := range map[string]struct {
		rows    int
		value   func(i int) string
		want    []string // lines of the configuration
		lacks   []string
		extreme int
	}{
		"fractions": {
			200, func(i int) string { return fmt.Sprint(float64(i%50) / 4) },
			[]string{"thresholds: quantile"},
			[]string{"raw:", "validation:", "Extreme"},
			0,
		},
		"many rows": {
			1300, func(i int) string { return fmt.Sprint(float64(i%50) / 4) },
			[]string{"thresholds: quantile", "validation: {share: 0.1}"},
			[]string{"raw:"},
			0,
		},
		"whole numbers": {
			200, func(i int) string { return fmt.Sprint(i % 50) },
			[]string{"thresholds: quantile", "raw: true"},
			[]string{"Extreme"},
			0,
		},
		"negative ones":     {200, func(i int) string { return fmt.Sprint(i%50 - 25) }, []string{"raw: true"}, nil, 0},
		"large ones":        {200, func(i int) string { return fmt.Sprint(i % 50 * 10000) }, nil, []string{"raw:"}, 0},
		"zeros and ones":    {200, func(i int) string { return fmt.Sprint(i % 7 / 6) }, []string{"raw: true"}, nil, 0},
		"an extreme value":  {200, extremeAt("9999"), []string{"# Extreme: x: 9999 in line 79 is far from"}, nil, 1},
		"a negative one":    {200, extremeAt("-9999"), []string{"# Extreme: x: -9999 in line 79 is far from"}, nil, 1},
		"one that is large": {200, extremeAt("1e300"), []string{"# Extreme: x: 1e+300 in line 79", "raw: true"}, nil, 1},
		"a near one":        {200, extremeAt("70"), nil, []string{"Extreme"}, 0},
		"a rare one": {
			200, func(i int) string { return fmt.Sprint(i / 199) }, []string{"raw: true"}, []string{"Extreme"}, 0,
		},
	} {
		t.Run(name, func(t *testing.T) {
			table := "x,y,class\n"
			for i := range c.rows {
				table += fmt.Sprintf("%s,%d,%s\n", c.value(i), i%11, []string{"p", "q"}[i/3%2])
			}
			dir := t.TempDir()
			file := filepath.Join(dir, "t.csv")
			if err := os.WriteFile(file, []byte(table), 0o666); err != nil {
				t.Fatal(err)
			}
			r, err := ialgn.Init(t.Context(), ialgn.InitOptions{Data: file, Path: filepath.Join(dir, "t.yaml")})
			if err != nil {
				t.Fatal(err)
			}
			text, err := os.ReadFile(r.Config)
			if err != nil {
				t.Fatal(err)
			}
			for _, want := range c.want {
				if !strings.Contains(string(text), want) {
					t.Errorf("no %q in\n%s", want, text)
				}
			}
			for _, lack := range c.lacks {
				if strings.Contains(string(text), lack) {
					t.Errorf("%q in\n%s", lack, text)
				}
			}
			if len(r.Extremes) != c.extreme {
				t.Errorf("extreme values %+v, want of %d features", r.Extremes, c.extreme)
			}
		})
	}
}

// extremeAt returns a function that gives the number for each line of a table. It is a number from 0 to 49, except in
// line 79, where it is the given value.
func extremeAt(value string) func(i int) string {
	return func(i int) string {
		if i == 77 {
			return value
		}
		return fmt.Sprint(i % 50)
	}
}
