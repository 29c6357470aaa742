package experiment

import "ialgn/trainer"

// Column is a value of trained networks that stands in a table beside their accuracy.
type Column struct {
	Name string  // in JSON and CSV
	Head string  // in Markdown
	Unit float64 // 100 for shares in percent
	Of   func(*Result) float64
}

// Series are values of trained networks for each step, an epoch or a layer, from 1: a file
// of its own beside the table.
type Series struct {
	Step   string
	Label  string  // of the values in a chart
	Symbol string  // of their unit there
	Unit   float64 // 100 for percent
	Lines  []Line  // of which a chart has the first, the second and third as its band, and the others
}

// Line is one of the values of a [Series].
type Line struct {
	Name  string
	Label string // in a chart, behind the network; "" is the first's
	Of    func(*Result) []float64
}

// Value is a [Column]'s mean and deviation over the seeds of a row.
type Value struct {
	Name string `json:"name"`
	trainer.Spread
	Paper string `json:"paper,omitempty"` // what the paper says, in the unit of the table
}

// values returns the columns of a row.
func (e *Experiment) values(n *Entry, results []*Result) []Value {
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

// at returns means and deviations of a line, step by step, up to the last that all
// results have.
func (l *Line) at(results []*Result) []trainer.Spread {
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
