package experiment

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"ialgn/internal/experiment/grid"
	"ialgn/internal/message"
	"ialgn/trainer"
)

// TestHours ends a call before its first run, and a call during a run, because the hours are over. The table must be
// the same as without an interruption.
func TestHours(t *testing.T) {
	r := Runner{Experiment: digits, Scale: Paper, Seeds: 1, Options: grid.Options{Dir: t.TempDir(), Threads: 1}}
	whole, err := r.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	begun := false
	r.Dir, r.Hours = t.TempDir(), 1e-12
	r.Train = func(ctx context.Context, s trainer.Seeds) (*trainer.SeedsSummary, error) {
		s.Progress = func(p trainer.Progress) {
			if p.Epoch == 2 && p.Batch == 3 && r.Hours > 0 {
				begun = true
				select {
				case <-ctx.Done():
				case <-time.After(time.Minute):
					t.Error("the context does not end")
				}
			}
		}
		return s.Train(ctx)
	}
	_, err = r.Run(t.Context())
	want := "--hours 1e-12: the time is over: digits-60x4-rwlgn: " // training may have begun to read the data
	if begun || !errors.Is(err, trainer.ErrInterrupted) || !strings.HasPrefix(message.In(err, message.Flags), want) ||
		message.Hint(err) != "finished: 0 of 2 runs; not begun: 2; the same command continues" {
		t.Errorf("before the first run: error %v, want %s; hint %q", err, want, message.Hint(err))
	}
	for r.Hours = 0.5 / 3600; !begun; { // on a very busy machine, the time may be over before the second epoch
		_, err = r.Run(t.Context())
	}
	if !errors.Is(err, trainer.ErrInterrupted) || message.Hint(err) != "finished: 0 of 2 runs; begun: "+
		"digits-60x4-rwlgn.seed1 (1 of 4 epochs); not begun: 1; the same command continues" {
		t.Errorf("during the first run: error %v, hint %q", err, message.Hint(err))
	}
	r.Hours = 0
	table, err := r.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(files(t, whole), files(t, table)); diff != "" {
		t.Errorf("table (-whole +in parts):\n%s", diff)
	}
}
