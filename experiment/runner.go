package experiment

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"ialgn/internal/crew"
	"ialgn/internal/overwrite"
	"ialgn/trainer"
)

// Runner trains an experiment into a folder.
type Runner struct {
	Experiment Experiment
	Scale      Scale
	Seeds      int      // seeds for each entry, from that of its configuration on
	Only       []string // patterns of the entries to train; empty: all
	Dir        string   // made if it is not there
	Folders    []string
	Threads    int
	Guard      overwrite.Guard // says which files in the folder may be replaced
	Jobs       int             // runs side by side, among which the threads are split; 0: one; or [Fitting]

	// Train, unless nil, is called in place of [trainer.Seeds.Train] for each run, to show
	// the progress or to keep a log: a copy with other callbacks is trained. Runs side by
	// side call it from several goroutines.
	Train func(context.Context, trainer.Seeds) (*trainer.SeedsSummary, error)
}

// LogPath returns where the log of an entry belongs: beside the models of its seeds.
func LogPath(model string) string {
	return strings.TrimSuffix(model, filepath.Ext(model)) + ".jsonl"
}

// Run trains what the folder does not have yet, run by run in the order of entries and
// seeds, some side by side, and returns the table. After each entry it is written to the
// folder, too. Runs in the folder that are of another configuration, that started from a
// model, or that were trained on other data than those of other entries on the same data set
// are refused before anything is trained.
//
// An entry whose data set is not found is marked as not run, unless all its seeds are
// finished. If none has a result, the table comes with the [dataset.MissingError] of the
// first.
//
// When the context ends, the runs under way are saved, and the error wraps
// [trainer.ErrInterrupted]; the next call goes on with them. A run that fails interrupts
// the others in the same way.
func (r Runner) Run(ctx context.Context) (*Table, error) {
	p, err := r.plan(ctx)
	if err != nil {
		return nil, err
	}
	if err := r.checkOutputs(p); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(r.Dir, 0o777); err != nil {
		return nil, err
	}
	if err := r.trainAll(ctx, p); err != nil {
		return nil, err
	}
	if err := p.table.write(); err != nil {
		return nil, err
	}
	if err := p.table.plots(); err != nil {
		return nil, err
	}
	return p.table, p.nothing()
}

// RunIndex trains a single run of those that [Runner.Emit] lists, for machines that share the
// folder and each do some. It writes no table: [Runner.Run] finds the runs finished and does.
// An index is the same run on every machine, so MNIST never takes the place of CIFAR-10.
func (r Runner) RunIndex(ctx context.Context, index int) (*trainer.SeedsSummary, error) {
	p, err := r.planned(ctx)
	if err != nil {
		return nil, err
	}
	grid := p.grid()
	if index < 0 || index >= len(grid) {
		return nil, fmt.Errorf("index %d: want 0 to %d, one of the runs of this grid", index, len(grid)-1)
	}
	s := grid[index]
	if missing := r.absent(ctx, s.Config); missing != nil {
		if found, err := s.Survey(); err != nil || found[0] == nil || !found[0].Finished {
			return nil, missing
		}
	}
	if err := os.MkdirAll(r.Dir, 0o777); err != nil {
		return nil, err
	}
	p.mute, s.Threads = true, r.cores()
	if err := r.trainOne(ctx, p, s); err != nil {
		return nil, fmt.Errorf("%s: %w", s.Config.Name, err)
	}
	return trainer.Summarise([]trainer.SeedSummary{*p.done[trainer.SeedPath(s.Model, s.Config.Train.Seed)].run}), nil
}

// checkOutputs refuses to write over files that no experiment wrote; the models are looked at
// with what earlier calls left.
func (r Runner) checkOutputs(p *plan) error {
	if err := p.table.check(); err != nil {
		return err
	}
	for _, s := range p.runs() {
		result := ResultPath(trainer.SeedPath(s.Model, s.Config.Train.Seed))
		if err := r.Guard.CheckAll([]overwrite.File{
			{Path: LogPath(s.Model), Form: overwrite.Log},
			{Path: result, Form: overwrite.Result},
		}); err != nil {
			return err
		}
	}
	return nil
}

// trainAll trains what is planned, each run once.
func (r Runner) trainAll(ctx context.Context, p *plan) error {
	runs, jobs := p.runs(), 1
	if r.Jobs != 0 {
		var all []Ahead
		for i, s := range runs {
			all = append(all, ahead(i, s))
		}
		jobs = r.sideBySide(all)
	}
	group, ctx := crew.NewGroup(ctx)
	group.SetLimit(jobs)
	for _, s := range runs {
		s.Threads = max(1, r.cores()/jobs)
		group.Go(func() error {
			err := trainer.ErrInterrupted // the runs that were interrupted say why
			if ctx.Err() == nil {
				err = r.trainOne(ctx, p, s)
			}
			if err != nil {
				return fmt.Errorf("%s: %w", s.Config.Name, err)
			}
			return nil
		})
	}
	return group.Wait()
}

// trainOne trains a run, unless it is finished, and enters its result in the table.
func (r Runner) trainOne(ctx context.Context, p *plan, s trainer.Seeds) error {
	s.Like = p.like(&s)
	train := r.Train
	if train == nil {
		train = func(ctx context.Context, s trainer.Seeds) (*trainer.SeedsSummary, error) { return s.Train(ctx) }
	}
	all, err := train(ctx, s)
	if err != nil {
		return err
	}
	result, err := resultOf(ctx, all.Runs[0].Model, all.Runs[0].SHA256, r.Experiment.Costs, r.Guard)
	if err != nil {
		return err
	}
	return p.finished(&s, &all.Runs[0], result)
}
