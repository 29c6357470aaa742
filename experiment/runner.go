package experiment

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
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
// folder that are of another configuration, that started from a model, or that were trained
// on other data than those of other entries on the same data set are refused before anything
// is trained.
//
// An entry whose data set is not found is marked as not run, unless all its seeds are
// finished. If none has a result, the table comes with the [dataset.MissingError] of the
// first.
//
// When the context ends, the run under way is saved, and the error wraps
// [trainer.ErrInterrupted]; the next call goes on with it.
func (r Runner) Run(ctx context.Context) (*Table, error) {
	entries, t, data, err := r.fallback(ctx)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(r.Dir, 0o777); err != nil {
		return nil, err
	}
	done := false
	for i, e := range entries {
		if e.missing == nil {
			e.Like = data[sourceOf(&e.Seeds)]
			all, err := r.train(ctx, e.Seeds)
			if err == nil {
				_, err = data.survey(&e.Seeds)
			}
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

// fallback is [Runner.plan], at the scale quick with MNIST where CIFAR-10 is neither there
// nor was there when all of it was trained.
func (r Runner) fallback(ctx context.Context) ([]planned, *Table, sources, error) {
	data := sources{}
	entries, t, err := r.plan(ctx, data)
	if err != nil || r.Scale != Quick || !lacks(entries) {
		return entries, t, data, err
	}
	other, any := r.Experiment.onMNIST()
	if r.Experiment = other; !any {
		return entries, t, data, nil
	}
	instead := sources{}
	if e, with, err := r.plan(ctx, instead); err != nil || !lacks(e) {
		return e, with, instead, err
	}
	return entries, t, data, nil
}

// lacks reports whether an entry has neither data nor all its models.
func lacks(entries []planned) bool {
	return slices.ContainsFunc(entries, func(e planned) bool { return e.missing != nil })
}

// plan returns what is to be trained for each entry, and the table without results. It
// enters in data what is trained already.
func (r Runner) plan(ctx context.Context, data sources) ([]planned, *Table, error) {
	networks := r.Experiment.At(r.Scale)
	if len(networks) == 0 || r.Seeds < 1 {
		return nil, nil, fmt.Errorf("experiment %s: %d entries with %d seeds: want at least one of each", r.Experiment.Name, len(networks), r.Seeds)
	}
	t := r.table()
	var entries []planned
	for i := range networks {
		n := &networks[i]
		cfg, err := r.Experiment.Config(n, r.Scale)
		if err != nil {
			return nil, nil, err
		}
		path := filepath.Join(r.Dir, cfg.Name+".safetensors")
		e := planned{Seeds: trainer.Seeds{N: r.Seeds, Refuse: foreign, Run: trainer.Run{
			Config: cfg, Model: path, Folders: r.Folders, Threads: r.Threads, Resume: true,
		}}}
		row := row(n, e.Seeds)
		finished, err := data.survey(&e.Seeds)
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

// foreign refuses a model or checkpoint that has the name of a run but is of another
// configuration or did not start from drawn parameters: it would be written over, trained
// further, or stand in the table for what it is not.
func foreign(cfg config.Config, path string, m *model.Model) error {
	if diff := cfg.Diff(m.Config, "train.checkpoint.minutes"); len(diff) > 0 {
		return fmt.Errorf("%s: has another %s than this run of the experiment; choose another folder", path, strings.Join(diff, ", "))
	}
	if from := m.Record.Start; from != nil {
		return fmt.Errorf("%s: was trained further from %s, where this run of the experiment draws its parameters; choose another folder", path, from.Name)
	}
	return nil
}

// source says which data an entry is trained on.
type source struct {
	config.Data
	bitsIn int
}

// sources holds a run of each source whose data all others on it must have: differences
// between networks are not to be those of their data.
type sources map[source]*trainer.Earlier

func sourceOf(s *trainer.Seeds) source { return source{s.Config.Data, s.Config.Encoder.BitsIn} }

// survey looks at what the folder has of an entry and reports whether all of it is finished.
func (d sources) survey(s *trainer.Seeds) (finished bool, err error) {
	at := sourceOf(s)
	s.Like = d[at]
	found, err := s.Survey()
	finished = err == nil
	for _, e := range found {
		if d[at] == nil {
			d[at] = e
		}
		finished = finished && e != nil && e.Finished
	}
	return finished, err
}
