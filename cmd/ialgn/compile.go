package main

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"ialgn"
	"ialgn/backend"
	"ialgn/compiler"
	"ialgn/internal/decimal"
	"ialgn/internal/message"
	"ialgn/internal/plan"
	"ialgn/internal/target"
	"ialgn/netlist"
)

func compileCommand() *cli.Command {
	return &cli.Command{
		Name:      "compile",
		Usage:     "freeze, optimise and map a model, and write Verilog with a testbench",
		ArgsUsage: "MODEL -o DIR",
		UsageText: "ialgn compile demo/digits.safetensors -o out --target ice40",
		Flags:     commonFlags(compileFlags()...),
		Action:    compile,
	}
}

func compileFlags() []cli.Flag {
	return slices.Concat(
		[]cli.Flag{dataFlag, &cli.StringFlag{Name: "o", Usage: "write the design to `DIR`"}},
		[]cli.Flag{
			&cli.StringFlag{
				Name: "scope", Value: "full",
				Usage: "compile `SCOPE`: gates, core (adds class), full (adds encoder)",
			},
			&cli.BoolFlag{Name: "counts", Usage: "with scope core or full: add an output port with the class counts"},
			&cli.IntFlag{
				Name:  "reject",
				Usage: "with scope core or full: add the output uncertain, 1 for a lead below `MARGIN`",
			},
			&cli.StringFlag{
				Name:  "reject-share",
				Usage: "choose the margin: at most `SHARE` of validation samples uncertain, such as 5%",
			},
			&cli.BoolFlag{
				Name:  "assume-thermometer",
				Usage: "with scope gates or core: assume that the inputs are thermometer codes",
			},
			&cli.IntFlag{
				Name: "O", Value: 2,
				Usage: "optimise at `LEVEL` 0 (not at all), 1 (one sweep) or 2 (all sweeps)",
			},
			&cli.BoolFlag{
				Name: "check-passes", Usage: "validate each pass, and compare its netlists on random inputs",
			},
		},
		grouped("hardware",
			&cli.StringFlag{Name: "target", Usage: "`TARGET`: " + strings.Join(target.Names(), ",")},
			&cli.IntFlag{Name: "lut", Usage: "map to LUTs of `K` inputs, 2 to 6 (default: as the target has)"},
			&cli.StringFlag{
				Name:  "objective",
				Usage: "optimise the mapping for `WHAT`: " + listed("compile", "--objective") + " (default: balanced)",
			},
			&cli.IntFlag{Name: "max-depth", Usage: "allow `N` levels of LUTs for the gates"},
			&cli.StringFlag{Name: "style", Value: "auto", Usage: "write `STYLE`: gates (assigns), lut (primitives) or auto"},
			&cli.Float64Flag{Name: "freq", Usage: "write constraints for a clock of `MHZ`"},
			&cli.StringFlag{Name: "pipeline", Usage: "insert registers: none, auto or `N` stages (default: none)"},
			&cli.IntFlag{Name: "max-levels", Usage: "with --pipeline auto: at most `N` levels of LUTs per stage (default: 3)"},
			&cli.StringFlag{
				Name:  "fold",
				Usage: "write a folded engine: `N` gates per clock (1, 2, 4), positions or steps",
			},
			&cli.IntFlag{
				Name:  "fold-steps",
				Usage: "with --fold: room for `N` steps of other models (default: as needed)",
			},
			&cli.StringFlag{Name: "wrap", Value: "none", Usage: "add an interface `MODULE`: " + listed("compile", "--wrap")},
			&cli.IntFlag{Name: "tag", Usage: "pass a tag of `BITS`, 1 to 64, from each sample to its result (default: none)"},
			&cli.StringFlag{
				Name:  "board",
				Usage: "with --wrap uart or spi: use the pins of `NAME`, " + listed("compile", "--board"),
			},
			&cli.IntFlag{Name: "baud", Usage: "with --wrap uart: `N` bits per second (default: 115200)"}),
		grouped("files",
			&cli.StringFlag{Name: "module", Usage: "name the module `NAME` (default: the name of the model)"},
			&cli.StringFlag{Name: "emit", Usage: "also write `LIST`: " + strings.Join(backend.Formats(), ",")},
			&cli.BoolFlag{
				Name:  "probabilities",
				Usage: "with --emit c or go: add functions for the probabilities of the classes",
			},
			&cli.IntFlag{Name: "vectors", Value: plan.UsualVectors, Usage: "write `N` test samples for the testbenches"}),
		[]cli.Flag{forceFlag},
	)
}

func compile(c *cli.Context) error {
	args, err := arguments(c, 1)
	if err != nil {
		return err
	}
	if c.String("o") == "" {
		return message.WithHint(errors.New("compile: no output folder is given"), "name one with -o DIR")
	}
	if c.Int("vectors") == 0 { // for the library, 0 means the default
		return message.Optionf("{Vectors} 0: give 1 to %d", plan.MaxVectors)
	}
	if c.IsSet("reject") && c.Int("reject") == 0 { // for the library, 0 means no output
		return message.Optionf("{Reject} 0: give a margin of 1 or more")
	}
	share, err := rejectShare(c)
	if err != nil {
		return err
	}
	o := ialgn.CompileOptions{
		Scope: c.String("scope"), Module: c.String("module"), Optimise: ialgn.OptimiseNone - ialgn.Level(c.Int("O")),
		LUT: c.Int("lut"), Target: c.String("target"), Objective: c.String("objective"),
		MaxDepth: c.Int("max-depth"),
		Pipeline: c.String("pipeline"), MaxLevels: c.Int("max-levels"),
		Style: c.String("style"), MHz: c.Float64("freq"),
		Wrap: c.String("wrap"), Tag: c.Int("tag"), Baud: c.Int("baud"), Board: c.String("board"),
		Fold: c.String("fold"), FoldSteps: c.Int("fold-steps"),
		AssumeThermometer: c.Bool("assume-thermometer"), Counts: c.Bool("counts"), Reject: c.Int("reject"),
		RejectShare:   share,
		Probabilities: c.Bool("probabilities"), Vectors: c.Int("vectors"), CheckPasses: c.Bool("check-passes"),
	}
	if e := c.String("emit"); e != "" {
		o.Emit = strings.Split(e, ",")
	}
	r, err := compileModel(c, args[0], c.String("o"), o)
	if err != nil {
		return err
	}
	return show(c, r)
}

// rejectShare returns the value of --reject-share, which is a number or a percentage, or 0 if the option is not given.
func rejectShare(c *cli.Context) (float64, error) {
	text := c.String("reject-share")
	if !c.IsSet("reject-share") {
		return 0, nil
	}
	number, percentage := strings.CutSuffix(text, "%")
	share, err := decimal.Float(number)
	if percentage && err == nil {
		share, err = decimal.Float(number + "e-2") // exact, unlike a division by 100
	}
	if err != nil || !(share > 0 && share < 1) {
		return 0, message.WithHint(fmt.Errorf("--reject-share %s: give a share of the samples above 0 and below 1", text),
			"for example 5%% or 0.05")
	}
	return share, nil
}

// compileModel compiles a model file into an output folder.
func compileModel(c *cli.Context, path, dir string, o ialgn.CompileOptions) (*compileReport, error) {
	m, err := ialgn.Open(path)
	if err != nil {
		return nil, err
	}
	defer m.Close()
	o.Data = dataOf(c)
	d, err := ialgn.Compile(c.Context, m, o)
	if broken := (*compiler.BrokenError)(nil); errors.As(err, &broken) {
		panic(err) // a bug in the program; main reports it
	}
	if err != nil {
		return nil, err
	}
	if err := d.Write(c.Context, dir, ialgn.WriteOptions{Force: c.Bool("force"), Keep: inputs(c)}); err != nil {
		return nil, err
	}
	r, err := d.Report()
	return &compileReport{r, d.Leftovers(), dir}, err
}

type compileReport struct {
	*backend.Report
	backend.Leftovers
	dir string
}

// text writes the passes that changed something, and the sizes of the compiled design.
func (r compileReport) text(w io.Writer) {
	fmt.Fprintf(w, "%s: %d gates in the model, %d after optimisation\n", filepath.Clean(r.dir), r.GatesRaw, r.Gates)
	for _, p := range r.Passes {
		switch {
		case p.Sweep == 0:
			fmt.Fprintf(w, "          %-14s %9d -> %9d cells  %.3f s\n", p.Name, p.Before, p.After, p.Seconds)
		case p.Before != p.After:
			fmt.Fprintf(w, "  sweep %d %-14s %9d -> %9d cells  %.3f s\n", p.Sweep, p.Name, p.Before, p.After, p.Seconds)
		}
	}
	if m := r.Mapping; m != nil {
		fmt.Fprintf(w, "LUTs of %d inputs: %s", m.K, parts(*r.LUTs))
		if r.Carries.Total > 0 {
			fmt.Fprintf(w, "; %d carries", r.Carries.Total)
		}
		fmt.Fprintln(w)
	}
	fmt.Fprintf(w, "levels: %s\n", parts(r.Levels))
	if p := r.Pipeline; p != nil {
		fmt.Fprintf(w, "pipeline: %d stages of at most %d levels, %d flip-flops\n", p.Stages, p.LevelsPerStage,
			p.FlipFlops.Total)
	}
	if x := r.Wrapper; x != nil {
		fmt.Fprintf(w, "wrapper %s: one sample per %v clocks", x.Kind, x.Cycles)
		if x.MHz > 0 {
			fmt.Fprintf(w, ", %.4g samples/s at %v MHz", x.SamplesPerSecond, x.MHz)
		}
		fmt.Fprintln(w)
	}
	foldText(w, r.Fold)
	if f := r.Homomorphic; f != nil {
		fmt.Fprintf(w, "homomorphic: %s of form %s in %s, at most %d in a level\n",
			message.Plural(f.Bootstraps, "bootstrap", "bootstraps"), f.Form, message.Plural(f.Depth, "level", "levels"),
			f.Widest)
	}
	if s := r.Samples; s != nil && s.Reason != "" {
		fmt.Fprintf(w, "vectors: %d random samples, because there are no test samples: %s\n", s.Samples, s.Reason)
	}
	rejectionText(w, r.Rejection)
	if r.Latency > 0 {
		fmt.Fprintf(w, "latency: %d clocks from the first word of a sample to its result\n", r.Latency)
	}
	fmt.Fprintf(w, "%.2f s, peak memory %.0f MB\n", r.Seconds, float64(r.PeakBytes)/1e6)
	for _, l := range []struct {
		what  string
		names []string
	}{{"removed from the previous output", r.Removed}, {"kept, because it was changed", r.Kept}} {
		if len(l.names) > 0 {
			fmt.Fprintf(w, "%s: %s\n", l.what, strings.Join(l.names, ", "))
		}
	}
}

// rejectionText writes the margin of the output uncertain, and its effect on the validation samples.
func rejectionText(w io.Writer, r *backend.Rejection) {
	if r == nil {
		return
	}
	fmt.Fprintf(w, "margin %d: %d of %d validation samples uncertain (%s)", r.Margin, r.Of-r.Samples, r.Of,
		percent(r.Uncertain))
	if r.Accuracy != nil {
		fmt.Fprintf(w, ", accuracy of the answered %s", percent(*r.Accuracy))
	}
	fmt.Fprintln(w)
}

func parts(s netlist.Sizes) string {
	return fmt.Sprintf("gates %d, head %d, encoder %d, total %d", s.Gates, s.Head, s.Encoder, s.Total)
}

// foldText writes the cost of a folded engine.
func foldText(w io.Writer, r *backend.FoldReport) {
	if r == nil {
		return
	}
	if p := r.Positions; p != nil {
		positionsText(w, p)
	}
	if s := r.Sequence; s != nil {
		fmt.Fprintf(w, "one step of %s: %s\nclass of a state of %d bits: %s\nfolded, %d steps: one sample per %v clocks",
			message.Plural(s.Words, "word", "words"), partText(s.Parts[0]), s.StateBits, partText(s.Parts[1]), s.Steps, s.Cycles)
		if s.SamplesPerSecond > 0 {
			fmt.Fprintf(w, "; %.4g samples/s", s.SamplesPerSecond)
		}
		fmt.Fprintln(w)
	}
	for _, c := range r.Each {
		what := "would be"
		if c.Lanes == r.Lanes {
			what = "is"
		}
		fits := "no iCE40"
		if len(c.Fits) > 0 {
			fits = strings.Join(c.Fits, ", ")
		}
		fmt.Fprintf(w, "folded %s, %d per clock: %d steps, one sample per %d clocks, %d block RAMs, for %s", what, c.Lanes,
			c.Steps, c.Cycles, c.Blocks, fits)
		if c.SamplesPerSecond > 0 {
			fmt.Fprintf(w, "; %.4g samples/s", c.SamplesPerSecond)
		}
		fmt.Fprintln(w)
	}
}

// positionsText writes the cost of an engine that contains each kernel once.
func positionsText(w io.Writer, p *backend.Positions) {
	for i, c := range p.Convolutions {
		fmt.Fprintf(w, "convolution %d: %d kernels at %d positions in %d clocks, line buffer %d bits", i+1, c.Kernels,
			c.Positions,
			c.Steps, c.LineBits)
		if c.PoolBits > 0 {
			fmt.Fprintf(w, ", pooling %d bits", c.PoolBits)
		}
		fmt.Fprintf(w, ": %s\n", partText(p.Parts[i]))
	}
	fmt.Fprintf(w, "dense layers on %d bits: %s\n", p.GatheredBits, partText(p.Parts[len(p.Parts)-1]))
	fmt.Fprintf(w, "folded, one position per clock: one sample per %d clocks, image memory %d bits", p.Cycles, p.ImageBits)
	if p.SamplesPerSecond > 0 {
		fmt.Fprintf(w, "; %.4g samples/s", p.SamplesPerSecond)
	}
	fmt.Fprintln(w)
}

// partText returns the size of a part as text.
func partText(p backend.PartReport) string {
	what := fmt.Sprintf("%d cells", p.Cells)
	if p.LUTs > 0 {
		what = message.Plural(p.LUTs, "LUT", "LUTs")
	}
	if p.Stages > 0 {
		return fmt.Sprintf("%s, %s of %d levels", what, message.Plural(p.Stages, "stage", "stages"), p.Levels)
	}
	return fmt.Sprintf("%s, %d levels", what, p.Levels)
}
