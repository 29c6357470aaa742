package diagnose

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"path/filepath"
	"strings"

	"ialgn/internal/config"
	"ialgn/internal/message"
	"ialgn/internal/plot"
	"ialgn/internal/topology"
	"ialgn/trainer"
)

// UpdateVariant is one of the runs to measure.
type UpdateVariant struct {
	Config config.Config
	Path   string // path of the model
}

// UpdateGrid returns the eight runs that combine a network (RWLGN or IALGN), a start (random or skip) and an
// estimator (STE or soft). It returns an error if a run does not fit the data. The paths of the models are derived
// from path.
func UpdateGrid(ctx context.Context, cfg config.Config, path string, folders []string) ([]UpdateVariant, error) {
	var all []UpdateVariant
	data, err := trainer.LoadData(ctx, cfg, folders)
	if err != nil {
		return nil, err
	}
	ext := filepath.Ext(path)
	for _, name := range []string{"rwlgn", "ialgn"} {
		for _, init := range []string{"random", "skip"} {
			for _, estimator := range []string{"soft", "ste"} {
				v := UpdateVariant{cfg.As(name), fmt.Sprintf("%s.%s-%s-%s%s", strings.TrimSuffix(path, ext), name, init,
					estimator, ext)}
				v.Config.Model.Init, v.Config.Train.Estimator = init, estimator
				if err := cmp.Or(v.Config.Check(), v.Config.CheckClasses(len(data.Classes), data.Encoder.Inputs())); err != nil {
					return nil, message.Optionf("{Grid}, %s: %w", name, err)
				}
				all = append(all, v)
			}
		}
	}
	return all, nil
}

// UpdateReport is the report on one run.
type UpdateReport struct {
	Name         string       `json:"name"`
	Topology     string       `json:"topology"`
	Init         string       `json:"init"`
	Estimator    string       `json:"estimator"`
	Width        int          `json:"width"`
	Depth        int          `json:"depth"`
	Seed         uint64       `json:"seed"`
	Epochs       int          `json:"epochs"`
	Steps        int          `json:"steps"`
	Initial      Window       `json:"initial"`
	Final        Window       `json:"final"`
	Layers       []int        `json:"layers"`
	Operations   UpdateMeans  `json:"operations"`
	Anchors      UpdateMeans  `json:"anchors"`
	Hidden       *UpdateMeans `json:"hidden,omitempty"`
	Model        string       `json:"model"`
	TestAccuracy float64      `json:"test_accuracy"`
	Plots        []string     `json:"plots,omitempty"`
}

// NewUpdateReport returns the report of a run.
func NewUpdateReport(cfg config.Config, s *trainer.Summary, m UpdateResult) *UpdateReport {
	r := &UpdateReport{
		Name: cfg.Name, Topology: cfg.Model.Topology, Init: cfg.Model.Init, Estimator: cfg.Train.Estimator,
		Width: cfg.Model.Width, Depth: cfg.Model.Depth, Seed: cfg.Train.Seed, Epochs: s.Epochs, Steps: m.Steps,
		Initial: m.Initial, Final: m.Final, Operations: m.Operations, Anchors: m.Anchors,
		Model: s.Model, TestAccuracy: s.TestAccuracy,
	}
	for l := range r.Depth {
		r.Layers = append(r.Layers, l+1)
	}
	if m.Hidden.Any() {
		r.Hidden = &m.Hidden
	}
	return r
}

// Setting returns the run's start and estimator in words.
func (r *UpdateReport) Setting() string {
	estimator := map[string]string{"ste": "STE", "soft": "soft"}[r.Estimator]
	return r.Init + " start, " + estimator
}

// chartKinds lists the kinds of parameters that have charts.
var chartKinds = []struct {
	name, title string
	means       func(r *UpdateReport) UpdateMeans
}{
	{"operations", "operation", func(r *UpdateReport) UpdateMeans { return r.Operations }},
	{"anchors", "anchor", func(r *UpdateReport) UpdateMeans { return r.Anchors }},
}

// chartName returns the name of a chart.
func chartName(network, kind string) string { return "updates-" + network + "-" + kind }

// UpdateChartNames returns the names of all charts that can occur.
func UpdateChartNames() (all []string) {
	for _, kind := range chartKinds {
		for _, row := range topology.InFigures() {
			all = append(all, chartName(row.Name, kind.name))
		}
	}
	return all
}

// UpdateCharts draws one chart for each topology and kind of parameters that the runs have. It returns the charts and
// their names.
func UpdateCharts(runs []UpdateReport) (names []string, charts []*plot.Chart) {
	for _, kind := range chartKinds {
		for _, row := range topology.InFigures() {
			chart := &plot.Chart{
				X: plot.Axis{Label: "Layer"},
				Y: plot.Axis{Label: "Mean absolute change of a parameter in a step", Log: true},
			}
			for i := range runs {
				if m := kind.means(&runs[i]); runs[i].Topology == row.Name && m.Any() {
					chart.Title = fmt.Sprintf("%s %d x %d: %s parameters", row.Title, runs[i].Width,
						runs[i].Depth, kind.title)
					chart.Series = append(chart.Series, seriesOf(&runs[i], m, i+1)...)
				}
			}
			if len(chart.Series) > 0 {
				names, charts = append(names, chartName(row.Name, kind.name)), append(charts, chart)
			}
		}
	}
	return names, charts
}

// seriesOf returns the curves of the initial and the final window.
func seriesOf(r *UpdateReport, m UpdateMeans, group int) []plot.Series {
	var all []plot.Series
	for _, w := range []struct {
		Window
		means []*float64
	}{{r.Initial, m.Initial}, {r.Final, m.Final}} {
		s := plot.Series{
			Name: fmt.Sprintf("%s: steps %d to %d", r.Setting(), w.First, w.Last), X: plot.Upto(r.Depth),
			Group: group,
		}
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
