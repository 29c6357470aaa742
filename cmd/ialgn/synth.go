package main

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"ialgn"

	"github.com/urfave/cli/v2"

	"ialgn/internal/message"
	"ialgn/internal/plan"
	"ialgn/internal/synth"
	"ialgn/internal/target"
)

func synthCommand() *cli.Command {
	return &cli.Command{
		Name:      "synth",
		Usage:     "synthesise a compiled folder, place and route it, and make a bitstream",
		ArgsUsage: "DIR",
		Description: "Writes the netlist of yosys to DIR/synth/TARGET, together with logs and synth.json. If the\n" +
			"place and route tools of the target are installed, it also writes the routed design, the\n" +
			"bitstream and the pins. The reported clock is measured after routing and includes paths from\n" +
			"and to pins. Targets:\n" + inLines(target.DeviceNames()) + ".",
		UsageText: "ialgn synth demo/digits --target generic-lut4",
		Flags:     commonFlags(synthFlags()...),
		Action:    synthDir,
	}
}

// inLines lists names, six in a line.
func inLines(names []string) string {
	var lines []string
	for line := range slices.Chunk(names, 6) {
		lines = append(lines, strings.Join(line, ", "))
	}
	return strings.Join(lines, ",\n")
}

func synthFlags() []cli.Flag {
	return slices.Concat([]cli.Flag{dataFlag, forceFlag},
		grouped("target",
			&cli.StringFlag{Name: "target", Usage: "synthesise for `TARGET` (default: the folder's target, or ice40-hx8k)"},
			&cli.StringFlag{
				Name: "liberty", Usage: "map to the standard cells in `FILE` (.lib), for the target asic",
			},
			&cli.Float64Flag{Name: "freq", Usage: "aim at a clock of `MHZ` (default: --freq or board of compile, or 48)"},
			&cli.BoolFlag{
				Name: "require-timing", Usage: "exit with status 2 if the clock is not reached, 3 if there is no clock",
			}),
		grouped("placement",
			&cli.IntFlag{Name: "seed", Value: 1, Usage: "seed the placement with `N`"},
			&cli.IntFlag{Name: "seeds", Value: 1, Usage: "place with `N` seeds, starting at --seed, and keep the fastest"},
			&cli.StringFlag{
				Name: "place", Value: "auto", Usage: "place for `AIM`: clock, wires (shortest) or auto",
			},
			&cli.StringFlag{
				Name:  "pins",
				Usage: "put ports on the pins in `FILE` (.pcf, .lpf, .cst, .xdc; default: the board's)",
			},
			&cli.StringFlag{Name: "reuse", Usage: "reuse the routed folded engine in `DIR`"}),
		grouped("check",
			&cli.StringFlag{Name: "check", Usage: "read the bitstream back, simulate it and compare it with `MODEL`"},
			&cli.StringFlag{Name: "samples", Value: "100", Usage: "with --check: run `N` test samples, or all"}),
	)
}

// maxPlacings is the maximum of --seeds.
const maxPlacings = 1000

func synthDir(c *cli.Context) error {
	args, err := arguments(c, 1)
	if err != nil {
		return err
	}
	o, err := synthOptions(c)
	if err != nil {
		return err
	}
	r, err := synthFolder(c, args[0], o, c.String("check"))
	if err != nil {
		return err
	}
	if err := show(c, r); err != nil {
		return err
	}
	if err := r.Check.Err(); err != nil || !c.Bool("require-timing") {
		return err
	}
	if err := r.Timing(); err != nil && !errors.Is(err, ialgn.ErrSlow) {
		return fmt.Errorf("--require-timing: %w", err)
	} else if err != nil {
		return err
	}
	return nil
}

// synthOptions reads the options of the command line.
func synthOptions(c *cli.Context) (o ialgn.SynthOptions, err error) {
	o = ialgn.SynthOptions{
		Target: c.String("target"), MHz: c.Float64("freq"), Pins: c.String("pins"), Liberty: c.String("liberty"),
		Reuse: c.String("reuse"), Place: c.String("place"),
		Data: dataOf(c), Force: c.Bool("force"), Keep: inputs(c),
	}
	o.Note, o.Warn = notes(c)
	if err := o.Validate(); err != nil { // reports the most basic errors first
		return o, err
	}
	if c.IsSet("freq") {
		if err := plan.CheckMHz(o.MHz); err != nil {
			return o, err
		}
	}
	first, n := c.Int("seed"), c.Int("seeds")
	if first < 0 || first > 1<<30 {
		return o, message.Optionf("{Seed} %d: give 0 to %d", first, 1<<30)
	}
	if n < 1 || n > maxPlacings {
		return o, message.Optionf("{Seeds} %d: give 1 to %d", n, maxPlacings)
	}
	for i := 0; i < n && (c.IsSet("seed") || c.IsSet("seeds")); i++ {
		o.Seeds = append(o.Seeds, first+i)
	}
	o.Samples, err = parseSamples(c.String("samples"))
	return o, err
}

// synthFolder synthesises a compiled folder. If a model file is given, it compares the bitstream with the model.
func synthFolder(c *cli.Context, dir string, o ialgn.SynthOptions, model string) (*synthReport, error) {
	d, err := ialgn.OpenDesign(c.Context, dir)
	if err != nil {
		return nil, err
	}
	if model != "" {
		if o.Check, err = ialgn.Open(model); err != nil {
			return nil, err
		}
		defer o.Check.Close()
	}
	i, err := ialgn.Synthesise(c.Context, d, o)
	if err != nil {
		return nil, err
	}
	if slow := i.Timing(); slow != nil {
		i.Hint = message.HintIn(slow, message.Flags)
	}
	return &synthReport{i}, nil
}

// synthReport is the report on an implementation.
type synthReport struct{ *ialgn.Implementation }

func (r *synthReport) text(w io.Writer) {
	r.synthesised(w)
	if r.Check != nil {
		checkText(w, r.Check)
	}
}

// synthesised writes the whole report except the check.
func (r *synthReport) synthesised(w io.Writer) {
	if r.Chip != nil {
		r.chip(w)
		return
	}
	memory, block := "", ""
	if r.LUTRAM > 0 {
		memory = fmt.Sprintf(" (%d as memory)", r.LUTRAM)
	}
	if r.RAM > 0 {
		block = fmt.Sprintf(", %d bits of block RAM", r.RAM)
	}
	fmt.Fprintf(w, "%s for %s: %d LUTs%s, %d carries, %d flip-flops%s, %d pins\n", r.Module, r.Target, r.LUTs, memory,
		r.Carries, r.FFs, block, r.Pins)
	if r.Reused != "" {
		fmt.Fprintf(w, "placement and routing reused from the folder with manifest %s\n", r.Reused)
	}
	if r.NotPlaced != "" {
		fmt.Fprintf(w, "not placed and routed, so the clock is unknown: %s\nnetlist: %s\n", r.NotPlaced,
			filepath.Join(r.Dir, "netlist.json"))
		if r.Command != "" {
			fmt.Fprintf(w, "to place it with another tool, run in a copy of %s: %s\n", r.Dir, r.Command)
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
		seedText(w, p)
	}
	r.clock(w)
	for _, p := range best.Paths {
		if p.Kind != r.Slowest.Kind {
			continue
		}
		fmt.Fprintf(w, "critical path of seed %d: %.2f ns, %s to %s, by", best.Seed, p.NS, p.From, p.To)
		for _, n := range p.Nets {
			fmt.Fprintf(w, " %s", n.Name)
		}
		fmt.Fprintln(w)
	}
	fmt.Fprintf(w, "bitstream: %s (%.1f s)\n", r.Bitstream, r.Seconds)
}

// chip writes the report on a design of standard cells.
func (r *synthReport) chip(w io.Writer) {
	c := r.Chip
	cells := 0
	for _, kind := range c.Cells {
		cells += kind.Count
	}
	fmt.Fprintf(w, "%s in cells of %s: %.0f um2", r.Module, c.Library, c.Area)
	if c.NAND2 != "" {
		fmt.Fprintf(w, ", as much as %.0f %s", c.Equivalents, c.NAND2)
	}
	fmt.Fprintf(w, ", %d cells, %d flip-flops, %d pins\n", cells, r.FFs, r.Pins)
	for _, kind := range c.Cells {
		fmt.Fprintf(w, "  %-12s %6d cells %10.0f um2\n", kind.Cell, kind.Count, kind.Area)
	}
	for _, p := range c.Paths {
		fmt.Fprintf(w, "%s: %.2f ns through %d cells", p.Kind, p.NS, len(p.Cells))
		if p.Kind != r.Slowest.Kind {
			fmt.Fprintln(w)
			continue
		}
		fmt.Fprint(w, ":")
		for _, step := range p.Cells {
			fmt.Fprintf(w, " %s", step.Cell)
		}
		fmt.Fprintln(w)
	}
	if c.Untimed != "" {
		fmt.Fprintf(w, "no delays: %s\n", c.Untimed)
	} else {
		r.clock(w)
		fmt.Fprintln(w, "the delays leave out wires and the distribution of the clock")
	}
	fmt.Fprintf(w, "netlist: %s (%.1f s)\n", filepath.Join(r.Dir, "netlist.v"), r.Seconds)
}

// seedText writes the result of one seed. This is the clock frequency of register-to-register paths or, if there are
// no such paths, the longest path.
func seedText(w io.Writer, p synth.Placed) {
	switch {
	case p.Result == nil:
		fmt.Fprintf(w, "seed %d: failed, %s\n", p.Seed, p.Failed)
		return
	case p.Fmax > 0:
		fmt.Fprintf(w, "seed %d: %.1f MHz", p.Seed, p.Fmax)
	default:
		fmt.Fprintf(w, "seed %d: %.2f ns", p.Seed, p.Slowest().NS)
	}
	switch {
	case p.Icetime > 0:
		fmt.Fprintf(w, ", by icetime %.1f MHz", p.Icetime)
	case p.Delay > 0:
		fmt.Fprintf(w, ", by icetime %.2f ns", p.Delay)
	}
	fmt.Fprintln(w)
}

// clock writes the clock frequency of the fastest seed, and the resulting sample rate and latency.
func (r *synthReport) clock(w io.Writer) {
	s := r.Slowest
	switch {
	case s.MHz > 0:
		fmt.Fprintf(w, "clock: %.1f MHz (path from %s of %.2f ns), target %v MHz\n", s.MHz, s.Kind, s.NS, r.MHz)
	case s.NS > 0:
		fmt.Fprintf(w, "no clock, because the design has no registers: %.2f ns from %s\n", s.NS, s.Kind)
	default:
		fmt.Fprintln(w, "no clock, because the design has no path")
	}
	if r.Fmax > 0 && r.Chip == nil {
		fmt.Fprintf(w,
			"register to register: median %.1f MHz, minimum %.1f, maximum %.1f, over %d of %d seeds that were routed\n", r.Fmax,
			r.Least, r.Most, r.Routed, len(r.Runs))
	}
	if r.Cycles > 0 && s.MHz > 0 {
		fmt.Fprintf(w,
			"throughput: one sample per %v clocks, %.0f samples/s at %.1f MHz\n", r.Cycles, s.MHz*1e6/r.Cycles, s.MHz)
		fmt.Fprintf(w, "latency: %d clocks, %.4g us at %.1f MHz\n", r.Latency, float64(r.Latency)/s.MHz, s.MHz)
	}
}

func checkText(w io.Writer, b *ialgn.BitCheck) {
	if b.Run == nil {
		fmt.Fprintf(w, "bitstream not checked: %s\n", b.NotChecked)
		return
	}
	fmt.Fprintf(w, "bitstream read back: %s\n", simulated(w, b.Run))
	list(w, b.First)
}
