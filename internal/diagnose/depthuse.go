// This file draws how networks use their layers, like figure 5 of the IALGN paper: the operations of their gates and
// the effective depth of each layer. It also has the paper's names of operations.

package diagnose

import (
	"slices"

	"ialgn/internal/plot"
)

// Statistics are the statistics of a network, or their means over the network's seeds. Statistics are computed for
// each seed first and then averaged, as in the supplement of the IALGN paper ("Aggregation across seeds").
type Statistics struct {
	Name       string // name of the network, or "" if it is the only network
	Operations [16]float64
	Categories Categories
	Tables     *Tables      // nil for networks of gates
	Depth      []LayerDepth // indexed by layer
}

// OperationNames are the paper's names of operations. The index is the paper's number of the operation.
var OperationNames = [16]string{
	"FALSE", "A AND B", "A AND NOT B", "A", "NOT A AND B", "B", "XOR", "OR",
	"NOR", "XNOR", "NOT B", "A OR NOT B", "NOT A", "NOT A OR B", "NAND", "TRUE",
}

// DepthChart shows the effective depth of each layer for several networks: mean, 10th to 90th percentile, and
// maximum. It corresponds to figure 5 (a, b) of the paper.
func DepthChart(all []Statistics) *plot.Chart {
	c := &plot.Chart{
		Title: "Effective depth by layer",
		X:     plot.Axis{Label: "layer"},
		Y:     plot.Axis{Label: "effective depth", Unit: "operations", Include: []float64{0}},
	}
	for i, s := range all {
		n := len(s.Depth)
		mean, p10, p90, maximum := make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
		for l, d := range s.Depth {
			mean[l], p10[l], p90[l], maximum[l] = d.Mean, d.P10, d.P90, d.Max
		}
		c.Series = append(c.Series,
			plot.Series{
				Name: s.label("mean, 10th to 90th percentile"), X: plot.Upto(n), Y: mean, Low: p10, High: p90,
				Group: i + 1,
			},
			plot.Series{Name: s.label("maximum"), X: plot.Upto(n), Y: maximum, Group: i + 1})
	}
	return c
}

// tabled reports whether the nodes of all networks are tables. Tables have no operation names.
func tabled(all []Statistics) bool {
	return !slices.ContainsFunc(all, func(s Statistics) bool { return s.Tables == nil })
}

// OperationsChart shows how often each operation occurs after the first layer, like figure 5 (c) of the paper. For
// networks of tables, it shows the number of pins on which the tables depend.
func OperationsChart(all []Statistics) *plot.Chart {
	if tabled(all) {
		c := shareChart("Pins that tables depend on", SupportNames)
		for _, s := range all {
			c.Bars = append(c.Bars, plot.Bars{Name: s.Name, Values: percents(s.Tables.Support[:]...)})
		}
		return c
	}
	c := shareChart("Operations beyond the first layer", OperationNames[:])
	for _, s := range all {
		c.Bars = append(c.Bars, plot.Bars{Name: s.Name, Values: percents(s.Operations[:]...)})
	}
	return c
}

// CategoriesChart shows the shares of the paper's categories of operations. For networks of tables, it shows the
// shares of the kinds of tables.
func CategoriesChart(all []Statistics) *plot.Chart {
	if tabled(all) {
		c := shareChart("Kinds of tables", KindNames)
		for _, s := range all {
			c.Bars = append(c.Bars, plot.Bars{Name: s.Name, Values: percents(s.Tables.Kinds.Shares()...)})
		}
		return c
	}
	c := shareChart("Categories of operations beyond the first layer",
		[]string{"pass-through", "binary", "negation", "constants"})
	for _, s := range all {
		k := s.Categories
		c.Bars = append(c.Bars, plot.Bars{Name: s.Name, Values: percents(k.PassThrough, k.Binary, k.Negation, k.Constants)})
	}
	return c
}

func shareChart(title string, names []string) *plot.Chart {
	return &plot.Chart{
		Title: title, X: plot.Axis{Label: "operation", Names: names},
		Y: plot.Axis{Label: "share of gates", Unit: "%"},
	}
}

// label returns the name of a curve. If there are several networks, the network's name comes first.
func (s Statistics) label(what string) string {
	if s.Name == "" {
		return what
	}
	return s.Name + " " + what
}

func percents(shares ...float64) []float64 {
	out := make([]float64, len(shares))
	for i, x := range shares {
		out[i] = 100 * x
	}
	return out
}
