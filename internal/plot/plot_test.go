package plot

import (
	"bytes"
	"encoding/xml"
	"errors"
	"image/png"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ialgn/internal/outfile"
)

// changes returns a chart with every element of a line chart: a band, error bars, exact zeros, a missing value,
// separate points, and groups.
func changes() *Chart {
	x := Upto(40)
	operations, anchors := make([]float64, 40), make([]float64, 40)
	for i := range x {
		operations[i], anchors[i] = math.Exp(-float64(i)/4), 0.01*x[i]
	}
	operations[20], operations[30], anchors[10] = 0, 0, math.NaN()
	low, high := Spread(anchors, anchors)
	return &Chart{
		Title: "Change of a parameter", X: Axis{Label: "layer"}, Y: Axis{Label: "change", Unit: "per step", Log: true},
		Series: []Series{
			{Name: "operations", X: x, Y: operations, Group: 1},
			{Name: "anchors", X: x, Y: anchors, Low: low, High: high, Group: 1},
			{
				Name: "a <b> & \"c\"", X: x[:3], Y: []float64{1, 2, 3}, Low: []float64{-1, 1, 2}, High: []float64{2, 3, 4},
				ErrorBars: true,
			},
			{Name: "one by one", Kind: Scatter, X: x[:2], Y: []float64{4, 5}},
		},
	}
}

func shares() *Chart {
	return &Chart{
		Title: "Shares", X: Axis{Names: []string{"FALSE", "A AND NOT B", "TRUE"}},
		Y: Axis{Label: "share of gates", Unit: "%"},
		Bars: []Bars{
			{Name: "RWLGN", Values: []float64{20, 30, 50}, Errors: []float64{1, 2, 3}},
			{Name: "IALGN", Values: []float64{5, 5, math.NaN()}},
		},
	}
}

// texts returns the texts in an SVG. It fails the test if the SVG is not well-formed or refers to anything external.
func texts(t *testing.T, svg []byte) (all []string) {
	t.Helper()
	d := xml.NewDecoder(bytes.NewReader(svg))
	var text strings.Builder
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		switch e := token.(type) {
		case xml.StartElement:
			text.Reset()
			for _, a := range e.Attr {
				if a.Name.Local == "href" || a.Name.Local == "id" || strings.Contains(a.Value, "url(") {
					t.Errorf("<%s> has %s=%q", e.Name.Local, a.Name.Local, a.Value)
				}
			}
		case xml.CharData:
			text.Write(e)
		case xml.EndElement:
			if s := text.String(); strings.TrimSpace(s) != "" {
				all = append(all, strings.TrimSpace(s))
			}
			text.Reset()
		}
	}
}

func TestSVGSaysWhatIsDrawn(t *testing.T) {
	for _, c := range []struct {
		name  string
		chart *Chart
		want  []string
	}{
		{"series", changes(), []string{
			"Change of a parameter", `change (per step) over layer: operations, anchors, a <b> & "c", one by one`,
			"layer", "10", "20", "30", "40", "change (per step)", "1e-5", "1e-4", "1e-3", "0.01", "0.1", "1", "0",
			"operations", "anchors", `a <b> & "c"`, "one by one", "exactly 0",
		}},
		{"bars", shares(), []string{
			"Shares", "share of gates (%) over : RWLGN, IALGN", "FALSE", "A AND NOT B", "TRUE",
			"share of gates (%)", "0", "10", "20", "30", "40", "50", "60", "RWLGN", "IALGN",
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			svg, err := c.chart.SVG()
			if err != nil {
				t.Fatal(err)
			}
			got := texts(t, svg)
			// The title occurs twice: once for the screen reader, and once drawn.
			if n := strings.Count(strings.Join(got, "\n"), c.chart.Title); n != 2 {
				t.Errorf("the title is there %d times", n)
			}
			seen := map[string]bool{}
			var unique []string
			for _, s := range got {
				if !seen[s] {
					unique = append(unique, s)
				}
				seen[s] = true
			}
			if diff := cmp.Diff(c.want, unique); diff != "" {
				t.Errorf("texts (-want +got):\n%s", diff)
			}
		})
	}
}

func TestSameBytes(t *testing.T) {
	for _, draw := range []func(*Chart) ([]byte, error){(*Chart).SVG, (*Chart).PNG} {
		for _, chart := range []func() *Chart{changes, shares} {
			a, err := draw(chart())
			if err != nil {
				t.Fatal(err)
			}
			if b, _ := draw(chart()); !bytes.Equal(a, b) {
				t.Error("drawn twice, the same chart differs")
			}
		}
	}
}

// TestZerosStandOnTheirLine checks that the marks of the two zeros are at the same height, below all decades. No line
// may connect these marks with other points.
func TestZerosStandOnTheirLine(t *testing.T) {
	c := changes()
	_, y := c.scales()
	if !y.zeros || y.at(0) != y.zero || y.zero >= y.at(math.Exp(-39./4)) {
		t.Errorf("zero is at %v, the least value at %v", y.at(0), y.at(math.Exp(-39./4)))
	}
	v := curve{&c.Series[0], lookOf(0, 0), scale{}, y, 4}
	if diff := cmp.Diff([][2]int{{0, 20}, {21, 30}, {31, 40}}, v.parts()); diff != "" {
		t.Errorf("lines (-want +got):\n%s", diff)
	}
	if !v.marked(20) || !v.marked(30) {
		t.Error("a zero has no mark")
	}
	v.Series = &c.Series[1]
	if diff := cmp.Diff([][2]int{{0, 10}, {11, 40}}, v.parts()); diff != "" {
		t.Errorf("lines about a missing value (-want +got):\n%s", diff)
	}
}

// TestLinearZeroIsOrdinary checks that only a logarithmic axis has a line of zeros.
func TestLinearZeroIsOrdinary(t *testing.T) {
	c := changes()
	c.Y.Log = false
	svg, err := c.SVG()
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(svg), "exactly 0") {
		t.Error("a linear axis has a line of zeros")
	}
}

// TestToldApartWithoutColour checks that readers can tell series and bars apart without colours. No two of many
// series may have the same dashes and the same glyph. No two sets of bars may have the same lightness and the same
// hatching.
func TestToldApartWithoutColour(t *testing.T) {
	type pair struct{ dash, glyph int }
	seen := map[pair]int{}
	for i := range len(dashes) * len(glyphs) {
		p := pair{i % len(dashes), i % len(glyphs)}
		if j, ok := seen[p]; ok {
			t.Errorf("series %d looks like series %d", i, j)
		}
		seen[p] = i
		if l := lookOf(i, 1); l.colour != colours[0] || len(l.dash) != len(dashes[p.dash]) || l.glyph != glyphs[p.glyph] {
			t.Errorf("series %d of group 1 looks like %v", i, l)
		}
	}
	grey := func(i int) int {
		r, g, b, _ := lookOf(i, 0).tinted(fillings[i].tint).RGBA()
		return int(299*r+587*g+114*b) / 1000 >> 8
	}
	for i := range fillings {
		for j := range i {
			near := max(grey(i), grey(j))-min(grey(i), grey(j)) < 40
			if near && cmp.Equal(fillings[i].hatches, fillings[j].hatches, cmp.AllowUnexported(hatch{})) {
				t.Errorf("bars %d and %d are grey %d and %d with one hatching", i, j, grey(i), grey(j))
			}
		}
	}
}

// TestEverySeriesIsDrawn counts the dash patterns in the SVG. Each line occurs in the plot and in the legend.
func TestEverySeriesIsDrawn(t *testing.T) {
	c := &Chart{Title: "t", X: Axis{Label: "x"}, Y: Axis{Label: "y"}}
	for i := range dashes {
		c.Series = append(c.Series, Series{Name: string(rune('a' + i)), X: []float64{1, 2}, Y: []float64{1, float64(i)}})
	}
	svg, err := c.SVG()
	if err != nil {
		t.Fatal(err)
	}
	dashed := map[string]int{}
	for _, m := range regexp.MustCompile(`stroke-width:1\.2(;stroke-dasharray:[0-9,]+)?"`).FindAllStringSubmatch(string(svg), -1) {
		dashed[m[1]]++
	}
	if len(dashed) != len(dashes) {
		t.Errorf("%d kinds of lines, want %d: %v", len(dashed), len(dashes), dashed)
	}
	for kind, n := range dashed {
		if n != 2 {
			t.Errorf("lines %q are there %d times, want 2", kind, n)
		}
	}
}

// TestLongLabelTakesNoHeight checks a chart with a legend of many rows and a y label that is longer than the height
// of the plot. The label must be broken into lines, so that the plot keeps its height.
func TestLongLabelTakesNoHeight(t *testing.T) {
	height := func(label string) float64 {
		c := &Chart{Title: "t", X: Axis{Label: "x"}, Y: Axis{Label: label}}
		for range 6 {
			c.Series = append(c.Series, Series{Name: strings.Repeat("a name ", 8), X: []float64{1, 2}, Y: []float64{1, 2}})
		}
		svg, err := c.SVG()
		if err != nil {
			t.Fatal(err)
		}
		m := regexp.MustCompile(`<path d="M[-0-9.]+,([-0-9.]+)L[-0-9.]+,([-0-9.]+)" style="[^"]*stroke-width:1\.2"`).FindSubmatch(svg)
		if m == nil {
			t.Fatalf("no line in\n%s", svg)
		}
		from, _ := strconv.ParseFloat(string(m[1]), 64)
		to, _ := strconv.ParseFloat(string(m[2]), 64)
		return math.Abs(to - from)
	}
	short, long := height("y"), height("Mean absolute change of a parameter in a step")
	if short < 50 || long != short {
		t.Errorf("the plot is %v high with a short label, %v with a long one", short, long)
	}
}

// TestBandsLieBelowLines checks that no band covers the line of a previous series.
func TestBandsLieBelowLines(t *testing.T) {
	x, y := []float64{1, 2}, []float64{1, 2}
	svg, err := (&Chart{Title: "t", Series: []Series{
		{Name: "a", X: x, Y: y, Low: x, High: y}, {Name: "b", X: x, Y: y, Low: x, High: y},
	}}).SVG()
	if err != nil {
		t.Fatal(err)
	}
	plot := string(svg)
	bands := regexp.MustCompile(`fill-opacity:0\.14`).FindAllStringIndex(plot, 2) // the bands in the legend come last
	if line := strings.Index(plot, "stroke-width:1.2"); len(bands) != 2 || line < bands[1][0] {
		t.Errorf("a line at %d comes before a band: %v", line, bands)
	}
}

func TestStackedBarsStandOnEachOther(t *testing.T) {
	c := shares()
	c.Stacked = true
	c.Bars[0].Errors, c.Bars[1].Values[2] = nil, 7
	all := newColumns(c)
	if diff := cmp.Diff([]float64{20, 30, 50}, all[1].base); diff != "" {
		t.Errorf("base (-want +got):\n%s", diff)
	}
	if _, y := c.scales(); y.max < 57 {
		t.Errorf("the axis ends at %v, below the stack of 57", y.max)
	}
}

func TestImpossibleCharts(t *testing.T) {
	line := func(s Series) Chart { return Chart{Title: "t", Series: []Series{s}} }
	one := []float64{1}
	logged := line(Series{Name: "s", X: one, Y: []float64{-1}})
	logged.Y.Log = true
	bars := func(b Bars) Chart { return Chart{Title: "t", X: Axis{Names: []string{"a"}}, Bars: []Bars{b}} }
	stack := bars(Bars{Name: "b", Values: one, Errors: one})
	stack.Stacked = true
	hole := bars(Bars{Name: "b", Values: []float64{math.NaN()}})
	hole.Stacked = true
	onLog := bars(Bars{Values: one})
	onLog.Y.Log = true
	for name, c := range map[string]struct {
		chart Chart
		want  string
	}{
		"empty":     {Chart{Title: "t"}, "neither series nor bars"},
		"both":      {Chart{Series: make([]Series, 1), Bars: make([]Bars, 1)}, "series and bars"},
		"no points": {line(Series{Name: "s"}), `series "s": 0 x`},
		"lengths":   {line(Series{Name: "s", X: one, Y: []float64{1, 2}}), `series "s": 1 x, 2 y`},
		"low alone": {line(Series{Name: "s", X: one, Y: one, Low: one}), "1 low and 0 high"},
		"infinite":  {line(Series{Name: "s", X: one, Y: []float64{math.Inf(1)}}), `series "s": y value 0 is +Inf`},
		"missing x": {line(Series{Name: "s", X: []float64{math.NaN()}, Y: one}), `series "s": x value 0 is NaN`},
		"infinite band": {
			line(Series{Name: "s", X: one, Y: one, Low: []float64{math.Inf(-1)}, High: one}),
			"low or high value 0 is -Inf",
		},
		"negative":     {logged, "value 0 is -1, negative on a logarithmic axis"},
		"nameless":     {Chart{Bars: []Bars{{Values: one}}}, "without names"},
		"names on y":   {Chart{Y: Axis{Names: []string{"a"}}, Series: make([]Series, 1)}, "names on an axis of numbers"},
		"bars on log":  {onLog, "no zero for them"},
		"bar count":    {bars(Bars{Name: "b", Values: []float64{1, 2}}), `bars "b": 2 values and 0 errors at 1 places`},
		"bar error":    {bars(Bars{Name: "b", Values: one, Errors: []float64{math.Inf(1)}}), `bars "b": value 0 is +Inf`},
		"stack errors": {stack, "no place in a stack"},
		"stack hole":   {hole, "value 0 is NaN"},
	} {
		t.Run(name, func(t *testing.T) {
			for form, draw := range map[string]func(*Chart) ([]byte, error){"SVG": (*Chart).SVG, "PNG": (*Chart).PNG} {
				if _, err := draw(&c.chart); err == nil || !strings.Contains(err.Error(), c.want) {
					t.Errorf("%s: error %v, want %q", form, err, c.want)
				}
			}
		})
	}
}

func TestSave(t *testing.T) {
	base := filepath.Join(t.TempDir(), "changes")
	files, err := changes().Save(base, outfile.Guard{})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{base + ".svg", base + ".png"}, files); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
	data, err := os.ReadFile(base + ".png")
	if err != nil {
		t.Fatal(err)
	}
	image, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	if b := image.Bounds(); b.Dx() != 1173 || b.Dy() != 800 {
		t.Errorf("the image is %v, want 440 x 300 points at 192 dots per inch", b)
	}
	if _, err := changes().Save(base, outfile.Guard{}); err != nil {
		t.Errorf("once more, over its own files: %v", err)
	}
	for _, suffix := range []string{".svg", ".png"} {
		other := filepath.Join(t.TempDir(), "other")
		if err := os.WriteFile(other+suffix, []byte("<svg>mine</svg>"), 0o666); err != nil {
			t.Fatal(err)
		}
		if files, err := changes().Save(other, outfile.Guard{}); err == nil || files != nil ||
			!strings.Contains(err.Error(), "other"+suffix+": exists, but is not") {
			t.Errorf("over another's %s: error %v, files %q", suffix, err, files)
		}
	}
	if _, err := changes().Save(filepath.Join(base, "there"), outfile.Guard{}); err == nil ||
		!strings.Contains(err.Error(), "does not exist") {
		t.Errorf("without a folder: error %v", err)
	}
	if _, err := new(Chart).Save(base, outfile.Guard{}); err == nil {
		t.Error("an empty chart was saved")
	}
}

// TestTextsKeepApart checks that texts on one line do not touch, with any font.
func TestTextsKeepApart(t *testing.T) {
	c := changes()
	c.Series[0].Name = "mean, 10th to 90th percentile & more"
	svg, err := c.SVG()
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(svg), "<text "); n == 0 || strings.Count(string(svg), "textLength=") != n {
		t.Fatalf("%d texts, but %d with a length", n, strings.Count(string(svg), "textLength="))
	}
	type text struct{ from, to float64 }
	lines := map[string][]text{}
	for _, m := range regexp.MustCompile(`<text x="([-0-9.]+)" y="([-0-9.]+)" transform="scale\(1, -1\)"\s+textLength="([0-9.]+)"`).FindAllStringSubmatch(string(svg), -1) {
		from, _ := strconv.ParseFloat(m[1], 64)
		length, _ := strconv.ParseFloat(m[3], 64)
		for _, o := range lines[m[2]] {
			if from < o.to+1 && o.from < from+length+1 {
				t.Errorf("texts from %v to %v and from %v to %v touch", from, from+length, o.from, o.to)
			}
		}
		lines[m[2]] = append(lines[m[2]], text{from, from + length})
	}
	legend := 0
	for _, line := range lines {
		legend = max(legend, len(line))
	}
	if legend < 2 {
		t.Errorf("no line of the legend has two texts: %v", lines)
	}
}

// TestInline checks that an inline chart has no background. An image must have a background behind everything else.
func TestInline(t *testing.T) {
	for _, c := range []*Chart{changes(), shares()} {
		svg, err := c.SVG()
		if err != nil {
			t.Fatal(err)
		}
		inline, err := c.Inline()
		if err != nil {
			t.Fatal(err)
		}
		white := regexp.MustCompile(`(?i)#fff(fff)?\b`)
		if white.Match(inline) || len(white.FindAll(svg, -1)) != 1 ||
			!bytes.Equal(bytes.Replace(svg, []byte(paper), nil, 1), inline) {
			t.Errorf("%s: %d white shapes inline, %d in the image", c.Title, len(white.FindAll(inline, -1)),
				len(white.FindAll(svg, -1)))
		}
	}
}
