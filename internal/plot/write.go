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

// resolution is that of PNG files, in dots per inch.
const resolution = 192

// SVG returns the chart as a document of SVG 1.1, which may also stand within HTML: it has
// no prolog, no script, no identifiers and no reference to anything outside it. Its title
// and description are its words for a screen reader.
//
// It is on white paper, and each text takes the room that it was laid out for, also where its font
// is not at hand.
func (c *Chart) SVG() ([]byte, error) { return c.svg(paper) }

// Inline returns the same without the paper, for a page that has its own.
func (c *Chart) Inline() ([]byte, error) { return c.svg("") }

// paper is what an image is drawn on.
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
	// The prelude ends with the tag that opens the drawing.
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

// textElement is a text as gonum/plot writes it: what comes before its size, that, and its words.
var textElement = regexp.MustCompile(`(?s)(<text [^>]*)(style="font-size:([0-9.]+)px")>([^<]*)</text>`)

// asLaidOut has each text take the width by which it was laid out: where another font stands in, it
// would else run into its neighbour.
func asLaidOut(drawing []byte) []byte {
	return textElement.ReplaceAllFunc(drawing, func(e []byte) []byte {
		m := textElement.FindSubmatch(e)
		words := strings.TrimSpace(html.UnescapeString(string(m[4]))) // spaces at the ends are not drawn
		size, err := strconv.ParseFloat(string(m[3]), 64)
		if err != nil || words == "" {
			return e
		}
		width := lettering(vg.Length(size), gonum.DefaultTextHandler).Width(words)
		return fmt.Appendf(nil, `%stextLength="%.5g" lengthAdjust="spacingAndGlyphs" %s>%s</text>`, m[1], float64(width),
			m[2], m[4])
	})
}

// fonts have the widths of the letters by which the chart was laid out.
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

// PNG returns the chart as an image of 192 dots per inch.
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

// signed puts what wrote an image into it, by a chunk of text behind the header.
func signed(png []byte) []byte {
	const behindHeader = 8 + 12 + 13 // the signature, and the chunk of the header
	chunk := append([]byte("tEXt"), outfile.PNGMark...)
	out := binary.BigEndian.AppendUint32(bytes.Clone(png[:behindHeader]), uint32(len(outfile.PNGMark)))
	out = append(out, chunk...)
	out = binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(chunk))
	return append(out, png[behindHeader:]...)
}

// Files returns what [Chart.Save] writes.
func Files(base string) []outfile.Output {
	return []outfile.Output{{Path: base + ".svg", Form: outfile.SVG}, {Path: base + ".png", Form: outfile.PNG}}
}

// Save writes BASE.svg and BASE.png and returns their paths. Each file appears when it is
// complete. What stands there already must be charts of ours, or the guard allow it.
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
