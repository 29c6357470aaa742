package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/urfave/cli/v2"

	"ialgn/internal/diagnose"
	"ialgn/internal/message"
	"ialgn/internal/screen"
	"ialgn/trainer"
)

// creditOptions are the options that only --what credit has.
var creditOptions = grouped("credit",
	&cli.StringFlag{
		Name: "topologies", Value: strings.Join(diagnose.CreditTopologies, ","), DefaultText: "all four",
		Usage: "measure the topologies in `LIST`, separated by commas",
	},
	&cli.IntFlag{
		Name: "sampled", Value: diagnose.PaperSampled,
		Usage: "sample `N` gates in each layer, and the same number of outputs",
	},
	&cli.IntFlag{Name: "batches", Value: diagnose.PaperBatches, Usage: "measure `N` batches"})

// diagnoseCredit measures, for each topology, which outputs give credit to hidden gates before training.
func diagnoseCredit(c *cli.Context, args []string) error {
	if len(args) != 1 {
		return message.WithHint(fmt.Errorf("--what credit takes one CONFIG, not %d files", len(args)),
			"`ialgn diagnose -h` shows the usage")
	}
	topologies := strings.Split(c.String("topologies"), ",")
	cfg, wiring, err := opener(c).CreditConfig(c.Context, args[0], topologies)
	if err != nil {
		return err
	}
	var runs []diagnose.CreditOptions
	for _, topology := range topologies {
		of, err := diagnose.ConfigureCredit(cfg, topology, wiring)
		if err != nil {
			return fmt.Errorf("--what credit: %w", err)
		}
		runs = append(runs, diagnose.CreditOptions{
			Config: of, Sampled: c.Int("sampled"), Batches: c.Int("batches"),
			Threads: threads(c),
		})
	}
	data, err := trainer.LoadData(c.Context, cfg, folders(c))
	if err != nil {
		return err
	}
	r, err := diagnose.MeasureCredits(c.Context, runs, data,
		func(topology string) (func(diagnose.CreditProgress), func(error)) {
			p := screen.NewSteps(screenOf(c), topology, c.Bool("quiet"))
			return func(at diagnose.CreditProgress) { p.Show(at.Batch*at.Samples+at.Sample, at.Batches*at.Samples) }, p.End
		})
	if err != nil {
		return fmt.Errorf("--what credit: %w", err)
	}
	if r.Plots, err = savePlots(c, withNames(diagnose.CreditChartNames, r.Charts())); err != nil {
		return err
	}
	return show(c, creditReport{r})
}

type creditReport struct{ *diagnose.CreditReport }

func (r creditReport) text(w io.Writer) {
	fmt.Fprintf(w, "%s on %s: %d x %d, init %s with skip logit %v and noise %v, seed %d", r.Name, r.DataSet, r.Width,
		r.Depth, r.Init, r.SkipLogit, r.InitNoise, r.Seed)
	if r.Wiring != "" {
		fmt.Fprintf(w, ", wiring %s", r.Wiring)
	}
	fmt.Fprintln(w)
	fmt.Fprintf(w, "%d sampled gates per layer, %s of %d samples; mean and standard deviation\n", r.Sampled,
		message.Plural(r.Batches, "batch", "batches"), r.Batch)
	for _, t := range r.Topologies {
		fmt.Fprintf(w, "\n%s, %.1f s\n  layer         path sharing  eligible             coverage               purity\n",
			t.Topology, t.Seconds)
		for l := range t.Layers {
			fmt.Fprintf(w, "  %5d %20s %9d %20s %20s\n", t.Layers[l], spreadText(t.PathSharing[l], 1), t.Eligible[l],
				spreadText(t.Coverage[l], 5), spreadText(t.Purity[l], 5))
		}
	}
}

// spreadText formats mean and standard deviation with the given number of decimals.
func spreadText(s *trainer.Spread, decimals int) string {
	switch {
	case s == nil:
		return "-"
	case s.Std == nil:
		return fmt.Sprintf("%.*f", decimals, s.Mean)
	}
	return fmt.Sprintf("%.*f +- %.*f", decimals, s.Mean, decimals, *s.Std)
}
