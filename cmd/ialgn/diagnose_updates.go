package main

import (
	"fmt"
	"io"
	"os"
	"strconv"

	"ialgn"

	"github.com/urfave/cli/v2"

	"ialgn/internal/config"
	"ialgn/internal/diagnose"
	"ialgn/internal/message"
	"ialgn/trainer"
)

// These defaults are from the paper's Figure 1 a and b. updatesSteps is the number of steps to average over.
const (
	updatesSteps  = 500
	updatesEpochs = 10
)

// updatesOptions are the options that only --what updates has.
var updatesOptions = grouped("updates",
	&cli.StringFlag{Name: "o", Usage: "write the trained model to `MODEL` (default: NAME-updates.safetensors)"},
	&cli.IntFlag{Name: "steps", Value: updatesSteps, Usage: "average over the first and the last `N` steps"},
	&cli.BoolFlag{Name: "grid", Usage: "train eight variants: RWLGN or IALGN, random or skip start, STE or soft"},
	&cli.BoolFlag{Name: "resume", Usage: "continue from the checkpoint"})

// diagnoseUpdates trains networks and measures how much their parameters change.
func diagnoseUpdates(c *cli.Context, args []string) error {
	cfg, err := updatesConfig(c, args)
	if err != nil {
		return err
	}
	path := c.String("o")
	if path == "" {
		path = cfg.Name + "-updates.safetensors"
	}
	variants := []diagnose.UpdateVariant{{Config: cfg, Path: path}}
	if c.Bool("grid") {
		if variants, err = diagnose.UpdateGrid(c.Context, cfg, path, folders(c)); err != nil {
			return err
		}
	}
	var runs []diagnose.UpdateReport
	for _, v := range variants {
		r, err := measureUpdates(c, v)
		if err != nil {
			return err
		}
		runs = append(runs, *r)
	}
	plots, err := savePlots(c, withNames(diagnose.UpdateCharts(runs)))
	if err != nil {
		return err
	}
	if c.Bool("grid") {
		return show(c, updatesGrid{runs, plots})
	}
	runs[0].Plots = plots
	return show(c, updatesReport{runs[0]})
}

// updatesConfig reads the configuration and applies the flags.
func updatesConfig(c *cli.Context, args []string) (cfg config.Config, err error) {
	if len(args) != 1 {
		return cfg, message.WithHint(fmt.Errorf("--what updates takes one CONFIG, not %d files", len(args)),
			"`ialgn diagnose -h` shows the usage")
	}
	epochs := updatesEpochs
	if c.IsSet("epochs") {
		epochs = c.Int("epochs")
	}
	if steps := c.Int("steps"); epochs < 1 || steps < 1 {
		return cfg, message.WithHint(fmt.Errorf("--epochs %d, --steps %d: both must be positive", epochs, steps),
			"without the options, the paper's values are used")
	}
	// With patience, the run could end early, and the last steps would not be known in advance.
	open := opener(c)
	open.Overrides = append(open.Overrides, "train.epochs="+strconv.Itoa(epochs), "train.validation.patience=0")
	return open.Config(c.Context, args[0])
}

// measureUpdates trains a variant and measures its changes. With --resume, training continues from the variant's
// checkpoint. A variant without a checkpoint starts from the beginning, since an interrupted grid may not have
// reached it.
func measureUpdates(c *cli.Context, v diagnose.UpdateVariant) (*diagnose.UpdateReport, error) {
	o, p, err := trainOptions(c, &v.Config, v.Path)
	if err != nil {
		return nil, err
	}
	defer p.close()
	r, err := ialgn.NewRun(c.Context, v.Config, dataOf(c), o)
	if err != nil {
		return nil, err
	}
	m := diagnose.NewMeter(c.Int("steps"), threads(c))
	r.Watch = m
	if c.Bool("grid") {
		note(c, "%s", v.Path)
		_, missing := os.Stat(trainer.CheckpointPath(v.Path))
		r.Resume = r.Resume && missing == nil
	}
	s, err := r.Train(c.Context)
	if err != nil {
		return nil, err
	}
	return diagnose.NewUpdateReport(v.Config, s, m.Result()), nil
}

type updatesReport struct{ diagnose.UpdateReport }

func (r updatesReport) text(w io.Writer) {
	fmt.Fprintf(w, "%s: %s, %s, %d x %d, %s, test accuracy %s\n",
		r.Name, r.Topology, r.Setting(), r.Width, r.Depth, message.Plural(r.Epochs, "epoch",
			"epochs"), percent(r.TestAccuracy))
	fmt.Fprintf(w, "mean absolute change of a parameter per step, over steps %d to %d and %d to %d of %d\n",
		r.Initial.First, r.Initial.Last, r.Final.First, r.Final.Last, r.Steps)
	type column struct {
		name  string
		means diagnose.UpdateMeans
	}
	columns := []column{{"operations", r.Operations}, {"anchors", r.Anchors}}
	if r.Hidden != nil {
		columns = append(columns, column{"hidden", *r.Hidden})
	}
	fmt.Fprint(w, "\n  layer")
	for _, k := range columns {
		fmt.Fprintf(w, " %10s %10s", k.name, "at the end")
	}
	fmt.Fprintln(w)
	for l := range r.Layers {
		fmt.Fprintf(w, "  %5d", l+1)
		for _, k := range columns {
			fmt.Fprintf(w, " %10s %10s", meanChange(k.means.Initial[l]), meanChange(k.means.Final[l]))
		}
		fmt.Fprintln(w)
	}
}

// meanChange formats a mean change. An exact zero is written as 0, and a missing value as a dash.
func meanChange(x *float64) string {
	switch {
	case x == nil:
		return "-"
	case *x == 0:
		return "0"
	}
	return fmt.Sprintf("%.3e", *x)
}

// updatesGrid is the report on several runs.
type updatesGrid struct {
	Runs  []diagnose.UpdateReport `json:"runs"`
	Plots []string                `json:"plots,omitempty"`
}

func (g updatesGrid) text(w io.Writer) {
	for i, r := range g.Runs {
		if i > 0 {
			fmt.Fprintln(w)
		}
		updatesReport{r}.text(w)
	}
}
