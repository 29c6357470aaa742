package diagnose

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"ialgn/internal/plot"
)

// two are the statistics of two networks.
var two = []Statistics{
	{
		Name: "RWLGN", Operations: [16]float64{1: 0.25, 3: 0.5, 15: 0.25},
		Categories: Categories{Constants: 0.25, PassThrough: 0.5, Negation: 0.05, Binary: 0.2},
		Depth:      []LayerDepth{{1, 0, 2, 3}, {4, 3, 5, 6}},
	},
	{Name: "IALGN", Depth: []LayerDepth{{1.5, 0.5, 2.5, 3.5}}},
}

func TestDepthChart(t *testing.T) {
	c := DepthChart(two)
	want := []plot.Series{
		{
			Name: "RWLGN mean, 10th to 90th percentile", X: []float64{1, 2}, Y: []float64{1, 4}, Low: []float64{0, 3},
			High: []float64{2, 5}, Group: 1,
		},
		{Name: "RWLGN maximum", X: []float64{1, 2}, Y: []float64{3, 6}, Group: 1},
		{
			Name: "IALGN mean, 10th to 90th percentile", X: []float64{1}, Y: []float64{1.5}, Low: []float64{0.5},
			High: []float64{2.5}, Group: 2,
		},
		{Name: "IALGN maximum", X: []float64{1}, Y: []float64{3.5}, Group: 2},
	}
	if diff := cmp.Diff(want, c.Series); diff != "" {
		t.Errorf("series (-want +got):\n%s", diff)
	}
	if _, err := c.SVG(); err != nil {
		t.Error(err)
	}
}

func TestShareCharts(t *testing.T) {
	for _, c := range []struct {
		chart *plot.Chart
		want  []float64
	}{
		{OperationsChart(two), []float64{0, 25, 0, 50, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 25}},
		{CategoriesChart(two), []float64{50, 20, 5, 25}},
	} {
		if _, err := c.chart.SVG(); err != nil {
			t.Error(err)
		}
		if diff := cmp.Diff(c.want, c.chart.Bars[0].Values); diff != "" || c.chart.Bars[1].Name != "IALGN" {
			t.Errorf("%s (-want +got):\n%s", c.chart.Title, diff)
		}
	}
}
