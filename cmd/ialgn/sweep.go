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
		Usage:     "train every combination of values of some keys of a configuration",
		ArgsUsage: "CONFIG.yaml --grid AXIS -o DIR",
		Description: "Every combination of the values is a row of a table (Markdown, CSV, chart) in DIR, with mean\n" +
			"and deviation over the values of train.seed. LOW..HIGH are whole numbers, LOW..HIGH*FACTOR\n" +
			"products. All combinations are checked before any is trained. What DIR has is not trained\n" +
			"again: after an interruption the same call goes on, and more values may be added. The best\n" +
			"row is chosen by train.validation.share; without one, none is.",
		UsageText: "ialgn sweep examples/digits/digits.yaml -o sweep --grid model.width=100,200 --set train.epochs=2",
		Flags: commonFlags(
			&cli.StringSliceFlag{Name: "grid", Usage: "try all values of a key: `AXIS` is KEY=V,V,..., repeatable"},
			&cli.StringFlag{Name: "grid-file", Usage: "read keys with their values from the YAML file `FILE`, instead"},
			&cli.StringFlag{Name: "o", Usage: "write everything to `DIR`"},
			&cli.StringSliceFlag{Name: "set", Usage: "replace a key of every configuration: `KEY=VALUE`, repeatable"},
			&cli.StringFlag{Name: "target", Usage: "compile each network for `FAMILY`, and count its LUTs"},
			&cli.BoolFlag{Name: "resume", Usage: "refuse to begin in a DIR that is not there"},
			dataFlag, jobsFlag, dryRunFlag, emitFlag, indexFlag, ranksFlag, forceFlag,
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
	if c.Bool("dry-run") {
		f, err := r.Forecast(c.Context)
		if err != nil {
			return err
		}
		return show(c, sweepForecast{f})
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

func (r sweepReport) text(w io.Writer) { _ = r.Markdown(w) } // see above
