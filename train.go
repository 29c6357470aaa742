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

// Config is the configuration of a training run. Its sections Data, Encoder, Model and Train have one field for each
// key in docs/reference/config.md. For example, the key model.width is the field Model.Width. In a zero Config,
// fields that are not set have their defaults. In a Config from [DefaultConfig], zero means zero.
type Config = config.Config

// DefaultConfig returns the defaults that hold for every data set.
func DefaultConfig() Config { return config.Default() }

// LoadConfig reads a configuration file and applies overrides, each KEY=VALUE. If the run continues from a network of
// another framework, this network determines the keys of section encoder. It also determines the keys of section
// model that the file does not set. If o.Resume is set and o.Init is empty, the checkpoint says from which network
// the run started.
func LoadConfig(o TrainOptions, path string, overrides ...string) (Config, error) {
	base, err := o.base()
	if err != nil {
		return Config{}, err
	}
	return config.LoadFrom(path, overrides, base)
}

// If another framework trained the network from which a run starts, base returns this network's configuration.
// Otherwise it returns nil.
func (o *TrainOptions) base() (*Config, error) {
	r := trainer.Run{Model: o.Path, Start: o.Init, Resume: o.Resume && o.Init == ""}
	m, err := r.Foreign()
	if m == nil || err != nil {
		return nil, err
	}
	return &m.Config, nil
}

// ErrInterrupted is wrapped by the error of a run whose context ended. The work so far was saved unless the run was
// in memory.
var ErrInterrupted = trainer.ErrInterrupted

// TrainOptions say how a run is executed. Only the option Init has an influence on the trained model. The zero value
// trains a new network in memory.
type TrainOptions struct {
	// Path is the model file to write. Checkpoints are written next to it. If Path is empty, the model exists only in
	// memory, and the work is lost if the run is interrupted.
	Path    string
	Resume  bool   // continue from the checkpoint next to Path
	Init    string // a model file that provides the initial parameters; empty: they are drawn at random
	Threads int    // number of threads; 0: GOMAXPROCS

	// Ranks, if not nil, connects the processes that train the network together. All processes must pass the same
	// options and data, except Threads and Progress, and all get the same model.
	Ranks ranks.Comm

	Force bool     // overwrite files that ialgn did not write, and files that the run reads
	Keep  []string // files that must not be overwritten, in addition to the files that the run reads

	// If Progress is not nil, it is called after each batch and each epoch. If Estimate is set, it also gets an
	// estimate of the number of look-up tables for the network after each epoch. If Warn is not nil, it is called
	// with problems that do not stop the run.
	Progress func(trainer.Progress)
	Estimate bool
	Warn     func(error)
}

// guard returns the rules on which files a run may overwrite.
func guard(force bool, keep []string, reads ...string) outfile.Guard {
	return outfile.NewGuard(force, append(append([]string{}, keep...), reads...)...)
}

// Train trains a network and returns its model. The same configuration and data give the same bytes on any machine
// with any number of threads, whether or not the run was interrupted and resumed. If data holds samples in memory,
// Train uses these samples. Otherwise it reads the data set that the configuration names. If the context ends, the
// error wraps [ErrInterrupted].
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

// NewRun returns the run that [Train] executes. The configuration of this run is complete, so width and tau fit the
// number of classes.
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
		return r, errors.New("training with ranks writes a file: give a path")
	}
	if o.Path == "" && o.Resume {
		return r, errors.New("a run in memory has no checkpoint to resume from: give a path")
	}
	if cfg.Encoder.Kept() {
		return r, keepEncoder(&r)
	}
	r.Config, r.Data, err = trainer.FitClasses(ctx, cfg, r.Folders, data.opened)
	return r, err
}

// keepEncoder completes the configuration of a run that keeps a model's encoder. It copies the encoder keys that
// the configuration does not set, and sets the values that depend on the model's classes.
func keepEncoder(r *trainer.Run) error {
	m, err := r.Kept()
	if err == nil {
		r.Config = r.Config.KeepEncoder(m.Config.Encoder).FitClasses(len(m.Classes))
	}
	return err
}

// trainInMemory trains into a temporary model file, reads the file into memory and removes the file. It runs the same
// code as a training into a file, which is tested for interruptions and full disks.
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
