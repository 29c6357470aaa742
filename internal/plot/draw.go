package plot

import (
	"math"
	"strings"

	gonum "gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// This is the size of a chart. It fits half the width of a page, and the full width of a phone.
const (
	width  = vg.Length(440)
	height = vg.Length(300)
)

// besideY is the approximate height of the title and the x axis, taken together. The label of the y axis must be
// shorter than the rest of the height. A longer label would push the title away from the plot.
const besideY = vg.Length(60)

// entry is an entry of the legend.
type entry struct {
	name  string
	thumb gonum.Thumbnailer
}

// render draws the chart on a canvas of width x height.
func (c *Chart) render(canvas vg.CanvasSizer) {
	p := gonum.New()
	p.BackgroundColor = nil // the plot leaves the background to the page
	x, y := c.scales()
	c.dress(p, x, y)
	p.Add(grid{x, y})
	entries := c.plotters(p, x, y)

	whole := draw.Crop(draw.New(canvas), 6, -12, 6, -6)
	rows := layOut(entries, whole.Size().X, lettering(10, p.TextHandler))
	legend := vg.Length(len(rows)) * rowHeight
	room := whole.Size().Y - legend - besideY
	p.Y.Label.Text = strings.Join(wrap(p.Y.Label.Text, room, p.Y.Label.TextStyle), "\n")
	p.Draw(draw.Crop(whole, 0, 0, legend, 0))
	drawLegend(draw.Crop(whole, 0, 0, 0, legend-whole.Size().Y), rows, lettering(10, p.TextHandler))
}

// scales returns the scales of both axes. The scales contain everything that the chart draws.
func (c *Chart) scales() (x, y scale) {
	var xs, ys []float64
	for _, s := range c.Series {
		xs, ys = append(xs, s.X...), append(ys, s.Y...)
		for _, ends := range [][]float64{s.Low, s.High} {
			for _, v := range ends {
				if !c.Y.Log || v > 0 { // values up to 0 have no position on a logarithmic axis
					ys = append(ys, v)
				}
			}
		}
	}
	if len(c.Bars) > 0 {
		ys = append(ys, 0)
	}
	for _, b := range newColumns(c) {
		for j, v := range b.Values {
			ys = append(ys, b.from(j)+v)
			if b.Errors != nil {
				ys = append(ys, v-b.Errors[j], v+b.Errors[j])
			}
		}
	}
	return newScale(c.X, xs, false), newScale(c.Y, ys, true)
}

// dress sets the title and the axes.
func (c *Chart) dress(p *gonum.Plot, x, y scale) {
	p.Title.Text, p.Title.Padding = c.Title, 6
	title := lettering(12, p.TextHandler)
	title.XAlign, title.YAlign = text.XCenter, text.YTop
	p.Title.TextStyle = title
	for _, a := range []struct {
		axis *gonum.Axis
		Axis
		scale
	}{{&p.X, c.X, x}, {&p.Y, c.Y, y}} {
		a.axis.Min, a.axis.Max = a.min, a.max
		a.axis.Label.Text, a.axis.Label.Padding = a.title(), 4
		a.axis.Label.TextStyle.Font = lettering(11, p.TextHandler).Font
		a.axis.Tick.Label.Font = lettering(10, p.TextHandler).Font
		a.axis.Tick.Marker, a.axis.Tick.Length = gonum.ConstantTicks(a.ticks), 4
		a.axis.Padding = 3
	}
	if names := c.X.Names; len(names) > 0 {
		p.X.Tick.Length = 0
		p.X.Padding = 0
		if !fit(names, p.X.Tick.Label) {
			p.X.Tick.Label.Rotation = math.Pi / 2
			p.X.Tick.Label.XAlign, p.X.Tick.Label.YAlign = text.XRight, text.YCenter
			p.X.Tick.Marker = gonum.ConstantTicks(apart(x.ticks))
		}
	}
}

// title returns an axis's label with its unit.
func (a Axis) title() string {
	if a.Unit == "" {
		return a.Label
	}
	return a.Label + " (" + a.Unit + ")"
}

// wrap breaks a text at spaces into lines that are no longer than room. A longer word becomes a separate line.
func wrap(s string, room vg.Length, style text.Style) (lines []string) {
	for _, word := range strings.Fields(s) {
		last := len(lines) - 1
		if last >= 0 && style.Width(lines[last]+" "+word) <= room {
			lines[last] += " " + word
		} else {
			lines = append(lines, word)
		}
	}
	return lines
}

// fit reports whether the names fit next to each other without rotation.
func fit(names []string, style text.Style) bool {
	place := (width - 60) / vg.Length(len(names))
	for _, name := range names {
		if style.Width(name) > place-4 {
			return false
		}
	}
	return true
}

// apart adds room between rotated names and the axis, because gonum leaves none.
func apart(ticks []gonum.Tick) []gonum.Tick {
	ticks = append([]gonum.Tick(nil), ticks...)
	for i := range ticks {
		ticks[i].Label += "  "
	}
	return ticks
}

// plotters adds the series and bars to the plot and returns the entries of the legend.
func (c *Chart) plotters(p *gonum.Plot, x, y scale) (entries []entry) {
	curves := make([]gonum.Plotter, len(c.Series))
	for i := range c.Series {
		v := curve{&c.Series[i], lookOf(i, c.Series[i].Group), x, y, len(c.Series)}
		p.Add(band{v})
		curves[i] = v
		entries = append(entries, entry{v.Name, v})
	}
	p.Add(curves...) // curves are drawn above all bands
	for _, v := range newColumns(c) {
		p.Add(v)
		entries = append(entries, entry{v.Name, v})
	}
	if len(entries) == 1 && entries[0].name == "" {
		entries = nil // no legend is needed, since the title names the only series
	}
	if x.zeros || y.zeros {
		entries = append(entries, entry{"exactly 0", zeroLine{}})
	}
	return entries
}

// grid draws faint lines at the ticks, and the lines on which zeros are drawn.
type grid struct{ x, y scale }

// Plot implements gonum's Plotter.
func (g grid) Plot(c draw.Canvas, p *gonum.Plot) {
	tx, ty := p.Transforms(&c)
	faint := draw.LineStyle{Color: grey, Width: 0.4}
	for _, t := range g.y.ticks {
		if t.Label != "" {
			c.StrokeLine2(faint, c.Min.X, ty(t.Value), c.Max.X, ty(t.Value))
		}
	}
	if g.y.zeros {
		c.StrokeLine2(zeroStyle, c.Min.X, ty(g.y.zero), c.Max.X, ty(g.y.zero))
	}
	if g.x.zeros {
		c.StrokeLine2(zeroStyle, tx(g.x.zero), c.Min.Y, tx(g.x.zero), c.Max.Y)
	}
	if g.y.min < 0 && g.y.max > 0 && !g.y.log { // bars begin at 0, so 0 gets a line
		c.StrokeLine2(draw.LineStyle{Color: colours[0], Width: thinWidth}, c.Min.X, ty(0), c.Max.X, ty(0))
	}
}

var zeroStyle = draw.LineStyle{Color: colours[0], Width: 0.8, Dashes: []vg.Length{1, 2}}

// zeroLine draws the legend's sample of the line on which zeros are drawn.
type zeroLine struct{}

// Thumbnail implements gonum's Thumbnailer.
func (zeroLine) Thumbnail(c *draw.Canvas) {
	c.StrokeLine2(zeroStyle, c.Min.X, c.Center().Y, c.Max.X, c.Center().Y)
}

// These are sizes in the legend, which is below the plot.
const (
	rowHeight  = vg.Length(15)
	thumbWidth = vg.Length(28)
	thumbGap   = vg.Length(5)
	entryGap   = vg.Length(18)
)

// layOut breaks the legend into rows that are no wider than width. A wider entry becomes a separate row.
func layOut(entries []entry, width vg.Length, style text.Style) (rows [][]entry) {
	var used vg.Length
	for _, e := range entries {
		w := thumbWidth + thumbGap + style.Width(e.name) + entryGap
		if len(rows) == 0 || used+w > width {
			rows, used = append(rows, nil), 0
		}
		last := len(rows) - 1
		rows[last] = append(rows[last], e)
		used += w
	}
	return rows
}

// drawLegend draws the rows from the top of the canvas downwards.
func drawLegend(c draw.Canvas, rows [][]entry, style text.Style) {
	style.YAlign = text.YCenter
	y := c.Max.Y - rowHeight
	for _, row := range rows {
		x := c.Min.X + entryGap
		for _, e := range row {
			e.thumb.Thumbnail(&draw.Canvas{Canvas: c.Canvas, Rectangle: vg.Rectangle{
				Min: vg.Point{X: x, Y: y + 2}, Max: vg.Point{X: x + thumbWidth, Y: y + rowHeight - 3},
			}})
			x += thumbWidth + thumbGap
			c.FillText(style, vg.Point{X: x, Y: y + rowHeight/2}, e.name)
			x += style.Width(e.name) + entryGap
		}
		y -= rowHeight
	}
}
