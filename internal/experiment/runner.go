package experiment

import (
	"context"
	"os"
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
	Seeds      int      // number of seeds for each entry; the first seed is that in the configuration
	Only       []string // patterns of the entries to train; empty for all

	splits string // folder for the parts of divided tables; "" to divide no tables
}

// Run trains the runs that the folder does not have yet, in the order of entries and seeds. Several runs train at the
// same time. It returns the table, which is also written to the folder after each entry.
//
// Before training, Run checks the runs in the folder. It returns an error if a run has another configuration, was
// started from a model, or was trained on different data than other entries with the same data set. An entry whose
// data set is not found is marked as not run, unless all its seeds are finished. If no entry has a result, the table
// comes with the [dataset.MissingError] of the first entry.
//
// When ctx is cancelled or the hours of the options are over, the current runs are saved, and the error wraps
// [trainer.ErrInterrupted]. The next call continues these runs. If a run fails, the other runs are interrupted in the
// same way.
func (r Runner) Run(ctx context.Context) (*Table, error) {
	r.splits = r.Dir
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

// RunIndex trains a single run of the list that [Runner.Emit] makes, for machines that share the folder. It writes no
// table: [Runner.Run] finds the finished runs and writes the table. An index must mean the same run on every machine,
// so MNIST never replaces CIFAR-10.
func (r Runner) RunIndex(ctx context.Context, index int) (*trainer.SeedsSummary, error) {
	r.splits = r.Dir
	p, err := r.planned(ctx)
	if err != nil {
		return nil, err
	}
	return p.TrainIndex(ctx, index)
}

// Forecast says what an experiment will train and how long it will take.
type Forecast struct {
	Experiment string `json:"experiment"`
	Scale      Scale  `json:"scale"`
	Command    string `json:"command"`
	*grid.Forecast
}

// Forecast predicts the training of [Runner.Run] if all data are found. It trains nothing, but measures the speed of
// each unfinished network, which takes some seconds.
func (r Runner) Forecast(ctx context.Context) (*Forecast, error) {
	if r.Experiment.Sets != nil { // a forecast leaves no files in the folder
		splits, err := os.MkdirTemp("", "ialgn")
		if err != nil {
			return nil, err
		}
		defer os.RemoveAll(splits)
		r.splits = splits
	}
	p, err := r.plan(ctx)
	if err != nil {
		return nil, err
	}
	f, err := p.Forecast(ctx)
	return &Forecast{r.Experiment.Name, r.Scale, r.Command(), f}, err
}

// Emit writes the experiment to the folder as a job for a cluster, and trains nothing. The data need not be on this
// machine. The job looks for them in the folder data or, if data is empty, in the usual folders. ranks is the number
// of processes that train each run together; 0 means one.
func (r Runner) Emit(ctx context.Context, to grid.Cluster, data string, ranks int) (*grid.Batch, error) {
	p, err := r.planned(ctx)
	if err != nil {
		return nil, err
	}
	name := strings.TrimSuffix(filepath.Base(p.table.Files[0]), ".md")
	return p.Emit(to, name, grid.Command{Args: slices.Clone(r.Args()), Data: data, Ranks: ranks})
}
