package plot

import (
	"math"

	gonum "gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// curve draws a series.
type curve struct {
	*Series
	look
	x, y  scale
	count int // number of series in the chart; each has glyphs at different points
}

// marks is the number of points of a long line that have a glyph.
const marks = 10

// Plot implements gonum's Plotter.
func (v curve) Plot(c draw.Canvas, p *gonum.Plot) {
	at := v.places(c, p)
	for i := range v.Low {
		if v.ErrorBars {
			errorBar(c, v.edge(false), at(v.X[i], v.Low[i]), at(v.X[i], v.High[i]))
		}
	}
	if v.Kind == Line {
		for _, part := range v.parts() {
			var line []vg.Point
			for i := part[0]; i < part[1]; i++ {
				line = append(line, at(v.X[i], v.Y[i]))
			}
			c.StrokeLines(v.line(), line)
		}
	}
	for i := range v.X {
		if !math.IsNaN(v.Y[i]) && v.marked(i) {
			c.DrawGlyphNoClip(v.mark(), at(v.X[i], v.Y[i]))
		}
	}
}

// parts returns the ranges of points that a line joins. The line is interrupted at missing values. It is also
// interrupted at zeros on a logarithmic axis, because there is no slope from a zero to the next value.
func (v curve) parts() (parts [][2]int) {
	start := 0
	for i := 0; i <= len(v.Y); i++ {
		if i == len(v.Y) || math.IsNaN(v.Y[i]) || v.y.isZero(v.Y[i]) || v.x.isZero(v.X[i]) {
			if i-start > 1 {
				parts = append(parts, [2]int{start, i})
			}
			start = i + 1
		}
	}
	return parts
}

// marked reports whether point i has a glyph. All points of a scatter and of a short line have a glyph. In a long
// line, only some points have a glyph, and the points differ from series to series. A point that is not part of any
// line always has a glyph.
func (v curve) marked(i int) bool {
	n := len(v.X)
	if v.Kind == Scatter || n <= marks+marks/2 || v.ErrorBars || v.y.isZero(v.Y[i]) || v.x.isZero(v.X[i]) {
		return true
	}
	alone := true
	for _, part := range v.parts() {
		alone = alone && (i < part[0] || i >= part[1])
	}
	every := n / marks
	return alone || i%every == v.index*every/v.count%every
}

// places returns a function that converts a point to its position on the canvas.
func (v curve) places(c draw.Canvas, p *gonum.Plot) func(x, y float64) vg.Point {
	tx, ty := p.Transforms(&c)
	return func(x, y float64) vg.Point {
		return vg.Point{X: tx(v.x.at(x)), Y: ty(v.y.at(y))}
	}
}

// band draws the band of a series, if it has one.
type band struct{ curve }

// Plot implements gonum's Plotter.
func (v band) Plot(c draw.Canvas, p *gonum.Plot) {
	if v.ErrorBars {
		return
	}
	at := v.places(c, p)
	var low, high []vg.Point
	flush := func() {
		if len(low) > 1 {
			border := append([]vg.Point(nil), low...)
			for i := len(high) - 1; i >= 0; i-- {
				border = append(border, high[i])
			}
			c.FillPolygon(v.shade(), border)
			c.StrokeLines(v.edge(true), low, high)
		}
		low, high = nil, nil
	}
	for i := range v.Low {
		if math.IsNaN(v.Low[i]) || math.IsNaN(v.High[i]) {
			flush()
			continue
		}
		low, high = append(low, at(v.X[i], v.Low[i])), append(high, at(v.X[i], v.High[i]))
	}
	flush()
}

// errorBar draws a bar with short feet at both ends. It draws nothing if an end is missing.
func errorBar(c draw.Canvas, s draw.LineStyle, from, to vg.Point) {
	const foot = vg.Length(2)
	if math.IsNaN(float64(from.Y)) || math.IsNaN(float64(to.Y)) {
		return
	}
	c.StrokeLine2(s, from.X, from.Y, to.X, to.Y)
	for _, end := range []vg.Point{from, to} {
		c.StrokeLine2(s, end.X-foot, end.Y, end.X+foot, end.Y)
	}
}

// Thumbnail draws the series' sample for the legend.
func (v curve) Thumbnail(c *draw.Canvas) {
	y := c.Center().Y
	if v.Low != nil && !v.ErrorBars {
		c.FillPolygon(v.shade(), corners(c.Rectangle))
	}
	if v.Kind == Line {
		c.StrokeLine2(v.line(), c.Min.X, y, c.Max.X, y)
	}
	if v.ErrorBars {
		errorBar(*c, v.edge(false), vg.Point{X: c.Center().X, Y: c.Min.Y}, vg.Point{X: c.Center().X, Y: c.Max.Y})
	}
	c.DrawGlyphNoClip(v.mark(), c.Center())
}
