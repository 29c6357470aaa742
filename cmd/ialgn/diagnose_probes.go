package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/urfave/cli/v2"

	"ialgn/internal/decimal"
	"ialgn/internal/diagnose"
	"ialgn/internal/message"
	"ialgn/internal/outfile"
	"ialgn/internal/screen"
)

// probesOptions are the options that only --what probes has.
var probesOptions = grouped("probes",
	&cli.StringFlag{
		Name:  "layers",
		Usage: "probe the layers in `LIST`, 0 is the input (default: the paper's and the last)",
	},
	&cli.IntFlag{Name: "starts", Value: diagnose.Paper.Starts, Usage: "train `N` probes per layer"},
	&cli.StringFlag{Name: "keep", Usage: "keep the result of each layer in `FILE`, and reuse results that are there"})

// diagnoseProbes trains linear classifiers on the outputs of layers, and measures the layers' entropy.
func diagnoseProbes(c *cli.Context, args []string) error {
	study := diagnose.ProbeStudy{Open: opener(c), Begin: func(path string) (func(done, of int), func(error)) {
		p := screen.NewSteps(screenOf(c), path, c.Bool("quiet"))
		return p.Show, p.End
	}}
	groups, err := study.Open.Groups(c.Context, args)
	if err != nil {
		return err
	}
	if study.Protocol, err = probesProtocol(c); err != nil {
		return err
	}
	layers := make([][]int, len(groups))
	for i, g := range groups { // check all networks before the first one is trained for hours
		if layers[i], err = probeLayers(c, g.Config.Model.FrozenLayers()); err != nil {
			return err
		}
	}
	if study.Known, err = knownProbes(c); err != nil {
		return err
	}
	defer study.Known.Close()
	var all []*diagnose.ProbeReport
	var r compared[probesReport]
	for i, g := range groups {
		one, err := study.Network(c.Context, g, layers[i])
		if err != nil {
			return err
		}
		all, r.Networks = append(all, one), append(r.Networks, probesReport{one})
	}
	if r.Plots, err = savePlots(c, withNames(diagnose.ProbeChartNames, diagnose.ProbeCharts(all))); err != nil {
		return err
	}
	if len(r.Networks) > 1 {
		return show(c, r)
	}
	r.Networks[0].Plots = r.Plots
	return show(c, r.Networks[0])
}

// probesProtocol returns the paper's protocol, with the values that flags override.
func probesProtocol(c *cli.Context) (diagnose.Protocol, error) {
	p := diagnose.Paper
	if c.IsSet("epochs") {
		p.Epochs = c.Int("epochs")
	}
	p.Starts = c.Int("starts")
	if p.Epochs < 1 || p.Starts < 1 || p.Starts > maxSeeds {
		return p, message.WithHint(fmt.Errorf("--epochs %d, --starts %d: both must be positive, and --starts at most %d",
			p.Epochs,
			p.Starts, maxSeeds),
			"without the options, the paper's values are used")
	}
	return p, nil
}

// probeLayers returns the layers in --layers or, without this flag, the layers that the paper measured.
func probeLayers(c *cli.Context, depth int) ([]int, error) {
	if !c.IsSet("layers") {
		return diagnose.Layers(depth), nil
	}
	var layers []int
	for _, word := range strings.Split(c.String("layers"), ",") {
		l, err := decimal.Int(strings.TrimSpace(word))
		if err != nil || l < 0 || l > depth || len(layers) > 0 && l <= layers[len(layers)-1] {
			return nil, message.WithHint(fmt.Errorf("--layers %.40q: want ascending layer numbers from 0 to %d",
				c.String("layers"),
				depth), "for example --layers 0,1,%d", depth)
		}
		layers = append(layers, l)
	}
	return layers, nil
}

// knownProbes returns the results in the file of --keep. Without --keep, it returns no results.
func knownProbes(c *cli.Context) (*diagnose.Known, error) {
	path := c.String("keep")
	switch {
	case !c.IsSet("keep"):
		return new(diagnose.Known), nil
	case path == "":
		return nil, message.WithHint(errors.New("--keep: no file is given"), "name one with --keep FILE; it need not exist")
	}
	k, err := diagnose.OpenKnown(path, func(err error) { warn(screenOf(c), fmt.Errorf("--keep: %v", err)) })
	switch {
	case errors.Is(err, outfile.ErrHeld):
		return nil, message.WithHint(fmt.Errorf("--keep: %w", err), "wait until the other call ends, or name another file")
	case errors.Is(err, fs.ErrNotExist): // the folder is missing; the error already has a hint
		return nil, fmt.Errorf("--keep: %w", err)
	case err != nil:
		return nil, message.WithHint(fmt.Errorf("--keep: %w", err), "name another file; it need not exist")
	}
	return k, nil
}

type probesReport struct{ *diagnose.ProbeReport }

func (r probesReport) text(w io.Writer) {
	fmt.Fprintf(w, "%s, %d x %d: linear probes, test accuracy after %s, mean over %s with %s each\n\n", r.Network, r.Width,
		r.Depth,
		message.Plural(r.Epochs, "epoch", "epochs"), message.Plural(len(r.Models), "model", "models"),
		message.Plural(r.Starts, "start", "starts"))
	fmt.Fprintf(w, "  layer  accuracy       std  entropy\n")
	for i, l := range r.Layers {
		std := "-"
		if r.Std[i] != nil {
			std = percent(*r.Std[i])
		}
		fmt.Fprintf(w, "  %5d %9s %9s  %7.4f\n", l, percent(r.Accuracy[i]), std, r.Entropy[i])
	}
}
