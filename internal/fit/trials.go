package fit

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	library "ialgn"
	"ialgn/internal/crew"
	"ialgn/internal/message"
	"ialgn/internal/model"
	"ialgn/internal/progress"
	"ialgn/trainer"
)

// try trains the usual candidate for a few epochs, without a time limit. It shows whether networks can be trained on
// the data, and how long trials take.
func (s *search) try(ctx context.Context) error {
	if s.ledger.rung(roundUsual) != nil {
		return nil
	}
	c := s.usual()
	t := &trial{Candidate: c, Budget: float64(s.budget)}
	cfg, err := s.config(c, s.classes, usualEpochs, "", 0, validationShare)
	if err != nil {
		return err
	}
	t.Width = sizer(nil).width(s.shapeOf(&cfg), s.classes, t.Budget)
	progress.Say(ctx, "the usual candidate, to know how long a trial takes")
	begin := now()
	var after []float64 // seconds until the end of each epoch
	m, err := s.train(ctx, t, usualEpochs, 0, func(p trainer.Progress) {
		if p.Finished != nil {
			after = append(after, now().Sub(begin).Seconds())
		}
	})
	if err != nil {
		return err
	}
	defer m.Close()
	if t.Cost, err = s.costOf(ctx, m); err != nil {
		return err
	}
	// This shows early whether something prevents compiling.
	if _, err := s.compile(ctx, m, s.path(designFolder), 0); err != nil {
		return err
	}
	record, err := recordOf(m)
	if err != nil {
		return err
	}
	t.judge(record, s.metric)
	t.Seconds = now().Sub(begin).Seconds()
	return s.ledger.record(func() {
		s.ledger.Epoch = (after[usualEpochs-1] - after[0]) / (usualEpochs - 1)
		s.ledger.Fixed = max(0, t.Seconds-usualEpochs*s.ledger.Epoch)
		s.ledger.Rungs = []*rung{{Name: roundUsual, Epochs: usualEpochs, Seeds: 1, Trials: []*trial{t}, Closed: true}}
	})
}

// runRound runs the trials of a round that are not done yet. Trials run concurrently, until the time of the round is
// over.
func (s *search) runRound(ctx context.Context, r *rung, rounds int) error {
	timed, cancel := context.WithTimeout(ctx, min(
		time.Duration(slack*float64(s.searchLeft())/float64(rounds)), s.searchLeft()))
	defer cancel()
	done := 0
	for _, t := range r.Trials {
		if t.done(r.Seeds) {
			done++
		}
	}
	var counting sync.Mutex
	group, within := crew.NewGroup(timed)
	group.SetLimit(s.cores)
	for _, t := range r.Trials {
		if t.done(r.Seeds) || t.Failed != "" {
			continue
		}
		group.Go(func() error {
			err := s.make(within, r, t)
			counting.Lock()
			if t.done(r.Seeds) {
				done++
				progress.Count(ctx, done, len(r.Trials), "candidates")
			}
			counting.Unlock()
			if within.Err() != nil {
				return nil // the time of the round or of the call is over
			}
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if best := s.ranked(r.Name); len(best) > 0 {
		s.note("%s: best %s at %s (%s)", r.Name, best[0].result(s.metric),
			message.Plural(best[0].Cost.Total, "LUT", "LUTs"), best[0].Candidate.text(s.dims))
	}
	return s.ledger.record(func() { r.Closed = true })
}

// result describes the results of a trial on the validation samples.
func (t *trial) result(metric string) string {
	text := fmt.Sprintf("%.2f %% of the validation samples", 100*(1-t.wrong()))
	if metric == "" {
		return text
	}
	return fmt.Sprintf("%s %.4f, %s", metric, 1-t.loss(), text)
}

// make trains the missing seeds of a trial, and compiles the network of the first seed.
func (s *search) make(ctx context.Context, r *rung, t *trial) error {
	for seed := len(t.Wrong); seed < r.Seeds; seed++ {
		begin := now()
		m, err := s.train(ctx, t, r.Epochs, seed, nil)
		if err != nil {
			return s.failed(ctx, t, err)
		}
		c := t.Cost
		if c == nil {
			c, err = s.costOf(ctx, m)
		}
		record, unread := recordOf(m)
		if err := errors.Join(err, unread, m.Close()); err != nil {
			return s.failed(ctx, t, err)
		}
		err = s.ledger.record(func() {
			t.judge(record, s.metric)
			t.Cost, t.Seconds = c, t.Seconds+now().Sub(begin).Seconds()
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// failed records why a trial failed, unless the context of the trial was cancelled. The other trials continue.
func (s *search) failed(ctx context.Context, t *trial, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	s.warn(fmt.Errorf("left out (%s): %w", t.Candidate.text(s.dims), err))
	return s.ledger.record(func() { t.Failed = err.Error() })
}

// train trains the network of a trial with one seed, on the samples that are not held out.
func (s *search) train(ctx context.Context, t *trial, epochs, seed int, show func(trainer.Progress)) (*library.Model,
	error,
) {
	cfg, err := s.config(t.Candidate, t.Width, epochs, "", seed, validationShare)
	if err != nil {
		return nil, err
	}
	return library.Train(ctx, cfg, s.Data, library.TrainOptions{Threads: 1, Progress: show})
}

// judge adds the results of a seed on the validation samples. With a metric, they are the results of the kept epoch
// with its class offsets or tie order, because networks of the front keep this epoch, too. Otherwise, they are the
// results of the last epoch.
func (t *trial) judge(r *model.Record, metric string) {
	judged := r.Epochs[len(r.Epochs)-1]
	if metric != "" {
		judged = r.Epochs[r.Kept-1]
	}
	correct, value := judged.ValidationCorrect, judged.ValidationMetric
	if with := r.Shifted(); with != nil {
		correct, value = with.ValidationCorrect, with.ValidationMetric
	}
	t.Wrong = append(t.Wrong, 1-float64(correct)/float64(judged.ValidationSamples))
	if metric != "" {
		t.Metric = append(t.Metric, value)
	}
}

// recordOf returns the record of a model's training.
func recordOf(m *library.Model) (*model.Record, error) {
	info, err := m.File().Info()
	if err != nil {
		return nil, err
	}
	return &info.Model.Record, nil
}
