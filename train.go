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

// Config is a training run as data: data set, encoder, network and optimisation, see [config.Config] and
// docs/CONFIG.md. Fields of a literal that are zero have their defaults; those of [DefaultConfig] mean what they say.
type Config = config.Config

type (
	// DataConfig is the part of a [Config] about the data set.
	DataConfig = config.Data
	// EncoderConfig is the part about how features become bits.
	EncoderConfig = config.Encoder
	// ModelConfig is the part about the network.
	ModelConfig = config.Model
	// RunConfig is the part about the optimisation.
	RunConfig = config.Train
	// OptimizerConfig is the part of RunConfig about Adam.
	OptimizerConfig = config.Optimizer
	// ScheduleConfig is the part of RunConfig about the course of the learning rate.
	ScheduleConfig = config.Schedule
	// ValidationConfig is the part of RunConfig about samples that are held out, whose best epoch is kept.
	ValidationConfig = config.Validation
)

// DefaultConfig returns a configuration with the defaults that hold for every data set.
func DefaultConfig() Config { return config.Default() }

// LoadConfig reads a configuration file, changed by overrides, each KEY=VALUE.
func LoadConfig(path string, overrides ...string) (Config, error) {
	return config.Load(path, overrides)
}

// LoadConfigFor is [LoadConfig] of a run with these options. Where it goes on from a network that another program
// trained, that has the keys of section encoder, and those of section model that the file does not give; with Resume
// and no Init the checkpoint says what it went on from.
func LoadConfigFor(o TrainOptions, path string, overrides ...string) (Config, error) {
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

// Progress is the state of a training run.
type Progress = trainer.Progress

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
	Progress func(Progress)
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

// TrainSeeds is [Train] of n models with consecutive seeds, from that of the configuration on, into the files of
// [trainer.SeedPath]. With Resume, finished ones are not trained again, and interrupted ones go on. begin, unless nil,
// is called before each that trains.
func TrainSeeds(ctx context.Context, cfg Config, data Data, o TrainOptions, n int,
	begin func(seed uint64),
) (*trainer.SeedsSummary, error) {
	if o.Path == "" {
		return nil, errors.New("several seeds are trained into files: give a path")
	}
	r, err := NewRun(ctx, cfg, data, o)
	if err != nil {
		return nil, err
	}
	return trainer.Seeds{Run: r, N: n, Begin: begin}.Train(ctx)
}
