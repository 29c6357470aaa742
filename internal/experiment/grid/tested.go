package grid

import (
	"context"
	"errors"
	"fmt"

	library "ialgn"
	"ialgn/internal/dataset"
	"ialgn/internal/metrics"
	"ialgn/trainer"
)

// Tested says how a classifier classified test samples.
type Tested struct {
	Classes         []string `json:"classes"`
	Confusion       [][]int  `json:"confusion"` // [label][predicted]
	*metrics.Values          // nil for other classifiers than networks
}

// Check returns an error unless the confusion matrix has a row and a column for each class, and at least one sample.
func (t *Tested) Check() error {
	if t == nil || len(t.Confusion) != len(t.Classes) {
		return errors.New("the confusion matrix needs a row for each class")
	}
	samples := 0
	for _, row := range t.Confusion {
		if len(row) != len(t.Classes) {
			return errors.New("the confusion matrix needs a column for each class")
		}
		for _, n := range row {
			if n < 0 {
				return fmt.Errorf("the confusion matrix has %d samples", n)
			}
			samples += n
		}
	}
	if samples == 0 {
		return errors.New("the confusion matrix has no samples")
	}
	return nil
}

// test evaluates a model on the test samples of its data set. If the data set is not found, test returns nil. If ctx is
// cancelled, the error wraps [trainer.ErrInterrupted].
func (p *Plan) test(ctx context.Context, path string) (*Tested, error) {
	m, err := library.Open(path)
	if err != nil {
		return nil, err
	}
	defer m.Close()
	e, err := m.Evaluate(ctx, library.EvalOptions{Data: library.Data{Folders: p.Folders}, Engine: "simulator"})
	var missing *dataset.MissingError
	switch {
	case ctx.Err() != nil:
		return nil, fmt.Errorf("%w while %s was evaluated: nothing is lost", trainer.ErrInterrupted, path)
	case errors.As(err, &missing):
		return nil, nil
	case err != nil:
		return nil, err
	}
	return &Tested{e.Classes, e.Confusion, &metrics.Values{
		BalancedAccuracy: e.BalancedAccuracy, MacroF1: e.MacroF1, MatthewsCorrcoef: e.MatthewsCorrcoef,
		ROCAUC: e.ROCAUC, AveragePrecision: e.AveragePrecision,
	}}, nil
}
