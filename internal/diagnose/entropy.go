// This file measures the mean binary entropy of the bits of each layer over a test set, for networks and their seeds.

package diagnose

import (
	"context"

	"ialgn/internal/plot"
	"ialgn/trainer"
)

// EntropyReport is the report on the models of one network.
type EntropyReport struct {
	Network string         `json:"network"`
	Width   int            `json:"width"`
	Depth   int            `json:"depth"`
	Samples int            `json:"samples"`
	Layers  []int          `json:"layers"`
	Mean    []float64      `json:"mean"`
	Models  []EntropyModel `json:"models"`
	Plots   []string       `json:"plots,omitempty"`
}

// EntropyModel is the entropy of each layer of one model.
type EntropyModel struct {
	Model string    `json:"model"`
	Mean  []float64 `json:"mean"`
}

// MeasureEntropy measures the entropy of the models of a network, one model at a time.
func MeasureEntropy(ctx context.Context, open Opener, g *Group) (*EntropyReport, error) {
	r := &EntropyReport{Network: g.Name, Width: g.Config.Model.Width, Depth: g.Config.Model.FrozenLayers()}
	var all [][]float64
	for _, path := range g.Paths {
		s, err := open.Open(ctx, path)
		if err != nil {
			return nil, err
		}
		means, err := EntropyOf(ctx, s, open.Threads)
		if err != nil {
			return nil, err
		}
		r.Samples, all = s.Data.Test.Len(), append(all, means)
		r.Models = append(r.Models, EntropyModel{path, means})
	}
	for l := range all[0] {
		r.Layers, r.Mean = append(r.Layers, l), append(r.Mean, trainer.SpreadOf(Column(all, l)).Mean)
	}
	return r, nil
}

// EntropyOf returns the mean entropy of each layer over the test set. Layer 0 is the input.
func EntropyOf(ctx context.Context, s *Subject, threads int) ([]float64, error) {
	counts, err := Frequencies(ctx, s.Frozen, s.Data.Test, threads)
	if err != nil {
		return nil, err
	}
	var means []float64
	for _, ones := range counts {
		means = append(means, BitEntropy(ones, s.Data.Test.Len()))
	}
	return means, nil
}

// EntropyChartName is the name of the chart.
const EntropyChartName = "entropy"

// EntropyChart shows the entropy of each layer for several networks.
func EntropyChart(networks []*EntropyReport) *plot.Chart {
	c := &plot.Chart{
		Title: "Activation entropy by layer",
		X:     plot.Axis{Label: "layer"},
		Y:     plot.Axis{Label: "mean binary entropy", Unit: "bit", Include: []float64{0}},
	}
	for _, n := range networks {
		c.Series = append(c.Series, plot.Series{Name: n.Network, X: Places(n.Layers), Y: n.Mean})
	}
	return c
}
