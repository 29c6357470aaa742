package trainer

import (
	"context"

	"ialgn/trainer/model"
	"ialgn/trainer/prune"
)

// prune removes counted bits and nodes (train.prune) at the start of the epoch that the configuration names, before its
// first batch and before candidates are replaced. No checkpoint is written between the removal and that batch, and a
// context that ends before the choice is made leaves everything as it was; so a resumed run removes the same.
func (s *session) prune(ctx context.Context) error {
	c := &s.Config.Train
	if !c.Prune.Active() || s.at.Batch != 0 || s.at.Epoch != c.Prune.Epoch(c.Epochs) {
		return nil
	}
	s.frozen = s.eng.Frozen(s.frozen)
	r, err := prune.Choose(ctx, s.task(s.frozen), prune.Shares{Bits: c.Prune.Bits, Nodes: c.Prune.Nodes})
	if ctx.Err() != nil {
		return s.interrupt()
	}
	if err != nil {
		return err
	}
	for _, all := range [][]prune.Constant{r.Bits, r.Nodes} {
		for _, n := range all {
			s.eng.Fix(n.Layer, n.Node, n.Value)
		}
	}
	s.m.Record.Pruned = &model.Pruned{
		Epoch: s.at.Epoch, Bits: len(r.Bits), Nodes: len(r.Nodes), LossBefore: r.Before, LossAfter: r.After,
	}
	return nil
}

// task returns a network with the training set, as it is, by which it is made smaller. Where thresholds are learned the
// samples are encoded anew: batches are made from feature words, and need no levels.
func (s *session) task(f *model.Frozen) prune.Task {
	if s.Config.Encoder.Learned() {
		s.data.Encoder.Relevel(s.data.Train, s.data.Words)
	}
	return prune.Task{Network: f, Samples: s.data.Train, Tau: s.Config.Model.Tau, Threads: s.Threads}
}

// refill refills tables of the model that is about to be written (train.refill), and says so in the record, with what
// the network then reaches.
func (s *session) refill(ctx context.Context) error {
	if !s.Config.Train.Refill {
		return nil
	}
	s.relevel()
	t := s.task(s.m.Freeze())
	all, err := t.Refill(ctx)
	if err = s.agree(err); err != nil {
		return err
	}
	r := &model.Refilled{Nodes: len(all)}
	for _, n := range all {
		s.m.SetTable(n.Layer, n.Node, n.Table)
		r.Pins += n.Freed
	}
	if err := s.sum(&r.Nodes, &r.Pins); err != nil {
		return err
	}
	f := s.m.Freeze()
	scores, err := s.countAll(ctx, f, s.data.Test)
	if err != nil {
		return err
	}
	r.TestCorrect = scores.Correct(s.data.Test.Labels)
	if s.validation != nil {
		if scores, err = s.countAll(ctx, f, s.validation); err != nil {
			return err
		}
		r.ValidationCorrect = scores.Correct(s.validation.Labels)
	}
	s.m.Record.Refilled = r
	return nil
}
