package ialgn

import (
	"context"

	"ialgn/trainer/model"
)

// Evaluation is how a model classifies its test set, by the trainer's own forward pass.
type Evaluation struct {
	Samples   int        `json:"samples"`
	Correct   int        `json:"correct"`
	Accuracy  float64    `json:"accuracy"`
	Classes   []string   `json:"classes"`
	Confusion [][]int    `json:"confusion"` // [label][predicted]
	PerClass  []*float64 `json:"per_class"` // share of each label's samples that is recognised; null without any

	// Note, unless nil, is what may be amiss with the samples: that they are not those of training.
	Note error `json:"-"`
}

// Evaluate classifies the test set of the model, or the test part of data in memory.
func (m *Model) Evaluate(ctx context.Context, data Data) (*Evaluation, error) {
	f, err := m.Frozen(ctx)
	if err != nil {
		return nil, err
	}
	test, err := m.source(data).labelled(ctx)
	if err != nil {
		return nil, err
	}
	scores, err := f.Evaluate(ctx, test.Levels, 0)
	if err != nil {
		return nil, err
	}
	e := newEvaluation(f.Classes, scores, test.Levels.Labels)
	e.Note = test.note()
	return e, nil
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
