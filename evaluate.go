package ialgn

import (
	"context"
	"time"

	"ialgn/sim/native"
	"ialgn/sim/verify"

	"ialgn/trainer/model"
)

// Evaluation is how a model classifies its test set.
type Evaluation struct {
	Samples   int        `json:"samples"`
	Correct   int        `json:"correct"`
	Accuracy  float64    `json:"accuracy"`
	Classes   []string   `json:"classes"`
	Confusion [][]int    `json:"confusion"` // [label][predicted]
	PerClass  []*float64 `json:"per_class"` // share of each label's samples that is recognised; null without any
	Engine    Engine     `json:"engine"`    // native, or simulator: the trainer's own forward pass
	ISA       string     `json:"isa"`
	Rate      float64    `json:"images_per_second"`

	// Note, unless nil, is what may be amiss with the samples: that they are not those of training.
	Note error `json:"-"`
}

// Evaluate classifies the test set of the model, or the test part of data in memory, by the trainer's own forward pass.
func (m *Model) Evaluate(ctx context.Context, data Data) (*Evaluation, error) {
	return m.EvaluateBy(ctx, data, EngineSimulator)
}

// EvaluateBy is [Model.Evaluate] by an engine, of which the simulator is the trainer's forward pass.
func (m *Model) EvaluateBy(ctx context.Context, data Data, by Engine) (*Evaluation, error) {
	n, err := m.network(ctx)
	if err != nil {
		return nil, err
	}
	test, err := m.source(data).labelled(ctx)
	if err != nil {
		return nil, err
	}
	code, err := by.networkCode(n, test.Levels.Len())
	if err != nil {
		return nil, err
	}
	begin := time.Now()
	scores, err := scoresBy(ctx, n, code, test)
	if err != nil {
		return nil, err
	}
	e := newEvaluation(n.classes, scores, test.Levels.Labels)
	e.Rate = float64(e.Samples) / max(1e-9, time.Since(begin).Seconds())
	e.Engine, e.ISA = engineName(code)
	e.Note = test.note()
	return e, nil
}

// scoresBy classifies a test set by machine code or, if that is nil, by the trainer's forward pass.
func scoresBy(ctx context.Context, n *network, code *native.Engine, test *tested) (*model.Scores, error) {
	if code == nil {
		f, err := n.unrolled()
		if err != nil {
			return nil, err
		}
		return f.Evaluate(ctx, test.Levels, 0)
	}
	samples := test.Levels.Len()
	x := test.samples().Thermometer(n.encoder, (samples+63)/64, verify.Consecutive(0, samples))
	got, err := code.Classify(ctx, x, samples)
	if err != nil {
		return nil, err
	}
	s := &model.Scores{Classes: got.Classes, Counts: got.Counts, Predicted: make([]uint8, samples)}
	for i, class := range got.Class {
		s.Predicted[i] = uint8(class)
	}
	return s, nil
}

func newEvaluation(classes []string, s *model.Scores, labels []uint8) *Evaluation {
	e := &Evaluation{
		Samples: len(labels), Correct: s.Correct(labels), Classes: classes,
		Confusion: s.Confusion(labels), PerClass: make([]*float64, len(classes)),
	}
	e.Accuracy = float64(e.Correct) / float64(max(1, e.Samples))
	for y, row := range e.Confusion {
		all := 0
		for _, n := range row {
			all += n
		}
		if all > 0 {
			recall := float64(row[y]) / float64(all)
			e.PerClass[y] = &recall
		}
	}
	return e
}
