package progress_test

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"ialgn/internal/progress"
)

// shown collects the lines that a board shows. When the last task ends, it adds the line "end".
type shown struct {
	mu    sync.Mutex
	lines []string
}

func (s *shown) show(all []progress.Status) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, one := range all {
		s.lines = append(s.lines, one.String())
	}
	if all == nil {
		s.lines = append(s.lines, "end")
	}
}

// TestLines follows a simulation of two parts.
func TestLines(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s shown
		ctx := progress.With(t.Context(), progress.NewBoard(time.Second, s.show))
		pause := func() { time.Sleep(time.Second); synctest.Wait() }

		rtl, end := progress.Begin(ctx, "rtl")
		time.Sleep(time.Second / 2)
		pause()
		progress.Count(rtl, 1, 2, "parts")
		part, endPart := progress.Begin(rtl, "count_0")
		progress.Say(part, "verilator, %s", "building")
		pause()
		progress.Count(part, 640, 1000, "samples")
		pause()
		progress.Say(part, "done")
		pause()
		endPart()
		progress.Say(rtl, "reading")
		pause()
		end()
		want := []string{
			"rtl: 1 s",
			"rtl: 2 s, 1 of 2 parts, count_0, verilator, building",
			"rtl: 3 s, 1 of 2 parts, count_0, verilator, building, 640 of 1000 samples",
			"rtl: 4 s, 1 of 2 parts, count_0, done",
			"rtl: 5 s, reading",
			"end",
		}
		if diff := cmp.Diff(want, s.lines); diff != "" {
			t.Errorf("lines (-want +got):\n%s", diff)
		}
	})
}

// TestSeveral shows two placements at the same time, for longer than an hour.
func TestSeveral(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s shown
		ctx := progress.With(t.Context(), progress.NewBoard(61*time.Minute, s.show))
		one, endOne := progress.Begin(ctx, "nextpnr, seed 1")
		progress.Say(one, "routing")
		time.Sleep(time.Hour)
		_, endTwo := progress.Begin(ctx, "nextpnr, seed 2")
		time.Sleep(time.Minute + 5*time.Second)
		endOne()
		endTwo()
		endTwo()
		want := []string{"nextpnr, seed 1: 1 h 1 min, routing", "nextpnr, seed 2: 1 min 0 s", "end"}
		if diff := cmp.Diff(want, s.lines); diff != "" {
			t.Errorf("lines (-want +got):\n%s", diff)
		}
	})
}

// TestShort checks that neither a task that ends at once nor a task without a listener is shown.
func TestShort(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s shown
		for _, ctx := range []context.Context{t.Context(), progress.With(t.Context(),
			progress.NewBoard(time.Second, s.show))} {
			progress.Say(ctx, "nothing is under way yet")
			within, end := progress.Begin(ctx, "rtl")
			progress.Count(within, 1, 2, "parts")
			time.Sleep(time.Second / 2)
			end()
			time.Sleep(time.Hour)
		}
		if diff := cmp.Diff([]string{"end"}, s.lines); diff != "" {
			t.Errorf("lines (-want +got):\n%s", diff)
		}
	})
}

// TestEndOfAll checks that the end of a task also ends inner tasks that an error left open.
func TestEndOfAll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s shown
		ctx, end := progress.Begin(progress.With(t.Context(), progress.NewBoard(time.Second, s.show)), "rtl")
		_, endPart := progress.Begin(ctx, "count_0")
		end()
		endPart()
		time.Sleep(time.Hour)
		if diff := cmp.Diff([]string{"end"}, s.lines); diff != "" {
			t.Errorf("lines (-want +got):\n%s", diff)
		}
	})
}

// TestMany begins and ends tasks from many goroutines, for the race detector.
func TestMany(t *testing.T) {
	var s shown
	ctx := progress.With(t.Context(), progress.NewBoard(time.Microsecond, s.show))
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for i := range 200 {
				within, end := progress.Begin(ctx, "task")
				progress.Count(within, i, 200, "steps")
				end()
			}
		})
	}
	all.Wait()
	if s.lines[len(s.lines)-1] != "end" {
		t.Errorf("the last line is %q", s.lines[len(s.lines)-1])
	}
}

// TestFault checks that a panic while progress is shown is passed on to the caller that ends the work.
func TestFault(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx := progress.With(t.Context(), progress.NewBoard(time.Second, func(all []progress.Status) {
			if all != nil {
				panic("broken")
			}
		}))
		_, end := progress.Begin(ctx, "rtl")
		time.Sleep(time.Minute)
		defer func() {
			if recover() == nil {
				t.Error("no panic at the end of the work")
			}
		}()
		end()
	})
}
