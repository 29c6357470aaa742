// This file opens the networks to measure, each with its data. A network is a model, or the network with which
// training would begin. The file also groups models and configurations that are seeds of the same network.

package diagnose

import (
	"context"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"ialgn/internal/config"
	"ialgn/internal/message"
	"ialgn/internal/model"
	"ialgn/trainer"
)

// Group is a network with the files of its seeds.
type Group struct {
	Name   string // the paper's name of the topology
	Paths  []string
	Seeds  []uint64 // Seeds[i] is the seed of the run at Paths[i]
	Config config.Config
}

// Place adds a file with configuration cfg to the group of its network. Files belong to one network if their
// topologies are equal. Place returns an error if the file differs from the group in any other key than the seed,
// because a common mean would be meaningless. It also returns an error if the group already has the seed, because the
// seed would count twice.
func Place(groups []*Group, path string, cfg config.Config) ([]*Group, error) {
	name := cfg.Model.Title()
	for _, g := range groups {
		if g.Name != name {
			continue
		}
		if diff := g.Config.Diff(cfg, "name", "data.dir", "train.seed", "train.checkpoint.minutes"); len(diff) > 0 {
			return nil, message.WithHint(fmt.Errorf("%s was trained with another %s than %s: a common mean is not defined", path,
				strings.Join(diff, ", "), g.Paths[0]),
				"analyze them one by one; models of one topology may differ in train.seed alone")
		}
		if at := slices.Index(g.Seeds, cfg.Train.Seed); at >= 0 {
			return nil, message.WithHint(fmt.Errorf("%s has seed %d, as %s has: a mean over seeds counts each seed once", path,
				cfg.Train.Seed, g.Paths[at]),
				"remove one of the two models")
		}
		g.Paths, g.Seeds = append(g.Paths, path), append(g.Seeds, cfg.Train.Seed)
		return groups, nil
	}
	return append(groups, &Group{Name: name, Paths: []string{path}, Seeds: []uint64{cfg.Train.Seed}, Config: cfg}), nil
}

// Opener opens the networks to measure.
type Opener struct {
	Folders   []string // folders in which data sets are searched
	Overrides []string // changes of configurations, written KEY=VALUE
	Threads   int
}

// Groups returns the networks of some files. The files are configurations or models.
func (o Opener) Groups(ctx context.Context, paths []string) (groups []*Group, err error) {
	for _, path := range paths {
		cfg, err := o.config(ctx, path)
		if err != nil {
			return nil, err
		}
		if groups, err = Place(groups, path, cfg); err != nil {
			return nil, err
		}
	}
	return groups, nil
}

// Config reads a configuration. If the file does not give width or tau, Config derives them from the number of
// classes in the data.
func (o Opener) Config(ctx context.Context, path string) (config.Config, error) {
	cfg, err := config.Load(path, o.Overrides)
	if err != nil {
		return cfg, err
	}
	cfg, _, err = trainer.FitClasses(ctx, cfg, o.Folders, nil)
	return cfg, err
}

// config returns the configuration in a file. The file is a configuration file or a model.
func (o Opener) config(ctx context.Context, path string) (config.Config, error) {
	if isConfig(path) {
		return o.Config(ctx, path)
	}
	if len(o.Overrides) > 0 {
		return config.Config{},
			message.WithHint(message.Optionf("{Set}: %s is a model, whose configuration cannot be changed",
				path),
				"omit the option, or name a configuration (a file that ends in .yaml)")
	}
	info, err := model.ReadInfo(path)
	if err != nil {
		return config.Config{}, err
	}
	info.Model.Config.Data.Beside = filepath.Dir(path)
	return info.Model.Config, nil
}

// isConfig reports whether a path names a configuration rather than a model.
func isConfig(path string) bool {
	return slices.Contains([]string{".yaml", ".yml"}, filepath.Ext(path))
}

// Subject is a frozen network with its data.
type Subject struct {
	*model.Frozen
	Data *trainer.Data
}

// Open returns the network of a model. For a configuration, it returns the network with which training would begin.
func (o Opener) Open(ctx context.Context, path string) (*Subject, error) {
	if !isConfig(path) {
		return o.openModel(ctx, path)
	}
	cfg, err := o.config(ctx, path)
	if err != nil {
		return nil, err
	}
	data, err := trainer.LoadData(ctx, cfg, o.Folders)
	if err != nil {
		return nil, err
	}
	return &Subject{trainer.Initial(cfg, data.Encoder, data.Classes, o.Threads).Freeze(), data}, nil
}

// openModel returns the network of a model with the data on which the model was trained.
func (o Opener) openModel(ctx context.Context, path string) (*Subject, error) {
	file, err := model.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	info, err := file.Info()
	if err != nil {
		return nil, err
	}
	data, err := dataOf(ctx, path, info.Model, o.Folders)
	if err != nil {
		return nil, err
	}
	r := info.Model.Record
	imported := r.Origin != nil && r.Train == "" // imported and not trained further, so the training data are not known
	if r.Train != data.TrainSHA256 && !imported || r.Test != data.TestSHA256 {
		return nil, message.WithHint(fmt.Errorf("%s: was trained on another version of data set %s", path,
			data.Name),
			"name the folder of the right data with {Folders DIR}")
	}
	f, err := file.In(ctx).Frozen()
	if err != nil {
		return nil, err
	}
	if info.Model.Config.Encoder.Learned() {
		if err := data.Use(&f.Encoder); err != nil {
			return nil, fmt.Errorf("%s: %w; it was not written by train", path, err)
		}
	}
	if !reflect.DeepEqual(f.Encoder.Thresholds, data.Encoder.Thresholds) || !slices.Equal(f.Classes, data.Classes) {
		return nil, fmt.Errorf("%s: its encoder or its classes do not match its configuration on this data; it "+
			"was not written by train", path)
	}
	return &Subject{f, data}, nil
}

// Column returns element i of each list.
func Column(lists [][]float64, i int) []float64 {
	var x []float64
	for _, l := range lists {
		x = append(x, l[i])
	}
	return x
}

// Places returns the positions of layers on an axis.
func Places(layers []int) []float64 {
	var x []float64
	for _, l := range layers {
		x = append(x, float64(l))
	}
	return x
}

// dataOf returns the data on which the model at path was trained. For an imported model, it returns the data that the
// import named.
func dataOf(ctx context.Context, path string, m *model.Model, folders []string) (*trainer.Data, error) {
	switch {
	case m.Record.Origin != nil && m.Record.Test == "":
		return nil, message.WithHint(fmt.Errorf("%s: was imported without a data set", path),
			"import it again with {Set data.set=csv}, {Set data.train=FILE} and so on")
	case m.Record.Origin != nil:
		return trainer.LoadDataFor(ctx, m.Config, m, folders)
	case m.Encoder.ByCuts():
		return nil, fmt.Errorf("%s: its features become words by cuts, which train does not make; diagnose accepts "+
			"networks made by train", path)
	}
	return trainer.LoadData(ctx, m.Config, folders)
}
