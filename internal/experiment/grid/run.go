package grid

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"ialgn/internal/crew"
	"ialgn/internal/message"
	"ialgn/internal/outfile"
	"ialgn/trainer"
)

// LogPath returns the path of the log of a row. The log is next to the models of the row's seeds.
func LogPath(model string) string {
	return strings.TrimSuffix(model, filepath.Ext(model)) + ".jsonl"
}

// Train trains the runs that the folder does not have yet, in the order of rows and seeds. Several runs train at the
// same time. Train passes results to the table. Unfinished rows whose data are missing are left out.
//
// When ctx is cancelled or [Options.Hours] are over, the current runs are saved, and the error wraps
// [trainer.ErrInterrupted]. Its hint says which runs are finished. The next call continues these runs. If a run fails,
// the other runs are interrupted in the same way.
func (p *Plan) Train(ctx context.Context) error {
	if err := p.checkOutputs(); err != nil {
		return err
	}
	if err := os.MkdirAll(p.Dir, 0o777); err != nil {
		return err
	}
	ctx, cancel := p.limited(ctx)
	defer cancel()
	asked := p.each(func(e *planned) bool { return e.asked && e.Missing == nil })
	return p.ended(ctx, asked, p.trainAll(ctx))
}

// TrainIndex trains a single run of [Plan.Runs], for machines that share the folder. It does not use the table. It is
// interrupted like [Plan.Train].
func (p *Plan) TrainIndex(ctx context.Context, index int) (*trainer.SeedsSummary, error) {
	all := p.Runs()
	if index < 0 || index >= len(all) {
		return nil, message.Optionf("{Index} %d: want 0 to %d, a run of this grid", index, len(all)-1)
	}
	s := all[index]
	if missing := p.absent(ctx, s.Config); missing != nil {
		if found, err := s.Survey(); err != nil || found[0] == nil || !found[0].Finished {
			return nil, missing
		}
	}
	if err := os.MkdirAll(p.Dir, 0o777); err != nil {
		return nil, err
	}
	p.Table, s.Threads, s.Ranks = nil, p.cores(), p.Ranks
	ctx, cancel := p.limited(ctx)
	defer cancel()
	if p.Ranks != nil && p.Ranks.Rank() > 0 { // rank 0 records the result
		s.Like = p.like(&s)
		return p.training()(ctx, s)
	}
	if err := p.trainOne(ctx, s); err != nil {
		return nil, p.ended(ctx, []trainer.Seeds{s}, fmt.Errorf("%s: %w", s.Config.Name, err))
	}
	return trainer.Summarise([]trainer.SeedSummary{*p.done[trainer.SeedPath(s.Model, s.Config.Train.Seed)].run}), nil
}

// checkOutputs returns an error if training would overwrite files that no grid wrote. Models are checked separately,
// when [Plan.Add] looks at the folder.
func (p *Plan) checkOutputs() error {
	for _, s := range p.runs() {
		result := ResultPath(trainer.SeedPath(s.Model, s.Config.Train.Seed))
		if err := p.Guard.CheckAll([]outfile.Output{
			{Path: LogPath(s.Model), Form: outfile.Log},
			{Path: result, Form: outfile.Result},
		}); err != nil {
			return err
		}
	}
	return nil
}

// trainAll trains each planned run once.
func (p *Plan) trainAll(ctx context.Context) error {
	runs, jobs := p.runs(), 1
	if p.Jobs != 0 {
		var all []Ahead
		for i, s := range runs {
			all = append(all, p.ahead(i, s))
		}
		jobs = p.sideBySide(all)
	}
	group, ctx := crew.NewGroup(ctx)
	group.SetLimit(jobs)
	for _, s := range runs {
		s.Threads = max(1, p.cores()/jobs)
		group.Go(func() error {
			err := trainer.ErrInterrupted // the interrupted runs report the reason
			if ctx.Err() == nil {
				err = p.trainOne(ctx, s)
			}
			if err != nil {
				return fmt.Errorf("%s: %w", s.Config.Name, err)
			}
			return nil
		})
	}
	return group.Wait()
}

// training returns the function that trains a run.
func (p *Plan) training() func(context.Context, trainer.Seeds) (*trainer.SeedsSummary, error) {
	if p.Options.Train != nil {
		return p.Options.Train
	}
	return func(ctx context.Context, s trainer.Seeds) (*trainer.SeedsSummary, error) { return s.Train(ctx) }
}

// trainOne trains a run, unless it is finished, and records its result.
func (p *Plan) trainOne(ctx context.Context, s trainer.Seeds) error {
	s.Like = p.like(&s)
	all, err := p.training()(ctx, s)
	if err != nil {
		return err
	}
	run := &all.Runs[0]
	result, err := p.resultOf(ctx, run.Model, run.SHA256)
	if err != nil {
		return err
	}
	if result.Tested != nil {
		run.Values = result.Tested.Values // a run that an earlier call finished has none
	}
	return p.finished(&s, run, result)
}
