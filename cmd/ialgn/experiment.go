package main

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/urfave/cli/v2"

	"ialgn/internal/experiment"
	"ialgn/internal/message"
)

func experimentCommand() *cli.Command {
	return &cli.Command{
		Name:        "experiment",
		Usage:       "train a table or figure of the paper, and compare it with the paper's values",
		ArgsUsage:   "NAME -o DIR",
		Description: experiment.List(),
		UsageText:   "ialgn experiment baselines -o tables",
		Flags: commonFlags(
			&cli.StringFlag{Name: "o", Usage: "write everything to `DIR`; finished runs in it are kept"},
			&cli.StringFlag{
				Name: "scale", Value: string(experiment.Quick),
				Usage: "choose the `SCALE`: quick takes minutes, paper takes hours",
			},
			&cli.IntFlag{
				Name: "seeds", DefaultText: "3, for paper mostly 5",
				Usage: "train each network with `N` consecutive seeds",
			},
			&cli.StringSliceFlag{Name: "set", Usage: "replace a key of every configuration: `KEY=VALUE`, repeatable"},
			&cli.StringSliceFlag{
				Name:  "only",
				Usage: "train only rows that match `PATTERN`, such as 'cifar10-12000x4-*', repeatable",
			},
			dataFlag, forceFlag, jobsFlag, hoursFlag, dryRunFlag, emitFlag, indexFlag, ranksFlag,
		),
		Action: launching(runExperiment),
	}
}

func runExperiment(c *cli.Context) error {
	r, err := newRunner(c)
	if err != nil {
		return err
	}
	if done, err := part(c, r); done || err != nil {
		return err
	}
	if c.Bool("dry-run") || c.IsSet("hours") || r.Scale == experiment.Paper {
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

// newRunner returns the runner that the flags describe.
func newRunner(c *cli.Context) (experiment.Runner, error) {
	var r experiment.Runner
	args, err := arguments(c, 1)
	if err != nil {
		return r, message.WithHint(err, "the experiments are\n%s", experiment.List())
	}
	if r.Experiment, err = experiment.Find(args[0]); err != nil {
		return r, err
	}
	r.Experiment.Set, r.Only = c.StringSlice("set"), c.StringSlice("only")
	if r.Scale, err = experiment.ParseScale(c.String("scale")); err != nil {
		return r, fmt.Errorf("--scale: %w", err)
	}
	r.Seeds = r.Experiment.UsualSeeds(r.Scale)
	if c.IsSet("seeds") {
		r.Seeds = c.Int("seeds")
	}
	if r.Seeds < 1 || r.Seeds > maxSeeds {
		return r, message.WithHint(fmt.Errorf("--seeds %d: want the number of seeds for each network, 1 to %d", r.Seeds,
			maxSeeds),
			"the paper uses %d", r.Experiment.PaperSeeds)
	}
	r.Options, err = gridOptions(c)
	return r, err
}

type forecastReport struct{ *experiment.Forecast }

func (r forecastReport) text(w io.Writer) { _ = r.Text(w) } // show writes to memory, which does not fail

type tableReport struct{ *experiment.Table }

func (r tableReport) text(w io.Writer) { _ = r.Markdown(w) } // show writes to memory, which does not fail
