package plot

import (
	"math"

	gonum "gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// columns draws one set of bars.
type columns struct {
	*Bars
	look
	base        []float64 // values at which the bars begin; nil if all begin at 0
	left, width float64   // left edge and width of a bar, in units of the distance between two names
}

// barError is the line style of error bars, which is darker than any filling.
var barError = draw.LineStyle{Color: colours[0], Width: 0.8}

// barShare is the part of the distance between two names that is filled by bars.
const barShare = 0.8

// newColumns returns the sets of bars of a chart, side by side or stacked.
func newColumns(c *Chart) []columns {
	all := make([]columns, len(c.Bars))
	sum := make([]float64, len(c.X.Names))
	for i := range c.Bars {
		v := columns{Bars: &c.Bars[i], look: lookOf(i, 0), left: -barShare / 2, width: barShare}
		if c.Stacked {
			v.base = append([]float64(nil), sum...)
			for j, value := range v.Values {
				sum[j] += value
			}
		} else {
			v.width /= float64(len(c.Bars))
			v.left += float64(i) * v.width
		}
		all[i] = v
	}
	return all
}

// from returns the value at which bar j begins.
func (v columns) from(j int) float64 {
	if v.base == nil {
		return 0
	}
	return v.base[j]
}

// Plot implements gonum's Plotter.
func (v columns) Plot(c draw.Canvas, p *gonum.Plot) {
	tx, ty := p.Transforms(&c)
	for j, value := range v.Values {
		if math.IsNaN(value) {
			continue
		}
		x0, x1 := tx(float64(j)+v.left), tx(float64(j)+v.left+v.width)
		y0, y1 := ty(v.from(j)), ty(v.from(j)+value)
		v.fill(c, vg.Rectangle{Min: vg.Point{X: x0, Y: min(y0, y1)}, Max: vg.Point{X: x1, Y: max(y0, y1)}})
		if v.Errors != nil {
			x := (x0 + x1) / 2
			errorBar(c, barError, vg.Point{X: x, Y: ty(value - v.Errors[j])}, vg.Point{X: x, Y: ty(value + v.Errors[j])})
		}
	}
}

// Thumbnail draws the bar's sample for the legend.
func (v columns) Thumbnail(c *draw.Canvas) { v.fill(*c, c.Rectangle) }

// fill draws one bar with its tint, hatching and border.
func (v columns) fill(c draw.Canvas, r vg.Rectangle) {
	f := fillings[v.index%len(fillings)]
	c.FillPolygon(v.tinted(f.tint), corners(r))
	inner := draw.Canvas{Canvas: c.Canvas, Rectangle: r}
	for _, h := range f.hatches {
		c.StrokeLines(v.edge(false), inner.ClipLinesXY(h.lines(r)...)...)
	}
	border := corners(r)
	c.StrokeLines(draw.LineStyle{Color: v.colour, Width: thinWidth}, append(border, border[0]))
}

// lines returns all lines of a hatch that may cross the rectangle.
func (h hatch) lines(r vg.Rectangle) (all [][]vg.Point) {
	size := r.Size()
	reach := size.X + size.Y
	for d := -reach; d <= reach; d += hatchWidth {
		// The line passes through this point in the direction of the hatch. The points of successive lines are offset
		// at right angles to this direction.
		middle := vg.Point{X: (r.Min.X+r.Max.X)/2 - h.dy*d, Y: (r.Min.Y+r.Max.Y)/2 + h.dx*d}
		all = append(all, []vg.Point{
			{X: middle.X - h.dx*reach, Y: middle.Y - h.dy*reach},
			{X: middle.X + h.dx*reach, Y: middle.Y + h.dy*reach},
		})
	}
	return all
}

// corners returns a rectangle as a polygon.
func corners(r vg.Rectangle) []vg.Point {
	return []vg.Point{r.Min, {X: r.Max.X, Y: r.Min.Y}, r.Max, {X: r.Min.X, Y: r.Max.Y}}
}
