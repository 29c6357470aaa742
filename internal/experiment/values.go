package experiment

import (
	"ialgn/internal/experiment/grid"
	"ialgn/trainer"
)

// Column is a quantity that a table shows in addition to the accuracy of trained networks.
type Column struct {
	Name string  // name in JSON and CSV
	Head string  // heading in Markdown
	Unit float64 // factor by which values are multiplied in the table, such as 100 for shares in percent
	Of   func(*grid.Result) float64
}

// Series is a quantity of trained networks that has a value for each epoch or for each layer. Here, epochs and layers
// are called steps, which count from 1. The values are written to a separate file.
type Series struct {
	Step   string
	Label  string  // label of the values in a chart
	Symbol string  // symbol of the values' unit in a chart
	Unit   float64 // factor by which values are multiplied in a chart, such as 100 for percent
	Lines  []Line  // lines of the charts; the second and third are the limits of a band around the first
}

// Line is one of the curves of a [Series].
type Line struct {
	Name  string
	Label string // suffix of the network's name in a chart, or "" for the first line
	Of    func(*grid.Result) []float64
}

// Value is the mean and deviation of a [Column] over the seeds of a row.
type Value struct {
	Name string `json:"name"`
	trainer.Spread
	Paper string `json:"paper,omitempty"` // the paper's value, in the unit of the table
}

// values returns the columns of a row.
func (e *Experiment) values(n *Entry, results []*grid.Result) []Value {
	var all []Value
	for _, c := range e.Columns {
		var of []float64
		for _, r := range results {
			of = append(of, c.Of(r))
		}
		all = append(all, Value{c.Name, trainer.SpreadOf(of), n.Said[c.Name]})
	}
	return all
}

// at returns the mean and the standard deviation of a line for each step, up to the last step that all results have.
func (l *Line) at(results []*grid.Result) []trainer.Spread {
	var all []trainer.Spread
	for step := 0; ; step++ {
		var of []float64
		for _, r := range results {
			if line := l.Of(r); step < len(line) {
				of = append(of, line[step])
			}
		}
		if len(of) < len(results) || len(of) == 0 {
			return all
		}
		all = append(all, trainer.SpreadOf(of))
	}
}
