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
	var luts, validation, accuracy []float64
	for _, n := range r.Front {
		luts, accuracy = append(luts, float64(n.LUTs.Total)), append(accuracy, 100*n.Accuracy)
		if n.Validation == 0 {
			validation = append(validation, math.NaN())
			continue
		}
		validation = append(validation, 100*n.Validation)
	}
	c := plot.Chart{
		Title: fmt.Sprintf("%s on %s: accuracy for look-up tables", s.name, s.Target),
		X:     plot.Axis{Label: "LUTs, encoder included", Log: true},
		Y:     plot.Axis{Label: "accuracy", Unit: "%"},
		Series: []plot.Series{
			{Name: "test samples, trained to the end", X: luts, Y: accuracy},
			{Name: "validation samples, in the search", X: luts, Y: validation},
		},
	}
	files, err := c.Save(s.path(frontChart), s.guard)
	r.Files = append([]string{path}, files...)
	return err
}

// csv writes one line for each network.
func (r *Result) csv(w io.Writer) error {
	c := csv.NewWriter(w)
	_ = c.Write([]string{"budget", "luts", "gates", "head", "encoder", "validation", "accuracy", "model", "choice"})
	for _, n := range r.Front {
		_ = c.Write([]string{
			strconv.Itoa(n.Budget), strconv.Itoa(n.LUTs.Total), strconv.Itoa(n.LUTs.Gates), strconv.Itoa(n.LUTs.Head),
			strconv.Itoa(n.LUTs.Encoder), strconv.FormatFloat(n.Validation, 'f', 6, 64),
			strconv.FormatFloat(n.Accuracy, 'f', 6, 64), n.Model, n.Choice,
		})
	}
	c.Flush()
	return c.Error()
}
