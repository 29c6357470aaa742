// This file trains linear classifiers on the layers of networks and measures the entropy of the same layers, for
// figure 4 of the IALGN paper.

package diagnose

import (
	"context"

	"ialgn/internal/plot"
	"ialgn/trainer"
)

// ProbeStudy says how the models of networks are probed.
type ProbeStudy struct {
	Open     Opener
	Protocol Protocol
	Known    *Known

	// Begin is called for each model that is probed, and returns two functions. The function progress is called with
	// the number of completed epochs and the total number of epochs. The function end is called when the model is
	// done.
	Begin func(path string) (progress func(done, of int), end func(error))
}

// Network probes the layers of the models of a network, one model at a time.
func (s ProbeStudy) Network(ctx context.Context, g *Group, layers []int) (*ProbeReport, error) {
	m := g.Config.Model
	r := &ProbeReport{
		Network: g.Name, Width: m.Width, Depth: m.FrozenLayers(), Starts: s.Protocol.Starts, Epochs: s.Protocol.Epochs,
		Layers: layers,
	}
	for _, path := range g.Paths {
		one, err := s.model(ctx, path, layers)
		if err != nil {
			return nil, err
		}
		r.Models = append(r.Models, *one)
	}
	r.average()
	return r, nil
}

// model probes a model.
func (s ProbeStudy) model(ctx context.Context, path string, layers []int) (*ProbeModel, error) {
	of, err := s.Open.Open(ctx, path)
	if err != nil {
		return nil, err
	}
	progress, end := s.Begin(path)
	net := ProbeNetwork{Frozen: of.Frozen, Train: of.Data.Train, Test: of.Data.Test, Known: s.Known}
	m := &ProbeModel{Model: path}
	m.Starts, err = net.Run(ctx, layers, s.Protocol, s.Open.Threads, progress)
	end(err)
	if err != nil {
		return nil, err
	}
	all, err := EntropyOf(ctx, of, s.Open.Threads)
	if err != nil {
		return nil, err
	}
	for i, l := range layers {
		m.Accuracy = append(m.Accuracy, trainer.SpreadOf(m.Starts[i]).Mean)
		m.Entropy = append(m.Entropy, all[l])
	}
	return m, nil
}

// ProbeReport is the report on the models of one network. Each value is averaged first over the starts of a model and
// then over the models. Std is the standard deviation over the models. If there is only one model, it is the standard
// deviation over the starts.
type ProbeReport struct {
	Network  string       `json:"network"`
	Width    int          `json:"width"`
	Depth    int          `json:"depth"`
	Starts   int          `json:"starts"`
	Epochs   int          `json:"epochs"`
	Layers   []int        `json:"layers"`
	Accuracy []float64    `json:"accuracy"`
	Std      []*float64   `json:"std"`
	Entropy  []float64    `json:"entropy"`
	Models   []ProbeModel `json:"models"`
	Plots    []string     `json:"plots,omitempty"`
}

// ProbeModel is the result of probing the layers of one model.
type ProbeModel struct {
	Model    string      `json:"model"`
	Accuracy []float64   `json:"accuracy"` // mean over the starts
	Entropy  []float64   `json:"entropy"`
	Starts   [][]float64 `json:"starts"` // indexed [layer][start]
}

func (r *ProbeReport) average() {
	var accuracies, entropies [][]float64
	for _, m := range r.Models {
		accuracies, entropies = append(accuracies, m.Accuracy), append(entropies, m.Entropy)
	}
	for i := range r.Layers {
		s := trainer.SpreadOf(Column(accuracies, i))
		if len(r.Models) == 1 {
			s.Std = trainer.SpreadOf(r.Models[0].Starts[i]).Std
		}
		r.Accuracy, r.Std = append(r.Accuracy, s.Mean), append(r.Std, s.Std)
		r.Entropy = append(r.Entropy, trainer.SpreadOf(Column(entropies, i)).Mean)
	}
}

// ProbeChartNames are the names of the charts.
var ProbeChartNames = []string{"probes-layer", "probes-entropy"}

// ProbeCharts returns two charts, like the paper's figure 4: accuracy by layer, and accuracy by entropy. They are in
// the order of [ProbeChartNames].
func ProbeCharts(networks []*ProbeReport) []*plot.Chart {
	byLayer := &plot.Chart{
		Title: "Linear probes by layer", X: plot.Axis{Label: "layer"},
		Y: plot.Axis{Label: "test accuracy", Unit: "%"},
	}
	byEntropy := &plot.Chart{
		Title: "Linear probes by activation entropy",
		X:     plot.Axis{Label: "mean binary entropy of the layer", Unit: "bit"},
		Y:     plot.Axis{Label: "test accuracy", Unit: "%"},
	}
	for _, n := range networks {
		var y, deviation []float64
		for i, a := range n.Accuracy {
			y, deviation = append(y, 100*a), append(deviation, 0)
			if n.Std[i] != nil {
				deviation[i] = 100 * *n.Std[i]
			}
		}
		low, high := plot.Spread(y, deviation)
		byLayer.Series = append(byLayer.Series, plot.Series{
			Name: n.Network, X: Places(n.Layers), Y: y, Low: low,
			High: high, ErrorBars: true,
		})
		byEntropy.Series = append(byEntropy.Series, plot.Series{Name: n.Network, Kind: plot.Scatter, X: n.Entropy, Y: y})
	}
	return []*plot.Chart{byLayer, byEntropy}
}
