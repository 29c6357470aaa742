package plot

import (
	"image/color"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// colours lists those colours of Okabe and Ito that are visible on white. Colour-blind readers can distinguish them.
// They also have different grey values.
var colours = []color.NRGBA{
	{0x00, 0x00, 0x00, 0xff},
	{0xd5, 0x5e, 0x00, 0xff},
	{0x00, 0x72, 0xb2, 0xff},
	{0xcc, 0x79, 0xa7, 0xff},
	{0x00, 0x9e, 0x73, 0xff},
	{0x56, 0xb4, 0xe9, 0xff},
}

// dashes and glyphs have lengths without a common factor. Therefore a pair of a dash pattern and a glyph repeats only
// after 35 series.
var dashes = [][]vg.Length{
	nil,
	{6, 3},
	{2, 2},
	{8, 2, 2, 2},
	{12, 3},
}

var glyphs = []draw.GlyphDrawer{
	draw.CircleGlyph{},
	draw.BoxGlyph{},
	draw.PyramidGlyph{},
	draw.CrossGlyph{},
	draw.RingGlyph{},
	draw.SquareGlyph{},
	draw.PlusGlyph{},
}

// A hatch is a set of parallel lines, given by their direction.
type hatch struct{ dx, dy vg.Length }

// fillings lists the fillings of bars. They differ in lightness. If the lightness of two fillings is similar, they
// also differ in hatching.
var fillings = []struct {
	tint    float64 // 0 is the full colour, 1 is white
	hatches []hatch
}{
	{tint: 0.45},
	{tint: 0.9, hatches: []hatch{{1, 1}}},
	{tint: 0.7},
	{tint: 0.9, hatches: []hatch{{1, 1}, {1, -1}}},
	{tint: 0.85, hatches: []hatch{{1, 0}}},
	{tint: 0.9, hatches: []hatch{{0, 1}}},
	{tint: 0.55, hatches: []hatch{{1, -1}}},
}

// look is the appearance of one series or one set of bars.
type look struct {
	colour color.NRGBA
	dash   []vg.Length
	glyph  draw.GlyphDrawer
	index  int
}

// lookOf returns the look of the series with the given index. All series of a group have the same colour.
func lookOf(index, group int) look {
	c := index
	if group > 0 {
		c = group - 1
	}
	return look{colours[c%len(colours)], dashes[index%len(dashes)], glyphs[index%len(glyphs)], index}
}

const (
	lineWidth  = vg.Length(1.2)
	thinWidth  = vg.Length(0.5)
	glyphSize  = vg.Length(2.4)
	hatchWidth = vg.Length(4) // distance between the lines of a hatch
)

func (l look) line() draw.LineStyle {
	return draw.LineStyle{Color: l.colour, Width: lineWidth, Dashes: l.dash}
}

// edge returns the line style of a band's border and of an error bar.
func (l look) edge(dashed bool) draw.LineStyle {
	s := draw.LineStyle{Color: l.colour, Width: thinWidth}
	if dashed {
		s.Dashes = l.dash
	}
	return s
}

func (l look) mark() draw.GlyphStyle {
	return draw.GlyphStyle{Color: l.colour, Radius: glyphSize, Shape: l.glyph}
}

// shade returns the colour of a band. The colour is so light that lines below the band are visible.
func (l look) shade() color.Color {
	c := l.colour
	c.A = 0x24
	return c
}

// tinted returns the colour mixed with white.
func (l look) tinted(share float64) color.Color {
	mix := func(v uint8) uint8 { return uint8(float64(v)*(1-share) + 255*share) }
	return color.NRGBA{mix(l.colour.R), mix(l.colour.G), mix(l.colour.B), 0xff}
}

var grey = color.NRGBA{0xc8, 0xc8, 0xc8, 0xff}

// lettering returns the text style for a size. Every system has this font or a font with the same letter widths (see
// fonts).
func lettering(size vg.Length, handler text.Handler) text.Style {
	return text.Style{
		Color:   color.Black,
		Font:    font.From(font.Font{Typeface: "Liberation", Variant: "Sans"}, size),
		Handler: handler,
	}
}
