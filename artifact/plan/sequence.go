package plan

import (
	"ialgn/artifact"
	"ialgn/backend/engine"
	"ialgn/backend/steps"
	"ialgn/internal/hint"
	"ialgn/internal/option"
	"ialgn/sim/verify"
	"ialgn/trainer/encoding"
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

// sequence takes a recurrent network apart into the layers of a step, and what makes the class of the state.
func sequence(compact *model.Compact) ([]Part, builder, error) {
	step, err := compact.Step()
	if err != nil {
		return nil, nil, hint.With(option.Errorf("{Fold steps}: %w", err),
			"train a network of topology recurrent, or leave {Fold} out")
	}
	parts := []Part{
		{steps.CoreSuffix, "the layers of a step", verify.Design{Model: step.Core}},
		{steps.HeadSuffix, "the class of the state", verify.Design{Model: step.Head}},
	}
	return parts, func(frame engine.Frame, _ *encoding.Encoder, name string) (engine.Engine, artifact.FoldReport,
		*artifact.FoldParts, error,
	) {
		s := &steps.Shape{
			Frame: frame, Steps: step.Steps, State: step.Core.Width, Core: name + steps.CoreSuffix, Head: name + steps.HeadSuffix,
		}
		if err := s.Check(); err != nil {
			return nil, artifact.FoldReport{}, nil, err
		}
		r := &artifact.Sequence{Cost: s.Cost()}
		return s, artifact.FoldReport{Sequence: r}, &r.FoldParts, nil
	}, nil
}
