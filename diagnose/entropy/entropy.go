// Package entropy measures the mean binary entropy of each layer's bits over a test set, of networks and their seeds.
package entropy

import (
	"context"

	"ialgn/diagnose/activation"
	"ialgn/diagnose/subject"
	"ialgn/internal/plot"
	"ialgn/trainer"
)

// Report is what is said of the models of one network.
type Report struct {
	Network string    `json:"network"`
	Width   int       `json:"width"`
	Depth   int       `json:"depth"`
	Samples int       `json:"samples"`
	Layers  []int     `json:"layers"`
	Mean    []float64 `json:"mean"`
	Models  []Model   `json:"models"`
	Plots   []string  `json:"plots,omitempty"`
}

// Model is the entropy of one model, by layer.
type Model struct {
	Model string    `json:"model"`
	Mean  []float64 `json:"mean"`
}

// Measure measures the models of a network, one at a time.
func Measure(ctx context.Context, open subject.Opener, g *subject.Group) (*Report, error) {
	r := &Report{Network: g.Name, Width: g.Config.Model.Width, Depth: g.Config.Model.FrozenLayers()}
	var all [][]float64
	for _, path := range g.Paths {
		s, err := open.Open(ctx, path)
		if err != nil {
			return nil, err
		}
		means, err := Of(ctx, s, open.Threads)
		if err != nil {
			return nil, err
		}
		r.Samples, all = s.Data.Test.Len(), append(all, means)
		r.Models = append(r.Models, Model{path, means})
	}
	for l := range all[0] {
		r.Layers, r.Mean = append(r.Layers, l), append(r.Mean, trainer.SpreadOf(subject.Column(all, l)).Mean)
	}
	return r, nil
}

// Of returns the mean entropy of each layer over the test set, from layer 0, the input.
func Of(ctx context.Context, s *subject.Subject, threads int) ([]float64, error) {
	counts, err := activation.Frequencies(ctx, s.Frozen, s.Data.Test, threads)
	if err != nil {
		return nil, err
	}
	var means []float64
	for _, ones := range counts {
		means = append(means, activation.Entropy(ones, s.Data.Test.Len()))
	}
	return means, nil
}

// ChartName is the name of the chart.
const ChartName = "entropy"

// Chart shows the entropy of networks by layer.
func Chart(networks []*Report) *plot.Chart {
	c := &plot.Chart{
		Title: "Activation entropy by layer",
		X:     plot.Axis{Label: "layer"},
		Y:     plot.Axis{Label: "mean binary entropy", Unit: "bit", Include: []float64{0}},
	}
	for _, n := range networks {
		c.Series = append(c.Series, plot.Series{Name: n.Network, X: subject.Places(n.Layers), Y: n.Mean})
	}
	return c
}
