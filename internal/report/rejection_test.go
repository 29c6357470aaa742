package report

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"ialgn/internal/plot"
)

// TestRejectionChart checks the points of the chart, in percent.
func TestRejectionChart(t *testing.T) {
	want := []plot.Series{
		{Name: "accuracy", X: []float64{100, 70}, Y: []float64{80, 100}},
		{Name: "balanced accuracy", X: []float64{100, 70}, Y: []float64{68.75, 100}},
	}
	if diff := cmp.Diff(want, RejectionChart(full().Test.Rejection).Series); diff != "" {
		t.Errorf("series (-want +got):\n%s", diff)
	}
}
