package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"ialgn/diagnose/census"
	"ialgn/diagnose/depthuse"
	"ialgn/internal/hint"
	"ialgn/trainer/config"
	"ialgn/trainer/model"
)

func analyzeCommand() *cli.Command {
	return &cli.Command{
		Name:      "analyze",
		Usage:     "gate counts, operation census and effective depth of models",
		ArgsUsage: "MODEL...",
		Description: "Effective depth as the paper's supplement defines it, by layer. The census leaves\n" +
			"layer 1 out. Models that differ in their seed alone are also averaged, as the paper\n" +
			"averages seeds; those of different topologies are compared.",
		UsageText: "ialgn analyze demo/digits.safetensors --plots plots",
		Flags: everywhere(
			&cli.StringFlag{Name: "plots", Usage: "draw effective depth, operations and categories to `DIR`, as SVG and PNG"},
			forceFlag,
		),
		Action: analyze,
	}
}

func analyze(c *cli.Context) error {
	if c.Args().Len() == 0 {
		return hint.With(fmt.Errorf("analyze takes MODEL..., none given"), "`ialgn analyze -h` shows the form")
	}
	if err := checkPlots(c, analysisPlots); err != nil {
		return err
	}
	var networks []*network
	files := map[string]*model.File{} // by path
	for _, path := range c.Args().Slice() {
		file, err := model.Open(path)
		if err != nil {
			return err
		}
		defer file.Close()
		info, err := file.Info()
		if err != nil {
			return err
		}
		if networks, err = place(networks, path, info.Model.Config); err != nil {
			return err
		}
		files[path] = file
	}
	for _, n := range networks {
		if err := n.analyze(files); err != nil {
			return err
		}
	}
	plots, err := savePlots(c, analysisCharts(networks))
	if err != nil {
		return err
	}
	if len(networks) > 1 {
		return show(c, comparison{networks, plots})
	}
	networks[0].Plots = plots
	return show(c, networks[0])
}

// network is what is said of the models of one network, which differ in their seed
// alone: the mean of their statistics, and each.
type network struct {
	analysis
	Network string     `json:"network"`
	Models  []analysis `json:"models,omitempty"` // if there are several
	Plots   []string   `json:"plots,omitempty"`

	paths  []string
	seeds  []uint64 // of paths
	config config.Config
}

// place adds a model to the network that it is a seed of. Topologies are compared; models
// of one topology that differ otherwise have no common mean, and no names to tell them apart;
// a seed that is named twice would count twice.
func place(networks []*network, path string, cfg config.Config) ([]*network, error) {
	name := depthuse.NetworkName(cfg.Model)
	for _, n := range networks {
		if n.Network != name {
			continue
		}
		if diff := n.config.Diff(cfg, "name", "data.dir", "train.seed", "train.checkpoint.minutes"); len(diff) > 0 {
			return nil, hint.With(fmt.Errorf("%s was trained with another %s than %s: they have no common mean", path, strings.Join(diff, ", "), n.paths[0]),
				"analyze them one by one; models of one topology may differ in train.seed alone")
		}
		if at := slices.Index(n.seeds, cfg.Train.Seed); at >= 0 {
			return nil, hint.With(fmt.Errorf("%s has the seed %d, as %s has: a mean over seeds counts each once", path, cfg.Train.Seed, n.paths[at]),
				"leave one of them out")
		}
		n.paths, n.seeds = append(n.paths, path), append(n.seeds, cfg.Train.Seed)
		return networks, nil
	}
	return append(networks, &network{Network: name, paths: []string{path}, seeds: []uint64{cfg.Train.Seed}, config: cfg}), nil
}

// analyze reads the models, one at a time, and averages them.
func (n *network) analyze(files map[string]*model.File) error {
	for _, path := range n.paths {
		f, err := files[path].Frozen()
		if err != nil {
			return err
		}
		n.Models = append(n.Models, analyzeModel(path, f))
	}
	if n.analysis = n.Models[0]; len(n.Models) == 1 {
		n.Models = nil
		return nil
	}
	n.analysis = average(n.Models)
	return nil
}

func analyzeModel(path string, f *model.Frozen) analysis {
	counted := census.Take(f)
	a := analysis{
		Model: path, Width: f.Width, Depth: f.Depth(), Gates: f.Gates(),
		Operations: counted.Operations, Categories: counted.Categories,
	}
	for _, d := range census.EffectiveDepth(f) {
		a.EffectiveDepth = append(a.EffectiveDepth, layerDepth{d.Mean, d.P10, d.P90, float64(d.Max)})
	}
	return a
}

// statistics returns what charts show.
func (a analysis) statistics(name string) depthuse.Statistics {
	s := depthuse.Statistics{Name: name, Operations: a.Operations, Categories: a.Categories}
	for _, d := range a.EffectiveDepth {
		s.Depth = append(s.Depth, depthuse.Depth(d))
	}
	return s
}

// analysisPlots are the names of the charts.
var analysisPlots = []string{"effective-depth", "operations", "categories"}

// analysisCharts compares the networks.
func analysisCharts(networks []*network) []namedChart {
	var all []depthuse.Statistics
	for _, n := range networks {
		name := ""
		if len(networks) > 1 {
			name = n.Network
		}
		all = append(all, n.statistics(name))
	}
	return []namedChart{
		{analysisPlots[0], depthuse.DepthChart(all)},
		{analysisPlots[1], depthuse.OperationsChart(all)},
		{analysisPlots[2], depthuse.CategoriesChart(all)},
	}
}

// analysis is what is said of one model.
type analysis struct {
	Model          string            `json:"model,omitempty"`
	Width          int               `json:"width"`
	Depth          int               `json:"depth"`
	Gates          int               `json:"deployed_gates"`
	Operations     [16]float64       `json:"operations"`
	Categories     census.Categories `json:"categories"`
	EffectiveDepth []layerDepth      `json:"effective_depth"`
}

// layerDepth is a layer's effective depth; the maximum of several models is the mean
// of their maxima, as in the paper's figure 5.
type layerDepth struct {
	Mean float64 `json:"mean"`
	P10  float64 `json:"p10"`
	P90  float64 `json:"p90"`
	Max  float64 `json:"max"`
}

func (a analysis) text(w io.Writer) {
	fmt.Fprintf(w, "%s: %d x %d, %d deployed gates\n\n", a.Model, a.Width, a.Depth, a.Gates)
	k := a.Categories
	fmt.Fprintf(w, "operations without layer 1: pass-through %s, binary %s, negation %s, constants %s\n",
		percent(k.PassThrough), percent(k.Binary), percent(k.Negation), percent(k.Constants))
	for op, share := range a.Operations {
		fmt.Fprintf(w, "  %2d %-12s %9s\n", op, depthuse.OperationNames[op], percent(share))
	}
	fmt.Fprintf(w, "\neffective depth\n  layer    mean     p10     p90     max\n")
	for l, d := range a.EffectiveDepth {
		fmt.Fprintf(w, "  %5d %7.3f %7.1f %7.1f %7.1f\n", l+1, d.Mean, d.P10, d.P90, float64(d.Max))
	}
}

func (n *network) text(w io.Writer) {
	for _, a := range n.Models {
		a.text(w)
		fmt.Fprintln(w)
	}
	n.analysis.text(w)
}

// comparison is what is said of several networks.
type comparison struct {
	Networks []*network `json:"networks"`
	Plots    []string   `json:"plots,omitempty"`
}

func (r comparison) text(w io.Writer) {
	for i, n := range r.Networks {
		if i > 0 {
			fmt.Fprintln(w)
		}
		fmt.Fprintf(w, "%s\n\n", n.Network)
		n.text(w)
	}
}

// average averages models of one configuration, each statistic by itself.
func average(all []analysis) analysis {
	m := analysis{Model: fmt.Sprintf("mean of %d models", len(all)), Width: all[0].Width, Depth: all[0].Depth, Gates: all[0].Gates}
	m.EffectiveDepth = make([]layerDepth, m.Depth)
	share := 1 / float64(len(all))
	for _, a := range all {
		for op, x := range a.Operations {
			m.Operations[op] += share * x
		}
		m.Categories.Constants += share * a.Categories.Constants
		m.Categories.PassThrough += share * a.Categories.PassThrough
		m.Categories.Negation += share * a.Categories.Negation
		m.Categories.Binary += share * a.Categories.Binary
		for l, d := range a.EffectiveDepth {
			e := &m.EffectiveDepth[l]
			e.Mean, e.P10, e.P90, e.Max = e.Mean+share*d.Mean, e.P10+share*d.P10, e.P90+share*d.P90, e.Max+share*d.Max
		}
	}
	return m
}
