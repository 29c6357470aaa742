package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"ialgn/internal/experiment/grid"
	"ialgn/internal/message"
	"ialgn/trainer"
)

// These flags belong to experiment and sweep, the commands that train many runs.
var (
	jobsFlag = &cli.IntFlag{
		Name: "jobs", Category: "runs",
		Usage: "train `N` runs at the same time (default: as memory and cores allow)",
	}
	hoursFlag = &cli.Float64Flag{
		Name: "hours", Category: "runs", DefaultText: "no limit",
		Usage: "save and exit after `H` hours; the same call continues",
	}
	dryRunFlag = &cli.BoolFlag{Name: "dry-run", Usage: "list the runs with estimated hours, and train nothing"}
	emitFlag   = &cli.StringFlag{
		Name: "emit", Usage: "write the runs to DIR as a job for the `CLUSTER`: slurm or kubernetes",
	}
	indexFlag = &cli.IntFlag{Name: "index", Usage: "train only run `I` of the list, counted from 0, and write no table"}
)

// gridOptions returns the options that the flags set. They say where and how to train the runs.
func gridOptions(c *cli.Context) (grid.Options, error) {
	o := grid.Options{Dir: c.String("o"), Folders: folders(c), Threads: threads(c), Guard: guard(c), Jobs: c.Int("jobs")}
	o.Ranks = teamOf(c).comm()
	if o.Dir == "" {
		return o, message.WithHint(fmt.Errorf("%s: no output folder is given", c.Command.Name), "name one with -o DIR")
	}
	if st, err := os.Stat(o.Dir); err == nil && !st.IsDir() {
		return o, message.WithHint(fmt.Errorf("%s: a file, want a folder", o.Dir), "name another place with -o")
	}
	if o.Jobs < 0 || c.IsSet("jobs") && o.Jobs == 0 {
		return o, message.WithHint(fmt.Errorf("--jobs %d: want the number of runs at the same time, 1 or more", o.Jobs),
			"without the option, memory and cores decide")
	}
	o.Hours = c.Float64("hours")
	if c.IsSet("hours") && (o.Hours <= 0 || o.Hours > grid.MostHours) {
		return o, message.WithHint(fmt.Errorf("--hours %v: want more than 0 and at most %d", o.Hours, grid.MostHours),
			"without the option, there is no limit")
	}
	o.Jobs = cmp.Or(o.Jobs, grid.Fitting)
	o.Train = func(ctx context.Context, s trainer.Seeds) (*trainer.SeedsSummary, error) {
		return trainRun(ctx, c, s)
	}
	return o, nil
}

// trainRun trains one run, and shows and logs its progress.
func trainRun(ctx context.Context, c *cli.Context, s trainer.Seeds) (*trainer.SeedsSummary, error) {
	log := grid.LogPath(s.Model)
	if !teamOf(c).leads() {
		log = ""
	}
	p, err := newEpochs(c, &s.Config, log)
	if err != nil {
		return nil, err
	}
	defer p.close()
	if s.Threads < threads(c) || c.Int("jobs") > 1 {
		// Other runs may write lines between this run's lines.
		p.label, p.bar = fmt.Sprintf("%s seed %d: ", s.Config.Name, s.Config.Train.Seed), false
	}
	s.Progress, s.Warn, s.Estimate = p.show, p.warn, true
	s.Begin = func(seed uint64) {
		p.beginSeed(seed)
		note(c, "seed %d: %s", seed, trainer.SeedPath(s.Model, seed))
	}
	return s.Train(ctx)
}

// gridRunner trains a set of runs.
type gridRunner interface {
	RunIndex(ctx context.Context, index int) (*trainer.SeedsSummary, error)
	Emit(ctx context.Context, to grid.Cluster, data string, ranks int) (*grid.Batch, error)
}

// part writes a cluster's job if --emit is set, or trains a single run if --index is set. Otherwise it does nothing
// and returns false.
func part(c *cli.Context, r gridRunner) (done bool, err error) {
	modes := slices.DeleteFunc([]string{"dry-run", "emit", "index"}, func(name string) bool { return !c.IsSet(name) })
	switch {
	case len(modes) > 1:
		return true, fmt.Errorf("%s: --%s: want only one of these options", c.Command.Name, strings.Join(modes, " and --"))
	case c.IsSet("emit") && c.IsSet("hours"):
		return true, message.WithHint(fmt.Errorf("%s: --hours does not apply to --emit", c.Command.Name),
			"give the job a time limit; a run that the cluster ends continues when its index is started again")
	case c.IsSet("emit"):
		return true, emit(c, r)
	case c.IsSet("index"):
		all, err := r.RunIndex(c.Context, c.Int("index"))
		if err != nil {
			return true, err
		}
		of, err := teamOf(c).report()
		if err != nil {
			return true, err
		}
		return true, show(c, seedsReport{all, outputs{ranksReport: of}})
	}
	return false, nil
}

// emit writes the runs as a job for a cluster.
func emit(c *cli.Context, r gridRunner) error {
	to, err := grid.ParseCluster(c.String("emit"))
	if err != nil {
		return fmt.Errorf("--emit: %w", err)
	}
	b, err := r.Emit(c.Context, to, c.String("data"), c.Int(ranksFlag.Name))
	if err != nil {
		return err
	}
	return show(c, batchReport{b})
}

type batchReport struct{ *grid.Batch }

func (r batchReport) text(w io.Writer) {
	fmt.Fprintf(w, "%s: %s, up to %.1f GB each\nto start it:        %s\nto make the table:  %s\n",
		r.File, message.Plural(r.Indexes, "run", "runs"), float64(r.Memory)/1e9, r.Submit, r.Gather)
}
