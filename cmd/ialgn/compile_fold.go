package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"ialgn/artifact"
	"ialgn/backend/fold"
	"ialgn/backend/wrapper"
	"ialgn/compiler"
	"ialgn/internal/hint"
	"ialgn/netlist"
	"ialgn/target"
	"ialgn/trainer/encoding"
)

// maxFoldSteps is more than any device has block RAM for.
const maxFoldSteps = 1 << 20

// folded returns the steps in a clock of the folded engine, 0 for none, and the wrapper that is
// left to write: the engine itself takes samples as the wrapper stream does.
func (o compileOptions) folded(p compilePlan) (lanes int, wrap string, err error) {
	switch {
	case o.FoldSteps < 0 || o.FoldSteps > maxFoldSteps || o.FoldSteps > 0 && o.Fold == 0:
		return 0, "", hint.With(fmt.Errorf("--fold-steps %d: it is the room of a folded engine, 1 to %d", o.FoldSteps, maxFoldSteps),
			"leave it out, or give --fold, too")
	case o.Fold == 0:
		return 0, p.wrap, nil
	case !slices.Contains(fold.Lanes(), o.Fold):
		return 0, "", fmt.Errorf("--fold %d: give the steps of a clock, 1, 2 or 4", o.Fold)
	case p.scope != netlist.Full:
		return 0, "", hint.With(errors.New("--fold: it is for scope full, which has features to load"), "leave --scope out")
	case o.Counts:
		return 0, "", hint.With(errors.New("--fold: an engine gives the class alone"), "leave --counts out")
	case p.wrap == "stream":
		return o.Fold, "", nil
	}
	return o.Fold, p.wrap, nil
}

// engine folds an optimised netlist, and says what engines of it take. It returns nil if none
// was asked for.
func (p compilePlan) engine(ctx context.Context, n *netlist.Netlist, e *encoding.Encoder, out artifact.Product) (*artifact.Fold, error) {
	if p.fold == 0 {
		return nil, nil
	}
	o := compiler.Options{Level: compiler.LevelRepeat, Restructure: true, Thermometer: compiler.ThermometerDerived}
	n, _, err := o.Optimise(ctx, n)
	if err != nil {
		return nil, err
	}
	program, err := fold.NewProgram(n, e.Thresholds)
	if err != nil {
		return nil, hint.With(fmt.Errorf("--fold: %w", err), "leave it out")
	}
	f := &artifact.Fold{Report: artifact.FoldReport{Lanes: p.fold}}
	for _, lanes := range fold.Lanes() {
		room := 0
		if lanes == p.fold {
			room = p.room
		}
		engine, err := program.Engine(fold.Options{Core: out.Manifest.Module, Lanes: lanes, Steps: room, Drop: p.dropping(), Header: []string{"made by ialgn " + out.Manifest.Version}})
		if err != nil {
			return nil, fmt.Errorf("--fold: %w", err)
		}
		f.Report.Each = append(f.Report.Each, foldCost(engine.Cost(), out.MHz))
		if lanes == p.fold {
			f.Engine = engine
		}
	}
	for _, m := range f.Engine.Memories() {
		f.Report.Memories = append(f.Report.Memories, artifact.FoldMemory{File: m.File, Depth: m.Depth, Width: m.Width})
	}
	return f, nil
}

// dropping reports whether the wrapper around a folded engine may call a packet void.
func (p compilePlan) dropping() bool { return wrapper.Is(p.wrap, wrapper.DropsPackets) }

// foldCost adds the devices that have the memory, and the rate at a clock.
func foldCost(c fold.Cost, mhz float64) artifact.FoldCost {
	cost := artifact.FoldCost{Cost: c, Fits: []string{}, SamplesPerSecond: mhz * 1e6 / float64(c.Cycles)}
	for _, d := range target.Devices() {
		if d.Of().BlockBits == fold.BlockBits && c.Blocks*fold.BlockBits <= d.BlockRAM {
			cost.Fits = append(cost.Fits, d.Name)
		}
	}
	return cost
}

// foldText tells what a folded engine takes.
func foldText(w io.Writer, r *artifact.FoldReport) {
	if r == nil {
		return
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
		fmt.Fprintf(w, "folded %s, %d a clock: %d steps, a sample in %d clocks, %d block RAMs, for %s", what, c.Lanes, c.Steps, c.Cycles, c.Blocks, fits)
		if c.SamplesPerSecond > 0 {
			fmt.Fprintf(w, "; %.4g samples/s", c.SamplesPerSecond)
		}
		fmt.Fprintln(w)
	}
}
