// This file reports how the gates of models use their layers, as the supplement of the IALGN paper does. It reports
// the operations of the gates and the effective depth of each layer, for one model, for the seeds of a network, or
// for several networks.

package diagnose

import (
	"context"
	"fmt"

	"ialgn/internal/model"
	"ialgn/internal/plot"
)

// ReadNetworks analyses models. Models that differ only in their seed belong to one network, and their statistics are
// averaged. The networks are in the order of their first models.
func ReadNetworks(ctx context.Context, paths []string) ([]*Network, error) {
	var groups []*Group
	files := map[string]*model.File{} // opened files, by path
	for _, path := range paths {
		file, err := model.Open(path)
		if err != nil {
			return nil, err
		}
		defer file.Close()
		info, err := file.Info()
		if err != nil {
			return nil, err
		}
		if groups, err = Place(groups, path, info.Model.Config); err != nil {
			return nil, err
		}
		files[path] = file.In(ctx)
	}
	var networks []*Network
	for _, g := range groups {
		n := &Network{Network: g.Name, paths: g.Paths}
		if err := n.analyze(files); err != nil {
			return nil, err
		}
		networks = append(networks, n)
	}
	return networks, nil
}

// Network is the report on the models of one network, which differ only in their seed. It holds the statistics of
// each model and the mean over the models.
type Network struct {
	Analysis
	Network string     `json:"network"`
	Models  []Analysis `json:"models,omitempty"` // one for each model; empty if there is only one
	Plots   []string   `json:"plots,omitempty"`

	paths []string
}

// analyze reads the models, one at a time, and sets the mean of their statistics.
func (n *Network) analyze(files map[string]*model.File) error {
	for _, path := range n.paths {
		f, err := files[path].Frozen()
		if err != nil {
			return err
		}
		n.Models = append(n.Models, Analyse(path, f))
	}
	if n.Analysis = n.Models[0]; len(n.Models) == 1 {
		n.Models = nil
		return nil
	}
	n.Analysis = average(n.Models)
	return nil
}

// Analyse analyses the frozen network f of the model at path.
func Analyse(path string, f *model.Frozen) Analysis {
	counted := TakeCensus(f)
	return Analysis{
		Model: path, Width: f.Width, Depth: f.Depth(), Gates: f.Gates(),
		Operations: counted.Operations, Categories: counted.Categories, Tables: TakeTables(f),
		EffectiveDepth: EffectiveDepth(f),
	}
}

// Statistics returns the values that the charts show. name is the network's name in the charts.
func (a Analysis) Statistics(name string) Statistics {
	s := Statistics{
		Name: name, Operations: a.Operations, Categories: a.Categories, Tables: a.Tables, Depth: a.EffectiveDepth,
	}
	if t := a.Tables; t != nil && 2*t.Nodes < a.Gates && a.HasOperations() { // only pooling nodes are tables
		s.Tables = nil
	}
	return s
}

// Analysis holds the statistics of one model, or the mean of several models.
type Analysis struct {
	Model          string       `json:"model,omitempty"`
	Width          int          `json:"width"`
	Depth          int          `json:"depth"`
	Gates          int          `json:"deployed_gates"`
	Operations     [16]float64  `json:"operations"`
	Categories     Categories   `json:"categories"`
	Tables         *Tables      `json:"tables,omitempty"` // tables of the nodes that do not have two pins
	EffectiveDepth []LayerDepth `json:"effective_depth"`
}

// HasOperations reports whether there are two-pin gates beyond the first layer.
func (a *Analysis) HasOperations() bool { return a.Categories != Categories{} }

// NetworkChartNames are the names of the charts.
var NetworkChartNames = []string{"effective-depth", "operations", "categories"}

// NetworkCharts draws charts that compare networks. They are in the order of [NetworkChartNames].
func NetworkCharts(networks []*Network) []*plot.Chart {
	var all []Statistics
	for _, n := range networks {
		name := ""
		if len(networks) > 1 {
			name = n.Network
		}
		all = append(all, n.Statistics(name))
	}
	return []*plot.Chart{
		DepthChart(all),
		OperationsChart(all),
		CategoriesChart(all),
	}
}

// average returns the mean of each statistic over models of one configuration.
func average(all []Analysis) Analysis {
	m := Analysis{
		Model: fmt.Sprintf("mean of %d models", len(all)), Width: all[0].Width, Depth: all[0].Depth,
		Gates: all[0].Gates,
	}
	m.EffectiveDepth = make([]LayerDepth, m.Depth)
	share := 1 / float64(len(all))
	for _, a := range all {
		for op, x := range a.Operations {
			m.Operations[op] += float64(share * x)
		}
		if a.Tables != nil {
			if m.Tables == nil {
				m.Tables = &Tables{}
			}
			m.Tables.Add(a.Tables, share)
		}
		m.Categories.Constants += float64(share * a.Categories.Constants)
		m.Categories.PassThrough += float64(share * a.Categories.PassThrough)
		m.Categories.Negation += float64(share * a.Categories.Negation)
		m.Categories.Binary += float64(share * a.Categories.Binary)
		for l, d := range a.EffectiveDepth {
			e := &m.EffectiveDepth[l]
			e.Mean, e.P10, e.P90, e.Max = e.Mean+float64(share*d.Mean), e.P10+float64(share*d.P10), e.P90+float64(share*d.P90),
				e.Max+float64(share*d.Max)
		}
	}
	return m
}
