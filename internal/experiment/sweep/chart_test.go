package sweep

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ialgn/trainer"
)

// TestCharts draws sweeps in which the axis shows the first numeric key, LUTs, or text. The other keys must become
// lines and charts.
func TestCharts(t *testing.T) {
	for _, test := range []struct {
		name   string
		axes   []string
		target string
		label  string
		log    bool
		lines  [][]string // names of the lines in each chart
		ending string     // ending of the last chart's file names
	}{
		{"one key", []string{"model.width=20,40"}, "", "model.width", false, [][]string{{"test accuracy"}}, ""},
		{"wide", []string{"model.width=10..1000*10"}, "", "model.width", true, [][]string{{"test accuracy"}}, ""},
		{
			"words first",
			[]string{"model.init=skip,random", "model.width=40,20"},
			"", "model.width", false,
			[][]string{{"init skip", "init random"}},
			"",
		},
		{
			"a key with one value",
			[]string{"model.depth=2", "model.width=40,20"},
			"", "model.width", false,
			[][]string{{"depth 2"}},
			"",
		},
		{
			"look-up tables",
			[]string{"model.width=20,40", "model.depth=1,2"},
			"ice40", "LUTs, ice40", true,
			[][]string{{"depth 1", "depth 2"}},
			"",
		},
		{
			"many lines",
			[]string{"model.width=20,40", "encoder.bits=2..4", "model.depth=1..3"},
			"", "model.width", false,
			[][]string{{"depth 1", "depth 2", "depth 3"}, {"depth 1", "depth 2", "depth 3"}, {"depth 1", "depth 2", "depth 3"}},
			"-b4",
		},
		{"words alone", []string{"model.init=skip,random"}, "", "model.init", false, [][]string{{"test accuracy"}}, ""},
		{"seeds alone", []string{"train.seed=1..3"}, "", "", false, [][]string{{"test accuracy"}}, ""},
	} {
		r, _ := newRunner(t, test.axes...)
		r.Target = test.target
		p, err := r.plan(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for i := range p.table.Rows {
			luts := &LUTs{Total: trainer.Spread{Mean: float64(100 * (i*i + 1))}}
			p.table.Rows[i].Test, p.table.Rows[i].LUTs = &trainer.Spread{Mean: 0.5 + float64(i)/100}, luts
		}
		all := p.table.charts()
		var lines [][]string
		for _, d := range all {
			var names []string
			for _, s := range d.Series {
				names = append(names, s.Name)
				if !slices.IsSorted(s.X) {
					t.Errorf("%s: places %v", test.name, s.X)
				}
			}
			lines = append(lines, names)
			if d.X.Label != test.label || d.X.Log != test.log {
				t.Errorf("%s: axis %+v", test.name, d.X)
			}
		}
		if diff := cmp.Diff(test.lines, lines); diff != "" || all[len(all)-1].ending != test.ending {
			t.Errorf("%s: ends in %q, lines (-want +got):\n%s", test.name, all[len(all)-1].ending, diff)
		}
	}
}

// TestManyRows draws sweeps with too many rows for a legend, for a folder, or for an axis of words.
func TestManyRows(t *testing.T) {
	words := make([]string, 120)
	for i := range words {
		words[i] = fmt.Sprintf("w%d", i)
	}
	for _, axes := range [][]string{
		{"model.width=20,40", "model.tau=1..60"},
		{"model.width=20", "model.depth=1..2", "model.tau=1..26", "encoder.bits=2..10"},
		{"data.dir=" + strings.Join(words, ",")},
	} {
		r, _ := newRunner(t, axes...)
		p, err := r.plan(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for i := range p.table.Rows {
			p.table.Rows[i].Test = &trainer.Spread{Mean: float64(i) / 1000}
		}
		if all := p.table.charts(); len(all) != 1 {
			t.Errorf("%.40s: %d charts", axes, len(all))
		}
		if d := p.table.charts()[0]; len(d.Series) != 1 || len(d.Series[0].X) != len(p.table.Rows) {
			t.Errorf("%.40s: %d series", axes, len(d.Series))
		}
	}
}
