package ialgn

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"ialgn/artifact"
	"ialgn/artifact/plan"
	"ialgn/backend/fold"
	"ialgn/backend/wrapper"
	"ialgn/sim/verify/engine"
	"ialgn/sim/verify/proof"
	"ialgn/sim/verify/rtl"
	"ialgn/sim/verify/rtl/play"
)

// foldFiles returns the files of a folder's folded engine, nil if there is none.
func foldFiles(p *plan.Plan, out *artifact.Output) (f *engine.Files, err error) {
	if p.Fold == 0 {
		return nil, nil
	}
	f = &engine.Files{
		Module: out.Manifest.Module + fold.Suffix, Drop: p.Dropping(), Programs: out.Paths(artifact.FoldProgram),
		Parts: append(out.Paths(artifact.FoldPartOf), out.Paths(artifact.FoldCells)...),
	}
	if p.Fold < 0 {
		f.Cycles = max(1, out.Report.Fold.Cost().Cycles)
	} else {
		f.Lanes = int(p.Fold)
	}
	if f.Verilog, err = out.Path(artifact.FoldVerilog); err != nil {
		return nil, err
	}
	f.Thresholds = strings.Join(out.Paths(artifact.FoldEncoder), string(filepath.ListSeparator)) // one, or none
	return f, nil
}

// wrapperFiles returns the wrapper around the design or its folded engine, nil if there is none.
func (k *checked) wrapperFiles() (f *play.WrapperFiles, err error) {
	if k.plan.Wrap == "" {
		return nil, nil
	}
	f = &play.WrapperFiles{
		Kind: k.plan.Wrap, Module: k.files.Module, Style: k.files.Style, Target: k.files.Target, Fold: k.fold,
	}
	core := innerFormat(k.out)
	if f.Fold != nil {
		core = artifact.FoldVerilog
	}
	if f.Sources, err = paths(k.out, []string{k.plan.Wrap, core}); err != nil {
		return nil, err
	}
	if core == "core" {
		if split := artifact.Core(k.out.Netlist, k.plan.Wrap); split != nil { // else proveCore says so
			f.Levels = &wrapper.Levels{Word: split.Word, Thresholds: split.Thresholds, Bits: split.Bits}
		}
	}
	return f, nil
}

// innerFormat returns the format of what a wrapper is around.
func innerFormat(out *artifact.Output) string {
	if _, err := out.Path("core"); err == nil {
		return "core"
	}
	return "verilog"
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

// fold checks the folded engine at the levels software and rtl. A difference ends it.
func (c *Certificate) fold(ctx context.Context, o VerifyOptions) (err error) {
	k := c.checked
	if k.fold == nil || c.Software.Mismatches > 0 {
		return nil
	}
	if c.foldRuns {
		c.Fold, err = engine.Check(ctx, k.design, k.test.samples(), *k.fold)
		if err != nil || c.Fold.Mismatches > 0 {
			return err
		}
	}
	if c.asked < 2 {
		return nil
	}
	c.FoldRTL, err = play.CheckEngine(ctx, k.design, k.test.samples(), *k.fold, o.Simulator, o.Samples)
	return err
}

// proveParts proves the modules within a folded engine that takes a position a clock: their netlists, and their files.
func (c *Certificate) proveParts(ctx context.Context) error {
	k := c.checked
	parts, err := k.plan.Parts(ctx, k.network)
	if err != nil {
		return err
	}
	paths := k.out.Paths(artifact.FoldPartOf)
	for i, part := range parts {
		if i >= len(paths) {
			return fmt.Errorf("%s: no file of %s: compile again", k.out.Dir, part.What)
		}
		p := FoldPart{Module: k.out.Manifest.Module + part.Suffix}
		if p.Formal, err = proof.Check(ctx, part.Design); err != nil {
			return err
		}
		if p.Formal.Proved {
			files := k.files
			files.Module, files.Design = p.Module, paths[i]
			if p.Verilog, err = rtl.CheckText(ctx, part.Design, files); err != nil {
				return err
			}
		}
		if c.FoldParts = append(c.FoldParts, p); !p.proved() {
			return nil
		}
	}
	return nil
}

// wrapper simulates the wrapper, if there is one.
func (c *Certificate) wrapper(ctx context.Context, samples int) error {
	k := c.checked
	f, err := k.wrapperFiles()
	if err != nil || f == nil {
		return err
	}
	c.wrapAsked = true
	c.Wrapper, err = play.CheckWrapper(ctx, k.design, k.test.samples(), *f, samples)
	return err
}
