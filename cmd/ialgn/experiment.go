package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"ialgn/experiment"
	"ialgn/experiment/grid"
	"ialgn/internal/hint"
	"ialgn/internal/plural"
	"ialgn/trainer"
)

func experimentCommand() *cli.Command {
	return &cli.Command{
		Name:      "experiment",
		Usage:     "train a table or figure of the paper, with the paper's values beside ours",
		ArgsUsage: "NAME -o DIR",
		Description: "Trains the networks of a table over some seeds, and writes means and deviations to DIR as Markdown,\n" +
			"CSV and plots, beside models and logs. What is there is not trained again. The scale quick takes\n" +
			"minutes, and says what it leaves out; paper is the whole protocol, and takes hours. Experiments:\n" +
			experiment.List(),
		UsageText: "ialgn experiment baselines -o tables",
		Flags: commonFlags(
			&cli.StringFlag{Name: "o", Usage: "write everything to `DIR`"},
			dataFlag,
			&cli.StringFlag{Name: "scale", Value: string(experiment.Quick), Usage: "`SCALE` is quick or paper"},
			&cli.IntFlag{Name: "seeds", Value: 3, Usage: "train each network `N` times, with consecutive seeds"},
			&cli.IntFlag{Name: "jobs", Usage: "train `N` runs side by side (default: as memory and cores allow)"},
			&cli.BoolFlag{Name: "dry-run", Usage: "list the runs, with projected hours, and train nothing"},
			&cli.StringFlag{Name: "emit", Usage: "write the runs to DIR as a job for the `CLUSTER`: slurm or kubernetes"},
			&cli.IntFlag{Name: "index", Usage: "train the `I`th run of the list alone, from 0, and write no table"},
			&cli.StringSliceFlag{Name: "set", Usage: "replace a key of every configuration: `KEY=VALUE`, repeatable"},
			&cli.StringSliceFlag{Name: "only", Usage: "train the rows `PATTERN` alone, such as 'cifar10-12000x4-*', repeatable"},
			forceFlag,
		),
		Action: runExperiment,
	}
}

func runExperiment(c *cli.Context) error {
	r, err := newRunner(c)
	if err != nil {
		return err
	}
	switch modes := flagsGiven(c, "dry-run", "emit", "index"); {
	case len(modes) > 1:
		return fmt.Errorf("experiment: --%s: want one of them", strings.Join(modes, " and --"))
	case c.IsSet("emit"):
		return emit(c, r)
	case c.IsSet("index"):
		all, err := r.RunIndex(c.Context, c.Int("index"))
		if err != nil {
			return err
		}
		return show(c, seedsReport{SeedsSummary: all})
	}
	if c.Bool("dry-run") || r.Scale == experiment.Paper {
		f, err := r.Forecast(c.Context)
		if err != nil {
			return err
		}
		if c.Bool("dry-run") {
			return show(c, forecastReport{f})
		}
		note(c, "%s", f.Sum())
	}
	t, err := r.Run(c.Context)
	if t == nil {
		return err
	}
	note(c, "the table is in %s", strings.Join(t.Files, ", "))
	return errors.Join(show(c, tableReport{t}), err)
}

// flagsGiven returns those of the flags that were given.
func flagsGiven(c *cli.Context, flags ...string) []string {
	return slices.DeleteFunc(flags, func(name string) bool { return !c.IsSet(name) })
}

// emit writes the runs as a job of a cluster.
func emit(c *cli.Context, r experiment.Runner) error {
	to, err := grid.ParseCluster(c.String("emit"))
	if err != nil {
		return fmt.Errorf("--emit: %w", err)
	}
	b, err := r.Emit(c.Context, to, c.String("data"))
	if err != nil {
		return err
	}
	return show(c, batchReport{b})
}

type batchReport struct{ *grid.Batch }

func (r batchReport) text(w io.Writer) {
	fmt.Fprintf(w, "%s: %s, up to %.1f GB each\nstart it with   %s\nthe table then  %s\n",
		r.File, plural.Of(r.Indexes, "run", "runs"), float64(r.Memory)/1e9, r.Submit, r.Gather)
}

// newRunner returns what the flags ask for.
func newRunner(c *cli.Context) (experiment.Runner, error) {
	var r experiment.Runner
	args, err := arguments(c, 1)
	if err != nil {
		return r, hint.With(err, "the experiments are\n%s", experiment.List())
	}
	if r.Experiment, err = experiment.Find(args[0]); err != nil {
		return r, err
	}
	r.Experiment.Set, r.Only = c.StringSlice("set"), c.StringSlice("only")
	if r.Scale, err = experiment.ParseScale(c.String("scale")); err != nil {
		return r, fmt.Errorf("--scale: %w", err)
	}
	if r.Seeds = c.Int("seeds"); r.Seeds < 1 || r.Seeds > maxSeeds {
		return r, hint.With(fmt.Errorf("--seeds %d: want how often each network is trained, 1 to %d", r.Seeds, maxSeeds),
			"the paper has %d", r.Experiment.PaperSeeds)
	}
	if r.Dir = c.String("o"); r.Dir == "" {
		return r, hint.With(errors.New("experiment: no output folder given"), "name one with -o DIR")
	}
	if st, err := os.Stat(r.Dir); err == nil && !st.IsDir() {
		return r, hint.With(fmt.Errorf("%s: is a file, want a folder", r.Dir), "name another place with -o")
	}
	r.Folders, r.Threads, r.Guard = folders(c), threads(c), guard(c)
	if r.Jobs = c.Int("jobs"); r.Jobs < 0 || c.IsSet("jobs") && r.Jobs == 0 {
		return r, hint.With(fmt.Errorf("--jobs %d: want how many runs are trained side by side, 1 or more", r.Jobs),
			"leave the option out for as many as memory and cores allow")
	}
	r.Jobs = cmp.Or(r.Jobs, grid.Fitting)
	r.Train = func(ctx context.Context, s trainer.Seeds) (*trainer.SeedsSummary, error) {
		return trainEntry(ctx, c, s)
	}
	return r, nil
}

// trainEntry trains an entry with its progress shown and logged.
func trainEntry(ctx context.Context, c *cli.Context, s trainer.Seeds) (*trainer.SeedsSummary, error) {
	p, err := newEpochs(c, &s.Config, grid.LogPath(s.Model))
	if err != nil {
		return nil, err
	}
	defer p.close()
	if s.Threads < threads(c) || c.Int("jobs") > 1 {
		// Other runs write between the lines of this one.
		p.label, p.bar = fmt.Sprintf("%s seed %d: ", s.Config.Name, s.Config.Train.Seed), false
	}
	s.Progress, s.Warn, s.Estimate = p.show, p.warn, true
	s.Begin = func(seed uint64) {
		p.begin(seed)
		note(c, "seed %d: %s", seed, trainer.SeedPath(s.Model, seed))
	}
	return s.Train(ctx)
}

type forecastReport struct{ *experiment.Forecast }

func (r forecastReport) text(w io.Writer) { _ = r.Text(w) } // errors of the terminal are ignored, as everywhere

type tableReport struct{ *experiment.Table }

func (r tableReport) text(w io.Writer) { _ = r.Markdown(w) } // show writes to memory, which does not fail
