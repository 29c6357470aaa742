package sweep

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"ialgn/internal/experiment/grid"
	"ialgn/internal/plot"
	"ialgn/trainer"
)

// plot writes the charts next to the table and adds their files to the table's list.
func (t *Table) plot() error {
	for _, d := range t.charts() {
		files, err := d.Save(strings.TrimSuffix(t.Files[0], ".md")+d.ending, t.guard)
		if err != nil {
			return err
		}
		t.Files = append(t.Files, files...)
	}
	return nil
}

// drawing is a chart and the ending of its file names.
type drawing struct {
	ending string
	plot.Chart
}

// axis says where a row is placed in a chart.
type axis struct {
	plot.Axis
	at   func(*Row) float64
	kind plot.Kind
	rest []string // keys whose values the position does not show
}

// charts returns charts of the rows' accuracy. This is the accuracy on held-out samples if all rows have them. Rows
// that differ in a key that is not on the axis are in different lines or, if there would be too many lines, in
// different charts. If there would also be too many charts, there is a single chart with points only.
func (t *Table) charts() []drawing {
	y, accuracy := plot.Axis{Label: "test accuracy", Unit: "%"}, func(r *Row) *trainer.Spread { return r.Test }
	if _, all := t.validated(); all {
		y.Label, accuracy = "validation accuracy", func(r *Row) *trainer.Spread { return r.Validation }
	}
	x := t.axis()
	apart, lines := t.split(x.rest)
	if t.count(apart) > mostCharts || t.count(lines) > mostNamed {
		apart, lines, x.kind = nil, nil, plot.Scatter
	}
	var all []drawing
	for _, rows := range grouped(t.pointers(), func(r *Row) string { return values(r, apart) }) {
		d := drawing{Chart: plot.Chart{Title: t.title(), X: x.Axis, Y: y}}
		if len(apart) > 0 {
			d.Title = t.Sweep + ", " + values(rows[0], apart)
			d.ending = strings.TrimPrefix(nameOf(&rows[0].config, apart), t.Sweep)
		}
		for _, line := range grouped(rows, func(r *Row) string { return values(r, lines) }) {
			d.Series = append(d.Series, series(cmp.Or(values(line[0], lines), y.Label), line, &x, accuracy))
		}
		all = append(all, d)
	}
	return all
}

// axis returns the axis of the charts. The axis shows the LUTs if they are counted. Otherwise it shows the first key
// with several numeric values. If there is no such key, it shows the values of all keys as text.
func (t *Table) axis() axis {
	key := t.numeric()
	x := axis{kind: plot.Line, rest: slices.DeleteFunc(slices.Clone(t.Keys), func(k string) bool { return k == key })}
	switch {
	case t.target != "":
		x.Label, x.at = "LUTs, "+t.target, func(r *Row) float64 { return r.LUTs.Total.Mean }
	case key != "":
		x.Label, x.at = key, func(r *Row) float64 { v, _ := numeric(r.Grid[key]); return v }
	default:
		for i := range t.Rows {
			x.Names = append(x.Names, cmp.Or(strings.Join(t.values(&t.Rows[i]), ", "), t.Sweep))
		}
		x.Label, x.at = strings.Join(t.Keys, ", "), func(r *Row) float64 { return float64(t.index(r)) }
		x.kind, x.rest = plot.Scatter, nil // names have no order, so no line joins them
		return x
	}
	var places []float64
	for _, r := range t.pointers() {
		places = append(places, x.at(r))
	}
	x.Log = slices.Min(places) > 0 && slices.Max(places) >= wide*slices.Min(places)
	return x
}

// wide is a ratio of an axis's largest value to its least value. If the ratio is at least wide, the axis is
// logarithmic.
const wide = 8

const (
	mostLines  = 8  // largest number of lines in a chart that could be split by another key
	mostNamed  = 40 // largest number of lines in any chart, for which there is room in the legend
	mostCharts = 24
)

// count returns the number of different combinations of values that the rows have for some keys.
func (t *Table) count(keys []string) int {
	return len(grouped(t.pointers(), func(r *Row) string { return values(r, keys) }))
}

// split splits keys into keys that distinguish charts and keys that distinguish lines. The last keys distinguish
// lines. Further keys are added from the end as long as a chart has at most mostLines lines.
func (t *Table) split(keys []string) (apart, lines []string) {
	for len(keys) > 1 && t.count(keys) > mostLines {
		apart, keys = append(apart, keys[0]), keys[1:]
	}
	return apart, keys
}

// series returns rows as a line of a chart, in the order of the axis.
func series(name string, rows []*Row, x *axis, accuracy func(*Row) *trainer.Spread) plot.Series {
	s := plot.Series{Name: name, Kind: x.kind, ErrorBars: true}
	slices.SortStableFunc(rows, func(a, b *Row) int { return cmp.Compare(x.at(a), x.at(b)) })
	for _, r := range rows {
		v := accuracy(r)
		low, high := grid.Ends(v)
		s.X, s.Y = append(s.X, x.at(r)), append(s.Y, 100*v.Mean)
		s.Low, s.High = append(s.Low, 100*low), append(s.High, 100*high)
	}
	return s
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
func grouped(rows []*Row, by func(*Row) string) [][]*Row {
	var groups [][]*Row
	index := map[string]int{}
	for _, r := range rows {
		at, ok := index[by(r)]
		if !ok {
			at, groups = len(groups), append(groups, nil)
			index[by(r)] = at
		}
		groups[at] = append(groups[at], r)
	}
	return groups
}

// index returns the index of a row in the table.
func (t *Table) index(r *Row) int {
	return slices.IndexFunc(t.Rows, func(o Row) bool { return o.Name == r.Name })
}

// values returns the names and values of some keys in a row as text.
func values(r *Row, keys []string) string {
	var all []string
	for _, key := range keys {
		all = append(all, fmt.Sprintf("%s %s", key[strings.LastIndexByte(key, '.')+1:], text(r.Grid[key])))
	}
	return strings.Join(all, ", ")
}

// numeric returns the first key that has several values, all of which are numbers. It returns "" if there is no such
// key.
func (t *Table) numeric() string {
	for _, key := range t.Keys {
		first, ok := numeric(t.Rows[0].Grid[key])
		if ok && slices.ContainsFunc(t.Rows, func(r Row) bool { x, _ := numeric(r.Grid[key]); return x != first }) {
			return key
		}
	}
	return ""
}

// numeric converts a value to a number, and reports whether it is a number.
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
