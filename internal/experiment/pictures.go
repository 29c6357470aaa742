package experiment

import (
	"fmt"
	"slices"
	"strings"

	"ialgn/internal/config"
	"ialgn/internal/diagnose"
	"ialgn/internal/experiment/grid"
	"ialgn/internal/plot"
	"ialgn/trainer"
)

// Picture says how the rows of a table become charts of test accuracy.
type Picture struct {
	Label string // label of the horizontal axis
	Log   bool
	Chart func(*Row) string // name of the chart that a row belongs to
	Line  func(*Row) string // name of the row's line in this chart

	// At returns the position of a network on the axis. It is called for ialgn's network and for the paper's network,
	// which may have different positions. If At is nil, the position follows from the network's name.
	At func(*config.Model) float64

	// Of returns the position of a trained row. If it is set, it replaces At, and the chart has no values of the
	// paper.
	Of func(*Row) float64

	// Beside returns series of published results of other authors for a chart.
	Beside func(chart string) []plot.Series
}

// These are the pictures of the experiments.
var (
	byDepth = &Picture{
		Label: "depth, layers", Chart: sized, Line: networkOf,
		At: func(m *config.Model) float64 { return float64(m.Depth) },
	}
	byGates = &Picture{
		Label: "deployed gates", Log: true, Chart: func(r *Row) string { return r.Data },
		Line: func(r *Row) string { return fmt.Sprintf("%s, width %d", r.Network, r.Width) },
		At:   func(m *config.Model) float64 { return float64(m.Nodes()) },
	}
	byNetwork = &Picture{
		Label: "network", Chart: func(r *Row) string { return r.Data },
		Line: func(r *Row) string { return fmt.Sprintf("depth %d", r.Depth) },
	}
	byAnchors = &Picture{
		Label: "k_x, anchor candidates", Log: true, Chart: sized,
		Line: func(r *Row) string { return fmt.Sprintf("n_b = %d", r.config.Encoder.Bits) },
		At:   func(m *config.Model) float64 { return float64(m.Anchors) },
	}
)

func sized(r *Row) string     { return fmt.Sprintf("%s-%d", r.Data, r.Width) }
func networkOf(r *Row) string { return r.Network }

// drawing is a chart and the ending of its file names.
type drawing struct {
	ending string
	plot.Chart
}

// draw returns the charts of a table, which are the charts of its picture and of its series. A chart leaves out rows
// without results. A chart without any rows is left out.
func (t *Table) draw() []drawing {
	var all []drawing
	if t.picture != nil {
		all = t.picture.draw(t)
	}
	return append(append(all, t.drawSeries()...), t.drawOperations()...)
}

// draw returns a chart for each group of rows.
func (p *Picture) draw(t *Table) []drawing {
	groups, names := grouped(t.pointers(), p.Chart)
	var all []drawing
	for i, rows := range groups {
		d := drawing{Chart: plot.Chart{
			Title: t.headed(names[i]), X: plot.Axis{Label: p.Label, Log: p.Log}, Y: plot.Axis{Label: "test accuracy", Unit: "%"},
		}}
		if len(groups) > 1 {
			d.ending = "-" + names[i]
		}
		ours, theirs, kind := p.places(&d.X, rows)
		lines, of := grouped(rows, p.Line)
		for group, line := range lines {
			d.add(plot.Series{Name: of[group], Group: group + 1, Kind: kind}, line, ours,
				func(r *Row) *trainer.Spread { return r.Test })
			d.add(plot.Series{Name: of[group] + ofPaper(line), Group: group + 1, Kind: plot.Scatter}, line, theirs,
				func(r *Row) *trainer.Spread { return r.Paper })
		}
		if p.Beside != nil && len(d.Series) > 0 {
			d.Series = append(d.Series, p.Beside(names[i])...)
		}
		all = append(all, d)
	}
	return slices.DeleteFunc(all, func(d drawing) bool { return len(d.Series) == 0 })
}

// places returns two functions that give a row's position on the axis, one for ialgn's networks and one for the
// paper's networks. It also returns the kind of the series for ialgn's networks.
func (p *Picture) places(axis *plot.Axis, rows []*Row) (ours, theirs func(*Row) float64, kind plot.Kind) {
	if p.Of != nil {
		return p.Of, p.Of, plot.Line
	}
	if p.At == nil {
		_, axis.Names = grouped(rows, networkOf)
		named := func(r *Row) float64 { return float64(slices.Index(axis.Names, r.Network)) }
		return named, named, plot.Scatter // names have no order, so no line joins them
	}
	ours = func(r *Row) float64 { return p.At(&r.config.Model) }
	theirs = func(r *Row) float64 { return p.At(&r.paper.Model) }
	return ours, theirs, plot.Line
}

// ofPaper returns the suffix for the name of a line with the paper's values. The suffix contains the width of the
// paper's networks if ialgn's networks have another width.
func ofPaper(line []*Row) string {
	if width := line[0].paper.Model.Width; width != line[0].Width {
		return fmt.Sprintf(", paper at width %d", width)
	}
	return ", paper"
}

// headed returns the title of a chart.
func (t *Table) headed(what string) string {
	return fmt.Sprintf("%s, scale %s: %s", t.Experiment, t.Scale, what)
}

// add adds a series with one point for each row that was trained and has the value. If there are no such rows, it
// adds nothing.
func (d *drawing) add(s plot.Series, rows []*Row, at func(*Row) float64, value func(*Row) *trainer.Spread) {
	s.ErrorBars = true
	for _, r := range rows {
		if v := value(r); v != nil && r.Test != nil {
			low, high := grid.Ends(v)
			s.X, s.Y = append(s.X, at(r)), append(s.Y, 100*v.Mean)
			s.Low, s.High = append(s.Low, 100*low), append(s.High, 100*high)
		}
	}
	if len(s.X) > 0 {
		d.Series = append(d.Series, s)
	}
}

// pointers returns pointers to the table's rows.
func (t *Table) pointers() []*Row {
	var all []*Row
	for i := range t.Rows {
		all = append(all, &t.Rows[i])
	}
	return all
}

// grouped groups the rows for which the function by returns the same text. It keeps the order of the rows.
func grouped(rows []*Row, by func(*Row) string) (groups [][]*Row, names []string) {
	for _, r := range rows {
		at := slices.Index(names, by(r))
		if at < 0 {
			at, groups, names = len(names), append(groups, nil), append(names, by(r))
		}
		groups[at] = append(groups[at], r)
	}
	return groups, names
}

// drawSeries returns one chart of the table's series for each size. Effective depth has a band between its
// percentiles. A line of accuracies has a band that shows the standard deviation.
func (t *Table) drawSeries() []drawing {
	if t.series == nil {
		return nil
	}
	groups, names := grouped(t.pointers(), layered)
	var all []drawing
	for i, rows := range groups {
		d := drawing{"-" + t.series.Step + "s-" + names[i], plot.Chart{
			Title: t.headed(names[i]), X: plot.Axis{Label: t.series.Step},
			Y: plot.Axis{Label: t.series.Label, Unit: t.series.Symbol},
		}}
		for group, r := range rows {
			if len(r.results) > 0 {
				d.Series = append(d.Series, t.series.curves(r, group+1)...)
			}
		}
		if len(d.Series) > 0 {
			all = append(all, d)
		}
	}
	return all
}

// layered returns a text that names the data set, the width and the depth of a row.
func layered(r *Row) string { return fmt.Sprintf("%s-%dx%d", r.Data, r.Width, r.Depth) }

// drawOperations returns one chart of operations for each size, like the paper's figure 5 (c). For each network it
// shows the mean over the seeds.
func (t *Table) drawOperations() []drawing {
	if !t.counted {
		return nil
	}
	groups, names := grouped(t.pointers(), layered)
	var all []drawing
	for i, rows := range groups {
		var use []diagnose.Statistics
		for _, r := range rows {
			if len(r.results) > 0 {
				use = append(use, diagnose.Statistics{Name: r.Network, Operations: operations(r.results)})
			}
		}
		if len(use) > 0 {
			d := drawing{"-operations-" + names[i], *diagnose.OperationsChart(use)}
			d.Title = t.headed(names[i] + ", operations beyond the first layer")
			all = append(all, d)
		}
	}
	return all
}

// operations returns the mean share of each operation.
func operations(results []*grid.Result) (mean [16]float64) {
	for op := range mean {
		for _, r := range results {
			mean[op] += r.Operations[op] / float64(len(results))
		}
	}
	return mean
}

// curves returns the curves of a row's series for a chart. The first line becomes a curve with a band. If there are
// three or more lines, the second and the third line are the limits of the band; otherwise the band shows the
// deviation. Each line after the third becomes a curve without a band.
func (s *Series) curves(r *Row, group int) []plot.Series {
	var lines [][]float64
	var deviation []float64
	for i, l := range s.Lines {
		var mean []float64
		for _, v := range l.at(r.results) {
			mean = append(mean, s.Unit*v.Mean)
			if i == 0 && v.Std != nil {
				deviation = append(deviation, s.Unit**v.Std)
			}
		}
		lines = append(lines, mean)
	}
	first := plot.Series{
		Name: strings.TrimSpace(r.Network + " " + s.Lines[0].Label), X: plot.Upto(len(lines[0])),
		Y: lines[0], Group: group,
	}
	switch {
	case len(lines) > 2:
		first.Low, first.High = lines[1], lines[2]
	case deviation != nil:
		first.Low, first.High = plot.Spread(lines[0], deviation)
	}
	all := []plot.Series{first}
	for i := 3; i < len(lines); i++ {
		all = append(all, plot.Series{
			Name: r.Network + " " + s.Lines[i].Label, X: plot.Upto(len(lines[i])), Y: lines[i],
			Group: group,
		})
	}
	return all
}

// plots writes the charts next to the table and adds their files to the table's list.
func (t *Table) plots() error {
	base := strings.TrimSuffix(t.Files[0], ".md")
	for _, d := range t.draw() {
		files, err := d.Save(base+d.ending, t.guard)
		if err != nil {
			return err
		}
		t.Files = append(t.Files, files...)
	}
	return nil
}
