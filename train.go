package ialgn

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"ialgn/internal/config"
	"ialgn/internal/model"
	"ialgn/internal/outfile"
	"ialgn/internal/ranks"
	"ialgn/trainer"
)

// Config is a training run as data. Its sections Data, Encoder, Model and Train have the keys of docs/CONFIG.md as
// fields: key model.width is Model.Width. Where a program sets fields of a zero Config, the other ones have their
// defaults; in one from [DefaultConfig] a zero means zero.
type Config = config.Config

// DefaultConfig returns a configuration with the defaults that hold for every data set.
func DefaultConfig() Config { return config.Default() }

// LoadConfig reads the configuration file of a run with these options, changed by overrides, each KEY=VALUE. Where the
// run goes on from a network that another program trained, the keys of section encoder are that network's, and so are
// the keys of section model that the file does not give. With Resume and no Init the checkpoint says what the run went
// on from.
func LoadConfig(o TrainOptions, path string, overrides ...string) (Config, error) {
	base, err := o.base()
	if err != nil {
		return Config{}, err
	}
	return config.LoadFrom(path, overrides, base)
}

// base returns the configuration of the network that a run goes on from, if another program trained it; else nil.
func (o *TrainOptions) base() (*Config, error) {
	r := trainer.Run{Model: o.Path, Start: o.Init, Resume: o.Resume && o.Init == ""}
	m, err := r.Foreign()
	if m == nil || err != nil {
		return nil, err
	}
	return &m.Config, nil
}

// ErrInterrupted says that the context ended, and that the work so far was saved, if there was a place for it.
var ErrInterrupted = trainer.ErrInterrupted

// TrainOptions say how a network is trained, and nothing of what comes out. The zero value trains anew in memory.
type TrainOptions struct {
	// Path is the model file to write, with checkpoints beside it; empty: the model is in memory alone, and an
	// interruption loses the work.
	Path    string
	Resume  bool   // go on from the checkpoint beside Path
	Init    string // a model file whose parameters to start from; empty: they are drawn
	Threads int    // 0: as many as the process may run at a time

	// Ranks, unless nil, are the processes that train the network together. All give the same options and data, but for
	// Threads and Progress, and get the same model.
	Ranks ranks.Comm

	Force bool     // write over files that ialgn did not write, and over what is read
	Keep  []string // files that must not be written over, beside those that are read here

	// Progress, unless nil, is called after each batch and each epoch; Warn of what may be amiss though it goes on.
	// With Estimate, Progress has about how many look-up tables the network takes after each epoch.
	Progress func(trainer.Progress)
	Estimate bool
	Warn     func(error)
}

// guard returns what keeps a run from writing over files.
func guard(force bool, keep []string, reads ...string) outfile.Guard {
	return outfile.NewGuard(force, append(append([]string{}, keep...), reads...)...)
}

// Train trains a network, and returns its model. The same configuration and data give the same bytes on any number of
// threads and any machine, interrupted and resumed or not. The data set that the configuration names is read from
// files unless data has samples in memory. When the context ends, the error wraps [ErrInterrupted].
func Train(ctx context.Context, cfg Config, data Data, o TrainOptions) (*Model, error) {
	r, err := NewRun(ctx, cfg, data, o)
	if err != nil {
		return nil, err
	}
	if o.Path == "" {
		return trainInMemory(ctx, r)
	}
	summary, err := r.Train(ctx)
	if err != nil {
		return nil, err
	}
	m, err := Open(o.Path)
	if err == nil {
		m.samples, m.summary = r.Config.Data.Memory, summary
	}
	return m, err
}

// NewRun returns the run that [Train] makes, with a configuration that is complete: width and tau fit the classes.
func NewRun(ctx context.Context, cfg Config, data Data, o TrainOptions) (trainer.Run, error) {
	base, err := o.base()
	if err == nil {
		cfg, err = cfg.ForRun(base, data.samples())
	}
	if err != nil {
		return trainer.Run{}, err
	}
	r := trainer.Run{
		Config: cfg, Model: o.Path, Folders: data.folders(), Threads: o.Threads, Resume: o.Resume, Start: o.Init,
		Ranks: o.Ranks, Guard: guard(o.Force, o.Keep, o.Init), Progress: o.Progress, Estimate: o.Estimate, Warn: o.Warn,
	}
	if o.Path == "" && o.Ranks != nil {
		return r, errors.New("ranks train a network into a file: give a path")
	}
	if o.Path == "" && o.Resume {
		return r, errors.New("a run in memory has no checkpoint to resume from: give it a path")
	}
	if cfg.Encoder.Kept() {
		return r, keepEncoder(&r)
	}
	r.Config, r.Data, err = trainer.FitClasses(ctx, cfg, r.Folders, data.opened)
	return r, err
}

// keepEncoder gives the configuration of a run the keys of the encoder that it keeps, where it does not give them, and
// what follows from the classes of the model.
func keepEncoder(r *trainer.Run) error {
	m, err := r.Kept()
	if err == nil {
		r.Config = r.Config.KeepEncoder(m.Config.Encoder).FitClasses(len(m.Classes))
	}
	return err
}

// trainInMemory trains with a model file of its own, which it takes into memory.
func trainInMemory(ctx context.Context, r trainer.Run) (*Model, error) {
	dir, err := outfile.MakeTemp("ialgn-train-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	name := r.Config.Name + ".safetensors"
	r.Model, r.Config.Train.Checkpoint.Minutes = filepath.Join(dir, name), 0
	summary, err := r.Train(ctx)
	if errors.Is(err, ErrInterrupted) {
		return nil, fmt.Errorf("%w: the run was in memory, and its work is lost", ErrInterrupted)
	}
	if err != nil {
		return nil, err
	}
	content, err := os.ReadFile(r.Model)
	if err != nil {
		return nil, err
	}
	m, err := newModel(model.OpenBytes(name, content))
	if err != nil {
		return nil, err
	}
	summary.Model = name
	m.samples, m.summary = r.Config.Data.Memory, summary
	return m, nil
}
