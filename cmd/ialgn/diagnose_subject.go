package main

import (
	"fmt"
	"io"
	"path/filepath"
	"reflect"
	"slices"

	"github.com/urfave/cli/v2"

	"ialgn/internal/hint"
	"ialgn/trainer"
	"ialgn/trainer/config"
	"ialgn/trainer/model"
)

// subject is a frozen network to look at, and its data.
type subject struct {
	*model.Frozen
	data *trainer.Data
}

// isConfig tells configurations from models, by their names.
func isConfig(path string) bool {
	return slices.Contains([]string{".yaml", ".yml"}, filepath.Ext(path))
}

// subjectConfig returns the configuration that a file is or, of a model, has.
func subjectConfig(c *cli.Context, path string) (config.Config, error) {
	if isConfig(path) {
		return loadConfig(c, path, c.StringSlice("set"))
	}
	if c.IsSet("set") {
		return config.Config{}, hint.With(fmt.Errorf("--set: %s is a model, whose configuration is settled", path),
			"leave the option out, or name a configuration, a file that ends in .yaml")
	}
	info, err := model.ReadInfo(path)
	if err != nil {
		return config.Config{}, err
	}
	info.Model.Config.Data.Beside = filepath.Dir(path)
	return info.Model.Config, nil
}

// placeSubjects returns the networks that the files are seeds of.
func placeSubjects(c *cli.Context, paths []string) (networks []*network, err error) {
	for _, path := range paths {
		cfg, err := subjectConfig(c, path)
		if err != nil {
			return nil, err
		}
		if networks, err = place(networks, path, cfg); err != nil {
			return nil, err
		}
	}
	return networks, nil
}

// loadSubject returns the network of a model or, of a configuration, the one that training
// would begin with.
func loadSubject(c *cli.Context, path string) (*subject, error) {
	if !isConfig(path) {
		return loadModel(c, path)
	}
	cfg, err := subjectConfig(c, path)
	if err != nil {
		return nil, err
	}
	data, err := trainer.LoadData(c.Context, cfg, folders(c))
	if err != nil {
		return nil, err
	}
	return &subject{trainer.Initial(cfg, data.Encoder, data.Classes, threads(c)).Freeze(), data}, nil
}

// loadModel returns the network of a model, and the data that it was trained on.
func loadModel(c *cli.Context, path string) (*subject, error) {
	file, err := model.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	info, err := file.Info()
	if err != nil {
		return nil, err
	}
	data, err := trainer.LoadData(c.Context, info.Model.Config, folders(c))
	if err != nil {
		return nil, err
	}
	if r := info.Model.Record; r.Train != data.TrainSHA256 || r.Test != data.TestSHA256 {
		return nil, hint.With(fmt.Errorf("%s: was trained on other content of data set %s than is here", path, data.Name), "name the folder of its data with --data DIR")
	}
	f, err := file.Frozen()
	if err != nil {
		return nil, err
	}
	if !reflect.DeepEqual(f.Encoder.Thresholds, data.Encoder.Thresholds) || !slices.Equal(f.Classes, data.Classes) {
		return nil, fmt.Errorf("%s: its encoder or its classes are not those that its configuration has on this data; it was not written by train", path)
	}
	return &subject{f, data}, nil
}

// column returns element i of each list.
func column(lists [][]float64, i int) []float64 {
	var x []float64
	for _, l := range lists {
		x = append(x, l[i])
	}
	return x
}

// compared is what is said of several networks.
type compared[R interface{ text(w io.Writer) }] struct {
	Networks []R      `json:"networks"`
	Plots    []string `json:"plots,omitempty"`
}

func (r compared[R]) text(w io.Writer) {
	for _, n := range r.Networks {
		n.text(w)
		fmt.Fprintln(w)
	}
}
