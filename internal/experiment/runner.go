package experiment

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"ialgn/internal/experiment/grid"
	"ialgn/trainer"
)

// Runner trains an experiment into a folder.
type Runner struct {
	grid.Options
	Experiment Experiment
	Scale      Scale
	Seeds      int      // seeds for each entry, from that of its configuration on
	Only       []string // patterns of the entries to train; empty: all
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
	if err := p.table.check(); err != nil {
		return nil, err
	}
	if err := p.Train(ctx); err != nil {
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
	return p.TrainIndex(ctx, index)
}

// Forecast says what an experiment will train and how long that takes.
type Forecast struct {
	Experiment string `json:"experiment"`
	Scale      Scale  `json:"scale"`
	Command    string `json:"command"`
	*grid.Forecast
}

// Forecast returns what [Runner.Run] would train, if it found all data. It measures the
// pace of each network that is not finished, which takes some seconds, and trains nothing.
func (r Runner) Forecast(ctx context.Context) (*Forecast, error) {
	p, err := r.plan(ctx)
	if err != nil {
		return nil, err
	}
	f, err := p.Forecast(ctx)
	return &Forecast{r.Experiment.Name, r.Scale, r.Command(), f}, err
}

// Emit writes the grid to the folder as a job for a cluster, and trains nothing. The data
// need not be here; the job looks for them where it runs, in the folder data unless that
// is empty. With ranks, so many processes train each run together; 0: one.
func (r Runner) Emit(ctx context.Context, to grid.Cluster, data string, ranks int) (*grid.Batch, error) {
	p, err := r.planned(ctx)
	if err != nil {
		return nil, err
	}
	name := strings.TrimSuffix(filepath.Base(p.table.Files[0]), ".md")
	return p.Emit(to, name, grid.Command{Args: slices.Clone(r.Args()), Data: data, Ranks: ranks})
}
