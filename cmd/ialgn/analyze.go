package main

import (
	"fmt"
	"io"

	"github.com/urfave/cli/v2"

	"ialgn/internal/hint"
	"ialgn/netlist"
	"ialgn/trainer/model"
)

func analyzeCommand() *cli.Command {
	return &cli.Command{
		Name:      "analyze",
		Usage:     "gate counts, operation census and effective depth of models",
		ArgsUsage: "MODEL...",
		Description: "Effective depth as the paper's supplement defines it, by layer. The census leaves\n" +
			"layer 1 out. Several models are also averaged, as the paper averages seeds.",
		UsageText: "ialgn analyze demo/digits.safetensors",
		Flags:     everywhere(),
		Action:    analyze,
	}
}

func analyze(c *cli.Context) error {
	if c.Args().Len() == 0 {
		return hint.With(fmt.Errorf("analyze takes MODEL..., none given"), "`ialgn analyze -h` shows the form")
	}
	var all []analysis
	for _, path := range c.Args().Slice() {
		f, err := model.ReadFrozen(path)
		if err != nil {
			return err
		}
		census := netlist.TakeCensus(f)
		a := analysis{
			Model: path, Width: f.Width, Depth: f.Depth(), Gates: f.Gates(),
			Operations: census.Operations, Categories: census.Categories,
		}
		for _, d := range netlist.EffectiveDepth(f) {
			a.EffectiveDepth = append(a.EffectiveDepth, layerDepth{d.Mean, d.P10, d.P90, float64(d.Max)})
		}
		all = append(all, a)
	}
	if len(all) == 1 {
		return show(c, all[0])
	}
	mean, err := average(all)
	if err != nil {
		return err
	}
	return show(c, analysisReport{mean, all})
}

// analysis is what is said of one model.
type analysis struct {
	Model          string             `json:"model,omitempty"`
	Width          int                `json:"width"`
	Depth          int                `json:"depth"`
	Gates          int                `json:"deployed_gates"`
	Operations     [16]float64        `json:"operations"`
	Categories     netlist.Categories `json:"categories"`
	EffectiveDepth []layerDepth       `json:"effective_depth"`
}

// layerDepth is a layer's effective depth; the maximum of several models is the mean
// of their maxima, as in the paper's figure 5.
type layerDepth struct {
	Mean float64 `json:"mean"`
	P10  float64 `json:"p10"`
	P90  float64 `json:"p90"`
	Max  float64 `json:"max"`
}

// operationNames are the paper's.
var operationNames = [16]string{
	"FALSE", "A AND B", "A AND NOT B", "A", "NOT A AND B", "B", "XOR", "OR",
	"NOR", "XNOR", "NOT B", "A OR NOT B", "NOT A", "NOT A OR B", "NAND", "TRUE",
}

func (a analysis) text(w io.Writer) {
	fmt.Fprintf(w, "%s: %d x %d, %d deployed gates\n\n", a.Model, a.Width, a.Depth, a.Gates)
	k := a.Categories
	fmt.Fprintf(w, "operations without layer 1: pass-through %s, binary %s, negation %s, constants %s\n",
		percent(k.PassThrough), percent(k.Binary), percent(k.Negation), percent(k.Constants))
	for op, share := range a.Operations {
		fmt.Fprintf(w, "  %2d %-12s %9s\n", op, operationNames[op], percent(share))
	}
	fmt.Fprintf(w, "\neffective depth\n  layer    mean     p10     p90     max\n")
	for l, d := range a.EffectiveDepth {
		fmt.Fprintf(w, "  %5d %7.3f %7.1f %7.1f %7.1f\n", l+1, d.Mean, d.P10, d.P90, float64(d.Max))
	}
}

// analysisReport is what is said of several models: the mean of their statistics, and
// each.
type analysisReport struct {
	analysis
	Models []analysis `json:"models"`
}

func (r analysisReport) text(w io.Writer) {
	for _, a := range r.Models {
		a.text(w)
		fmt.Fprintln(w)
	}
	r.analysis.text(w)
}

// average averages models of one width and depth, each statistic by itself.
func average(all []analysis) (analysis, error) {
	m := analysis{Model: fmt.Sprintf("mean of %d models", len(all)), Width: all[0].Width, Depth: all[0].Depth, Gates: all[0].Gates}
	m.EffectiveDepth = make([]layerDepth, m.Depth)
	share := 1 / float64(len(all))
	for _, a := range all {
		if a.Width != m.Width || a.Depth != m.Depth {
			return m, hint.With(fmt.Errorf("%s is %d x %d, %s is %d x %d: they have no common mean", all[0].Model, m.Width, m.Depth, a.Model, a.Width, a.Depth),
				"analyze models of different sizes one by one")
		}
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
	return m, nil
}
