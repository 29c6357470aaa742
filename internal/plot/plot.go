// Package plot draws the project's charts: lines with bands or error bars, scattered
// points, and bars side by side or stacked, on linear and logarithmic axes, as SVG and
// PNG from one description.
//
// A [Chart] is plain data. [Chart.SVG] and [Chart.PNG] draw it, [Chart.Save] writes both
// files. Three things hold for each chart:
//
//   - what is told apart by colour is also told apart by dashes, glyphs or hatching, so
//     that a black and white print loses nothing;
//   - the same chart gives the same bytes: there is no date and no random name in it;
//   - no value is dropped in silence: an exact zero on a logarithmic axis stands on a
//     line of its own, which the legend names, a missing value (NaN) breaks its line, and
//     any other value that has no place is an error.
package plot

import (
	"fmt"
	"math"
)

// Chart describes a chart of either series or bars.
type Chart struct {
	Title string
	// Description says what is to be seen, for those who do not see it. The title and the
	// names of axes and series stand in for it when it is empty.
	Description string

	X, Y   Axis
	Series []Series

	// Bars have a value for each of X.Names. They stand side by side, or one on the other
	// when Stacked.
	Bars    []Bars
	Stacked bool
}

// Axis is what one axis measures.
type Axis struct {
	Label string
	Unit  string // "" for counts and other bare numbers
	Log   bool

	// Include are values that the axis shall reach beside the data, such as 0 and 100.
	Include []float64

	// Names make an axis of places instead of numbers: name i stands at i. Only X has names.
	Names []string
}

// Kind is how the points of a series are drawn.
type Kind int

// The kinds of series.
const (
	Line    Kind = iota // joined by a line, with some of the points marked
	Scatter             // each point by itself
)

// Series are points with a name.
type Series struct {
	Name string
	Kind Kind
	X, Y []float64

	// Low and High, both or neither, are the ends of a band about the line, or of error
	// bars when ErrorBars.
	Low, High []float64
	ErrorBars bool

	// Group, when not 0, gives series a common colour: the curves of one network, say.
	// Their dashes and glyphs differ all the same.
	Group int
}

// Bars are the values of one thing at all places of the X axis.
type Bars struct {
	Name   string
	Values []float64
	Errors []float64 // half the length of error bars; nil for none
}

// Spread returns the ends of error bars or of a band: each mean less and plus its deviation.
func Spread(mean, deviation []float64) (low, high []float64) {
	low, high = make([]float64, len(mean)), make([]float64, len(mean))
	for i, m := range mean {
		low[i], high[i] = m-deviation[i], m+deviation[i]
	}
	return low, high
}

// Upto returns 1, 2, ... n: the places of layers and epochs.
func Upto(n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = float64(i + 1)
	}
	return x
}

// check returns an error for a chart that cannot be drawn as it is.
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
		return fmt.Errorf("series %q: %d x, %d y, %d low and %d high values, want as many of each", s.Name, n, len(s.Y),
			len(s.Low), len(s.High))
	}
	if err := errorIn(s.X, x, false); err != nil {
		return fmt.Errorf("series %q: x %w", s.Name, err)
	}
	if err := errorIn(s.Y, y, true); err != nil {
		return fmt.Errorf("series %q: y %w", s.Name, err)
	}
	// The low end of an error bar may well lie below zero: it is cut off at the axis.
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

// errorIn returns an error for the first value that has no place on the axis.
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
