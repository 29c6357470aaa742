package certify

import (
	"context"

	"ialgn/backend"
	"ialgn/internal/verify/rtl"
	"ialgn/internal/wrapper"
)

func (j *Job) simulateWrapper(ctx context.Context, c *Certificate) (o outcome, err error) {
	f, err := j.wrapperFiles()
	if err != nil {
		return o, err
	}
	if c.Wrapper, err = rtl.CheckWrapper(ctx, j.Design, j.Samples, f, j.Simulated); err != nil {
		return o, err
	}
	return samples(c.Wrapper.Mismatches), nil
}

// wrapperFiles returns the files of the wrapper around the design or around its folded engine.
func (j *Job) wrapperFiles() (f rtl.WrapperFiles, err error) {
	f = rtl.WrapperFiles{
		Kind: j.Plan.Wrap, Module: j.files.Module, Style: j.files.Style, Target: j.files.Target, Fold: j.fold,
	}
	inner := InnerFormat(j.Out)
	if f.Fold != nil {
		inner = backend.FoldVerilog
	}
	for _, format := range []string{j.Plan.Wrap, inner} {
		path, err := j.Out.Path(format)
		if err != nil {
			return f, err
		}
		f.Sources = append(f.Sources, path)
	}
	if inner == "core" {
		if split := backend.Core(j.Out.Netlist, j.Plan.Wrap); split != nil {
			f.Levels = &wrapper.Levels{Word: split.Word, Thresholds: split.Thresholds, Bits: split.Bits}
		}
	}
	return f, nil
}

// InnerFormat returns the format of the file that a wrapper contains: core or verilog.
func InnerFormat(out *backend.Output) string {
	if _, err := out.Path("core"); err == nil {
		return "core"
	}
	return "verilog"
}
