package diagnose

import (
	"context"
	"fmt"
	"math"

	"ialgn/internal/plot"
	"ialgn/internal/topology"
	"ialgn/trainer"
)

// CreditReport is the credit of several topologies, with all other settings equal.
type CreditReport struct {
	Name       string          `json:"name"`
	DataSet    string          `json:"data_set"`
	Width      int             `json:"width"`
	Depth      int             `json:"depth"`
	Init       string          `json:"init"`
	SkipLogit  float64         `json:"skip_logit"`
	InitNoise  float64         `json:"init_noise"`
	Wiring     string          `json:"wiring,omitempty"` // how topologies draw wires; "" if none of them draws wires
	Seed       uint64          `json:"seed"`
	Sampled    int             `json:"sampled"`
	Batches    int             `json:"batches"`
	Batch      int             `json:"batch"`
	Topologies []*CreditResult `json:"topologies"`
	Plots      []string        `json:"plots,omitempty"`
}

// MeasureCredits measures runs that differ only in the topology, on the same data. All topologies that draw wires must
// draw them in the same way. It calls the function begin for
// each run. This function returns two functions. The first is called with the progress of the run, and the second is
// called when the run ends.
func MeasureCredits(ctx context.Context, runs []CreditOptions, data *trainer.Data,
	begin func(name string) (func(CreditProgress), func(error)),
) (*CreditReport, error) {
	o := runs[0]
	m, t := o.Config.Model, o.Config.Train
	r := &CreditReport{
		Name: o.Config.Name, DataSet: data.Name, Width: m.Width, Depth: m.Depth, Init: m.Init, SkipLogit: m.SkipLogit,
		InitNoise: m.InitNoise,
		Seed:      t.Seed, Sampled: o.Sampled, Batches: o.Batches, Batch: t.Batch,
	}
	for i := range runs {
		if runs[i].Config.Model.Row().DrawsWires() {
			r.Wiring = runs[i].Config.Model.Wiring
		}
		runs[i].Data = data
		if err := runs[i].Check(); err != nil {
			return nil, err
		}
	}
	for _, run := range runs {
		progress, end := begin(run.Config.Model.Topology)
		run.Progress = progress
		result, err := MeasureCredit(ctx, run)
		end(err)
		if err != nil {
			return nil, err
		}
		r.Topologies = append(r.Topologies, result)
	}
	return r, nil
}

// CreditChartNames are the names of the charts.
var CreditChartNames = []string{"credit-path-sharing", "credit-coverage", "credit-purity"}

// Charts draws the three panels of the paper's figure 2.
func (r *CreditReport) Charts() []*plot.Chart {
	start := fmt.Sprintf("init %s", r.Init)
	if r.Init == "skip" {
		start = fmt.Sprintf("skip logit %v with noise %v", r.SkipLogit, r.InitNoise)
	}
	if r.Wiring != "" {
		start += fmt.Sprintf(", wiring %s", r.Wiring)
	}
	panels := []*plot.Chart{
		{Title: "Path sharing", Y: plot.Axis{Label: "Outputs that a gate reaches", Log: true}},
		{Title: "Gradient coverage", Y: plot.Axis{
			Label: "Eligible gates with active credit", Unit: "share",
			Include: []float64{0, 1},
		}},
		{Title: "Gradient purity", Y: plot.Axis{Label: "Purity of the active gates", Include: []float64{0, 1}}},
	}
	for i, p := range panels {
		p.Title += fmt.Sprintf(", %s %d x %d, %s", r.DataSet, r.Width, r.Depth, start)
		p.X = plot.Axis{Label: "Layer"}
		for _, t := range r.Topologies {
			s := plot.Series{Name: topology.Find(t.Topology).Title, X: plot.Upto(len(t.Layers))}
			values := [][]*trainer.Spread{t.PathSharing, t.Coverage, t.Purity}[i]
			s.Y, s.Low, s.High = curveOf(values, i > 0)
			p.Series = append(p.Series, s)
		}
	}
	return panels
}

// curveOf returns the means, with NaN for a missing value. If band is true, it also returns the mean minus the
// deviation and the mean plus the deviation.
func curveOf(values []*trainer.Spread, band bool) (mean, low, high []float64) {
	var deviation []float64
	for _, v := range values {
		m, d := math.NaN(), math.NaN()
		if v != nil {
			if m, d = v.Mean, 0; v.Std != nil {
				d = *v.Std
			}
		}
		mean, deviation = append(mean, m), append(deviation, d)
	}
	if !band {
		return mean, nil, nil
	}
	low, high = plot.Spread(mean, deviation)
	return mean, low, high
}
