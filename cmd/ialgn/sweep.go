package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/urfave/cli/v2"

	"ialgn/internal/experiment/sweep"
)

func sweepCommand() *cli.Command {
	return &cli.Command{
		Name:      "sweep",
		Usage:     "train every combination of some configuration values",
		ArgsUsage: "CONFIG.yaml --grid AXIS -o DIR",
		Description: "Each combination is a row of a table (Markdown, CSV, chart) in DIR, with mean and deviation\n" +
			"over the values of train.seed. LOW..HIGH is a range of whole numbers, LOW..HIGH*FACTOR a\n" +
			"geometric one. All combinations are checked before the first is trained. Results in DIR are\n" +
			"reused: after an interruption, repeat the same call, or add values to it. The best row is\n" +
			"chosen by validation accuracy (train.validation.share); without a validation set, no row is.",
		UsageText: "ialgn sweep examples/digits/digits.yaml -o sweep --grid model.width=100,200 --set train.epochs=2",
		Flags: commonFlags(
			&cli.StringSliceFlag{Name: "grid", Usage: "try the given values of a key: `AXIS` is KEY=V,V,..., repeatable"},
			&cli.StringFlag{Name: "grid-file", Usage: "read the keys and their values from the YAML file `FILE` instead"},
			&cli.StringFlag{Name: "o", Usage: "write everything to `DIR`"},
			&cli.StringSliceFlag{Name: "set", Usage: "replace a key of every configuration: `KEY=VALUE`, repeatable"},
			&cli.StringFlag{Name: "target", Usage: "compile each network for `FAMILY`, and count its LUTs"},
			&cli.BoolFlag{Name: "resume", Usage: "continue the sweep in DIR; fail if there is none"},
			dataFlag, forceFlag, jobsFlag, hoursFlag, dryRunFlag, emitFlag, indexFlag, ranksFlag,
		),
		Action: launching(runSweep),
	}
}

func runSweep(c *cli.Context) error {
	r, err := newSweep(c)
	if err != nil {
		return err
	}
	if done, err := part(c, r); done || err != nil {
		return err
	}
	if c.Bool("dry-run") || c.IsSet("hours") {
		f, err := r.Forecast(c.Context)
		if err != nil {
			return err
		}
		if c.Bool("dry-run") {
			return show(c, sweepForecast{f})
		}
		note(c, "%s", f.Sum())
	}
	t, err := r.Run(c.Context)
	if err != nil {
		return err
	}
	note(c, "the table is in %s", strings.Join(t.Files, ", "))
	return show(c, sweepReport{t})
}

// newSweep returns the sweep that the flags describe.
func newSweep(c *cli.Context) (sweep.Runner, error) {
	args, err := arguments(c, 1)
	if err != nil {
		return sweep.Runner{}, err
	}
	r := sweep.Runner{
		Config: args[0], Set: c.StringSlice("set"), Grid: c.StringSlice("grid"), GridFile: c.String("grid-file"),
		Target: c.String("target"), Resume: c.Bool("resume"),
	}
	if c.IsSet("target") && r.Target == "" {
		return r, fmt.Errorf("--target: names no family")
	}
	r.Options, err = gridOptions(c)
	return r, err
}

type sweepForecast struct{ *sweep.Forecast }

func (r sweepForecast) text(w io.Writer) { _ = r.Text(w) } // show writes to memory, which does not fail

type sweepReport struct{ *sweep.Table }

func (r sweepReport) text(w io.Writer) { _ = r.Markdown(w) } // show writes to memory, which does not fail
