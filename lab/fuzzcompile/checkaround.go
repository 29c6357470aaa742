package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"ialgn/backend"
	"ialgn/internal/folded"
	"ialgn/internal/verify"
	"ialgn/internal/verify/proof"
	"ialgn/internal/verify/rtl"
	"ialgn/internal/verilog"
	"ialgn/internal/wrapper"
	"ialgn/netlist"
)

// wrapSamples is the maximum number of samples that are sent through a wrapper or an engine.
const wrapSamples = 16

// checkAround simulates the wrapper and the folded engine that the compile command writes, and proves the engine's
// program.
func (c fuzzCase) checkAround(ctx context.Context, d verify.Design, o options, s verify.Samples) error {
	return inFolder(func(dir string) error {
		if o.fold > 0 {
			return c.checkFold(ctx, d, o, s, dir)
		}
		if o.wrap == "" {
			return nil
		}
		return o.checkWrapper(ctx, d, d.Product, nil, s, dir)
	})
}

// checkWrapper simulates a wrapper around a netlist or around an engine. A netlist inside a wrapper must behave like
// the product.
func (o options) checkWrapper(ctx context.Context, d verify.Design, n *netlist.Netlist, engine *verify.EngineFiles,
	s verify.Samples, dir string,
) error {
	f, err := o.emitWrapper(n, engine, dir)
	if err != nil {
		return &mismatch{"wrapper: " + err.Error()}
	}
	r, err := rtl.CheckWrapper(ctx, d, s, f, wrapSamples)
	if err != nil {
		return fmt.Errorf("wrapper: %w", err)
	}
	if r.Mismatches > 0 {
		return &mismatch{fmt.Sprintf("wrapper %s: %v", o.wrap, r.First[0])}
	}
	return nil
}

// emitWrapper writes a wrapper and the module inside it. It does not write an engine inside a wrapper, because the
// engine was already written.
func (o options) emitWrapper(n *netlist.Netlist, engine *verify.EngineFiles, dir string) (rtl.WrapperFiles, error) {
	f := rtl.WrapperFiles{Kind: o.wrap, Module: module, Style: o.style, Target: o.family()}
	w := wrapper.LineOptions(0, 0, nil)
	w.Core, w.Module, w.Tag = module, module+"_"+o.wrap, o.tag
	if engine != nil {
		w.Engine = &wrapper.Engine{Module: engine.Module}
		f.Fold = engine
		f.Sources = []string{filepath.Join(dir, w.Module+".v"), engine.Verilog}
		return f, writeFile(f.Sources[0], func(file io.Writer) error { return wrapper.Write(o.wrap, file, n, w) })
	}
	if s := backend.Core(n, o.wrap); s != nil {
		f.Levels = &wrapper.Levels{Word: s.Word, Thresholds: s.Thresholds, Bits: s.Bits}
		n, w.Core, w.Levels = s.Core, module+backend.CoreSuffix, f.Levels
	}
	f.Sources = []string{filepath.Join(dir, w.Module+".v"), filepath.Join(dir, w.Core+".v")}
	v := verilog.Options{Module: w.Core, Style: o.style, Target: o.family()}
	core, _, err := netlist.WithTag(n, o.tag)
	if err != nil {
		return f, err
	}
	return f, errors.Join(
		writeFile(f.Sources[0], func(file io.Writer) error { return wrapper.Write(o.wrap, file, n, w) }),
		writeFile(f.Sources[1], func(file io.Writer) error { return verilog.Write(file, core, v) }),
	)
}

func writeFile(path string, write func(io.Writer) error) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	return errors.Join(write(file), file.Close())
}

// checkFold runs and proves the program of an engine, and simulates its Verilog.
func (c fuzzCase) checkFold(ctx context.Context, d verify.Design, o options, s verify.Samples, dir string) error {
	f, err := o.emitEngine(ctx, d, dir)
	if err != nil {
		return &mismatch{"fold: " + err.Error()}
	}
	program, err := verify.CheckProgram(ctx, d, s, f)
	if err != nil {
		return fmt.Errorf("fold: %w", err)
	}
	if program.Mismatches > 0 {
		return &mismatch{fmt.Sprintf("fold: %v", program.First[0])}
	}
	result, err := rtl.CheckEngine(ctx, d, s, f, "iverilog", wrapSamples)
	if err != nil {
		return fmt.Errorf("fold: %w", err)
	}
	if result.Mismatches > 0 {
		return &mismatch{fmt.Sprintf("fold: the engine: %v", result.First[0])}
	}
	if wrapper.Is(o.wrap, wrapper.TakesBytes) { // without a wrapper of bytes, the engine itself takes words
		if err := o.checkWrapper(ctx, d, d.Product, &f, s, dir); err != nil {
			return err
		}
	}
	if !c.deep.formal {
		return nil
	}
	return proved(proof.ProveProgram(ctx, d, f))
}

// emitEngine writes a folded engine of the network, as the compile command does.
func (o options) emitEngine(ctx context.Context, d verify.Design, dir string) (f verify.EngineFiles, err error) {
	p, err := o.plan()
	if err != nil {
		return f, err
	}
	n, _, err := p.Folding().Optimise(ctx, d.Raw)
	if err != nil {
		return f, err
	}
	drop := wrapper.Is(o.wrap, wrapper.DropsPackets)
	e, err := folded.NewChains(n, folded.Options{
		Core: module, Lanes: o.fold, Drop: drop,
		Thresholds: d.Model.Encoder.Thresholds,
	})
	if err != nil {
		return f, err
	}
	f = verify.EngineFiles{Module: e.Module, Verilog: filepath.Join(dir, e.Module+".v"), Lanes: o.fold, Drop: drop}
	err = writeFile(f.Verilog, func(w io.Writer) error { return e.WriteVerilog(w, nil) })
	for _, m := range e.Memories() {
		path := filepath.Join(dir, m.File)
		if err = errors.Join(err, writeFile(path, m.Write)); m.Thresholds {
			f.Thresholds = path
		} else {
			f.Programs = append(f.Programs, path)
		}
	}
	return f, err
}
