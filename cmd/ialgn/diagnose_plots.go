package main

import (
	"errors"
	"path/filepath"

	"github.com/urfave/cli/v2"

	"ialgn/internal/hint"
	"ialgn/internal/plot"
)

// namedChart is a chart and the name of its files.
type namedChart struct {
	name  string
	chart *plot.Chart
}

// savePlots draws the charts, if --plots asks for them, and returns their files.
func savePlots(c *cli.Context, charts []namedChart) (files []string, err error) {
	if !c.IsSet("plots") {
		return nil, nil
	}
	dir := c.String("plots")
	if dir == "" {
		return nil, hint.With(errors.New("--plots: no folder given"), "name the folder for the charts with --plots DIR")
	}
	if err := makeFolder(dir); err != nil {
		return nil, hint.With(err, "name another place with --plots")
	}
	for _, n := range charts {
		written, err := n.chart.Save(filepath.Join(dir, n.name))
		if err != nil {
			return nil, err
		}
		files = append(files, written...)
	}
	note(c, "the charts are in %s", dir)
	return files, nil
}
