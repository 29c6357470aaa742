package main

import (
	"fmt"
	"math"

	"ialgn/diagnose/depthuse"
	"ialgn/internal/plot"
	"ialgn/trainer"
)

// creditPlots are the names of the charts.
var creditPlots = []string{"credit-path-sharing", "credit-coverage", "credit-purity"}

// charts draws the three panels of the paper's figure 2.
func (r *creditReport) charts() []namedChart {
	start := fmt.Sprintf("init %s", r.Init)
	if r.Init == "skip" {
		start = fmt.Sprintf("skip logit %v with noise %v", r.SkipLogit, r.InitNoise)
	}
	panels := []namedChart{
		{creditPlots[0], &plot.Chart{Title: "Path sharing", Y: plot.Axis{Label: "Outputs that a gate reaches", Log: true}}},
		{creditPlots[1], &plot.Chart{Title: "Gradient coverage", Y: plot.Axis{Label: "Eligible gates with active credit", Unit: "share", Include: []float64{0, 1}}}},
		{creditPlots[2], &plot.Chart{Title: "Gradient purity", Y: plot.Axis{Label: "Purity of the active gates", Include: []float64{0, 1}}}},
	}
	for i, p := range panels {
		p.chart.Title += fmt.Sprintf(", %s %d x %d, %s", r.DataSet, r.Width, r.Depth, start)
		p.chart.X = plot.Axis{Label: "Layer"}
		for _, t := range r.Topologies {
			s := plot.Series{Name: depthuse.TopologyNames[t.Topology], X: plot.Upto(len(t.Layers))}
			values := [][]*trainer.Spread{t.PathSharing, t.Coverage, t.Purity}[i]
			s.Y, s.Low, s.High = curveOf(values, i > 0)
			p.chart.Series = append(p.chart.Series, s)
		}
	}
	return panels
}

// curveOf returns the means, NaN where there is none, and with a band the ends of the
// deviations.
func curveOf(values []*trainer.Spread, band bool) (mean, low, high []float64) {
	var deviation []float64
	for _, v := range values {
		m, d := math.NaN(), math.NaN()
		if v != nil {
			if m, d = v.Mean, 0; v.Std != nil {
				d = *v.Std
			}
		}
		mean, deviation = append(mean, m), append(deviation, d)
	}
	if !band {
		return mean, nil, nil
	}
	low, high = plot.Spread(mean, deviation)
	return mean, low, high
}
