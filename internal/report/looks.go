package report

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"fmt"
	"html/template"
	"image"
	"image/color"
	"image/png"
	"slices"
	"strings"

	"ialgn/internal/dataset"
	"ialgn/internal/explain"
)

// These constants limit the number of features in lists. All features of an ordinary table fit, but not all pixels of
// an image.
const (
	mostFeatures = 100
	mostPixels   = 20
)

// looks shows which features the netlist still reads, as heat maps of images and as lists.
func (b *builder) looks() section {
	s := section{ID: "looks", Title: "What the network looks at", Notes: []string{
		"A read is a cell of the compiled netlist that reads a feature through its thresholds, or a bit of a feature that " +
			"is counted directly. The reads of a class are the reads that its count depends on.",
	}}
	if b.Shape != (dataset.Shape{}) {
		s.Notes = append(s.Notes, "A stronger colour means more reads; a blank pixel is not read. All "+
			"classes share one scale; the sum over all classes has its own. Colour planes are added.")
		s.Matrix = b.heatMaps()
	}
	s.Tables = []table{b.mostRead(), b.readers()}
	return s
}

// mostRead lists the features with the most reads.
func (b *builder) mostRead() table {
	order := make([]int, len(b.Reads.All))
	for f := range order {
		order[f] = f
	}
	slices.SortStableFunc(order, func(x, y int) int { return cmp.Compare(b.Reads.All[y], b.Reads.All[x]) })
	t := table{
		Caption: "The features by reads", Head: []string{"feature", "reads", "most by class", "of its reads", ""},
		Numbers: true,
	}
	most, all := mostFeatures, sum(b.Reads.All)
	if b.Shape != (dataset.Shape{}) {
		most = mostPixels
	}
	if most < len(order) {
		t.Caption = fmt.Sprintf("The %d of %s features with the most reads", most, count(len(order)))
		order = order[:most]
	}
	for _, f := range order {
		n, class := b.Reads.All[f], 0
		for c, by := range b.Reads.ByClass {
			if by[f] > b.Reads.ByClass[class][f] {
				class = c
			}
		}
		name := explain.PlaceOf(&b.Info.Model.Encoder, b.Shape, f).String()
		row := texts(name, count(n), "", "")
		if n > 0 {
			row[2].Text, row[3].Text = b.Info.Model.Classes[class], percent(ratio(b.Reads.ByClass[class][f],
				sum(b.Reads.ByClass[class])))
		}
		bar := 100 * ratio(n, all) / max(1e-9, ratio(b.Reads.All[order[0]], all))
		t.Rows = append(t.Rows, append(row, cell{Bar: &bar}))
	}
	return t
}

// readers lists the classes with the numbers of their reads.
func (b *builder) readers() table {
	t := table{
		Caption: "Features that are read", Head: []string{"by", "features", "of all", "reads"},
		Numbers: true,
	}
	add := func(name string, reads []int) {
		n := explain.Features(reads)
		t.Rows = append(t.Rows, texts(name, count(n), percent(ratio(n, len(reads))), count(sum(reads))))
	}
	for c, reads := range b.Reads.ByClass {
		add("class "+b.Info.Model.Classes[c], reads)
	}
	add("all classes", b.Reads.All)
	return t
}

// These are the sizes of the heat maps, in the units of their drawing. The map of all classes takes the place of four
// other maps.
const (
	mapSide    = 100
	mapGap     = 8
	mapCaption = 14 // height of a line of text
	mapColumns = 6
)

// heatMaps draws the reads of each class in an image, and the reads of all classes.
func (b *builder) heatMaps() template.HTML {
	classes := b.Info.Model.Classes
	side := mapSide * b.Shape.Height / b.Shape.Width
	step, rowStep := mapSide+mapGap, side+mapCaption+mapGap
	rows := 2 + max(0, len(classes)-2*(mapColumns-2)+mapColumns-1)/mapColumns
	width, height := mapColumns*step-mapGap, rows*rowStep
	var out strings.Builder
	fmt.Fprintf(&out, `<svg class="matrix heat" width="%d" height="%d" viewBox="0 0 %d %d" role="img" font-size="11">`,
		width*wideDrawing/10, height*wideDrawing/10, width, height)
	fmt.Fprintf(&out,
		"<title>Pixels of an image of %[2]d by %[3]d that %[1]d classes read</title>\n", len(classes), b.Shape.Width,
		b.Shape.Height)
	all := planes(b.Shape, b.Reads.All)
	b.heatMap(&out, box{0, 0, 2*step - mapGap, 2*rowStep - mapCaption - mapGap}, "all classes", all, slices.Max(all))
	each, most := make([][]int, len(classes)), 0
	for c, reads := range b.Reads.ByClass {
		each[c] = planes(b.Shape, reads)
		most = max(most, slices.Max(each[c]))
	}
	for c, reads := range each {
		column, row := 2+c%(mapColumns-2), c/(mapColumns-2) // next to the map of all classes
		if below := c - 2*(mapColumns-2); below >= 0 {
			column, row = below%mapColumns, 2+below/mapColumns
		}
		b.heatMap(&out, box{column * step, row * rowStep, mapSide, side}, "class "+classes[c], reads, most)
	}
	out.WriteString("</svg>")
	return template.HTML(out.String()) // #nosec: the names of classes are escaped
}

// box is a rectangle in a drawing.
type box struct{ x, y, width, height int }

// heatMap draws the reads of the pixels into a box, with a line of text below.
func (b *builder) heatMap(out *strings.Builder, at box, name string, reads []int, most int) {
	picture, err := address(heat(b.Shape, reads, most))
	if err != nil && b.err == nil {
		b.err = err
	}
	fmt.Fprintf(out, "<g><title>%s: %s of %s pixels are read, %s times</title>", escaped(name),
		count(explain.Features(reads)), count(len(reads)), count(sum(reads)))
	fmt.Fprintf(out, `<image x="%d" y="%d" width="%d" height="%d" preserveAspectRatio="none" href="%s"/>`, at.x, at.y,
		at.width, at.height, picture)
	fmt.Fprintf(out,
		`<rect class="frame" x="%d" y="%d" width="%d" height="%d"/><text x="%[1]d" y="%[5]d">%s</text></g>`+"\n",
		at.x, at.y, at.width, at.height, at.y+at.height+mapCaption-3, escaped(shortened(name)))
}

// planes adds up the reads in the planes of an image.
func planes(shape dataset.Shape, reads []int) []int {
	out := make([]int, shape.Height*shape.Width)
	for f, n := range reads {
		out[f%len(out)] += n
	}
	return out
}

// ink is the colour of the pixel with the most reads. Pixels with fewer reads are more transparent, so that the maps
// also suit pages with a dark background.
var ink = color.NRGBA{R: 0x10, G: 0x28, B: 0x70}

// faintest is the opacity of a single read, out of 255.
const faintest = 40

// heat returns an image in which each pixel shows the reads of one pixel.
func heat(shape dataset.Shape, reads []int, most int) image.Image {
	img := image.NewNRGBA(image.Rect(0, 0, shape.Width, shape.Height))
	for i, n := range reads {
		c := ink
		if n > 0 {
			c.A = uint8(faintest + (255-faintest)*n/most)
		}
		img.SetNRGBA(i%shape.Width, i/shape.Width, c)
	}
	return img
}

// address returns an image as a data URL that contains a PNG.
func address(img image.Image) (string, error) {
	var out bytes.Buffer
	if err := png.Encode(&out, img); err != nil {
		return "", fmt.Errorf("picture: %w", err)
	}
	return "data:image/png;base64," + base64.StdEncoding.EncodeToString(out.Bytes()), nil
}
