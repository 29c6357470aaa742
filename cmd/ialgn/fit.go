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
)

func fitCommand() *cli.Command {
	return &cli.Command{
		Name:      "fit",
		Usage:     "find the most accurate network for a data set that fits a budget of LUTs",
		ArgsUsage: "DATA|CONFIG --target TARGET",
		Description: "DATA is a CSV file or the name of a data set, CONFIG a configuration whose keys are\n" +
			"kept, but for width and epochs. Shapes, encoders and rates are tried by successive\n" +
			"halving on a part of the training samples, and compiled for their real size. The\n" +
			"folder gets the front of accuracy against LUTs (front.csv, .svg, .png), its networks\n" +
			"with their configurations, and the most accurate of them compiled, proved and, for an\n" +
			"iCE40, routed (design/). After an interruption the same call with --resume goes on.",
		UsageText: "ialgn fit my.csv --label state --target ice40-up5k",
		Flags: commonFlags(
			&cli.StringFlag{Name: "target", Usage: "fit a `TARGET`: a family of compile, or a device of synth"},
			&cli.StringFlag{Name: "label", Usage: "the classes are in the column `NAME` (default: the last one)"},
			&cli.IntFlag{Name: "luts", Usage: "take at most `N` LUTs, encoder included (default: what a device holds, or 2000)"},
			&cli.Float64Flag{Name: "clock", Usage: "reach a clock of `MHZ`, with registers (default: 12 on a device)"},
			&cli.StringFlag{Name: "wrap", Usage: "write `KIND` around it, as compile does (default on a device: stream)"},
			&cli.Float64Flag{Name: "minutes", Value: fit.UsualMinutes, Usage: "take at most `M` minutes, but one in any case"},
			&cli.StringFlag{Name: "o", Usage: "write everything to `DIR` (default: fit-NAME, after the data)"},
			&cli.BoolFlag{Name: "resume", Usage: "go on with the search in the folder"},
			&cli.StringSliceFlag{Name: "set", Usage: "keep a configuration key at a value: `KEY=VALUE`, repeatable"},
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
		Force: c.Bool("force"), Keep: inputs(c),
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

// fitDraft returns the part of the configuration that the argument and the options determine, and a name for the
// data.
func fitDraft(c *cli.Context, arg string) (config.Draft, string, error) {
	sets := c.StringSlice("set")
	if label := c.String("label"); label != "" {
		sets = append(sets, "data.label="+label)
	}
	name := strings.TrimSuffix(filepath.Base(arg), filepath.Ext(arg))
	known := slices.ContainsFunc(dataset.List(), func(k dataset.Info) bool { return k.Name == arg })
	switch ext := filepath.Ext(arg); {
	case ext == ".yaml" || ext == ".yml":
		d, err := config.LoadDraft(arg, sets)
		return d, name, err
	case known && !dataset.Own(arg):
		d, err := config.ParseDraft(arg, nil, append([]string{"data.set=" + arg}, sets...))
		return d, name, err
	}
	if _, err := os.Stat(arg); err != nil {
		return config.Draft{}, "", message.WithHint(fmt.Errorf("%s: is neither a file nor a data set", arg),
			"name a CSV file, a configuration (.yaml), or one of the data sets that `ialgn data list` shows")
	}
	name = config.NameFor(arg)
	d, err := config.ParseDraft(name, nil, append([]string{"data.set=csv", "data.train=" + arg}, sets...))
	return d, name, err
}

type fitReport struct{ *fit.Result }

func (r fitReport) text(w io.Writer) {
	fmt.Fprintf(w, "%10s  %10s  %10s  %s\n", "LUTs", "test", "validation", "network")
	for _, n := range r.Front {
		validation := "not tried"
		if n.Validation > 0 {
			validation = percent(n.Validation)
		}
		fmt.Fprintf(w, "%10d  %10s  %10s  %s: %s\n", n.LUTs.Total, percent(n.Accuracy), validation, n.Model, n.Choice)
	}
	b := r.Best
	fmt.Fprintf(w, "best: %s, %s on the test samples with %s (gates %d, head %d, encoder %d)\n", b.Model,
		percent(b.Accuracy), message.Plural(b.LUTs.Total, "LUT", "LUTs"), b.LUTs.Gates, b.LUTs.Head, b.LUTs.Encoder)
	switch {
	case b.Design == "":
		fmt.Fprintln(w, "design: none yet")
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
		fmt.Fprintf(w, "left out for want of time: %s\n", what)
	}
	if len(r.LeftOut) > 0 {
		fmt.Fprintln(w, "the same call with --resume goes on with that")
	}
}
