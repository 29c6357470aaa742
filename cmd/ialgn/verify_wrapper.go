package main

import (
	"context"
	"fmt"
	"io"

	"ialgn/backend/wrapper"
	"ialgn/compiler/folder"
	"ialgn/sim/verify"
)

// wrapper simulates the wrapper around the design, if there is one. One around a folded engine is
// left out: what is in it is simulated as fold_rtl.
func (r *verifyReport) wrapper(ctx context.Context, d verify.Design, s verify.Samples, files verify.RTLFiles, samples int) error {
	_, plan, err := readOptions(r.out)
	if err != nil || plan.wrap == "" || plan.fold > 0 {
		return err
	}
	r.wrapAsked = true
	f := verify.WrapperFiles{Kind: plan.wrap, Module: files.Module, Style: files.Style, Target: files.Target}
	if f.Sources, err = paths(r.out, []string{plan.wrap, around(r.out)}); err != nil {
		return err
	}
	if around(r.out) == "core" {
		if split := folder.Core(r.out.Netlist, plan.wrap); split != nil { // else proveCore says so
			f.Levels = &wrapper.Levels{Word: split.Word, Thresholds: split.Thresholds, Bits: split.Bits}
		}
	}
	r.Wrapper, err = d.Wrapper(ctx, s, f, samples)
	return err
}

func (r *verifyReport) wrapperText(w io.Writer, s *verify.WrapperResult) {
	fmt.Fprint(w, "wrapper: ")
	if s.Values > 0 {
		fmt.Fprintf(w, "%d values of a word", s.Values)
		if s.Unplayed != "" {
			fmt.Fprintf(w, ": %s", mismatches(s.Mismatches))
		}
		fmt.Fprint(w, "; ")
	}
	if s.Unplayed != "" {
		fmt.Fprintf(w, "no samples: %s\n", s.Unplayed)
	} else {
		fmt.Fprintln(w, simulated(&s.RTLResult))
	}
	list(w, s.First)
}
