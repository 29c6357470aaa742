package main

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"ialgn/diagnose/updates"
	"ialgn/internal/hint"
	"ialgn/internal/plural"
	"ialgn/trainer"
	"ialgn/trainer/config"
)

// The windows and the length of the paper's Figure 1 a and b.
const (
	updatesSteps  = 500
	updatesEpochs = 10
)

// updatesOptions are the options of --what updates alone.
var updatesOptions = []cli.Flag{
	&cli.StringFlag{Name: "o", Usage: "train the model `MODEL` (default: NAME-updates.safetensors)"},
	&cli.IntFlag{Name: "steps", Value: updatesSteps, Usage: "average over the first and the last `N` steps"},
	&cli.BoolFlag{Name: "grid", Usage: "RWLGN and IALGN, random and skip start, STE and soft: all eight"},
	&cli.BoolFlag{Name: "resume", Usage: "go on from the checkpoint"},
}

// diagnoseUpdates trains, and measures by how much parameters change on the way.
func diagnoseUpdates(c *cli.Context, args []string) error {
	cfg, err := updatesConfig(c, args)
	if err != nil {
		return err
	}
	path := c.String("o")
	if path == "" {
		path = cfg.Name + "-updates.safetensors"
	}
	variants, err := updatesVariants(c, cfg, path)
	if err != nil {
		return err
	}
	var runs []updatesReport
	for _, v := range variants {
		r, err := measureUpdates(c, v)
		if err != nil {
			return err
		}
		runs = append(runs, *r)
	}
	plots, err := plotUpdates(c, runs)
	if err != nil {
		return err
	}
	if c.Bool("grid") {
		return show(c, updatesGrid{runs, plots})
	}
	runs[0].Plots = plots
	return show(c, runs[0])
}

// updatesConfig returns the configuration that the flags make of the file's.
func updatesConfig(c *cli.Context, args []string) (cfg config.Config, err error) {
	if len(args) != 1 {
		return cfg, hint.With(fmt.Errorf("--what updates takes one CONFIG, not %d files", len(args)), "`ialgn diagnose -h` shows the form")
	}
	epochs := updatesEpochs
	if c.IsSet("epochs") {
		epochs = c.Int("epochs")
	}
	if steps := c.Int("steps"); epochs < 1 || steps < 1 {
		return cfg, hint.With(fmt.Errorf("--epochs %d, --steps %d: must be positive", epochs, steps), "leave them out for the paper's")
	}
	// Patience would end the run before the last steps are known to be that.
	return loadConfig(c, args[0], append(c.StringSlice("set"),
		"train.epochs="+strconv.Itoa(epochs), "train.validation.patience=0"))
}

// updatesVariant is a run to measure.
type updatesVariant struct {
	cfg  config.Config
	path string
}

// updatesVariants returns the configuration, or those of the grid, all of which fit the data.
func updatesVariants(c *cli.Context, cfg config.Config, path string) (all []updatesVariant, err error) {
	if !c.Bool("grid") {
		return []updatesVariant{{cfg, path}}, nil
	}
	data, err := trainer.LoadData(c.Context, cfg, folders(c))
	if err != nil {
		return nil, err
	}
	ext := filepath.Ext(path)
	for _, topology := range []string{"rwlgn", "ialgn"} {
		for _, init := range []string{"random", "skip"} {
			for _, estimator := range []string{"soft", "ste"} {
				v := updatesVariant{cfg.As(topology), fmt.Sprintf("%s.%s-%s-%s%s", strings.TrimSuffix(path, ext), topology, init, estimator, ext)}
				v.cfg.Model.Init, v.cfg.Train.Estimator = init, estimator
				if err := cmp.Or(v.cfg.Check(), v.cfg.CheckClasses(len(data.Classes), data.Encoder.Inputs())); err != nil {
					return nil, fmt.Errorf("--grid, %s: %w", topology, err)
				}
				all = append(all, v)
			}
		}
	}
	return all, nil
}

// measureUpdates trains a variant under a meter. With --resume it goes on from the variant's
// checkpoint, if there is one; of a grid some may not have begun.
func measureUpdates(c *cli.Context, v updatesVariant) (*updatesReport, error) {
	r, p, err := newRun(c, v.cfg, v.path)
	if err != nil {
		return nil, err
	}
	defer p.close()
	m := updates.New(c.Int("steps"), threads(c))
	r.Watch = m
	if c.Bool("grid") {
		note(c, "%s", v.path)
		_, missing := os.Stat(trainer.CheckpointPath(v.path))
		r.Resume = r.Resume && missing == nil
	}
	s, err := r.Train(c.Context)
	if err != nil {
		return nil, err
	}
	return newUpdatesReport(v.cfg, s, m.Result()), nil
}

// updatesReport is what is said of one run.
type updatesReport struct {
	Name         string         `json:"name"`
	Topology     string         `json:"topology"`
	Init         string         `json:"init"`
	Estimator    string         `json:"estimator"`
	Width        int            `json:"width"`
	Depth        int            `json:"depth"`
	Seed         uint64         `json:"seed"`
	Epochs       int            `json:"epochs"`
	Steps        int            `json:"steps"`
	Initial      updates.Window `json:"initial"`
	Final        updates.Window `json:"final"`
	Layers       []int          `json:"layers"`
	Operations   updates.Means  `json:"operations"`
	Anchors      updates.Means  `json:"anchors"`
	Hidden       *updates.Means `json:"hidden,omitempty"`
	Model        string         `json:"model"`
	TestAccuracy float64        `json:"test_accuracy"`
	Plots        []string       `json:"plots,omitempty"`
}

func newUpdatesReport(cfg config.Config, s *trainer.Summary, m updates.Result) *updatesReport {
	r := &updatesReport{
		Name: cfg.Name, Topology: cfg.Model.Topology, Init: cfg.Model.Init, Estimator: cfg.Train.Estimator,
		Width: cfg.Model.Width, Depth: cfg.Model.Depth, Seed: cfg.Train.Seed, Epochs: s.Epochs, Steps: m.Steps,
		Initial: m.Initial, Final: m.Final, Operations: m.Operations, Anchors: m.Anchors,
		Model: s.Model, TestAccuracy: s.TestAccuracy,
	}
	for l := range r.Depth {
		r.Layers = append(r.Layers, l+1)
	}
	if m.Hidden.Any() {
		r.Hidden = &m.Hidden
	}
	return r
}

// setting returns the run's start and estimator in words.
func (r *updatesReport) setting() string {
	estimator := map[string]string{"ste": "STE", "soft": "soft"}[r.Estimator]
	return r.Init + " start, " + estimator
}

func (r updatesReport) text(w io.Writer) {
	fmt.Fprintf(w, "%s: %s, %s, %d x %d, %s, test accuracy %s\n",
		r.Name, r.Topology, r.setting(), r.Width, r.Depth, plural.Of(r.Epochs, "epoch", "epochs"), percent(r.TestAccuracy))
	fmt.Fprintf(w, "mean absolute change of a parameter in a step, over the steps %d to %d and %d to %d of %d\n",
		r.Initial.First, r.Initial.Last, r.Final.First, r.Final.Last, r.Steps)
	type column struct {
		name  string
		means updates.Means
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

// meanChange formats a mean change, an exact zero as 0 and a missing one as a dash.
func meanChange(x *float64) string {
	switch {
	case x == nil:
		return "-"
	case *x == 0:
		return "0"
	}
	return fmt.Sprintf("%.3e", *x)
}

// updatesGrid is what is said of several runs.
type updatesGrid struct {
	Runs  []updatesReport `json:"runs"`
	Plots []string        `json:"plots,omitempty"`
}

func (g updatesGrid) text(w io.Writer) {
	for i, r := range g.Runs {
		if i > 0 {
			fmt.Fprintln(w)
		}
		r.text(w)
	}
}
