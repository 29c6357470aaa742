package main

import (
	"fmt"
	"io"

	"github.com/urfave/cli/v2"

	"ialgn/internal/diagnose"
	"ialgn/internal/message"
)

func analyzeCommand() *cli.Command {
	return &cli.Command{
		Name:      "analyze",
		Usage:     "count gates and operations of models, and measure their effective depth",
		ArgsUsage: "MODEL...",
		Description: "Shows the effective depth of each layer as the paper's supplement defines it, and how\n" +
			"often each operation occurs, without layer 1. Models that differ only in their seed are\n" +
			"also averaged, as the paper averages seeds. Models of different topologies are compared.",
		UsageText: "ialgn analyze demo/digits.safetensors --plots plots",
		Flags: commonFlags(
			&cli.StringFlag{Name: "plots", Usage: "write charts of depth, operations and categories to `DIR`, as SVG and PNG"},
			forceFlag,
		),
		Action: analyze,
	}
}

func analyze(c *cli.Context) error {
	if c.Args().Len() == 0 {
		return message.WithHint(fmt.Errorf("analyze takes MODEL..., but no model is given"),
			"`ialgn analyze -h` shows the usage")
	}
	if err := checkPlots(c, diagnose.NetworkChartNames); err != nil {
		return err
	}
	networks, err := diagnose.ReadNetworks(c.Context, c.Args().Slice())
	if err != nil {
		return err
	}
	plots, err := savePlots(c, withNames(diagnose.NetworkChartNames, diagnose.NetworkCharts(networks)))
	if err != nil {
		return err
	}
	if len(networks) > 1 {
		return show(c, comparison{networks, plots})
	}
	networks[0].Plots = plots
	return show(c, network{networks[0]})
}

// network is the report on the analysis of one network.
type network struct{ *diagnose.Network }

// analysisText writes the analysis of a model.
func analysisText(w io.Writer, a diagnose.Analysis) {
	fmt.Fprintf(w, "%s: %d x %d, %d deployed gates\n\n", a.Model, a.Width, a.Depth, a.Gates)
	if a.Tables == nil || a.HasOperations() {
		k := a.Categories
		fmt.Fprintf(w, "operations after layer 1: pass-through %s, binary %s, negation %s, constants %s\n",
			percent(k.PassThrough), percent(k.Binary), percent(k.Negation), percent(k.Constants))
		for op, share := range a.Operations {
			fmt.Fprintf(w, "  %2d %-12s %9s\n", op, diagnose.OperationNames[op], percent(share))
		}
	}
	if t := a.Tables; t != nil {
		if a.HasOperations() {
			fmt.Fprintf(w, "\nthe %d nodes with one pin, or more than two pins:\n", t.Nodes)
		}
		tablesText(w, t)
	}
	fmt.Fprintf(w, "\neffective depth\n  layer    mean     p10     p90     max\n")
	for l, d := range a.EffectiveDepth {
		fmt.Fprintf(w, "  %5d %7.3f %7.1f %7.1f %7.1f\n", l+1, d.Mean, d.P10, d.P90, d.Max)
	}
}

// tablesText writes the share of each kind of truth table among the nodes, and the pins that the nodes depend on.
func tablesText(w io.Writer, t *diagnose.Tables) {
	fmt.Fprintf(w, "tables:")
	for i, share := range t.Kinds.Shares() {
		fmt.Fprintf(w, "%s %s %s", []string{"", ","}[min(i, 1)], diagnose.KindNames[i], percent(share))
	}
	fmt.Fprintln(w)
	for pins, share := range t.Support {
		fmt.Fprintf(w, "  depend on %-8s %9s\n", diagnose.SupportNames[pins], percent(share))
	}
}

func (n network) text(w io.Writer) {
	for _, a := range n.Models {
		analysisText(w, a)
		fmt.Fprintln(w)
	}
	analysisText(w, n.Analysis)
}

// comparison is the report on several networks.
type comparison struct {
	Networks []*diagnose.Network `json:"networks"`
	Plots    []string            `json:"plots,omitempty"`
}

func (r comparison) text(w io.Writer) {
	for i, n := range r.Networks {
		if i > 0 {
			fmt.Fprintln(w)
		}
		fmt.Fprintf(w, "%s\n\n", n.Network)
		network{n}.text(w)
	}
}
