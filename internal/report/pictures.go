package report

import (
	"fmt"
	"html/template"
	"image"
	"image/color"
	"strings"

	"ialgn/internal/explain"
)

// pictureSide is the width of a picture of a sample, in the units of its drawing.
const pictureSide = 220

// pictures draws the sample, which is an image. If there are changes, it also draws the changed sample next to
// it, with a frame around each change.
func (p *NetworkPage) pictures() (template.HTML, error) {
	x := p.Explanation
	height := pictureSide * p.Shape.Height / p.Shape.Width
	type picture struct {
		title  string
		words  []uint16
		frames []explain.Change
	}
	all := []picture{{"The sample: class " + x.Class, x.Words, nil}}
	if x.Flipped != nil {
		all = append(all, picture{"With the changes: class " + x.Flipped.Class, x.Changed, x.Flips})
	}
	wide, high := len(all)*(pictureSide+mapGap)-mapGap, height+mapCaption+mapGap
	var out strings.Builder
	fmt.Fprintf(&out, `<svg class="matrix %s" width="%d" height="%d" viewBox="0 0 %d %d" role="img" font-size="11">`, p.form(),
		wide*wideDrawing/10, high*wideDrawing/10, wide, high)
	fmt.Fprintf(&out, "<title>The sample, and what would flip its class</title>\n")
	for i, v := range all {
		address, err := address(p.picture(v.words))
		if err != nil {
			return "", err
		}
		left := i * (pictureSide + mapGap)
		fmt.Fprintf(&out, `<image x="%d" y="0" width="%d" height="%d" preserveAspectRatio="none" href="%s"/>`, left, pictureSide,
			height, address)
		fmt.Fprintf(&out, `<rect class="frame" x="%d" y="0" width="%d" height="%d"/>`, left, pictureSide, height)
		fmt.Fprintf(&out, `<text x="%d" y="%d">%s</text>`+"\n", left, height+mapCaption-3, escaped(v.title))
		side := float64(pictureSide) / float64(p.Shape.Width)
		for _, c := range v.frames {
			x := float64(left) + float64(side*float64(*c.Column)) // rounded the same on all processors
			fmt.Fprintf(&out, `<rect class="changed" x="%.2f" y="%.2f" width="%.2f" height="%.2f"><title>%s: %d to %d</title></rect>`+
				"\n", x, side*float64(*c.Row), side, side, escaped(c.String()), c.From, c.To)
		}
	}
	out.WriteString("</svg>")
	return template.HTML(out.String()), nil // #nosec: the names of classes are escaped
}

// form returns the name of the pictures' style. Images with one plane are drawn in the text colour on the page's
// background. Coloured images keep their colours.
func (p *NetworkPage) form() string {
	if p.Shape.Planes == colourPlanes {
		return "photo"
	}
	return "heat"
}

// colourPlanes is the number of planes in a coloured picture: red, green and blue.
const colourPlanes = 3

// picture returns the image that the feature words of a sample represent.
func (p *NetworkPage) picture(words []uint16) image.Image {
	img := image.NewNRGBA(image.Rect(0, 0, p.Shape.Width, p.Shape.Height))
	area := p.Shape.Height * p.Shape.Width
	most := int(p.Frozen.Encoder.Max)
	for i := range area {
		c := ink
		if p.Shape.Planes == colourPlanes {
			part := func(plane int) uint8 { return uint8(255 * int(words[plane*area+i]) / most) }
			c = color.NRGBA{R: part(0), G: part(1), B: part(2), A: 255}
		} else {
			c.A = uint8(255 * int(words[i]) / most)
		}
		img.SetNRGBA(i%p.Shape.Width, i/p.Shape.Width, c)
	}
	return img
}
