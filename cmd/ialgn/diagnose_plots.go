package main

import (
	"errors"
	"path/filepath"

	"github.com/urfave/cli/v2"

	"ialgn/internal/message"
	"ialgn/internal/plot"
)

// namedChart is a chart and the base name of its files.
type namedChart struct {
	name  string
	chart *plot.Chart
}

// withNames pairs charts with their names.
func withNames(names []string, charts []*plot.Chart) (all []namedChart) {
	for i, chart := range charts {
		all = append(all, namedChart{names[i], chart})
	}
	return all
}

// checkPlots makes the folder in --plots and checks that the charts' files may be written there, before the
// diagnostic computes for hours.
func checkPlots(c *cli.Context, charts []string) error {
	switch dir := c.String("plots"); {
	case !c.IsSet("plots"):
		return nil
	case dir == "":
		return message.WithHint(errors.New("--plots: no folder is given"), "name the folder for the charts with --plots DIR")
	default:
		if err := makeFolder(c, dir); err != nil {
			return message.WithHint(err, "name another place with --plots")
		}
		g := guard(c)
		for _, name := range charts {
			if err := g.CheckAll(plot.Files(filepath.Join(dir, name))); err != nil {
				return err
			}
		}
		return nil
	}
}

// savePlots draws the charts if --plots is set, and returns their files.
func savePlots(c *cli.Context, charts []namedChart) (files []string, err error) {
	if !c.IsSet("plots") {
		return nil, nil
	}
	for _, n := range charts {
		written, err := n.chart.Save(filepath.Join(c.String("plots"), n.name), guard(c))
		if err != nil {
			return nil, err
		}
		files = append(files, written...)
	}
	note(c, "the charts are in %s", c.String("plots"))
	return files, nil
}
