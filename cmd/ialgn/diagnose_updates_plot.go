package main

import (
	"fmt"
	"math"

	"github.com/urfave/cli/v2"

	"ialgn/diagnose/depthuse"
	"ialgn/diagnose/updates"
	"ialgn/internal/plot"
)

// updatesKinds are the kinds of parameters that have charts.
var updatesKinds = []struct {
	name, title string
	means       func(r *updatesReport) updates.Means
}{
	{"operations", "operation", func(r *updatesReport) updates.Means { return r.Operations }},
	{"anchors", "anchor", func(r *updatesReport) updates.Means { return r.Anchors }},
}

// updatesTopologies are the topologies in the order of their charts.
var updatesTopologies = []string{"rwlgn", "rwlgn-spine", "rwlgn-classwise", "ialgn"}

// updatesPlot returns the name of a chart, and updatesPlots those of all.
func updatesPlot(topology, kind string) string { return "updates-" + topology + "-" + kind }

func updatesPlots() (all []string) {
	for _, kind := range updatesKinds {
		for _, topology := range updatesTopologies {
			all = append(all, updatesPlot(topology, kind.name))
		}
	}
	return all
}

// plotUpdates draws a chart for each topology and kind of parameters, and returns the files.
func plotUpdates(c *cli.Context, runs []updatesReport) ([]string, error) {
	var charts []namedChart
	for _, kind := range updatesKinds {
		for _, topology := range updatesTopologies {
			chart := &plot.Chart{
				X: plot.Axis{Label: "Layer"},
				Y: plot.Axis{Label: "Mean absolute change of a parameter in a step", Log: true},
			}
			for i := range runs {
				if m := kind.means(&runs[i]); runs[i].Topology == topology && m.Any() {
					chart.Title = fmt.Sprintf("%s %d x %d: %s parameters", depthuse.TopologyNames[topology], runs[i].Width, runs[i].Depth, kind.title)
					chart.Series = append(chart.Series, updatesSeries(&runs[i], m, i+1)...)
				}
			}
			if len(chart.Series) > 0 {
				charts = append(charts, namedChart{updatesPlot(topology, kind.name), chart})
			}
		}
	}
	return savePlots(c, charts)
}

// updatesSeries returns the curves of both windows.
func updatesSeries(r *updatesReport, m updates.Means, group int) []plot.Series {
	var all []plot.Series
	for _, w := range []struct {
		updates.Window
		means []*float64
	}{{r.Initial, m.Initial}, {r.Final, m.Final}} {
		s := plot.Series{Name: fmt.Sprintf("%s: steps %d to %d", r.setting(), w.First, w.Last), X: plot.Upto(r.Depth), Group: group}
		for _, x := range w.means {
			if x == nil {
				s.Y = append(s.Y, math.NaN())
			} else {
				s.Y = append(s.Y, *x)
			}
		}
		all = append(all, s)
	}
	return all
}
