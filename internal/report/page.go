// Package report presents networks. It makes charts that several commands share, an HTML page about a compiled folder
// and its model, and an HTML page that shows a network.
//
// Shares are in percent, and layers count from 1. If several networks are in one chart, they have the names that the
// paper uses.
//
// A [Page] presents data that other packages read and computed. It is a single file, which contains its charts and
// its style. It has no script, and its content security policy forbids fetching anything. The same folder and model
// give the same bytes. A [NetworkPage] is made from a network and optionally a sample. It has one script, which shows
// the network, and also fetches nothing.
package report

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"math"
	"slices"
	"strconv"
	"strings"

	"ialgn"
	"ialgn/backend"
	"ialgn/internal/dataset"
	"ialgn/internal/diagnose"
	"ialgn/internal/explain"
	"ialgn/internal/model"
	"ialgn/internal/plot"
)

// Page is the data of a page.
type Page struct {
	Version    string // version of the program
	Output     *backend.Output
	ModelFile  string // name of the model file
	Info       *model.Info
	Statistics diagnose.Statistics // statistics of the model
	Test       *Test               // if it is nil, NotTested says why
	NotTested  string
	Reads      *explain.Reads       // reads of the features by the netlist
	Shape      dataset.Shape        // shape of images; zero if the features are not images
	Verified   *backend.Certificate // nil without a certificate
	Synthesis  []Synthesis
	Activity   *ialgn.Activity // if it is nil, NotCounted says why
	NotCounted string
}

// Test is the result of the frozen model on its test set.
type Test struct {
	Correct, Samples int
	Confusion        [][]int  // [label][predicted]
	ROCAUC           *float64 // nil unless there are two classes, which both have samples
	AveragePrecision *float64 // nil if ROCAUC is nil
	ExpectedError    float64  // expected calibration error
	LogLoss          float64
	Rejection        ialgn.Rejection // results for each margin; nil if unknown
	OtherData        bool            // whether the test data differ from the test data in the training record
}

// section is a part of the page with a heading.
type section struct {
	ID, Title string
	Notes     []string
	Figures   []template.HTML
	Matrix    template.HTML // the chart at the full width of the page
	Tables    []table
}

// table is a table on the page. Head has the titles of the columns. The first cell of each row is the row's title.
type table struct {
	Caption string
	Head    []string
	Rows    [][]cell
	Numbers bool // whether the cells are numbers, which are right-aligned
	Matrix  bool // whether all cells have the same width, as small as possible
}

// Stacked reports whether each row becomes a paragraph on a narrow screen.
func (t table) Stacked() bool { return !t.Matrix }

// Labelled reports whether the cells in the paragraphs of a narrow screen are labelled with the titles of their
// columns.
func (t table) Labelled() bool { return t.Stacked() && len(t.Head) > 2 }

// Classes returns the names of the table's styles.
func (t table) Classes() string {
	var names []string
	if t.Stacked() {
		names = append(names, "stacked")
	}
	if t.Numbers {
		names = append(names, "numbers")
	}
	if t.Matrix {
		names = append(names, "matrix")
		if slices.ContainsFunc(t.Head[1:len(t.Head)-1], func(name string) bool { return len(name) > mostUpright }) {
			names = append(names, "long")
		}
	}
	return strings.Join(names, " ")
}

// mostUpright is a length in characters. The column titles of a matrix are rotated if any title is longer than this.
const mostUpright = 3

// cell is a cell of a table. It has a text, and a shade from 0 to 4 (darkest) or a bar whose length is a percentage.
type cell struct {
	Text  string
	Shade int
	Bar   *float64
}

// Class returns the name of the cell's style, or "" for none.
func (c cell) Class() string {
	switch {
	case c.Shade > 0:
		return fmt.Sprintf("s%d", c.Shade)
	case len(c.Text) >= longestWord && !strings.ContainsAny(c.Text, " \t"):
		return "unbroken"
	}
	return ""
}

// longestWord is a length in characters. A text without blanks that is at least as long, such as a checksum, may be
// broken anywhere.
const longestWord = 40

// These are the templates of a whole page and of the parts that several pages share.
var (
	//go:embed page.html
	pageHTML string
	//go:embed section.html
	sectionHTML string
	//go:embed style.css
	styleCSS string
)

var pageTemplate = parse("page", pageHTML)

// parse returns the template of a page, which may use the shared parts.
func parse(name, text string) *template.Template {
	t := template.Must(template.New(name).Parse(text))
	template.Must(t.New("section").Parse(sectionHTML))
	template.Must(t.New("style").Parse(styleCSS))
	return t
}

// HTML returns the page. An error says which chart could not be drawn.
func (p *Page) HTML() ([]byte, error) {
	b := &builder{Page: p}
	sections := []section{
		b.confusion(), b.rejection(), b.looks(), b.area(), b.synthesis(), b.power(), b.verification(),
		b.training(), b.passes(), b.census(), b.depth(), b.configuration(), b.files(),
	}
	sections = slices.DeleteFunc(sections, func(s section) bool { return s.ID == "" })
	if b.err != nil {
		return nil, fmt.Errorf("%s: %w", p.Output.Dir, b.err)
	}
	var out bytes.Buffer
	err := pageTemplate.Execute(&out, struct {
		Title, Lead, Version, Manifest string
		Results                        []group
		Sections                       []section
	}{p.title(), p.lead(), p.Version, p.Output.SHA256(), p.results(), sections})
	return out.Bytes(), err
}

// builder makes the sections, and keeps the first error.
type builder struct {
	*Page
	err error
}

// draw returns a chart for the page.
func (b *builder) draw(c *plot.Chart) template.HTML {
	svg, err := c.Inline()
	if err != nil && b.err == nil {
		b.err = err
	}
	return template.HTML(svg) // #nosec: package plot escapes every text in it
}

func (p *Page) title() string { return p.Output.Manifest.Module }

// lead returns the subject of the page in one sentence.
func (p *Page) lead() string {
	m := p.Info.Model
	return fmt.Sprintf("%s of %d chains and %d layers on %s, compiled with scope %s.",
		m.Config.Model.Title(), m.Width, m.Depth(), m.Record.DataSet, p.Output.Manifest.Scope)
}

// count formats a number with commas as thousands separators.
func count(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

func percent(share float64) string { return fmt.Sprintf("%.2f %%", 100*share) }

func square(um2 float64) string { return count(int(math.Round(um2))) + " um2" }

func megahertz(f float64) string { return fmt.Sprintf("%.1f MHz", f) }

func seconds(s float64) string { return fmt.Sprintf("%.3g s", s) }

// ratio returns part divided by whole, or 0 if both are 0.
func ratio(part, whole int) float64 { return float64(part) / float64(max(1, whole)) }

// texts returns plain cells.
func texts(all ...string) []cell {
	cells := make([]cell, len(all))
	for i, s := range all {
		cells[i].Text = s
	}
	return cells
}

// pairs returns a table whose rows are pairs of a name and a value.
func pairs(caption string, rows [][]cell) table {
	return table{Caption: caption, Head: []string{"what", "value"}, Rows: rows}
}
