package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"ialgn"
	"ialgn/internal/decimal"
	"ialgn/internal/message"
	"ialgn/internal/screen"
	"ialgn/internal/verify"
	"ialgn/internal/verify/cec"
	"ialgn/internal/verify/readback"
	"ialgn/internal/verify/rtl"
)

func verifyCommand() *cli.Command {
	return &cli.Command{
		Name:      "verify",
		Usage:     "check that a compiled folder computes its model, up to a formal proof",
		ArgsUsage: "MODEL DIR",
		Description: "Each level includes the levels before it:\n" +
			"  software  compares the netlists with the trainer's forward pass on the whole test set: every\n" +
			"            hidden bit of the raw netlist, and the counts and classes of both netlists\n" +
			"  rtl       runs the emitted Verilog in a simulator\n" +
			"  formal    proves that the optimised netlist equals the raw netlist for every input\n" +
			"  all       runs every level that exists",
		UsageText: "ialgn verify demo/digits.safetensors demo/digits --level formal",
		Flags: commonFlags(dataFlag,
			&cli.StringFlag{Name: "level", Value: "rtl", Usage: "check up to `LEVEL`: software, rtl, formal or all"},
			&cli.StringFlag{Name: "samples", Value: "1000", Usage: "simulate the Verilog on `N` samples, or all"},
			&cli.StringFlag{Name: "simulator", Value: "auto", Usage: "simulate with `TOOL`: iverilog, verilator or auto"},
			&cli.BoolFlag{Name: "by-class", Usage: "simulate each class separately, as for large designs"},
			&cli.BoolFlag{Name: "synthesized", Usage: "from level rtl on: also check the netlist that yosys makes"},
			&cli.StringFlag{
				Name: "liberty", Usage: "also check the netlist that synth made of the standard cells in `FILE` (.lib)",
			},
			forceFlag,
		),
		Action: verifyDir,
	}
}

func verifyDir(c *cli.Context) error {
	args, err := arguments(c, 2)
	if err != nil {
		return err
	}
	o := ialgn.VerifyOptions{
		Level: c.String("level"), Simulator: c.String("simulator"),
		ByClass: c.Bool("by-class"), Synthesized: c.Bool("synthesized"), Liberty: c.String("liberty"),
	}
	if o.Samples, err = parseSamples(c.String("samples")); err != nil {
		return err
	}
	r, err := verifyModel(c, args[0], args[1], o)
	if r == nil {
		return err
	}
	return cmp.Or(show(c, r), err)
}

// verifyModel checks a folder against a model, up to a level. If it returns an error, the report may still be non-nil
// and then has the checks that were done.
func verifyModel(c *cli.Context, path, dir string, o ialgn.VerifyOptions) (*verifyReport, error) {
	o.Data, o.Certify, o.Force = dataOf(c), true, c.Bool("force")
	_, o.Warn = notes(c)
	m, err := ialgn.Open(path)
	if err != nil {
		return nil, err
	}
	defer m.Close()
	d, err := ialgn.OpenDesign(c.Context, dir)
	if err != nil {
		return nil, err
	}
	cert, err := ialgn.Verify(c.Context, m, d, o)
	if cert == nil {
		return nil, err
	}
	if o.Level != "software" {
		noteFewer(c, o.Samples, cert.Software.Checked)
	}
	if errors.Is(err, ialgn.ErrNotCertified) {
		warn(screenOf(c), err)
		err = cert.Err()
	}
	return &verifyReport{cert}, err
}

// parseSamples parses a number of samples, or "all".
func parseSamples(s string) (int, error) {
	if s == "all" {
		return ialgn.AllSamples, nil
	}
	n, err := decimal.Int(s)
	if err != nil || n < 1 {
		return 0, message.Optionf("{Samples} %.40q: want a whole number of at least 1, or all", s)
	}
	return n, nil
}

// verifyReport is the report on a certificate.
type verifyReport struct{ *ialgn.Certificate }

func (r *verifyReport) text(w io.Writer) {
	if s := r.Software; s != nil {
		fmt.Fprintf(w, "software: %d samples, %d hidden bits, counts and classes: %s (%.2f s)\n", s.Checked, s.HiddenBits,
			mismatches(w, s.Mismatches), s.Seconds)
		if len(s.Engines) > 0 {
			fmt.Fprintf(w, "engines: %s\n", strings.Join(s.Engines, ", "))
		}
		list(w, s.First)
	}
	if s := r.Homomorphic; s != nil {
		fmt.Fprintf(w, "homomorphic program: %d samples, %d bootstraps each in %d levels: %s (%.2f s)\n", s.Checked,
			s.Bootstraps, s.Depth, mismatches(w, s.Mismatches), s.Seconds)
		list(w, s.First)
	}
	r.foldText(w)
	if s := r.RTL; s != nil {
		fmt.Fprintf(w, "rtl: %s\n", simulated(w, s))
		list(w, s.First)
	}
	if s := r.Wrapper; s != nil {
		r.wrapperText(w, s)
	}
	if s := r.Synthesized; s != nil {
		fmt.Fprintf(w, "synthesized by %s: %s\n", s.Synthesis.Tool, simulated(w, &s.Run))
		list(w, s.First)
	}
	if s := r.Mapped; s != nil {
		fmt.Fprintf(w, "cells of %s: %s\n", s.Library, simulated(w, &s.Run))
		list(w, s.First)
	}
	if s := r.Formal; s != nil {
		fmt.Fprintf(w, "formal: %d bits of the last layer, counts and class: %s by %s (%.2f s)\n", s.Outputs,
			verdict(w, s.Verdict), s.Tool, s.Seconds)
		if s.EndToEnd != "" {
			fmt.Fprintf(w, "formal: end to end, classes and counts together: %s\n", verdict(w, s.EndToEnd))
		}
		list(w, s.First)
	}
	r.proofsText(w)
	for _, s := range r.Folder {
		fmt.Fprintf(w, "folder: %s\n", s)
	}
	if r.Assumed {
		fmt.Fprintf(w, "assumption: the inputs are thermometer codes%s\n", r.need())
	}
	if slices.Contains(r.Unchecked, "passes") {
		fmt.Fprintf(w, "entries of report.json that are not checked: %s\n", strings.Join(r.Unchecked, ", "))
	}
	if r.Verified {
		fmt.Fprintln(w, screen.Paint(w, screen.Green, "verified"))
	}
}

// proofsText writes the results of the proofs about the Verilog.
func (r *verifyReport) proofsText(w io.Writer) {
	if s := r.Verilog; s != nil {
		proofText(w, "verilog", s)
	}
	if s := r.HomomorphicFormal; s != nil {
		fmt.Fprintf(w, "homomorphic program: %s for every input: %s by %s (%.2f s)\n",
			message.Plural(s.Outputs, "output bit", "output bits"), verdict(w, s.Verdict), s.Tool, s.Seconds)
	}
	if s := r.Core; s != nil {
		proofText(w, "core", s)
	}
	if s := r.Synthesized; s != nil && s.Proof != nil {
		proofText(w, "synthesized", s.Proof)
	}
	if s := r.Mapped; s != nil && s.Proof != nil {
		proofText(w, "cells", s.Proof)
	}
}

func proofText(w io.Writer, what string, r *readback.Result) {
	fmt.Fprintf(w, "%s: %d wires as read by yosys: %s by %s (%.2f s)\n", what, r.Wires,
		verdict(w, r.Verdict), r.Tool, r.Seconds)
	differs := "differs from the netlist"
	if r.Verdict == cec.Undecided { // r.Differ has functions of other wires, of inputs that may never occur together
		differs = "is another function of the wires before it, which may be right"
	}
	for _, name := range r.Differ {
		fmt.Fprintf(w, "  %s %s\n", name, differs)
	}
}

// need describes whether the proof needs the assumption that it makes.
func (r *verifyReport) need() string {
	switch {
	case r.Formal == nil:
		return ""
	case r.Formal.WithoutAssumption == cec.Equivalent:
		return "; the proof also holds without this assumption"
	case r.Formal.WithoutAssumption == cec.Different:
		return "; without this assumption, the netlist computes another function"
	}
	return ""
}

func (r *verifyReport) foldText(w io.Writer) {
	if s := r.Fold; s != nil {
		fmt.Fprintf(w, "folded program: %d samples, %d steps, counts and classes: %s (%.2f s)\n", s.Checked, s.Steps,
			mismatches(w, s.Mismatches), s.Seconds)
		list(w, s.First)
	}
	if s := r.FoldRTL; s != nil {
		fmt.Fprintf(w, "folded rtl: %s\n", simulated(w, s))
		list(w, s.First)
	}
	for i := range r.FoldParts {
		r.partText(w, i)
	}
	if s := r.FoldFormal; s != nil {
		fmt.Fprintf(w, "folded program: %d bits of the last layer, counts and class: %s by %s (%.2f s)\n",
			s.Outputs, verdict(w, s.Verdict), s.Tool, s.Seconds)
		list(w, s.First)
	}
}

// partText writes the results of the proofs about module i of the folded engine.
func (r *verifyReport) partText(w io.Writer, i int) {
	p := r.FoldParts[i]
	s := p.Formal
	fmt.Fprintf(w, "%s: %d bits of the last layer: %s by %s (%.2f s)\n", p.Module, s.Outputs, verdict(w, s.Verdict),
		s.Tool,
		s.Seconds)
	list(w, s.First)
	if p.Verilog != nil {
		proofText(w, p.Module+".v", p.Verilog)
	}
}

func (r *verifyReport) wrapperText(w io.Writer, s *rtl.WrapperResult) {
	fmt.Fprint(w, "wrapper: ")
	if s.Values > 0 {
		fmt.Fprintf(w, "%d values of a word; ", s.Values)
	}
	if s.Unplayed != "" {
		fmt.Fprintf(w, "no test samples: %s; %s\n", s.Unplayed, mismatches(w, s.Mismatches))
	} else {
		fmt.Fprintln(w, simulated(w, &s.Run))
	}
	list(w, s.First)
}

func simulated(w io.Writer, s *rtl.Run) string {
	parts := ""
	if s.ByClass {
		parts = ", class by class"
	}
	return fmt.Sprintf("%d samples (%d with tied counts) in %s%s: %s (%.2f s)", s.Checked, s.Ties, s.Simulator, parts,
		mismatches(w, s.Mismatches), s.Seconds)
}

func mismatches(w io.Writer, n int) string {
	if n == 0 {
		return screen.Paint(w, screen.Green, "no difference")
	}
	return screen.Paint(w, screen.Red, fmt.Sprintf("%d DIFFERENCES", n))
}

// verdictColours are the colours of verdicts. A verdict without a colour here is yellow.
var verdictColours = map[cec.Verdict]screen.Colour{cec.Equivalent: screen.Green, cec.Different: screen.Red}

// verdict formats the verdict of a proof in its colour.
func verdict(w io.Writer, v cec.Verdict) string {
	return screen.Paint(w, cmp.Or(verdictColours[v], screen.Yellow), string(v))
}

func list(w io.Writer, first []verify.Mismatch) {
	for _, m := range first {
		fmt.Fprintf(w, "  %s\n", m)
	}
}
