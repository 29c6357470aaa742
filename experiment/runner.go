package experiment

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"ialgn/trainer"
	"ialgn/trainer/config"
	"ialgn/trainer/dataset"
	"ialgn/trainer/model"
)

// Runner trains an experiment into a folder.
type Runner struct {
	Experiment Experiment
	Scale      Scale
	Seeds      int    // of each entry, from that of its configuration on
	Dir        string // made if it is not there
	Folders    []string
	Threads    int

	// Train, unless nil, is called in place of [trainer.Seeds.Train] for each entry, to
	// show the progress or to keep a log: a copy with other callbacks is trained.
	Train func(context.Context, trainer.Seeds) (*trainer.SeedsSummary, error)
}

// LogPath returns where the log of an entry belongs: beside the models of its seeds.
func LogPath(model string) string {
	return strings.TrimSuffix(model, filepath.Ext(model)) + ".jsonl"
}

// Run trains what the folder does not have yet, entry by entry and seed by seed, and
// returns the table. After each entry it is written to the folder, too. Runs in the
// folder that are of another configuration are refused before anything is trained.
//
// An entry whose data set is not found is marked as not run, unless all its seeds are
// finished. If none has a result, the table comes with the [dataset.MissingError] of the
// first.
//
// When the context ends, the run under way is saved, and the error wraps
// [trainer.ErrInterrupted]; the next call goes on with it.
func (r Runner) Run(ctx context.Context) (*Table, error) {
	entries, t, err := r.plan(ctx)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(r.Dir, 0o777); err != nil {
		return nil, err
	}
	done := false
	for i, e := range entries {
		if e.missing == nil {
			all, err := r.train(ctx, e.Seeds)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", e.Config.Name, err)
			}
			t.Rows[i].fill(all)
			done = true
		}
		if err := t.write(); err != nil {
			return nil, err
		}
	}
	if !done {
		return t, entries[0].missing
	}
	return t, nil
}

// planned is an entry's training, or why it cannot be.
type planned struct {
	trainer.Seeds
	missing error
}

func (r Runner) train(ctx context.Context, s trainer.Seeds) (*trainer.SeedsSummary, error) {
	if r.Train != nil {
		return r.Train(ctx, s)
	}
	return s.Train(ctx)
}

// plan returns what is to be trained for each entry, and the table without results.
func (r Runner) plan(ctx context.Context) ([]planned, *Table, error) {
	if len(r.Experiment.Entries) == 0 || r.Seeds < 1 {
		return nil, nil, fmt.Errorf("experiment %s: %d entries with %d seeds: want at least one of each", r.Experiment.Name, len(r.Experiment.Entries), r.Seeds)
	}
	t := r.table()
	var entries []planned
	for i := range r.Experiment.Entries {
		n := &r.Experiment.Entries[i]
		cfg, err := r.Experiment.Config(n, r.Scale)
		if err != nil {
			return nil, nil, err
		}
		path := filepath.Join(r.Dir, cfg.Name+".safetensors")
		e := planned{Seeds: trainer.Seeds{N: r.Seeds, Run: trainer.Run{
			Config: cfg, Model: path, Folders: r.Folders, Threads: r.Threads, Resume: true,
		}}}
		row := row(n, e.Seeds)
		finished, err := ours(e.Seeds)
		if err != nil {
			return nil, nil, err
		}
		if missing := r.absent(ctx, cfg); missing != nil && !finished {
			e.missing, row.NotRun, row.Get = missing, missing.Error(), missing.Get
		}
		entries, t.Rows = append(entries, e), append(t.Rows, row)
	}
	return entries, t, nil
}

// absent returns the error of a data set that is not found. Any other is for training
// to report.
func (r Runner) absent(ctx context.Context, cfg config.Config) *dataset.MissingError {
	_, err := dataset.Open(ctx, cfg.Data, cfg.Encoder.BitsIn, r.Folders)
	var missing *dataset.MissingError
	errors.As(err, &missing)
	return missing
}

// ours refuses models and checkpoints that have the names of these runs but another
// configuration: one would be written over, the other trained further. It reports
// whether all runs are finished.
func ours(s trainer.Seeds) (finished bool, err error) {
	finished = true
	for i := range s.N {
		cfg := s.Config
		cfg.Train.Seed += uint64(i)
		path := trainer.SeedPath(s.Model, cfg.Train.Seed)
		there, err := isOf(path, cfg)
		if err == nil {
			_, err = isOf(trainer.CheckpointPath(path), cfg)
		}
		if err != nil {
			return false, err
		}
		finished = finished && there
	}
	return finished, nil
}

// isOf reports whether there is such a file, and returns an error if it has another
// configuration.
func isOf(path string, cfg config.Config) (bool, error) {
	info, err := model.ReadInfo(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if diff := cfg.Diff(info.Model.Config, "train.checkpoint.minutes"); len(diff) > 0 {
		return false, fmt.Errorf("%s: has another %s than this run of the experiment; choose another folder, or move its files away", path, strings.Join(diff, ", "))
	}
	return true, nil
}
