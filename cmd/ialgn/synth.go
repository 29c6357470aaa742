package main

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v2"

	"ialgn/artifact"
	"ialgn/backend/verilog"
	"ialgn/flow/synth"
	"ialgn/internal/hint"
	"ialgn/target"
)

// synthesisName is where the folders of the targets lie in a compiled folder.
const synthesisName = "synth"

func synthCommand() *cli.Command {
	return &cli.Command{
		Name:      "synth",
		Usage:     "synthesise a compiled folder, place and route it, and make a bitstream",
		ArgsUsage: "DIR",
		Description: "DIR/synth/TARGET gets the netlist of yosys and, where what places for the target is\n" +
			"installed, the routed design, its bitstream and pins, all logs, and synth.json.\n" +
			"The clock is the figure after routing. Targets:\n" +
			strings.Join(target.DeviceNames()[:6], ", ") + ",\n" + strings.Join(target.DeviceNames()[6:], ", ") + ".",
		UsageText: "ialgn synth demo/digits --target generic-lut4",
		Flags: everywhere(dataFlag,
			&cli.StringFlag{Name: "target", Usage: "synthesise for `TARGET` (default: that of the folder, or ice40-hx8k)"},
			&cli.Float64Flag{Name: "freq", Usage: "aim at a clock of `MHZ` (default: that of compile or its board, or 48)"},
			&cli.IntFlag{Name: "seed", Value: 1, Usage: "place with the random numbers of seed `N`"},
			&cli.IntFlag{Name: "seeds", Value: 1, Usage: "place with `N` seeds, from that of --seed on, and take the fastest"},
			&cli.StringFlag{Name: "place", Value: "auto", Usage: "place for `AIM`: clock, short wires, or auto, by the estimate"},
			&cli.StringFlag{Name: "pins", Usage: "put ports on the pins in `FILE` (.pcf, .lpf, .cst, .xdc; default: the board's)"},
			&cli.StringFlag{Name: "reuse", Usage: "take what was routed of the folded engine in `DIR`"},
			&cli.StringFlag{Name: "check", Usage: "simulate what is in the bitstream and compare it with `MODEL`"},
			&cli.BoolFlag{Name: "require-timing", Usage: "exit with status 2 if the clock is not reached"},
			&cli.StringFlag{Name: "samples", Value: "100", Usage: "with --check: run `N` test samples, or all"},
			forceFlag,
		),
		Action: synthDir,
	}
}

// The clock that is aimed at where nothing says another, and the most seeds.
const (
	usualMHz    = 48
	maxPlacings = 1000
)

func synthDir(c *cli.Context) error {
	args, err := arguments(c, 1)
	if err != nil {
		return err
	}
	o, err := synthOptions(c)
	if err != nil {
		return err
	}
	samples, err := parseSamples(c.String("samples"))
	if err != nil {
		return err
	}
	r, err := synthFolder(c, args[0], o, c.String("check"), samples)
	if err != nil {
		return err
	}
	if err := show(c, r); err != nil {
		return err
	}
	if err := r.Check.outcome(); err != nil || !c.Bool("require-timing") {
		return err
	}
	return r.timing()
}

// synthOptions reads the options of the command line; the folder has the rest.
func synthOptions(c *cli.Context) (o synth.Options, err error) {
	if name := c.String("target"); name != "" {
		if o.Device, err = target.FindDevice(name); err != nil {
			return o, fmt.Errorf("--target: %w", err)
		}
	}
	if o.Aim, err = synth.ParseAim(c.String("place")); err != nil {
		return o, fmt.Errorf("--place: %w", err)
	}
	o.MHz, o.Pins, o.Parallel, o.Guard = c.Float64("freq"), c.String("pins"), threads(c), guard(c)
	if c.IsSet("freq") && !(o.MHz >= minMHz && o.MHz <= maxMHz) {
		return o, fmt.Errorf("--freq %v: give a clock in MHz, %v to %d", o.MHz, minMHz, maxMHz)
	}
	first, n := c.Int("seed"), c.Int("seeds")
	if first < 0 || first > 1<<30 {
		return o, fmt.Errorf("--seed %d: give 0 to %d", first, 1<<30)
	}
	if n < 1 || n > maxPlacings {
		return o, fmt.Errorf("--seeds %d: give 1 to %d", n, maxPlacings)
	}
	for i := range n {
		o.Seeds = append(o.Seeds, first+i)
	}
	o.Note, o.Warn = notes(c)
	return o, nil
}

// synthFolder synthesises a compiled folder, and compares what comes of it with the model in a
// file, if one is given, on so many samples.
func synthFolder(c *cli.Context, dir string, o synth.Options, model string, samples int) (*synthReport, error) {
	out, err := artifact.Read(dir)
	if err != nil {
		return nil, err
	}
	if err := ofFolder(c, out, &o); err != nil {
		return nil, err
	}
	checker, err := newBitChecker(c, out, model, samples)
	if err != nil {
		return nil, err
	}
	r, err := synth.Run(c.Context, o)
	if err != nil {
		return nil, err
	}
	report := &synthReport{Report: r}
	if r.NotPlaced == "" && !r.Met {
		report.Hint = timingHint(out, r)
		warn(c, "%v; %s", errTooSlow(r), report.Hint)
	}
	report.Cycles, report.Latency = out.Report.Rate()
	if r.Fmax > 0 && report.Cycles > 0 {
		report.Samples = r.Fmax * 1e6 / float64(report.Cycles)
		report.LatencyNS = 1e3 / r.Fmax * float64(report.Latency)
	}
	if checker != nil {
		report.Check, err = checker.check(c, r)
	}
	return report, err
}

// ofFolder adds to the options of the command line what a compiled folder says.
func ofFolder(c *cli.Context, out *artifact.Output, o *synth.Options) error {
	compiled, plan, err := readOptions(out)
	if err != nil {
		return fmt.Errorf("%s: manifest: %w; compile again", out.Dir, err)
	}
	if o.Device.Name == "" {
		if o.Device, err = plan.device(); err != nil {
			return err
		}
		note(c, "for %s, %s", o.Device.Name, plan.reason())
	}
	if err := checkPins(*o); err != nil {
		return err
	}
	warnOfFamily(c, out, plan, o.Device)
	if err := onBoard(c, out, plan.board, o); err != nil {
		return err
	}
	o.Dir, o.Manifest = filepath.Join(out.Dir, synthesisName), out.SHA256()
	o.MHz = cmp.Or(o.MHz, compiled.MHz, usualMHz)
	if o.Module, o.Sources, err = sources(out, plan, o.Device); err != nil {
		return err
	}
	if o.Memories, err = memories(out); err != nil {
		return err
	}
	o.Reuse, err = reused(c, out, *o)
	return err
}

// sources returns the top module of a compiled folder, its wrapper's if it has one, and its
// Verilog.
func sources(out *artifact.Output, plan compilePlan, d target.Device) (top string, files []string, err error) {
	if plan.fold > 0 {
		return foldSources(out, plan)
	}
	formats := []string{"verilog"}
	if plan.style == verilog.LUTs {
		family := plan.target().OrGeneric()
		if family != d.Of() {
			return "", nil, hint.With(fmt.Errorf("%s: compiled in primitives of %s, which %s has not", out.Dir, family, d.Name),
				"compile with --target %s, or with --style gates", d.Family)
		}
		if family.Modelled {
			formats = append(formats, "cells")
		}
	}
	top = out.Manifest.Module
	if plan.wrap != "" {
		top += "_" + plan.wrap
		formats[0] = around(out)
		formats = append(formats, plan.wrap)
	}
	files, err = paths(out, formats)
	return top, files, err
}

// around returns the format of what a wrapper is around.
func around(out *artifact.Output) string {
	if _, err := out.Path("core"); err == nil {
		return "core"
	}
	return "verilog"
}

// checkPins refuses a file of pins for a target that has none, and one that is not there.
func checkPins(o synth.Options) error {
	if o.Pins == "" {
		return nil
	}
	if !o.Device.Placeable() {
		return hint.With(fmt.Errorf("--pins: the target %s has none", o.Device.Name), "leave it out, or choose a device")
	}
	if info, err := os.Stat(o.Pins); err != nil || info.IsDir() {
		return hint.With(fmt.Errorf("--pins %s: no such file", o.Pins), "write one with a line `%s` for each port, or leave the option out", o.Device.Of().Constraints.PinLine)
	}
	return nil
}

// paths returns the files of some formats in a compiled folder.
func paths(out *artifact.Output, formats []string) (files []string, err error) {
	for _, f := range formats {
		path, err := out.Path(f)
		if err != nil {
			return nil, err
		}
		files = append(files, path)
	}
	return files, nil
}

// synthReport is the report of package synth with its text.
type synthReport struct {
	*synth.Report
	Cycles    int       `json:"cycles,omitempty"`             // from one sample to the next, at least
	Samples   float64   `json:"samples_per_second,omitempty"` // at the median clock
	Latency   int       `json:"latency_cycles,omitempty"`     // from the first word of a sample to its result
	LatencyNS float64   `json:"latency_ns,omitempty"`         // at the median clock
	Hint      string    `json:"timing_hint,omitempty"`        // what may help a clock that was not reached
	Check     *bitCheck `json:"check,omitempty"`
}

func (r *synthReport) text(w io.Writer) {
	r.synthesised(w)
	if r.Check != nil {
		r.Check.text(w)
	}
}

// synthesised writes what there is but for the check.
func (r *synthReport) synthesised(w io.Writer) {
	fmt.Fprintf(w, "%s for %s: %d LUTs, %d carries, %d flip-flops, %d pins\n", r.Module, r.Target, r.LUTs, r.Carries, r.FFs, r.Pins)
	if r.Reused != "" {
		fmt.Fprintf(w, "placed and routed as the folder with the manifest %s\n", r.Reused)
	}
	if r.NotPlaced != "" {
		fmt.Fprintf(w, "not placed and routed, no clock: %s\nnetlist: %s\n", r.NotPlaced, filepath.Join(r.Dir, "netlist.json"))
		if r.Command != "" {
			fmt.Fprintf(w, "to place it elsewhere, in a copy of %s: %s\n", r.Dir, r.Command)
		}
		return
	}
	best := r.Best()
	for _, u := range best.Cells {
		if u.Used > 0 {
			fmt.Fprintf(w, "%s: %d of %d (%s)\n", u.Cell, u.Used, u.Available, percent(float64(u.Used)/float64(u.Available)))
		}
	}
	for _, p := range r.Runs {
		switch {
		case p.Result == nil:
			fmt.Fprintf(w, "seed %d: failed, %s\n", p.Seed, p.Failed)
		case p.Icetime > 0:
			fmt.Fprintf(w, "seed %d: %.1f MHz, by icetime %.1f MHz\n", p.Seed, p.Fmax, p.Icetime)
		default:
			fmt.Fprintf(w, "seed %d: %.1f MHz\n", p.Seed, p.Fmax)
		}
	}
	fmt.Fprintf(w, "clock: median %.1f MHz, least %.1f, most %.1f, of %d of %d seeds routed; aimed at %v MHz\n",
		r.Fmax, r.Least, r.Most, r.Routed, len(r.Runs), r.MHz)
	if r.Samples > 0 {
		fmt.Fprintf(w, "a sample in %d clocks: %.0f samples/s at the median clock\n", r.Cycles, r.Samples)
		fmt.Fprintf(w, "latency: %d clocks, %.4g us at the median clock\n", r.Latency, r.LatencyNS/1e3)
	}
	fmt.Fprintf(w, "critical path of seed %d: %.2f ns, %s to %s, by", best.Seed, best.Critical.NS, best.Critical.From, best.Critical.To)
	for _, n := range best.Critical.Nets {
		fmt.Fprintf(w, " %s", n.Name)
	}
	fmt.Fprintf(w, "\nbitstream: %s (%.1f s)\n", r.Bitstream, r.Seconds)
}
