package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/urfave/cli/v2"

	"ialgn/diagnose/credit"
	"ialgn/internal/hint"
	"ialgn/internal/plural"
	"ialgn/trainer"
)

// creditOptions are the options of --what credit alone.
var creditOptions = []cli.Flag{
	&cli.StringFlag{Name: "topologies", Value: strings.Join(credit.Topologies, ","), DefaultText: "all four", Usage: "of the topologies `LIST`, with commas between"},
	&cli.IntFlag{Name: "sampled", Value: credit.PaperSampled, Usage: "look at `N` gates of each layer, and as many outputs"},
	&cli.IntFlag{Name: "batches", Value: credit.PaperBatches, Usage: "measure `N` batches"},
}

// diagnoseCredit measures each topology.
func diagnoseCredit(c *cli.Context, args []string) error {
	if len(args) != 1 {
		return hint.With(fmt.Errorf("--what credit takes one CONFIG, not %d files", len(args)), "`ialgn diagnose -h` shows the form")
	}
	cfg, err := loadConfig(c, args[0], c.StringSlice("set"))
	if err != nil {
		return err
	}
	var runs []credit.Options
	for _, topology := range strings.Split(c.String("topologies"), ",") {
		of, err := credit.Configure(cfg, topology)
		if err != nil {
			return fmt.Errorf("--what credit: %w", err)
		}
		runs = append(runs, credit.Options{Config: of, Sampled: c.Int("sampled"), Batches: c.Int("batches"), Threads: threads(c)})
	}
	data, err := trainer.LoadData(c.Context, cfg, folders(c))
	if err != nil {
		return err
	}
	r, err := measureCredit(c, runs, data)
	if err != nil {
		return err
	}
	if r.Plots, err = savePlots(c, r.charts()); err != nil {
		return err
	}
	return show(c, r)
}

// measureCredit makes the runs, which differ in the topology.
func measureCredit(c *cli.Context, runs []credit.Options, data *trainer.Data) (*creditReport, error) {
	o := runs[0]
	m, t := o.Config.Model, o.Config.Train
	r := &creditReport{
		Name: o.Config.Name, DataSet: data.Name, Width: m.Width, Depth: m.Depth, Init: m.Init, SkipLogit: m.SkipLogit, InitNoise: m.InitNoise,
		Seed: t.Seed, Sampled: o.Sampled, Batches: o.Batches, Batch: t.Batch,
	}
	for i := range runs {
		runs[i].Data = data
		if err := runs[i].Check(); err != nil {
			return nil, fmt.Errorf("--what credit: %w", err)
		}
	}
	for _, run := range runs {
		p := newSteps(c, run.Config.Model.Topology)
		run.Progress = func(at credit.Progress) {
			p.show(at.Batch*at.Samples+at.Sample, at.Batches*at.Samples)
		}
		result, err := credit.Measure(c.Context, run)
		p.end(err)
		if err != nil {
			return nil, fmt.Errorf("--what credit: %w", err)
		}
		r.Topologies = append(r.Topologies, result)
	}
	return r, nil
}

// creditReport is the credit of some topologies, all else being equal.
type creditReport struct {
	Name       string           `json:"name"`
	DataSet    string           `json:"data_set"`
	Width      int              `json:"width"`
	Depth      int              `json:"depth"`
	Init       string           `json:"init"`
	SkipLogit  float64          `json:"skip_logit"`
	InitNoise  float64          `json:"init_noise"`
	Seed       uint64           `json:"seed"`
	Sampled    int              `json:"sampled"`
	Batches    int              `json:"batches"`
	Batch      int              `json:"batch"`
	Topologies []*credit.Result `json:"topologies"`
	Plots      []string         `json:"plots,omitempty"`
}

func (r *creditReport) text(w io.Writer) {
	fmt.Fprintf(w, "%s on %s: %d x %d, init %s with skip logit %v and noise %v, seed %d\n", r.Name, r.DataSet, r.Width, r.Depth, r.Init, r.SkipLogit, r.InitNoise, r.Seed)
	fmt.Fprintf(w, "%d sampled gates a layer, %s of %d; mean and standard deviation\n", r.Sampled, plural.Of(r.Batches, "batch", "batches"), r.Batch)
	for _, t := range r.Topologies {
		fmt.Fprintf(w, "\n%s, %.1f s\n  layer         path sharing  eligible             coverage               purity\n", t.Topology, t.Seconds)
		for l := range t.Layers {
			fmt.Fprintf(w, "  %5d %20s %9d %20s %20s\n", t.Layers[l], spreadText(t.PathSharing[l], 1), t.Eligible[l], spreadText(t.Coverage[l], 5), spreadText(t.Purity[l], 5))
		}
	}
}

// spreadText writes mean and standard deviation with so many decimals.
func spreadText(s *trainer.Spread, decimals int) string {
	switch {
	case s == nil:
		return "-"
	case s.Std == nil:
		return fmt.Sprintf("%.*f", decimals, s.Mean)
	}
	return fmt.Sprintf("%.*f +- %.*f", decimals, s.Mean, decimals, *s.Std)
}
