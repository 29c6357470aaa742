package plot

import (
	"bytes"
	"encoding/binary"
	"encoding/xml"
	"fmt"
	"hash/crc32"
	"html"
	"io"
	"regexp"
	"strconv"
	"strings"

	gonum "gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"

	"ialgn/internal/outfile"
)

// resolution is the resolution of PNG files in dots per inch.
const resolution = 192

// SVG returns the chart as an SVG 1.1 document. The document may also be part of an HTML page: it has no prolog, no
// script, no identifiers and no external references. Its title and description are for screen readers.
//
// The background is white. Each text takes the width that was computed for it, even if its font is missing.
func (c *Chart) SVG() ([]byte, error) { return c.svg(paper) }

// Inline returns the same as [Chart.SVG] without the background, for a page that has its own background.
func (c *Chart) Inline() ([]byte, error) { return c.svg("") }

// paper is the background of an image.
const paper = `<rect width="100%" height="100%" fill="#fff"/>` + "\n"

func (c *Chart) svg(paper string) ([]byte, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	canvas := vgsvg.New(width, height)
	c.render(canvas)
	var b bytes.Buffer
	if _, err := canvas.WriteTo(&b); err != nil {
		return nil, fmt.Errorf("chart %q: %w", c.Title, err)
	}
	// The prelude ends at the tag that opens the drawing.
	_, drawing, ok := bytes.Cut(b.Bytes(), []byte("<g "))
	if !ok {
		return nil, fmt.Errorf("chart %q: gonum/plot drew no SVG", c.Title)
	}
	drawing = bytes.ReplaceAll(drawing,
		[]byte(`style="font-family:Liberation Sans;font-variant:normal;font-weight:normal;font-style:normal;`),
		[]byte(`style="`))
	var out bytes.Buffer
	fmt.Fprintf(&out, `<svg xmlns="http://www.w3.org/2000/svg" width="%g" height="%g" viewBox="0 0 %g %g" role="img" font-family="%s">`+"\n",
		width, height, width, height, fonts)
	fmt.Fprintf(&out, "<title>%s</title>\n<desc>%s</desc>\n%s<g ", escaped(c.Title), escaped(c.describe()), paper)
	out.Write(asLaidOut(drawing))
	return out.Bytes(), nil
}

// textElement matches a text of gonum/plot. It has four groups: the part before the style, the style, the font size
// in the style, and the words.
var textElement = regexp.MustCompile(`(?s)(<text [^>]*)(style="font-size:([0-9.]+)px")>([^<]*)</text>`)

// asLaidOut sets the width of each text to the computed width. Otherwise a text in a replacement font could overlap
// its neighbour.
func asLaidOut(drawing []byte) []byte {
	return textElement.ReplaceAllFunc(drawing, func(e []byte) []byte {
		m := textElement.FindSubmatch(e)
		words := strings.TrimSpace(html.UnescapeString(string(m[4]))) // spaces at either end are not drawn
		size, err := strconv.ParseFloat(string(m[3]), 64)
		if err != nil || words == "" {
			return e
		}
		width := lettering(vg.Length(size), gonum.DefaultTextHandler).Width(words)
		return fmt.Appendf(nil, `%stextLength="%.5g" lengthAdjust="spacingAndGlyphs" %s>%s</text>`, m[1], float64(width),
			m[2], m[4])
	})
}

// fonts lists font families whose letters have the widths that the layout of the chart assumes.
const fonts = "Liberation Sans, Arial, Helvetica, sans-serif"

func escaped(s string) string {
	var b strings.Builder
	// A strings.Builder never fails.
	_ = xml.EscapeText(&b, []byte(s))
	return b.String()
}

// describe returns the chart's description.
func (c *Chart) describe() string {
	if c.Description != "" {
		return c.Description
	}
	var names []string
	for _, s := range c.Series {
		names = append(names, s.Name)
	}
	for _, b := range c.Bars {
		names = append(names, b.Name)
	}
	text := fmt.Sprintf("%s over %s", c.Y.title(), c.X.title())
	if all := strings.Join(names, ", "); all != "" {
		text += ": " + all
	}
	return text
}

// PNG returns the chart as an image with 192 dots per inch.
func (c *Chart) PNG() ([]byte, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	canvas := vgimg.NewWith(vgimg.UseWH(width, height), vgimg.UseDPI(resolution))
	c.render(canvas)
	var b bytes.Buffer
	if _, err := (vgimg.PngCanvas{Canvas: canvas}).WriteTo(&b); err != nil {
		return nil, fmt.Errorf("chart %q: %w", c.Title, err)
	}
	return signed(b.Bytes()), nil
}

// signed inserts a text chunk after the header of an image. The text says which program wrote the image.
func signed(png []byte) []byte {
	const behindHeader = 8 + 12 + 13 // the sizes of the signature and of the header's chunk
	chunk := append([]byte("tEXt"), outfile.PNGMark...)
	out := binary.BigEndian.AppendUint32(bytes.Clone(png[:behindHeader]), uint32(len(outfile.PNGMark)))
	out = append(out, chunk...)
	out = binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(chunk))
	return append(out, png[behindHeader:]...)
}

// Files returns the files that [Chart.Save] writes.
func Files(base string) []outfile.Output {
	return []outfile.Output{{Path: base + ".svg", Form: outfile.SVG}, {Path: base + ".png", Form: outfile.PNG}}
}

// Save writes BASE.svg and BASE.png and returns their paths. A file appears only when it is complete. Save replaces
// only charts that ialgn wrote, unless the guard allows it to replace other files.
func (c *Chart) Save(base string, guard outfile.Guard) (files []string, err error) {
	if err := guard.CheckAll(Files(base)); err != nil {
		return nil, err
	}
	svg, err := c.SVG()
	if err != nil {
		return nil, err
	}
	png, err := c.PNG()
	if err != nil {
		return nil, err
	}
	for _, f := range []struct {
		suffix string
		data   []byte
	}{{".svg", svg}, {".png", png}} {
		path := base + f.suffix
		err := outfile.Write(path, func(w io.Writer) error {
			_, err := w.Write(f.data)
			return err
		})
		if err != nil {
			return files, err
		}
		files = append(files, path)
	}
	return files, nil
}
