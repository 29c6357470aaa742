package config_test

import (
	"strings"
	"testing"

	"ialgn/internal/config"
)

// TestDefaultTau checks that the default is within a factor of two of the best measured tau
// (docs/evidence/results.md).
func TestDefaultTau(t *testing.T) {
	for _, row := range []struct {
		width     int
		best, tau float64
	}{{220, 1.6, 2}, {680, 2.9, 3.8}, {2550, 5.6, 8}, {680, 4.5, 3.8}, {2000, 14, 7}} {
		if got := config.DefaultTau(row.width, 10); got != row.tau || got > 2*row.best || got < row.best/2 {
			t.Errorf("width %d: tau %v, want %v, within a factor of two of %v", row.width, got, row.tau, row.best)
		}
	}
}

// TestFitClasses fills in the values that follow from the number of classes of a user's own data. It must change no
// other value.
func TestFitClasses(t *testing.T) {
	for text, want := range map[string]struct {
		width int
		tau   float64
	}{
		"data: {set: csv, train: a.csv}":                                     {7999, 11},
		"data: {set: csv, train: a.csv}\nmodel: {width: 95}":                 {95, 0.85},
		"data: {set: csv, train: a.csv}\nmodel: {width: 95, tau: 3}":         {95, 3},
		"data: {set: mnist}\nmodel: {width: 8000}":                           {8000, 10},
		"data: {set: digits}\nencoder: {bits: 4}\nmodel: {tau: 2, width: 9}": {9, 2},
	} {
		c := parse(t, text)
		fitted := c.FitClasses(19)
		if fitted.Model.Width != want.width || fitted.Model.Tau != want.tau || fitted.Encoder.Bits == 0 {
			t.Errorf("%s: %d wide, tau %v, n_b %d; want %+v", text, fitted.Model.Width, fitted.Model.Tau, fitted.Encoder.Bits,
				want)
		}
		if err := fitted.CheckClasses(1, 1000); err != nil {
			t.Errorf("%s: after FitClasses: %v", text, err)
		}
		if err := c.CheckClasses(1, 1000); (err != nil) == c.TauGiven() {
			t.Errorf("%s: before FitClasses: %v", text, err)
		}
	}
	_, err := config.Parse("m.yaml", []byte("data: {set: csv, train: a.csv}\nmodel: {tau: 0}"), nil)
	if err == nil || !strings.Contains(err.Error(), "m.yaml:2:14: model.tau: 0 is outside") {
		t.Errorf("tau given as 0: %v", err)
	}
}
