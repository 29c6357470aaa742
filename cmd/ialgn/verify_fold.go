package main

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"ialgn/artifact"
	"ialgn/backend/fold"
	"ialgn/sim/verify"
)

// foldFiles returns the files of a folder's folded engine, nil if there is none.
func foldFiles(out *artifact.Output) (*verify.FoldFiles, error) {
	o, plan, err := readOptions(out)
	if err != nil {
		return nil, fmt.Errorf("%s: manifest: %w; compile again", out.Dir, err)
	}
	if plan.fold == 0 {
		return nil, nil
	}
	f := &verify.FoldFiles{Module: out.Manifest.Module + fold.Suffix, Lanes: o.Fold, Drop: plan.dropping(), Programs: out.Paths(artifact.FoldProgram)}
	if f.Verilog, err = out.Path(artifact.FoldVerilog); err != nil {
		return nil, err
	}
	f.Thresholds = strings.Join(out.Paths(artifact.FoldEncoder), string(filepath.ListSeparator)) // one, or none
	return f, nil
}

// fold checks the folded engine at the levels software and rtl. A difference ends it.
func (r *verifyReport) fold(ctx context.Context, d verify.Design, s verify.Samples, f *verify.FoldFiles, o verifyOptions) (err error) {
	if f == nil || r.Software.Mismatches > 0 {
		return nil
	}
	if r.Fold, err = d.Fold(ctx, s, *f); err != nil || r.Fold.Mismatches > 0 || o.level < 2 {
		return err
	}
	r.FoldRTL, err = d.FoldRTL(ctx, s, *f, o.simulator, o.samples)
	return err
}

// foldDiffers reports whether a check of the folded engine found a difference.
func (r *verifyReport) foldDiffers() bool {
	return r.Fold != nil && r.Fold.Mismatches > 0 || r.FoldRTL != nil && r.FoldRTL.Mismatches > 0
}

// foldHolds reports whether the folded engine, if there is one, was checked without a difference.
func (r *verifyReport) foldHolds() bool {
	return !r.foldAsked || r.Fold != nil && (r.asked < 2 || r.FoldRTL != nil) && (r.asked < 3 || r.FoldFormal != nil && r.FoldFormal.Proved) && !r.foldDiffers()
}

func (r *verifyReport) foldText(w io.Writer) {
	if s := r.Fold; s != nil {
		fmt.Fprintf(w, "folded program: %d samples, %d steps, counts and classes: %s (%.2f s)\n", s.Checked, s.Steps, mismatches(s.Mismatches), s.Seconds)
		list(w, s.First)
	}
	if s := r.FoldRTL; s != nil {
		fmt.Fprintf(w, "folded rtl: %s\n", simulated(s))
		list(w, s.First)
	}
	if s := r.FoldFormal; s != nil {
		fmt.Fprintf(w, "folded program: %d bits of the last layer and what is made of them: %s by %s (%.2f s)\n",
			s.Outputs, s.Verdict, s.Tool, s.Seconds)
		list(w, s.First)
	}
}
