package plan

import (
	"context"
	"fmt"
	"io"

	"ialgn/artifact"
	"ialgn/backend/steps"
	"ialgn/internal/hint"
	"ialgn/internal/option"
	"ialgn/netlist"
	"ialgn/sim/verify"
	"ialgn/trainer/model"
)

// checkSequence refuses what an engine with a loop does not go with.
func checkSequence(o Options) error {
	switch {
	case o.FoldSteps > 0:
		return hint.With(option.Errorf("{FoldSteps} %d: an engine that has a step once runs no program", o.FoldSteps),
			"leave it out")
	case o.Pipeline != "" && o.Pipeline != PipelineNone:
		return hint.With(option.Errorf("{Pipeline} %s: with {Fold steps} a step is a loop, which takes one clock",
			string(o.Pipeline)), "leave it out")
	}
	return nil
}

// stepParts takes a recurrent network apart and compiles its parts, once: the layers of a step, and what makes the
// class of the state.
func (p *Plan) stepParts(ctx context.Context, m Network) (*model.Step, []Part, error) {
	if p.parts != nil {
		return p.step, p.parts, nil
	}
	compact, err := m.Compact()
	if err != nil {
		return nil, nil, err
	}
	step, err := compact.Step()
	if err != nil {
		return nil, nil, hint.With(option.Errorf("{Fold steps}: %w", err),
			"train a network of topology recurrent, or leave {Fold} out")
	}
	parts := []Part{
		{steps.CoreSuffix, "the layers of a step", verify.Design{Model: step.Core}},
		{steps.HeadSuffix, "the class of the state", verify.Design{Model: step.Head}},
	}
	for i, scope := range []netlist.Scope{netlist.Gates, netlist.Core} {
		if err := p.compile(ctx, &parts[i], scope); err != nil {
			return nil, nil, fmt.Errorf("%s: %w", parts[i].What, err)
		}
	}
	p.step, p.parts = step, parts
	return step, parts, nil
}

// sequence makes an engine that has the layers of a step once.
func (p *Plan) sequence(ctx context.Context, _ *netlist.Netlist, m Network, out artifact.Product,
) (*artifact.Fold, error) {
	step, parts, err := p.stepParts(ctx, m)
	if err != nil {
		return nil, err
	}
	s := &steps.Shape{
		Module: out.Manifest.Module + steps.Suffix, Drop: p.Dropping(), Steps: step.Steps, WordBits: m.Encoder.BitsIn,
		Thresholds: m.Encoder.Thresholds, State: step.Core.Width, Classes: len(step.Head.Classes),
		Core: out.Manifest.Module + steps.CoreSuffix, Head: out.Manifest.Module + steps.HeadSuffix,
	}
	if err := s.Check(); err != nil {
		return nil, option.Errorf("{Fold steps}: %w", err)
	}
	f := &artifact.Fold{
		Module: s.Module, Drop: s.Drop, Memories: s.Memories(),
		WriteVerilog: func(w io.Writer, p artifact.Product) error { return s.WriteVerilog(w, p.Header) },
	}
	report := &artifact.Sequence{Cost: s.Cost()}
	report.SamplesPerSecond = out.MHz * 1e6 / report.Cycles
	for i := range parts {
		f.Parts = append(f.Parts, artifact.FoldPart{
			Suffix: parts[i].Suffix, Header: []string{parts[i].What + ", within " + s.Module}, Netlist: parts[i].Product,
		})
		report.Parts = append(report.Parts, partReport(out.Manifest.Module+parts[i].Suffix, &parts[i].Design))
	}
	f.Cycles, f.Latency = report.Cycles, report.Latency
	f.Report = artifact.FoldReport{Sequence: report, Memories: f.MemoryFiles()}
	return f, nil
}
