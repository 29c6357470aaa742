package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/urfave/cli/v2"

	"ialgn/artifact"
	"ialgn/internal/hint"
	"ialgn/internal/overwrite"
	"ialgn/sim/verify"
	"ialgn/sim/verify/cec"
	"ialgn/sim/verify/readback"
	"ialgn/sim/verify/spec"
	"ialgn/sim/verify/step"
	"ialgn/trainer/model"
)

func verifyCommand() *cli.Command {
	return &cli.Command{
		Name:      "verify",
		Usage:     "prove that a compiled folder computes its model",
		ArgsUsage: "MODEL DIR",
		Description: "software: the whole test set, every hidden bit of the raw netlist, counts and class\n" +
			"of the raw and the optimised one, against the trainer's forward pass. rtl: that, and\n" +
			"the emitted Verilog in a simulator. formal: all that, and a proof that the\n" +
			"optimised netlist equals the raw one for every input. all: every level there is.",
		UsageText: "ialgn verify demo/digits.safetensors demo/digits --level formal",
		Flags: everywhere(dataFlag,
			&cli.StringFlag{Name: "level", Value: "rtl", Usage: "check up to `LEVEL`: software, rtl, formal or all"},
			&cli.StringFlag{Name: "samples", Value: "1000", Usage: "run `N` samples through the Verilog, or all"},
			&cli.StringFlag{Name: "simulator", Value: "auto", Usage: "simulate with `TOOL`: iverilog, verilator or auto"},
			&cli.BoolFlag{Name: "by-class", Usage: "simulate each class alone, as is done with large designs"},
			&cli.BoolFlag{Name: "synthesized", Usage: "from level rtl on: check what yosys makes of it, too"},
			forceFlag,
		),
		Action: verifyDir,
	}
}

// levels of verification and how far they go.
var verifyLevels = map[string]int{"software": 1, "rtl": 2, "formal": 3, "all": 3}

func verifyDir(c *cli.Context) error {
	args, err := arguments(c, 2)
	if err != nil {
		return err
	}
	o := verifyOptions{
		level: verifyLevels[c.String("level")], simulator: c.String("simulator"),
		byClass: c.Bool("by-class"), synthesized: c.Bool("synthesized"),
	}
	if o.level == 0 {
		return hint.Near(fmt.Errorf("--level %q: give software, rtl, formal or all", c.String("level")), c.String("level"), slices.Sorted(maps.Keys(verifyLevels)))
	}
	if o.samples, err = parseSamples(c.String("samples")); err != nil {
		return err
	}
	if err := verify.CheckSimulator(o.simulator); err != nil {
		return err
	}
	if err := guard(c).Check(artifact.CertificatePath(args[1]), overwrite.Certificate); err != nil {
		return err
	}
	r, err := verifyModel(c, args[0], args[1], o)
	if r == nil {
		return err
	}
	if showErr := show(c, r); showErr != nil || err != nil {
		return cmp.Or(err, showErr)
	}
	if err := certify(r); err != nil {
		warn(c, "the certificate could not be written: %v", err)
	}
	return r.outcome()
}

type verifyOptions struct {
	level       int
	samples     int
	simulator   string
	byClass     bool
	synthesized bool
}

// allSamples is more than there are.
const allSamples = math.MaxInt

// parseSamples reads a number of samples, or all.
func parseSamples(s string) (int, error) {
	if s == "all" {
		return allSamples, nil
	}
	n, err := strconv.Atoi(s)
	if err != nil || n < 1 {
		return 0, fmt.Errorf("--samples %s: must be positive, or all", s)
	}
	return n, nil
}

// verifyModel opens a model and a folder, and checks them up to a level. Beside an error it returns the
// levels that were done, or nil if there is none.
func verifyModel(c *cli.Context, path, dir string, o verifyOptions) (*verifyReport, error) {
	file, err := model.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	k, err := openCompiled(c, file, dir)
	if err != nil {
		return nil, err
	}
	defer k.out.Release()
	r, err := k.verify(c, file, o)
	return r, k.out.InWords(err)
}

// verify runs the checks up to a level. A difference ends it at its level: what comes after would
// only repeat it.
func (k *compiledDesign) verify(c *cli.Context, file *model.File, o verifyOptions) (r *verifyReport, err error) {
	r = &verifyReport{
		foldAsked: k.fold != nil, Folder: k.differ, asked: o.level, synthesisAsked: o.synthesized && o.level > 1,
		Assumed: k.design.Assumed, out: k.out, tested: k.samples, threads: threads(c), model: k.model,
	}
	if o.level > 1 {
		noteFewer(c, o.samples, k.samples.Levels.Len())
	}
	if r.Software, err = k.design.Software(c.Context, k.samples, r.threads); err != nil {
		return nil, err
	}
	if err := r.fold(c.Context, k.design, k.samples, k.fold, o); err != nil {
		return r.finish(), err
	}
	if o.level < 2 || r.Software.Mismatches > 0 || r.foldDiffers() {
		return r.finish(), nil
	}
	if err := r.simulate(c.Context, k.design, k.samples, k.files, o); err != nil || o.level < 3 || r.differs() {
		return r.finish(), err
	}
	if k.design.Spec, err = spec.ReadFrom(file); err != nil {
		return r.finish(), err
	}
	err = r.prove(c.Context, k.design, k.files, k.fold)
	return r.finish(), err
}

// prove proves the netlist, then the folded engine's program if there is one, and then the
// Verilog.
func (r *verifyReport) prove(ctx context.Context, d verify.Design, files verify.RTLFiles, folded *verify.FoldFiles) (err error) {
	if r.Formal, err = d.Formal(ctx); err != nil || !r.Formal.Proved {
		return err
	}
	if folded != nil {
		if r.FoldFormal, err = d.FoldFormal(ctx, *folded); err != nil || !r.FoldFormal.Proved {
			return err
		}
	}
	if r.Verilog, err = d.Verilog(ctx, files); err != nil || !proved(r.Verilog) {
		return err
	}
	if err := r.proveCore(ctx, d, files); err != nil || r.Core != nil && !proved(r.Core) {
		return err
	}
	return r.proveSteps(ctx, d, files, folded)
}

// proveCore proves what a wrapper is around, where that is a file of its own. What the file is
// proved to be is tried on the samples first, behind the comparators that the wrapper has.
func (r *verifyReport) proveCore(ctx context.Context, d verify.Design, files verify.RTLFiles) (err error) {
	_, plan, err := readOptions(r.out)
	if err != nil {
		return err
	}
	split := plan.core(r.out.Netlist)
	if split == nil {
		return nil
	}
	r.coreAsked = true
	if files.Design, err = r.out.Path("core"); err != nil {
		return err
	}
	d.Product, d.Hint = split.Whole(), nil
	if s, err := d.Software(ctx, r.tested, r.threads); err != nil {
		return err
	} else if s.Mismatches > 0 {
		r.Folder = append(r.Folder, fmt.Sprintf("%s: the netlist without its encoder, on the samples: %s", filepath.Base(files.Design), mismatches(s.Mismatches)))
		return nil
	}
	files.Module += artifact.CoreSuffix
	r.Core, err = verify.Design{Raw: split.Core, Product: split.Core}.Verilog(ctx, files)
	return err
}

// simulate runs the Verilog, and what yosys makes of it where that was asked for.
func (r *verifyReport) simulate(ctx context.Context, d verify.Design, s verify.Samples, files verify.RTLFiles, o verifyOptions) (err error) {
	files.ByClass = o.byClass
	if r.RTL, err = d.RTL(ctx, s, files, o.simulator, o.samples); err != nil || r.RTL.Mismatches > 0 {
		return err
	}
	if err := r.wrapper(ctx, d, s, files, o.samples); err != nil || r.differs() || !o.synthesized {
		return err
	}
	r.Synthesized, err = d.Synthesised(ctx, s, files, o.simulator, o.samples, o.level > 2)
	return err
}

// differs reports whether a simulation found a difference.
func (r *verifyReport) differs() bool {
	return r.RTL.Mismatches > 0 || r.Wrapper != nil && r.Wrapper.Mismatches > 0 || r.Synthesized != nil && r.Synthesized.Mismatches > 0
}

type verifyReport struct {
	Software *verify.SoftwareResult `json:"software"`
	RTL      *verify.RTLResult      `json:"rtl,omitempty"`
	Formal   *verify.FormalResult   `json:"formal,omitempty"`
	// Wrapper is level rtl of the wrapper around the design.
	Wrapper *verify.WrapperResult `json:"wrapper,omitempty"`
	// Verilog is the second half of level formal: the emitted Verilog is the netlist.
	Verilog *readback.Result `json:"verilog,omitempty"`
	// Core is the same of the file that a wrapper is around: it is the netlist without its encoder.
	Core *readback.Result `json:"core,omitempty"`
	// Synthesized is level rtl once more, of the netlist that yosys made.
	Synthesized *verify.SynthesisResult `json:"synthesized,omitempty"`
	// Fold and FoldFormal are levels software and formal of the folded engine's program, FoldRTL
	// level rtl of its Verilog.
	Fold       *verify.FoldResult   `json:"fold,omitempty"`
	FoldRTL    *verify.RTLResult    `json:"fold_rtl,omitempty"`
	FoldFormal *verify.FormalResult `json:"fold_formal,omitempty"`
	// FoldStep and WrapperStep are proofs of a clock of the folded engine and of the wrapper.
	FoldStep    *step.Result `json:"fold_step,omitempty"`
	WrapperStep *step.Result `json:"wrapper_step,omitempty"`
	Folder      []string     `json:"folder,omitempty"` // what else is wrong with the folder
	Verified    bool         `json:"verified"`
	Level       string       `json:"verified_level,omitempty"` // how far, if it is
	Assumed     bool         `json:"assumes_thermometer,omitempty"`

	asked          int
	foldAsked      bool // the folder has a folded engine
	wrapAsked      bool // there is a wrapper to simulate
	coreAsked      bool // the wrapper is around a file of its own
	synthesisAsked bool
	out            *artifact.Output // that was checked
	model          artifact.File    // that it was held to
	tested         verify.Samples   // of level software
	threads        int
}

// finish sets Verified: every level that was asked for ran and found no difference, and the
// proofs were found.
func (r *verifyReport) finish() *verifyReport {
	r.Verified = len(r.Folder) == 0 && r.Software.Mismatches == 0 && r.foldHolds() &&
		(r.asked < 2 || r.RTL != nil && !r.differs()) && r.wrapAsked == (r.Wrapper != nil) && r.synthesisAsked == (r.Synthesized != nil) &&
		(r.asked < 3 || r.Formal != nil && r.Formal.Proved && proved(r.Verilog) && r.coreAsked == (r.Core != nil) && (r.Core == nil || proved(r.Core)) && r.stepsHold() && (!r.synthesisAsked || proved(r.Synthesized.Proof)))
	if r.Verified {
		r.Level = levelNames[r.asked]
	}
	return r
}

func proved(r *readback.Result) bool { return r != nil && r.Verdict == cec.Equivalent }

// synthesisDiffers reports whether the proof of the synthesised netlist found an input that shows a
// difference.
func (r *verifyReport) synthesisDiffers() bool {
	return r.Synthesized != nil && r.Synthesized.Proof != nil && r.Synthesized.Proof.Verdict == cec.Different
}

// outcome returns the error that decides the exit status.
func (r *verifyReport) outcome() error {
	switch {
	case r.Verified:
		return nil
	case len(r.Folder) > 0 || r.synthesisDiffers(): // whatever else was not proved
		return errDifference
	case r.Formal != nil && r.Formal.Verdict == "unproved":
		return fmt.Errorf("%w: %s", errUnproved, r.Formal.Reason)
	case r.FoldFormal != nil && r.FoldFormal.Verdict == "unproved":
		return fmt.Errorf("%w: the folded program: %s", errUnproved, r.FoldFormal.Reason)
	case r.Verilog != nil && r.Verilog.Verdict == cec.Undecided:
		return fmt.Errorf("%w: the Verilog: %s", errUnproved, r.Verilog.Reason)
	case r.Core != nil && r.Core.Verdict == cec.Undecided:
		return fmt.Errorf("%w: the wrapper's core: %s", errUnproved, r.Core.Reason)
	case r.stepUnproved() != "":
		return fmt.Errorf("%w: %s", errUnproved, r.stepUnproved())
	case r.Synthesized != nil && r.Synthesized.Proof != nil && r.Synthesized.Proof.Verdict == cec.Undecided && proved(r.Verilog):
		return fmt.Errorf("%w: the synthesised netlist: %s", errUnproved, r.Synthesized.Proof.Reason)
	}
	return errDifference
}

func (r *verifyReport) text(w io.Writer) {
	if s := r.Software; s != nil {
		fmt.Fprintf(w, "software: %d samples, %d hidden bits, counts and classes: %s (%.2f s)\n", s.Checked, s.HiddenBits, mismatches(s.Mismatches), s.Seconds)
		list(w, s.First)
	}
	r.foldText(w)
	if s := r.RTL; s != nil {
		fmt.Fprintf(w, "rtl: %s\n", simulated(s))
		list(w, s.First)
	}
	if s := r.Wrapper; s != nil {
		r.wrapperText(w, s)
	}
	if s := r.Synthesized; s != nil {
		fmt.Fprintf(w, "synthesized: by %s; %s\n", s.Synthesis.Tool, simulated(&s.RTLResult))
		list(w, s.First)
	}
	if s := r.Formal; s != nil {
		fmt.Fprintf(w, "formal: %d bits of the last layer and what is made of them: %s by %s (%.2f s)\n", s.Outputs, s.Verdict, s.Tool, s.Seconds)
		if s.EndToEnd != "" {
			fmt.Fprintf(w, "formal: classes and counts at once, from end to end: %s\n", s.EndToEnd)
		}
		list(w, s.First)
	}
	if s := r.Verilog; s != nil {
		proofText(w, "verilog", s)
	}
	if s := r.Core; s != nil {
		proofText(w, "core", s)
	}
	r.stepsText(w)
	if s := r.Synthesized; s != nil && s.Proof != nil {
		proofText(w, "synthesized", s.Proof)
	}
	for _, s := range r.Folder {
		fmt.Fprintf(w, "folder: %s\n", s)
	}
	if r.Assumed {
		fmt.Fprintf(w, "assumed: the inputs are thermometer codes%s\n", r.need())
	}
	if r.Verified {
		fmt.Fprintln(w, "verified")
	}
}

func proofText(w io.Writer, what string, r *readback.Result) {
	fmt.Fprintf(w, "%s: %d wires as yosys reads them: %s by %s (%.2f s)\n", what, r.Wires, r.Verdict, r.Tool, r.Seconds)
	for _, name := range r.Differ {
		fmt.Fprintf(w, "  %s differs from the netlist\n", name)
	}
}

// need says what a proof found about the assumption that it made.
func (r *verifyReport) need() string {
	switch {
	case r.Formal == nil:
		return ""
	case r.Formal.WithoutAssumption == "equivalent":
		return "; the proof holds without that, too"
	case r.Formal.WithoutAssumption == "different":
		return ", without which the netlist is another"
	}
	return ""
}

func simulated(s *verify.RTLResult) string {
	parts := ""
	if s.ByClass {
		parts = ", class by class"
	}
	return fmt.Sprintf("%d samples (%d with tied counts) in %s%s: %s (%.2f s)", s.Checked, s.Ties, s.Simulator, parts, mismatches(s.Mismatches), s.Seconds)
}

func mismatches(n int) string {
	if n == 0 {
		return "no difference"
	}
	return fmt.Sprintf("%d DIFFERENCES", n)
}

func list(w io.Writer, first []verify.Mismatch) {
	for _, m := range first {
		fmt.Fprintf(w, "  %s\n", m)
	}
}
