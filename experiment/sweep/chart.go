package sweep

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"ialgn/experiment/grid"
	"ialgn/internal/plot"
	"ialgn/trainer"
)

// plot writes the chart beside the table, and names its files in it.
func (t *Table) plot() error {
	files, err := t.chart().Save(strings.TrimSuffix(t.Files[0], ".md"), t.guard)
	t.Files = append(t.Files, files...)
	return err
}

// chart returns the accuracy of the rows, on the samples held out if all rows have some: by their look-up tables, or
// the first key whose values are several numbers, or else by the rows' values themselves. What the other keys make
// differ are lines.
func (t *Table) chart() *plot.Chart {
	c := &plot.Chart{Title: t.title(), Y: plot.Axis{Label: "test accuracy", Unit: "%"}}
	accuracy := func(r *Row) *trainer.Spread { return r.Test }
	if _, all := t.validated(); all {
		c.Y.Label, accuracy = "validation accuracy", func(r *Row) *trainer.Spread { return r.Validation }
	}
	key := t.numeric()
	var at func(r *Row) float64
	line := func(r *Row) string { return t.named(r, key) }
	kind := plot.Line
	switch {
	case t.target != "":
		c.X.Label, at = "LUTs, "+t.target, func(r *Row) float64 { return r.LUTs.Total.Mean }
	case key != "":
		c.X.Label, at = key, func(r *Row) float64 { x, _ := numeric(r.Grid[key]); return x }
	default:
		for i := range t.Rows {
			c.X.Names = append(c.X.Names, cmp.Or(strings.Join(t.values(&t.Rows[i]), ", "), t.Sweep))
		}
		c.X.Label, at = strings.Join(t.Keys, ", "), func(r *Row) float64 { return float64(t.index(r)) }
		line, kind = func(*Row) string { return "" }, plot.Scatter // between names there is no slope
	}
	var places []float64
	for i := range t.Rows {
		places = append(places, at(&t.Rows[i]))
	}
	c.X.Log = c.X.Names == nil && slices.Min(places) > 0 && slices.Max(places) >= wide*slices.Min(places)
	c.Series = series(t.Rows, kind, line, at, accuracy)
	for i := range c.Series {
		c.Series[i].Name = cmp.Or(c.Series[i].Name, c.Y.Label)
	}
	return c
}

// wide is how many times its least place an axis reaches to, for its steps to be factors.
const wide = 8

// series returns the rows by their lines, each in the order of the axis.
func series(rows []Row, kind plot.Kind, line func(*Row) string, at func(*Row) float64,
	accuracy func(*Row) *trainer.Spread,
) []plot.Series {
	var all []plot.Series
	sorted := make([]*Row, len(rows))
	for i := range rows {
		sorted[i] = &rows[i]
	}
	slices.SortStableFunc(sorted, func(a, b *Row) int { return cmp.Compare(at(a), at(b)) })
	index := map[string]int{}
	for i := range rows { // lines stand in the order of the table
		if name := line(&rows[i]); !has(index, name) {
			index[name] = len(all)
			all = append(all, plot.Series{Name: name, Kind: kind, ErrorBars: true})
		}
	}
	for _, r := range sorted {
		s, v := &all[index[line(r)]], accuracy(r)
		low, high := grid.Ends(v)
		s.X, s.Y = append(s.X, at(r)), append(s.Y, 100*v.Mean)
		s.Low, s.High = append(s.Low, 100*low), append(s.High, 100*high)
	}
	return all
}

func has(index map[string]int, name string) bool {
	_, ok := index[name]
	return ok
}

// index returns the place of a row in the table.
func (t *Table) index(r *Row) int {
	return slices.IndexFunc(t.Rows, func(o Row) bool { return o.Name == r.Name })
}

// named returns the values of a row's keys but one, with what they are values of.
func (t *Table) named(r *Row, except string) string {
	var all []string
	for _, key := range t.Keys {
		if key != except {
			all = append(all, fmt.Sprintf("%s %s", key[strings.LastIndexByte(key, '.')+1:], text(r.Grid[key])))
		}
	}
	return strings.Join(all, ", ")
}

// numeric returns the first key whose values are numbers, and several; "" if there is none.
func (t *Table) numeric() string {
	for _, key := range t.Keys {
		first, ok := numeric(t.Rows[0].Grid[key])
		if ok && slices.ContainsFunc(t.Rows, func(r Row) bool { x, _ := numeric(r.Grid[key]); return x != first }) {
			return key
		}
	}
	return ""
}

// numeric returns a value that is a number, and whether it is one.
func numeric(v any) (float64, bool) {
	switch v := v.(type) {
	case int:
		return float64(v), true
	case uint64:
		return float64(v), true
	case float64:
		return v, true
	}
	return math.NaN(), false
}
