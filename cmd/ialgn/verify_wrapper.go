package main

import (
	"context"
	"fmt"
	"io"

	"ialgn/artifact"
	"ialgn/backend/wrapper"
	"ialgn/sim/verify"
	"ialgn/sim/verify/cec"
	"ialgn/sim/verify/step"
)

// wrapperFiles returns the wrapper around the design or its folded engine, nil if there is none.
func (r *verifyReport) wrapperFiles(files verify.RTLFiles) (*verify.WrapperFiles, error) {
	o, plan, err := readOptions(r.out)
	if err != nil || plan.wrap == "" {
		return nil, err
	}
	f := &verify.WrapperFiles{
		Kind: plan.wrap, Module: files.Module, Style: files.Style, Target: files.Target, Line: wrapper.LineOptions(o.MHz, o.Baud, plan.board),
	}
	core := around(r.out)
	if f.Fold, err = foldFiles(r.out); err != nil {
		return nil, err
	}
	if f.Fold != nil {
		core = artifact.FoldVerilog
	}
	if f.Sources, err = paths(r.out, []string{plan.wrap, core}); err != nil {
		return nil, err
	}
	if core == "core" {
		if split := artifact.Core(r.out.Netlist, plan.wrap); split != nil { // else proveCore says so
			f.Levels = &wrapper.Levels{Word: split.Word, Thresholds: split.Thresholds, Bits: split.Bits}
			f.Core, f.Around = files.Module+artifact.CoreSuffix, split.Core
		}
	}
	return f, nil
}

// wrapper simulates the wrapper, if there is one.
func (r *verifyReport) wrapper(ctx context.Context, d verify.Design, s verify.Samples, files verify.RTLFiles, samples int) error {
	f, err := r.wrapperFiles(files)
	if err != nil || f == nil {
		return err
	}
	r.wrapAsked = true
	r.Wrapper, err = d.Wrapper(ctx, s, *f, samples)
	return err
}

// proveSteps proves a clock of the folded engine and of the wrapper, of those that there are.
func (r *verifyReport) proveSteps(ctx context.Context, d verify.Design, files verify.RTLFiles, folded *verify.FoldFiles) (err error) {
	if folded != nil {
		if r.FoldStep, err = d.FoldStep(ctx, *folded); err != nil || !stepProved(r.FoldStep) {
			return err
		}
	}
	f, err := r.wrapperFiles(files)
	if err != nil || f == nil {
		return err
	}
	r.WrapperStep, err = d.WrapperStep(ctx, *f)
	return err
}

// stepsHold reports whether a clock of all that has registers of its own is proved.
func (r *verifyReport) stepsHold() bool {
	return (!r.foldAsked || stepProved(r.FoldStep)) && (!r.wrapAsked || stepProved(r.WrapperStep))
}

func stepProved(s *step.Result) bool { return s != nil && s.Verdict == cec.Equivalent }

// stepUnproved says which step was not decided, and why; empty: none.
func (r *verifyReport) stepUnproved() string {
	for _, s := range r.steps() {
		if s.result != nil && s.result.Verdict == cec.Undecided {
			return fmt.Sprintf("a clock of the %s: %s", s.what, s.result.Reason)
		}
	}
	return ""
}

// namedStep is the proof of a clock of something.
type namedStep struct {
	what   string
	result *step.Result
}

func (r *verifyReport) steps() []namedStep {
	return []namedStep{{"folded engine", r.FoldStep}, {"wrapper", r.WrapperStep}}
}

func (r *verifyReport) stepsText(w io.Writer) {
	for _, s := range r.steps() {
		if s.result == nil {
			continue
		}
		fmt.Fprintf(w, "%s: a clock in every state, %d registers, %d bits: %s", s.what, s.result.Registers, s.result.Bits, s.result.Verdict)
		if s.result.Tool != "" {
			fmt.Fprintf(w, " by %s", s.result.Tool)
		}
		fmt.Fprintf(w, " (%.2f s)\n", s.result.Seconds)
		if s.result.Reason != "" {
			fmt.Fprintf(w, "  %s\n", s.result.Reason)
		}
	}
}

func (r *verifyReport) wrapperText(w io.Writer, s *verify.WrapperResult) {
	fmt.Fprint(w, "wrapper: ")
	if s.Values > 0 {
		fmt.Fprintf(w, "%d values of a word; ", s.Values)
	}
	if s.Stub != nil {
		fmt.Fprintf(w, "%d random words in %d samples and %d broken packets around a stub in %s; ", s.Stub.Words, s.Stub.Samples, s.Stub.Packets, s.Stub.Simulator)
	}
	if s.Unplayed != "" {
		fmt.Fprintf(w, "no test samples: %s; %s\n", s.Unplayed, mismatches(s.Mismatches))
	} else {
		fmt.Fprintln(w, simulated(&s.RTLResult))
	}
	list(w, s.First)
}
