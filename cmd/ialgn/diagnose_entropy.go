package main

import (
	"fmt"
	"io"

	"github.com/urfave/cli/v2"

	"ialgn/internal/diagnose"
	"ialgn/internal/message"
)

// diagnoseEntropy measures the entropy of all layers over the test set.
func diagnoseEntropy(c *cli.Context, args []string) error {
	open := opener(c)
	groups, err := open.Groups(c.Context, args)
	if err != nil {
		return err
	}
	var all []*diagnose.EntropyReport
	var r compared[entropyReport]
	for _, g := range groups {
		e, err := diagnose.MeasureEntropy(c.Context, open, g)
		if err != nil {
			return err
		}
		all, r.Networks = append(all, e), append(r.Networks, entropyReport{e})
	}
	if r.Plots, err = savePlots(c, []namedChart{{diagnose.EntropyChartName, diagnose.EntropyChart(all)}}); err != nil {
		return err
	}
	if len(r.Networks) > 1 {
		return show(c, r)
	}
	r.Networks[0].Plots = r.Plots
	return show(c, r.Networks[0])
}

type entropyReport struct{ *diagnose.EntropyReport }

func (r entropyReport) text(w io.Writer) {
	fmt.Fprintf(w, "%s, %d x %d: mean entropy of a bit over %s, mean over %s\n\n  layer entropy\n", r.Network, r.Width,
		r.Depth,
		message.Plural(r.Samples, "test sample", "test samples"), message.Plural(len(r.Models), "model", "models"))
	for i, l := range r.Layers {
		fmt.Fprintf(w, "  %5d %7.4f\n", l, r.Mean[i])
	}
}
