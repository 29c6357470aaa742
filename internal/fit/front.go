package fit

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"strconv"

	"ialgn/internal/outfile"
	"ialgn/internal/plot"
)

// These are the file names of the front. The chart is written in two formats. Each format adds its ending to the
// chart's name.
const (
	frontTable = "front.csv"
	frontChart = "front"
)

// writeFront writes the front as a table and a chart.
func (s *search) writeFront(r *Result) error {
	path := s.path(frontTable)
	if err := outfile.Write(path, r.csv); err != nil {
		return err
	}
	c := r.chart()
	c.Title = fmt.Sprintf("%s on %s: %s for look-up tables", s.name, s.Target, c.Y.Label)
	files, err := c.Save(s.path(frontChart), s.guard)
	r.Files = append([]string{path}, files...)
	return err
}

// chart returns the chart of the front, without a title. With a metric, it has the metric and the accuracy as shares.
func (r *Result) chart() *plot.Chart {
	var luts, validation, accuracy, test []float64
	scale := 100.0
	if r.Metric != "" {
		scale = 1
	}
	for i := range r.Front {
		n := &r.Front[i]
		luts, accuracy = append(luts, float64(n.LUTs.Total)), append(accuracy, scale*n.Accuracy)
		validation, test = append(validation, scale*r.validated(n)), append(test, n.Value(r.Metric))
	}
	c := &plot.Chart{
		X: plot.Axis{Label: "LUTs, encoder included", Log: true}, Y: plot.Axis{Label: "accuracy", Unit: "%"},
		Series: []plot.Series{
			{Name: "test samples, trained to the end", X: luts, Y: accuracy},
			{Name: "validation samples, in the search", X: luts, Y: validation},
		},
	}
	if r.Metric != "" {
		c.Y, c.Series[0].Y = plot.Axis{Label: r.Metric}, test
		c.Series = append(c.Series, plot.Series{Name: "accuracy on the test samples", X: luts, Y: accuracy})
	}
	return c
}

// validated returns the metric of the search on the validation samples, from the trial of a network. It returns NaN if
// no trial had the network's size.
func (r *Result) validated(n *Network) float64 {
	switch {
	case r.Metric == "" && n.Validation > 0:
		return n.Validation
	case n.Metric != nil:
		return *n.Metric
	}
	return math.NaN()
}

// csv writes one line for each network. With a metric, the last two columns are this metric on the validation samples
// and on the test samples. They are empty if the metric is not known.
func (r *Result) csv(w io.Writer) error {
	c := csv.NewWriter(w)
	head := []string{"budget", "luts", "gates", "head", "encoder", "validation", "accuracy", "model", "choice"}
	if r.Metric != "" {
		head = append(head, "validation_metric", r.Metric)
	}
	_ = c.Write(head)
	for i := range r.Front {
		n := &r.Front[i]
		line := []string{
			strconv.Itoa(n.Budget), strconv.Itoa(n.LUTs.Total), strconv.Itoa(n.LUTs.Gates), strconv.Itoa(n.LUTs.Head),
			strconv.Itoa(n.LUTs.Encoder), shareText(n.Validation), shareText(n.Accuracy), n.Model, n.Choice,
		}
		if r.Metric != "" {
			line = append(line, shareText(r.validated(n)), shareText(n.Value(r.Metric)))
		}
		_ = c.Write(line)
	}
	c.Flush()
	return c.Error()
}

// shareText returns a share or a coefficient as text. The text of NaN is empty.
func shareText(value float64) string {
	if math.IsNaN(value) {
		return ""
	}
	return strconv.FormatFloat(value, 'f', 6, 64)
}
