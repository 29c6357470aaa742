package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"ialgn/diagnose/probe"
	"ialgn/internal/filelock"
	"ialgn/internal/hint"
	"ialgn/internal/plot"
	"ialgn/internal/plural"
	"ialgn/trainer"
)

// probesOptions are the options of --what probes alone.
var probesOptions = []cli.Flag{
	&cli.StringFlag{Name: "layers", Usage: "probe the layers `LIST`, 0 for the input (default: the paper's, and the last)"},
	&cli.IntFlag{Name: "starts", Value: probe.Paper.Starts, Usage: "train `N` probes a layer"},
	&cli.StringFlag{Name: "keep", Usage: "keep each layer's result in `FILE`, and take what is there from it"},
}

// diagnoseProbes trains linear classifiers on layers, and measures their entropy beside.
func diagnoseProbes(c *cli.Context, args []string) error {
	networks, err := placeSubjects(c, args)
	if err != nil {
		return err
	}
	p, err := probesProtocol(c)
	if err != nil {
		return err
	}
	layers := make([][]int, len(networks))
	for i, n := range networks { // all, before hours are spent on the first
		if layers[i], err = probeLayers(c, n.config.Model.Depth); err != nil {
			return err
		}
	}
	known, err := knownProbes(c)
	if err != nil {
		return err
	}
	defer known.Close()
	var r compared[*probesReport]
	for i, n := range networks {
		one, err := probeNetwork(c, n, layers[i], p, known)
		if err != nil {
			return err
		}
		r.Networks = append(r.Networks, one)
	}
	if r.Plots, err = savePlots(c, probesCharts(r.Networks)); err != nil {
		return err
	}
	if len(r.Networks) > 1 {
		return show(c, r)
	}
	r.Networks[0].Plots = r.Plots
	return show(c, r.Networks[0])
}

// probesProtocol returns the paper's, but for what the flags say.
func probesProtocol(c *cli.Context) (probe.Protocol, error) {
	p := probe.Paper
	if c.IsSet("epochs") {
		p.Epochs = c.Int("epochs")
	}
	p.Starts = c.Int("starts")
	if p.Epochs < 1 || p.Starts < 1 || p.Starts > maxSeeds {
		return p, hint.With(fmt.Errorf("--epochs %d, --starts %d: both must be positive, and starts at most %d", p.Epochs, p.Starts, maxSeeds),
			"leave them out for the paper's")
	}
	return p, nil
}

// probeLayers returns the layers that --layers names, or the paper's.
func probeLayers(c *cli.Context, depth int) ([]int, error) {
	if !c.IsSet("layers") {
		return probe.Layers(depth), nil
	}
	var layers []int
	for _, word := range strings.Split(c.String("layers"), ",") {
		l, err := strconv.Atoi(strings.TrimSpace(word))
		if err != nil || l < 0 || l > depth || len(layers) > 0 && l <= layers[len(layers)-1] {
			return nil, hint.With(fmt.Errorf("--layers %.40q: want ascending numbers of layers, 0 to %d", c.String("layers"), depth), "for example --layers 0,1,%d", depth)
		}
		layers = append(layers, l)
	}
	return layers, nil
}

// knownProbes returns what --keep names, or nothing.
func knownProbes(c *cli.Context) (*probe.Known, error) {
	path := c.String("keep")
	switch {
	case !c.IsSet("keep"):
		return new(probe.Known), nil
	case path == "":
		return nil, hint.With(errors.New("--keep: no file given"), "name one with --keep FILE, which need not exist")
	}
	k, err := probe.OpenKnown(path, func(err error) { warn(c, "--keep: %v", err) })
	switch {
	case errors.Is(err, filelock.ErrHeld):
		return nil, hint.With(fmt.Errorf("--keep: %w", err), "wait for the end of that call, or name another file")
	case errors.Is(err, fs.ErrNotExist): // its folder: the error has the remedy
		return nil, fmt.Errorf("--keep: %w", err)
	case err != nil:
		return nil, hint.With(fmt.Errorf("--keep: %w", err), "name another file, which need not exist")
	}
	return k, nil
}

// probeNetwork probes the models of a network, one at a time.
func probeNetwork(c *cli.Context, n *network, layers []int, p probe.Protocol, known *probe.Known) (*probesReport, error) {
	m := n.config.Model
	r := &probesReport{Network: n.Network, Width: m.Width, Depth: m.Depth, Starts: p.Starts, Epochs: p.Epochs, Layers: layers}
	for _, path := range n.paths {
		one, err := probeModel(c, path, layers, p, known)
		if err != nil {
			return nil, err
		}
		r.Models = append(r.Models, *one)
	}
	r.average()
	return r, nil
}

// probeModel probes a model.
func probeModel(c *cli.Context, path string, layers []int, p probe.Protocol, known *probe.Known) (*modelProbes, error) {
	s, err := loadSubject(c, path)
	if err != nil {
		return nil, err
	}
	progress := newSteps(c, path)
	net := probe.Network{Frozen: s.Frozen, Train: s.data.Train, Test: s.data.Test, Known: known}
	m := &modelProbes{Model: path}
	m.Starts, err = net.Run(c.Context, layers, p, threads(c), progress.show)
	progress.end(err)
	if err != nil {
		return nil, err
	}
	all, err := s.entropies(c)
	if err != nil {
		return nil, err
	}
	for i, l := range layers {
		m.Accuracy = append(m.Accuracy, trainer.SpreadOf(m.Starts[i]).Mean)
		m.Entropy = append(m.Entropy, all[l])
	}
	return m, nil
}

// probesReport is what is said of the models of one network: means over their starts and
// then over the models, and the standard deviation of the latter, or of the starts where
// there is one model alone.
type probesReport struct {
	Network  string        `json:"network"`
	Width    int           `json:"width"`
	Depth    int           `json:"depth"`
	Starts   int           `json:"starts"`
	Epochs   int           `json:"epochs"`
	Layers   []int         `json:"layers"`
	Accuracy []float64     `json:"accuracy"`
	Std      []*float64    `json:"std"`
	Entropy  []float64     `json:"entropy"`
	Models   []modelProbes `json:"models"`
	Plots    []string      `json:"plots,omitempty"`
}

type modelProbes struct {
	Model    string      `json:"model"`
	Accuracy []float64   `json:"accuracy"` // mean over the starts
	Entropy  []float64   `json:"entropy"`
	Starts   [][]float64 `json:"starts"` // [layer][start]
}

func (r *probesReport) average() {
	var accuracies, entropies [][]float64
	for _, m := range r.Models {
		accuracies, entropies = append(accuracies, m.Accuracy), append(entropies, m.Entropy)
	}
	for i := range r.Layers {
		s := trainer.SpreadOf(column(accuracies, i))
		if len(r.Models) == 1 {
			s.Std = trainer.SpreadOf(r.Models[0].Starts[i]).Std
		}
		r.Accuracy, r.Std = append(r.Accuracy, s.Mean), append(r.Std, s.Std)
		r.Entropy = append(r.Entropy, trainer.SpreadOf(column(entropies, i)).Mean)
	}
}

func (r *probesReport) text(w io.Writer) {
	fmt.Fprintf(w, "%s, %d x %d: linear probes, test accuracy after %s, mean over %s with %s each\n\n", r.Network, r.Width, r.Depth,
		plural.Of(r.Epochs, "epoch", "epochs"), plural.Of(len(r.Models), "model", "models"), plural.Of(r.Starts, "start", "starts"))
	fmt.Fprintf(w, "  layer  accuracy       std  entropy\n")
	for i, l := range r.Layers {
		std := "-"
		if r.Std[i] != nil {
			std = percent(*r.Std[i])
		}
		fmt.Fprintf(w, "  %5d %9s %9s  %7.4f\n", l, percent(r.Accuracy[i]), std, r.Entropy[i])
	}
}

// probesPlots are the names of the charts.
var probesPlots = []string{"probes-layer", "probes-entropy"}

// probesCharts shows accuracy by layer and accuracy by entropy, as the paper's figure 4.
func probesCharts(networks []*probesReport) []namedChart {
	byLayer := &plot.Chart{Title: "Linear probes by layer", X: plot.Axis{Label: "layer"}, Y: plot.Axis{Label: "test accuracy", Unit: "%"}}
	byEntropy := &plot.Chart{
		Title: "Linear probes by activation entropy",
		X:     plot.Axis{Label: "mean binary entropy of the layer", Unit: "bit"}, Y: plot.Axis{Label: "test accuracy", Unit: "%"},
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
		byLayer.Series = append(byLayer.Series, plot.Series{Name: n.Network, X: places(n.Layers), Y: y, Low: low, High: high, ErrorBars: true})
		byEntropy.Series = append(byEntropy.Series, plot.Series{Name: n.Network, Kind: plot.Scatter, X: n.Entropy, Y: y})
	}
	return []namedChart{{probesPlots[0], byLayer}, {probesPlots[1], byEntropy}}
}
