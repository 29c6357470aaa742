package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"ialgn"

	"github.com/urfave/cli/v2"

	"ialgn/internal/message"
)

func simCommand() *cli.Command {
	return &cli.Command{
		Name:      "sim",
		Usage:     "classify the test set by simulating a netlist",
		ArgsUsage: "DIR_OR_MODEL",
		Description: "For a folder made by compile, sim runs the optimised netlist; for a model file, the raw netlist\n" +
			"of the whole classifier. The accuracy equals the accuracy of eval. The netlist runs in a\n" +
			"bit-parallel simulator or, for many samples, as machine code. With --activity or --vcd, sim\n" +
			"also counts how often each net switches from sample to sample. The count has zero delay, so it\n" +
			"excludes glitches, and it is not an estimate of power. With --liberty, sim estimates the power of\n" +
			"a netlist of standard cells.",
		UsageText: "ialgn sim demo/digits --activity demo/activity.json",
		Flags: commonFlags(dataFlag, engineFlag,
			&cli.StringFlag{Name: "activity", Usage: "write the transitions of every net to `FILE` as JSON"},
			&cli.StringFlag{Name: "vcd", Usage: "write the values of every net over time to `FILE`, for waveform viewers"},
			&cli.StringFlag{
				Name: "samples", Value: "1000",
				Usage: "with --activity or --vcd: use the first `N` test samples, or all",
			},
			&cli.StringFlag{
				Name:  "liberty",
				Usage: "with --activity or --vcd: also estimate the power of the cells of `FILE`",
			},
			forceFlag,
		),
		Action: simulate,
	}
}

func simulate(c *cli.Context) error {
	args, err := arguments(c, 1)
	if err != nil {
		return err
	}
	o := ialgn.SimOptions{
		Data: dataOf(c), Engine: engineOf(c), ActivityFile: c.String("activity"), VCD: c.String("vcd"),
		Force: c.Bool("force"), Keep: inputs(c), Liberty: c.String("liberty"),
	}
	measured := o.ActivityFile != "" || o.VCD != ""
	if !measured && c.IsSet("samples") {
		return message.WithHint(errors.New("--samples: needs --activity or --vcd, whose samples it limits"),
			"add one of these options, or omit --samples")
	}
	if o.Samples, err = parseSamples(c.String("samples")); err != nil {
		return err
	}
	s, err := simulateAt(c, args[0], o)
	if err != nil {
		return err
	}
	noteSamples(c, s.Note)
	if measured {
		noteFewer(c, o.Samples, s.Samples)
	}
	return show(c, simReport{s})
}

// simulateAt simulates an output folder, or the raw core of a model file.
func simulateAt(c *cli.Context, path string, o ialgn.SimOptions) (*ialgn.Simulation, error) {
	switch info, err := os.Stat(path); {
	case err != nil:
		return nil, message.WithHint(fmt.Errorf("%s: no such folder or model", path),
			"name a folder made by compile, or a model file written by train")
	case info.IsDir():
		d, err := ialgn.OpenDesign(c.Context, path)
		if err != nil {
			return nil, err
		}
		return d.Simulate(c.Context, o)
	}
	m, err := ialgn.Open(path)
	if err != nil {
		return nil, err
	}
	defer m.Close()
	return m.Simulate(c.Context, o)
}

// simReport is the report on a simulation.
type simReport struct{ *ialgn.Simulation }

func (r simReport) text(w io.Writer) {
	fmt.Fprintf(w, "%d of %d correct, accuracy %s, %.0f images/s by %s\n", r.Correct, r.Samples, percent(r.Accuracy),
		r.Rate, engineText(r.Engine, r.ISA))
	if r.Activity != nil {
		activityText(w, r.Activity)
	}
}

func activityText(w io.Writer, r *ialgn.Activity) {
	fmt.Fprintf(w, "activity over %d samples: %s\n", r.Samples, r.What)
	for _, g := range append(r.Parts, r.Total) {
		fmt.Fprintf(w,
			"  %-8s %9d nets (%d never switch), %11d transitions, %.4f per net and step\n", g.Name, g.Nets, g.Silent,
			g.Transitions, g.Mean)
	}
	if len(r.Classes) > 0 {
		fmt.Fprint(w, "  gates of each class, transitions per net and step:")
		for _, g := range r.Classes {
			fmt.Fprintf(w, " %.4f", g.Mean)
		}
		fmt.Fprintln(w)
	}
	fmt.Fprint(w, "  busiest:")
	for _, v := range r.Busiest {
		fmt.Fprintf(w, " %s %d", v.Name, v.Transitions)
	}
	fmt.Fprintf(w, "\n  %.1f transitions per sample\n", r.PerSample)
	if r.Power != nil {
		powerText(w, r.Power)
	}
	for i, s := range r.Static {
		if i == 0 {
			fmt.Fprintf(w, "no dynamic power, because no data sheet says what a transition takes\n"+
				"static current of the core at %g V by %s:\n", s.Volts, s.Source)
		}
		fmt.Fprintf(w, "  %s %g uA, %.3g mW\n", s.Device, s.Core, s.Core*s.Volts*1e-3)
	}
}

func powerText(w io.Writer, p *ialgn.Power) {
	fmt.Fprintf(w, "cells of %s at %g V over %d samples: %.1f transitions and %.4g pJ per sample "+
		"(%.4g pJ for loads, %.4g pJ inside of cells, %.4g pJ for the clock), leakage %.4g nW\n",
		p.Library, p.Volts, p.Samples, p.Transitions, p.Energy, p.Switching, p.Internal, p.Clock, p.Leakage)
	if p.MHz > 0 {
		fmt.Fprintf(w, "  %.4g mW at %g million samples per second\n", p.Milliwatts, p.MHz)
	}
	if len(p.Without) > 0 {
		fmt.Fprintf(w, "  the library has no energies inside of %s\n", strings.Join(p.Without, ", "))
	}
	fmt.Fprintf(w, "  left out: %s\n", p.LeavesOut)
}
