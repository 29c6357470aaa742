// Package plot draws the project's charts as SVG and PNG from one description. A chart has lines with bands or error
// bars, scattered points, or bars that are side by side or stacked. Axes are linear or logarithmic.
//
// A [Chart] is plain data. [Chart.SVG] and [Chart.PNG] draw it, and [Chart.Save] writes both files. Three rules hold
// for every chart:
//
//   - Everything that differs in colour also differs in dashes, glyphs or hatching, so that it can also be
//     distinguished in black and white.
//   - The same chart gives the same bytes. It contains no date and no random name.
//   - No value is dropped silently. On a logarithmic axis, an exact zero is drawn on a separate line, which the
//     legend names. A missing value (NaN) interrupts its line. Any other value without a position is an error.
package plot

import (
	"fmt"
	"math"
)

// Chart describes a chart of series or of bars.
type Chart struct {
	Title string
	// Description describes the chart for readers who cannot see it. If it is empty, the chart uses its title and the
	// names of its axes and series.
	Description string

	X, Y   Axis
	Series []Series

	// Bars has the sets of bars, each with a value for each of X.Names. If Stacked is true, the bars are on top of
	// each other. Otherwise they are next to each other.
	Bars    []Bars
	Stacked bool
}

// Axis describes the quantity on an axis.
type Axis struct {
	Label string
	Unit  string // "" for counts and other bare numbers
	Log   bool

	// Include lists values that the axis must contain in addition to the data, such as 0 and 100.
	Include []float64

	// Names are labels of positions on the axis. They replace numbers: name i is at position i. Only X may have
	// names.
	Names []string
}

// Kind says how the points of a series are drawn.
type Kind int

// These are the kinds of series.
const (
	Line    Kind = iota // points joined by a line; some of them are marked
	Scatter             // single points
)

// Series is a set of points with a name.
type Series struct {
	Name string
	Kind Kind
	X, Y []float64

	// Low and High are the ends of a band around the line, or of error bars if ErrorBars is true. Either both are
	// given, or both are nil.
	Low, High []float64
	ErrorBars bool

	// If Group is not 0, all series with the same Group have the same colour, for example all curves of one network.
	// Their dashes and glyphs still differ.
	Group int
}

// Bars is a set of bars, with one value for each name on the X axis.
type Bars struct {
	Name   string
	Values []float64
	Errors []float64 // half the length of the error bars; nil for no error bars
}

// Spread returns the ends of error bars or of a band. Each low end is the mean minus the deviation, and each high end
// is the mean plus the deviation.
func Spread(mean, deviation []float64) (low, high []float64) {
	low, high = make([]float64, len(mean)), make([]float64, len(mean))
	for i, m := range mean {
		low[i], high[i] = m-deviation[i], m+deviation[i]
	}
	return low, high
}

// Upto returns the numbers 1, 2, ..., n, for example as the positions of layers or epochs.
func Upto(n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = float64(i + 1)
	}
	return x
}

// check returns an error for a chart that cannot be drawn.
func (c *Chart) check() error {
	err := c.checkForm()
	for i := 0; err == nil && i < len(c.Series); i++ {
		err = c.Series[i].check(c.X, c.Y)
	}
	for i := 0; err == nil && i < len(c.Bars); i++ {
		err = c.Bars[i].check(len(c.X.Names), c.Stacked)
	}
	if err != nil {
		return fmt.Errorf("chart %q: %w", c.Title, err)
	}
	return nil
}

func (c *Chart) checkForm() error {
	switch {
	case len(c.Series) > 0 && len(c.Bars) > 0:
		return fmt.Errorf("has series and bars, draw two charts")
	case len(c.Series) == 0 && len(c.Bars) == 0:
		return fmt.Errorf("has neither series nor bars, nothing to draw")
	case len(c.Bars) > 0 && (c.X.Log || c.Y.Log):
		return fmt.Errorf("has bars on a logarithmic axis, which has no zero for them to begin at")
	case len(c.Bars) > 0 && len(c.X.Names) == 0:
		return fmt.Errorf("has bars without names for their places")
	case len(c.Y.Names) > 0 || c.X.Log && len(c.X.Names) > 0:
		return fmt.Errorf("has names on an axis of numbers")
	}
	return nil
}

func (s *Series) check(x, y Axis) error {
	n := len(s.X)
	if n == 0 || len(s.Y) != n || len(s.Low) != len(s.High) || len(s.Low) != 0 && len(s.Low) != n {
		return fmt.Errorf("series %q: %d x, %d y, %d low and %d high values, want equal numbers", s.Name, n, len(s.Y),
			len(s.Low), len(s.High))
	}
	if err := errorIn(s.X, x, false); err != nil {
		return fmt.Errorf("series %q: x %w", s.Name, err)
	}
	if err := errorIn(s.Y, y, true); err != nil {
		return fmt.Errorf("series %q: y %w", s.Name, err)
	}
	// The low end of an error bar may be below zero. The bar is then cut off at the axis.
	for _, ends := range [][]float64{s.Low, s.High} {
		if err := errorIn(ends, Axis{}, true); err != nil {
			return fmt.Errorf("series %q: low or high %w", s.Name, err)
		}
	}
	return nil
}

func (b *Bars) check(places int, stacked bool) error {
	if len(b.Values) != places || b.Errors != nil && len(b.Errors) != places {
		return fmt.Errorf("bars %q: %d values and %d errors at %d places", b.Name, len(b.Values), len(b.Errors), places)
	}
	if stacked && b.Errors != nil {
		return fmt.Errorf("bars %q: have errors, which have no place in a stack", b.Name)
	}
	for _, values := range [][]float64{b.Values, b.Errors} {
		if err := errorIn(values, Axis{}, !stacked); err != nil {
			return fmt.Errorf("bars %q: %w", b.Name, err)
		}
	}
	return nil
}

// errorIn returns an error for the first value that has no position on the axis. If missing is true, NaN is allowed.
func errorIn(values []float64, a Axis, missing bool) error {
	for i, v := range values {
		switch {
		case math.IsInf(v, 0), math.IsNaN(v) && !missing:
			return fmt.Errorf("value %d is %v", i, v)
		case a.Log && v < 0:
			return fmt.Errorf("value %d is %v, negative on a logarithmic axis", i, v)
		}
	}
	return nil
}
