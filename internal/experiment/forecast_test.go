package experiment

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"ialgn/internal/experiment/grid"
	"ialgn/internal/message"
	"ialgn/trainer"
)

// TestForecast compares the forecast with the training that follows. The forecast's list of runs must equal the
// trained runs, and its hours must be proportional to the remaining steps.
func TestForecast(t *testing.T) {
	rec := &recorder{}
	r := Runner{
		Experiment: digits, Scale: Quick, Seeds: 2,
		Only:    []string{"*rwlgn"},
		Options: grid.Options{Dir: t.TempDir(), Threads: 2, Jobs: 1, Train: rec.train},
	}
	if _, err := r.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	r.Only = nil
	f, err := r.Forecast(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(f.Runs) != 4 || f.Jobs != 1 || f.Threads != 2 || len(rec.begun) != 2 {
		t.Fatalf("%+v", f)
	}
	for i, a := range f.Runs {
		done := 2 * (1 - i/2)
		if a.Index != i || a.Seed != uint64(1+i%2) || a.Epochs != 2 || a.Done != done || (*a.Hours > 0) == (done > 0) ||
			a.Bytes == 0 {
			t.Errorf("run %+v", a)
		}
	}
	if sum := *f.Runs[2].Hours + *f.Runs[3].Hours; *f.Hours != sum || *f.Runs[2].Hours != *f.Runs[3].Hours {
		t.Errorf("%v hours, the runs have %v", *f.Hours, sum)
	}
	var text strings.Builder
	if err := f.Text(&text); err != nil || strings.Count(text.String(), "| digits-60x4-") != 4 ||
		!strings.Contains(text.String(), "2 runs to train, about 1 minute: ") {
		t.Errorf("%s, error %v", text.String(), err)
	}
	r.Hours = *f.Hours / 2.5
	if parts, err := r.Forecast(t.Context()); err != nil || parts.Calls != int(math.Ceil(*parts.Hours/r.Hours)) ||
		!strings.Contains(parts.Sum(), fmt.Sprintf(" minute in %s: the ", message.Plural(parts.Calls, "call", "calls"))) {
		t.Errorf("in parts: %+v, error %v", parts, err)
	}
	r.Jobs = 2
	if two, err := r.Forecast(t.Context()); err != nil || two.Jobs != 2 || two.Threads != 1 {
		t.Errorf("%+v, error %v", two, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := r.Forecast(ctx); !errors.Is(err, trainer.ErrInterrupted) {
		t.Errorf("error %v", err)
	}
}

// TestForecastSum checks the words for the time that is left.
func TestForecastSum(t *testing.T) {
	for want, hours := range map[string]float64{
		"0 runs to train, about 0 minutes: paces":  0,
		"0 runs to train, about 1 minute: paces":   0.001,
		"0 runs to train, about 59 minutes: paces": 0.98,
		"0 runs to train, about 1.0 hours: paces":  1,
		"0 runs to train, about 26.3 hours: paces": 26.28,
	} {
		if got := (&grid.Forecast{Hours: &hours, Method: "paces"}).Sum(); got != want {
			t.Errorf("%v hours: %q, want %q", hours, got, want)
		}
	}
	if got := (&grid.Forecast{Method: "paces"}).Sum(); got != "0 runs to train, hours that are not known: paces" {
		t.Errorf("unknown hours: %q", got)
	}
}
