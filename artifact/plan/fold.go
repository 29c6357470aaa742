package plan

import (
	"context"
	"slices"

	"ialgn/artifact"
	"ialgn/backend/fold"
	"ialgn/backend/wrapper"
	"ialgn/compiler"
	"ialgn/internal/hint"
	"ialgn/internal/option"
	"ialgn/netlist"
	"ialgn/target"
	"ialgn/trainer/encoding"
)

// maxFoldSteps is more than any device has block RAM for.
const maxFoldSteps = 1 << 20

// folded returns the steps in a clock of the folded engine (0: none) and the wrapper that is still to be written: an
// engine takes samples in the way of the wrapper stream without one.
func (o Options) folded(p *Plan) (lanes int, wrap string, err error) {
	switch {
	case o.FoldSteps < 0 || o.FoldSteps > maxFoldSteps || o.FoldSteps > 0 && o.Fold == 0:
		return 0, "", hint.With(option.Errorf("{FoldSteps} %d: it is the room of a folded engine, 1 to %d", o.FoldSteps,
			maxFoldSteps),
			"leave it out, or give {Fold}, too")
	case o.Fold == 0:
		return 0, p.Wrap, nil
	case !slices.Contains(fold.Lanes(), o.Fold):
		return 0, "", option.Errorf("{Fold} %d: give the steps of a clock, 1, 2 or 4", o.Fold)
	case p.scope != netlist.Full:
		return 0, "", hint.With(option.Errorf("{Fold}: it is for scope full, which has features to load"),
			"leave {Scope} out")
	case o.Counts:
		return 0, "", hint.With(option.Errorf("{Fold}: an engine gives the class alone"), "leave {Counts} out")
	case p.Wrap == wrapper.EngineKind:
		return o.Fold, "", nil
	}
	return o.Fold, p.Wrap, nil
}

// Folding is how a netlist is optimised before it is folded, whatever the options say of the rest.
func (p *Plan) Folding() compiler.Options {
	return compiler.Options{
		Level: compiler.LevelRepeat, Restructure: true, Thermometer: compiler.ThermometerDerived, Check: p.Optimiser.Check,
	}
}

// engine folds an optimised netlist, and says what engines of it take. It returns nil if none
// was asked for.
func (p *Plan) engine(ctx context.Context, n *netlist.Netlist, e *encoding.Encoder,
	out artifact.Product,
) (*artifact.Fold, error) {
	if p.Fold == 0 {
		return nil, nil
	}
	n, _, err := p.Folding().Optimise(ctx, n)
	if err != nil {
		return nil, err
	}
	program, err := fold.NewProgram(n, e.Thresholds)
	if err != nil {
		return nil, hint.With(option.Errorf("{Fold}: %w", err), "leave it out")
	}
	f := &artifact.Fold{Report: artifact.FoldReport{Lanes: p.Fold}}
	for _, lanes := range fold.Lanes() {
		room := 0
		if lanes == p.Fold {
			room = p.Options.FoldSteps
		}
		engine, err := program.Engine(fold.Options{
			Core: out.Manifest.Module, Lanes: lanes, Steps: room, Drop: p.Dropping(),
			Header: []string{"made by ialgn " + out.Manifest.Version},
		})
		if err != nil {
			return nil, option.Errorf("{Fold}: %w", err)
		}
		f.Report.Each = append(f.Report.Each, foldCost(engine.Cost(), out.MHz))
		if lanes == p.Fold {
			f.Engine = engine
		}
	}
	for _, m := range f.Engine.Memories() {
		f.Report.Memories = append(f.Report.Memories, artifact.FoldMemory{File: m.File, Depth: m.Depth, Width: m.Width})
	}
	return f, nil
}

// Dropping reports whether the wrapper around a folded engine may call a packet void.
func (p *Plan) Dropping() bool { return wrapper.Is(p.Wrap, wrapper.DropsPackets) }

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
