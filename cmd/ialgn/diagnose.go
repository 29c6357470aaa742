package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"ialgn/internal/diagnose"
	"ialgn/internal/message"
)

// diagnosis describes one kind of diagnostic. Each kind is implemented in its own file.
type diagnosis struct {
	name    string
	about   string   // one line for the help
	options []string // options that this kind has and some other kinds lack
	plots   []string // names of the charts
	run     func(c *cli.Context, args []string) error
}

// diagnoses lists all kinds of diagnostics.
var diagnoses = []diagnosis{
	{
		"credit", "which outputs give credit to hidden gates before training, for each topology",
		append(names(creditOptions), "plots"), diagnose.CreditChartNames, diagnoseCredit,
	},
	{
		"updates", "how much training changes the parameters of each layer",
		append(names(updatesOptions), "epochs", "plots"), diagnose.UpdateChartNames(), diagnoseUpdates,
	},
	{
		"probes", "how well linear classifiers predict the class from the bits of each layer",
		append(names(probesOptions), "epochs", "plots"), diagnose.ProbeChartNames, diagnoseProbes,
	},
	{
		"entropy", "mean binary entropy of the bits of each layer over the test set",
		[]string{"plots"},
		[]string{diagnose.EntropyChartName},
		diagnoseEntropy,
	},
}

// diagnoseOptions are the options that only some kinds have.
var diagnoseOptions = slices.Concat(creditOptions, updatesOptions, probesOptions, grouped("several kinds",
	&cli.IntFlag{
		Name: "epochs", DefaultText: "10, for probes 200",
		Usage: "train for `N` epochs, not the configured number",
	},
	&cli.StringFlag{Name: "plots", Usage: "write charts to `DIR`, as SVG and PNG"}))

// names returns the names of options.
func names(flags []cli.Flag) []string {
	var all []string
	for _, f := range flags {
		all = append(all, f.Names()...)
	}
	return all
}

// diagnoseCommand returns the command diagnose for the given kinds. The command has the given options and the options
// that all kinds share.
func diagnoseCommand(kinds []diagnosis, options ...cli.Flag) *cli.Command {
	var list strings.Builder
	var names []string
	for _, k := range kinds {
		names = append(names, k.name)
		fmt.Fprintf(&list, "  %-8s %s\n", k.name, k.about)
	}
	common := []cli.Flag{
		&cli.StringFlag{Name: "what", Usage: "run the diagnostic `KIND`: " + message.Or(names)},
		dataFlag,
		&cli.StringSliceFlag{Name: "set", Usage: "override a configuration key: `KEY=VALUE`, repeatable"},
		forceFlag,
	}
	return &cli.Command{
		Name:        "diagnose",
		Usage:       "run a diagnostic of the paper: credit, updates or representations",
		ArgsUsage:   "FILE... --what KIND",
		Description: "The kinds:\n" + strings.TrimSuffix(list.String(), "\n"),
		UsageText:   "ialgn diagnose examples/digits/digits.yaml --what updates --epochs 2",
		Flags:       commonFlags(append(common, options...)...),
		Action:      func(c *cli.Context) error { return diagnoseKind(c, kinds) },
	}
}

// diagnoseKind runs the diagnostic that --what names. It returns an error if an option is set that this kind does not
// have.
func diagnoseKind(c *cli.Context, kinds []diagnosis) error {
	var names []string
	for _, k := range kinds {
		names = append(names, k.name)
	}
	at := slices.Index(names, c.String("what"))
	switch {
	case c.Args().Len() == 0:
		return message.WithHint(errors.New("diagnose takes "+c.Command.ArgsUsage+", but no file is given"),
			"`ialgn diagnose -h` shows the usage")
	case !c.IsSet("what"):
		return message.WithHint(errors.New("diagnose: no kind of diagnostic is given"), "name one with --what: %s",
			strings.Join(names, ", "))
	case at < 0:
		return message.Near(message.WithHint(fmt.Errorf("--what %.40q: no such diagnostic", c.String("what")),
			"use %s",
			strings.Join(names, " or ")), c.String("what"), names)
	}
	if err := refuseOptions(c, kinds, kinds[at]); err != nil {
		return err
	}
	if err := checkPlots(c, kinds[at].plots); err != nil {
		return err
	}
	return kinds[at].run(c, c.Args().Slice())
}

// refuseOptions returns an error if an option is set that the wanted kind does not have.
func refuseOptions(c *cli.Context, kinds []diagnosis, want diagnosis) error {
	for _, k := range kinds {
		for _, o := range k.options {
			if c.IsSet(o) && !slices.Contains(want.options, o) {
				return message.WithHint(fmt.Errorf("%s: does not apply to --what %s", dashed(o), want.name),
					"omit it, or use --what %s",
					k.name)
			}
		}
	}
	return nil
}
