package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"ialgn/internal/config"
	"ialgn/internal/dataset"
	"ialgn/internal/fit"
	"ialgn/internal/message"
	"ialgn/internal/metrics"
)

func fitCommand() *cli.Command {
	return &cli.Command{
		Name:      "fit",
		Usage:     "search for the most accurate network that fits a budget of LUTs",
		ArgsUsage: "DATA|CONFIG --target TARGET",
		Description: "DATA is a CSV file or the name of a data set. CONFIG is a configuration: its keys are kept,\n" +
			"except width and epochs. fit tries shapes, encoders and learning rates by successive halving\n" +
			"on part of the training samples, and compiles each candidate for its real size. The output\n" +
			"folder holds the best accuracy for each number of LUTs (front.csv, .svg, .png) and those\n" +
			"networks with their configurations. The most accurate network is compiled, proved and, for\n" +
			"an iCE40, routed (design/). To continue after an interruption, add --resume.",
		UsageText: "ialgn fit my.csv --label state --target ice40-up5k",
		Flags: commonFlags(
			&cli.StringFlag{Name: "target", Usage: "search for `TARGET`: a family of compile, or a device of synth"},
			&cli.StringFlag{Name: "label", Usage: "read the classes from column `NAME` (default: the last column)"},
			&cli.StringFlag{Name: "metric", Usage: "search for the best `NAME`, such as balanced_accuracy (default: accuracy)"},
			&cli.IntFlag{Name: "luts", Usage: "use at most `N` LUTs, encoder included (default: size of the device, or 2000)"},
			&cli.Float64Flag{Name: "clock", Usage: "insert registers to reach a clock of `MHZ` (default: 12 on a device)"},
			&cli.StringFlag{Name: "wrap", Usage: "add the interface `KIND`, as in compile (default on a device: stream)"},
			&cli.Float64Flag{
				Name: "minutes", Value: fit.UsualMinutes,
				Usage: "search for at most `M` minutes; one network is trained in any case",
			},
			&cli.StringFlag{Name: "o", Usage: "write everything to `DIR` (default: fit-NAME, with the name of the data)"},
			&cli.BoolFlag{Name: "resume", Usage: "continue the search in DIR"},
			&cli.StringSliceFlag{Name: "set", Usage: "fix a configuration key: `KEY=VALUE`, repeatable"},
			dataFlag,
			forceFlag,
		),
		Action: fitData,
	}
}

func fitData(c *cli.Context) error {
	args, err := arguments(c, 1)
	if err != nil {
		return err
	}
	d, name, err := fitDraft(c, args[0])
	if err != nil {
		return err
	}
	o := fit.Options{
		Target: c.String("target"), LUTs: c.Int("luts"), Clock: c.Float64("clock"), Wrap: c.String("wrap"),
		Minutes: c.Float64("minutes"), Dir: c.String("o"), Data: dataOf(c), Resume: c.Bool("resume"), Threads: threads(c),
		Force: c.Bool("force"), Keep: inputs(c), Survey: !isConfig(args[0]),
	}
	if o.Dir == "" {
		o.Dir = "fit-" + name
	}
	o.Note, o.Warn = notes(c)
	for _, given := range []struct {
		flag  string
		wrong bool
	}{{"minutes", o.Minutes <= 0}, {"luts", o.LUTs <= 0}, {"clock", o.Clock <= 0}} {
		if c.IsSet(given.flag) && given.wrong { // for the library, 0 means the default
			return fmt.Errorf("--%s %v: must be positive", given.flag, c.Value(given.flag))
		}
	}
	r, err := fit.Run(c.Context, d, o)
	if err != nil {
		return err
	}
	return show(c, fitReport{r})
}

// isConfig reports whether an argument of fit is a configuration.
func isConfig(arg string) bool {
	ext := filepath.Ext(arg)
	return ext == ".yaml" || ext == ".yml"
}

// fitDraft returns the part of the configuration that the argument and the options determine, and a name for the
// data.
func fitDraft(c *cli.Context, arg string) (config.Draft, string, error) {
	sets := c.StringSlice("set")
	if label := c.String("label"); label != "" {
		sets = append(sets, "data.label="+label)
	}
	if metric := c.String("metric"); c.IsSet("metric") {
		if !slices.Contains(metrics.Names(), metric) {
			return config.Draft{}, "", message.Optionf("{Metric}: %w", message.NoSuch("metric", metric, metrics.Names()))
		}
		sets = append(sets, "train.validation.metric="+metric)
	}
	name := strings.TrimSuffix(filepath.Base(arg), filepath.Ext(arg))
	known := slices.ContainsFunc(dataset.List(), func(k dataset.Info) bool { return k.Name == arg })
	switch {
	case isConfig(arg):
		d, err := config.LoadDraft(arg, sets)
		return d, name, err
	case known && !dataset.Own(arg):
		d, err := config.ParseDraft(arg, nil, append([]string{"data.set=" + arg}, sets...))
		return d, name, err
	}
	if _, err := os.Stat(arg); err != nil {
		return config.Draft{}, "", message.WithHint(fmt.Errorf("%s: neither a file nor a data set", arg),
			"name a CSV file, a configuration (.yaml) or a data set; `ialgn data list` shows the data sets")
	}
	name = config.NameFor(arg)
	d, err := config.ParseDraft(name, nil, append([]string{"data.set=csv", "data.train=" + arg}, sets...))
	return d, name, err
}

type fitReport struct{ *fit.Result }

// front writes the networks of the front. With a metric, the columns are the test accuracy, the metric on the test
// samples, and the metric on the validation samples.
func (r fitReport) front(w io.Writer) {
	test, width := "test", 0
	if r.Metric != "" {
		test, width = "accuracy", max(10, len(r.Metric))
	}
	line := func(luts any, accuracy, metric, validation, network string) {
		if width > 0 {
			accuracy = fmt.Sprintf("%10s  %*s", accuracy, width, metric)
		}
		fmt.Fprintf(w, "%10v  %10s  %10s  %s\n", luts, accuracy, validation, network)
	}
	line("LUTs", test, r.Metric, "validation", "network")
	for i := range r.Front {
		n, validation := &r.Front[i], "not tried"
		switch {
		case n.Metric != nil:
			validation = fmt.Sprintf("%.4f", *n.Metric)
		case r.Metric == "" && n.Validation > 0:
			validation = percent(n.Validation)
		}
		line(n.LUTs.Total, percent(n.Accuracy), fmt.Sprintf("%.4f", n.Value(r.Metric)), validation, n.Model+": "+n.Choice)
	}
}

func (r fitReport) text(w io.Writer) {
	r.front(w)
	b, metric := r.Best, ""
	if r.Metric != "" {
		metric = fmt.Sprintf("%s %.4f and ", r.Metric, b.Value(r.Metric))
	}
	fmt.Fprintf(w, "best: %s, %saccuracy %s on the test samples, %s (gates %d, head %d, encoder %d)\n", b.Model, metric,
		percent(b.Accuracy), message.Plural(b.LUTs.Total, "LUT", "LUTs"), b.LUTs.Gates, b.LUTs.Head, b.LUTs.Encoder)
	switch {
	case b.Design == "":
		fmt.Fprintln(w, "design: not made yet")
	case b.Verified == "":
		fmt.Fprintf(w, "design: %s, not verified yet\n", b.Design)
	default:
		fmt.Fprintf(w, "design: %s, verified up to level %s\n", b.Design, b.Verified)
	}
	if b.Routed != nil {
		(&synthReport{b.Routed}).text(w)
	}
	fmt.Fprintf(w, "front: %s\n%.0f s\n", strings.Join(r.Files, ", "), r.Seconds)
	for _, what := range r.LeftOut {
		fmt.Fprintf(w, "skipped for lack of time: %s\n", what)
	}
	if len(r.LeftOut) > 0 {
		fmt.Fprintln(w, "to continue, repeat the call with --resume")
	}
}
