package experiment

import (
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"ialgn/internal/config"
	"ialgn/internal/diagnose"
	"ialgn/internal/experiment/grid"
	"ialgn/internal/plot"
)

// drawn returns a table with rows for two data sets and two networks. One row has no value of the paper, one has no
// deviation, and one has no result.
func drawn() *Table {
	row := func(data, network string, depth int, test, paper float64) Row {
		r := Row{Data: data, Network: network, Width: 20, Depth: depth, Gates: 20 * depth}
		r.config.Model = config.Model{Width: 20, Depth: depth}
		r.paper = r.config
		if test > 0 {
			s := spread(test, 0.01)
			r.Test = &s
		}
		if paper > 0 {
			r.Paper = published(paper, 0.02)
		}
		return r
	}
	t := &Table{Experiment: "t", Scale: Paper, Rows: []Row{
		row("mnist", "RWLGN", 4, 0.5, 0.75), row("mnist", "IALGN", 4, 0.6, 0.8), row("cifar10", "RWLGN", 4, 0, 0.25),
		row("mnist", "RWLGN", 9, 0.7, 0), row("mnist", "IALGN", 9, 0.9, 0), row("cifar10", "IALGN", 4, 0.3, 0),
	}}
	alone := mean(0.3)
	t.Rows[5].Test = &alone
	return t
}

// TestPictures checks the series of each chart, in particular which points are joined by a line.
func TestPictures(t *testing.T) {
	table := drawn()
	table.picture = byDepth
	nan := math.NaN()
	bars := func(name string, group int, kind plot.Kind, x, y []float64, half float64) plot.Series {
		s := plot.Series{Name: name, Group: group, Kind: kind, X: x, Y: y, ErrorBars: true}
		for _, v := range y {
			s.Low, s.High = append(s.Low, v-half), append(s.High, v+half)
		}
		return s
	}
	want := map[string][]plot.Series{
		"-mnist-20": {
			bars("RWLGN", 1, plot.Line, []float64{4, 9}, []float64{50, 70}, 1),
			bars("RWLGN, paper", 1, plot.Scatter, []float64{4}, []float64{75}, 2),
			bars("IALGN", 2, plot.Line, []float64{4, 9}, []float64{60, 90}, 1),
			bars("IALGN, paper", 2, plot.Scatter, []float64{4}, []float64{80}, 2),
		},
		"-cifar10-20": {bars("IALGN", 2, plot.Line, []float64{4}, []float64{30}, nan)},
	}
	got := map[string][]plot.Series{}
	for _, d := range table.draw() {
		got[d.ending] = d.Series
		if _, err := d.SVG(); err != nil {
			t.Error(err)
		}
	}
	if diff := cmp.Diff(want, got, cmpopts.EquateNaNs(), cmpopts.EquateApprox(0, 1e-9)); diff != "" {
		t.Errorf("series (-want +got):\n%s", diff)
	}
	table.picture = byNetwork
	first := table.draw()[0]
	if diff := cmp.Diff([]string{"RWLGN", "IALGN"}, first.X.Names); diff != "" ||
		!slices.Equal(first.Series[0].X, []float64{0, 1}) || first.Series[0].Name != "depth 4" ||
		first.Series[0].Kind != plot.Scatter {
		t.Errorf("by network: %+v, names (-want +got):\n%s", first.Series, diff)
	}
	table.Rows = table.Rows[2:3]
	if all := table.draw(); len(all) != 0 {
		t.Errorf("a row without a result gives %+v", all)
	}
}

// TestPaperPlaces checks the positions of the paper's values. They must be at the number of gates and the width of
// the paper's networks. The networks trained here may be smaller, because of the scale quick or a key.
func TestPaperPlaces(t *testing.T) {
	r := Runner{Experiment: gateCount, Scale: Quick, Seeds: 2, Options: grid.Options{Dir: t.TempDir()}}
	r.Experiment.Set = []string{"model.width=500"}
	p, err := r.planned(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for i := range p.table.Rows {
		test := spread(0.4, 0.01)
		p.table.Rows[i].Test = &test
	}
	got := map[string][]float64{}
	for _, s := range p.table.draw()[0].Series {
		got[s.Name] = s.X
	}
	want := map[string][]float64{}
	for _, network := range []string{"RWLGN", "LDLGN", "IALGN"} {
		want[network+", width 500"] = []float64{2_000, 10_000, 25_000}
		want[network+", width 500, paper at width 12000"] = []float64{48_000, 600_000} // no network of 20 layers
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("places (-want +got):\n%s", diff)
	}
}

// TestOperations checks that there is one chart for each size, which shows the mean over seeds for each trained
// network.
func TestOperations(t *testing.T) {
	table := drawn()
	of := func(op int, share float64) *grid.Result {
		r := &grid.Result{}
		r.Operations[op] = share
		return r
	}
	table.Rows[0].results = []*grid.Result{of(3, 0.5), of(3, 0.25)}
	table.Rows[1].results = []*grid.Result{of(15, 1)}
	table.Rows[5].results = []*grid.Result{of(1, 0.75)}
	if all := table.drawOperations(); all != nil {
		t.Errorf("%d charts that nobody asked for", len(all))
	}
	table.counted = true
	want := map[string][]plot.Bars{
		"-operations-mnist-20x4":   {{Name: "RWLGN", Values: at(3, 37.5)}, {Name: "IALGN", Values: at(15, 100)}},
		"-operations-cifar10-20x4": {{Name: "IALGN", Values: at(1, 75)}},
	}
	got := map[string][]plot.Bars{}
	for _, d := range table.draw() {
		got[d.ending] = d.Bars
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("bars (-want +got):\n%s", diff)
	}
}

// at returns the percentages of all operations. The argument percent is the percentage of op, and all other
// operations have 0.
func at(op int, percent float64) []float64 {
	all := make([]float64, 16)
	all[op] = percent
	return all
}

// TestPlots draws every experiment for rows with results, and checks the names of the files.
func TestPlots(t *testing.T) {
	for _, e := range All() {
		r := Runner{Experiment: e, Scale: Quick, Seeds: 2, Options: grid.Options{Dir: t.TempDir()}}
		p, err := r.planned(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for i := range p.table.Rows {
			test := spread(0.4+float64(i)/100, 0.01)
			result := &grid.Result{Epochs: []grid.EpochResult{{Test: 0.25}, {Test: 0.5}}}
			result.EffectiveDepth = []diagnose.LayerDepth{{Mean: 1, P10: 0.5, P90: 2, Max: 3}, {Mean: 2, P10: 1, P90: 2.5, Max: 4}}
			result.Costs = &grid.Costs{Gates: 100 * (i + 1), Head: 50, Encoder: 10 * i}
			p.table.Rows[i].Test, p.table.Rows[i].results = &test, []*grid.Result{result, result}
		}
		tables := len(p.table.Files)
		if err := p.table.plots(); err != nil {
			t.Errorf("%s: %v", e.Name, err)
		}
		plots := p.table.Files[tables:]
		if len(plots) < 2 || len(plots)%2 != 0 {
			t.Errorf("%s: files %v", e.Name, plots)
		}
		for _, path := range plots {
			if text := read(t, path); !strings.HasPrefix(filepath.Base(path), e.Name+"-quick") || len(text) < 1000 {
				t.Errorf("%s: %d bytes", path, len(text))
			}
		}
	}
}
