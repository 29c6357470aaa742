package plan

import (
	"ialgn/backend"
	"ialgn/internal/encoding"
	"ialgn/internal/folded"
	"ialgn/internal/message"
	"ialgn/internal/model"
	"ialgn/internal/verify"
)

// checkSequence returns an error for options that cannot be combined with [FoldSequence].
func checkSequence(o Options) error {
	switch {
	case o.FoldSteps > 0:
		return message.WithHint(message.Optionf("{FoldSteps} %d: an engine with one step in hardware has no program",
			o.FoldSteps),
			"omit it")
	case o.Pipeline != "" && o.Pipeline != PipelineNone:
		return message.WithHint(message.Optionf("{Pipeline} %s: with {Fold steps} a step is a loop, which takes one clock",
			string(o.Pipeline)), "omit it")
	}
	return nil
}

// sequence divides a recurrent network into the layers of one step, and the head that computes the
// class from the state.
func sequence(compact *model.Compact) ([]Part, builder, error) {
	step, err := compact.Step()
	if err != nil {
		return nil, nil, message.WithHint(message.Optionf("{Fold steps}: %w", err),
			"train a network of topology recurrent, or omit {Fold}")
	}
	parts := []Part{
		{folded.CoreSuffix, "the layers of a step", verify.Design{Model: step.Core}},
		{folded.HeadSuffix, "the class of the state", verify.Design{Model: step.Head}},
	}
	return parts, func(frame folded.Frame, _ *encoding.Encoder, name string) (folded.Engine, backend.FoldReport,
		*backend.FoldParts, error,
	) {
		s := &folded.StepsShape{
			Frame: frame, Steps: step.Steps, State: step.Core.Width, Core: name + folded.CoreSuffix, Head: name +
				folded.HeadSuffix,
		}
		if err := s.Check(); err != nil {
			return nil, backend.FoldReport{}, nil, err
		}
		r := &backend.Sequence{StepsCost: s.Cost()}
		return s, backend.FoldReport{Sequence: r}, &r.FoldParts, nil
	}, nil
}
