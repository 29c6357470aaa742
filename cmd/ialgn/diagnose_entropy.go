package main

import (
	"fmt"
	"io"

	"github.com/urfave/cli/v2"

	"ialgn/diagnose/activation"
	"ialgn/internal/plot"
	"ialgn/internal/plural"
	"ialgn/trainer"
)

// diagnoseEntropy measures the entropy of all layers over the test set.
func diagnoseEntropy(c *cli.Context, args []string) error {
	networks, err := placeSubjects(c, args)
	if err != nil {
		return err
	}
	var r compared[*entropyReport]
	for _, n := range networks {
		e, err := measureEntropy(c, n)
		if err != nil {
			return err
		}
		r.Networks = append(r.Networks, e)
	}
	if r.Plots, err = savePlots(c, []namedChart{{entropyPlots[0], entropyChart(r.Networks)}}); err != nil {
		return err
	}
	if len(r.Networks) > 1 {
		return show(c, r)
	}
	r.Networks[0].Plots = r.Plots
	return show(c, r.Networks[0])
}

// measureEntropy measures the models of a network, one at a time.
func measureEntropy(c *cli.Context, n *network) (*entropyReport, error) {
	r := &entropyReport{Network: n.Network, Width: n.config.Model.Width, Depth: n.config.Model.Depth}
	var all [][]float64
	for _, path := range n.paths {
		s, err := loadSubject(c, path)
		if err != nil {
			return nil, err
		}
		means, err := s.entropies(c)
		if err != nil {
			return nil, err
		}
		r.Samples, all = s.data.Test.Len(), append(all, means)
		r.Models = append(r.Models, modelEntropy{path, means})
	}
	for l := range all[0] {
		r.Layers, r.Mean = append(r.Layers, l), append(r.Mean, trainer.SpreadOf(column(all, l)).Mean)
	}
	return r, nil
}

// entropies returns the mean entropy of each layer over the test set, from layer 0.
func (s *subject) entropies(c *cli.Context) ([]float64, error) {
	counts, err := activation.Frequencies(c.Context, s.Frozen, s.data.Test, threads(c))
	if err != nil {
		return nil, err
	}
	var means []float64
	for _, ones := range counts {
		means = append(means, activation.Entropy(ones, s.data.Test.Len()))
	}
	return means, nil
}

// entropyReport is what is said of the models of one network.
type entropyReport struct {
	Network string         `json:"network"`
	Width   int            `json:"width"`
	Depth   int            `json:"depth"`
	Samples int            `json:"samples"`
	Layers  []int          `json:"layers"`
	Mean    []float64      `json:"mean"`
	Models  []modelEntropy `json:"models"`
	Plots   []string       `json:"plots,omitempty"`
}

type modelEntropy struct {
	Model string    `json:"model"`
	Mean  []float64 `json:"mean"`
}

func (r *entropyReport) text(w io.Writer) {
	fmt.Fprintf(w, "%s, %d x %d: mean entropy of a bit over %s, mean over %s\n\n  layer entropy\n", r.Network, r.Width, r.Depth,
		plural.Of(r.Samples, "test sample", "test samples"), plural.Of(len(r.Models), "model", "models"))
	for i, l := range r.Layers {
		fmt.Fprintf(w, "  %5d %7.4f\n", l, r.Mean[i])
	}
}

// entropyPlots is the name of the chart.
var entropyPlots = []string{"entropy"}

func entropyChart(networks []*entropyReport) *plot.Chart {
	c := &plot.Chart{
		Title: "Activation entropy by layer",
		X:     plot.Axis{Label: "layer"},
		Y:     plot.Axis{Label: "mean binary entropy", Unit: "bit", Include: []float64{0}},
	}
	for _, n := range networks {
		c.Series = append(c.Series, plot.Series{Name: n.Network, X: places(n.Layers), Y: n.Mean})
	}
	return c
}

// places returns the layers' places on an axis.
func places(layers []int) []float64 {
	var x []float64
	for _, l := range layers {
		x = append(x, float64(l))
	}
	return x
}
