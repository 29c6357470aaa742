package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"ialgn/internal/model"
	"ialgn/internal/progress"
	"ialgn/internal/screen"
	"ialgn/trainer"
)

// teletype is a terminal with the functions that the program uses. It can return to the start of a line and erase to
// the end of the line. A line that is too long continues on the next row.
type teletype struct {
	t       *testing.T
	columns int
	rows    []string // the last one has the cursor at its end
	frames  []string // every content that a row ever had
	wrapped int      // number of times that a line was too long for its row
}

// Write implements io.Writer.
func (v *teletype) Write(p []byte) (int, error) {
	if len(v.rows) == 0 {
		v.rows = []string{""}
	}
	text := string(p)
	for text != "" {
		last := &v.rows[len(v.rows)-1]
		switch {
		case strings.HasPrefix(text, "\r\x1b[K"):
			v.frames, *last, text = append(v.frames, *last), "", text[4:]
		case text[0] == '\n':
			v.frames, v.rows, text = append(v.frames, *last), append(v.rows, ""), text[1:]
		case text[0] < ' ':
			v.t.Fatalf("the terminal received the control character in %q", text)
		default:
			r, n := utf8.DecodeRuneInString(text)
			if screen.Cells(*last+string(r)) > v.columns {
				v.wrapped, v.rows = v.wrapped+1, append(v.rows, "")
				last = &v.rows[len(v.rows)-1]
			}
			*last, text = *last+string(r), text[n:]
		}
	}
	return len(p), nil
}

// screen returns the standard error of a program that runs on the terminal.
func (v *teletype) screen() *screen.Screen {
	return screen.NewTerminal(v, func() int { return v.columns })
}

// epochOf returns the progress of a long run at a batch, with all accuracies.
func epochOf(batch int, finished bool) trainer.Progress {
	relaxed := 0.91234
	p := trainer.Progress{
		Epoch: 137, Epochs: 1000, Batch: batch, Batches: 600, Loss: 0.1234, TrainAccuracy: 0.98765,
		GateStepsRate: 1234.5e6, Left: 3*time.Hour + 25*time.Minute + 45*time.Second, Relaxed: &relaxed,
	}
	if finished {
		p.Finished = &model.Epoch{
			TestCorrect: 9012, TestSamples: 10000, TrainSamples: 60000, ValidationCorrect: 1,
			ValidationSamples: 3,
		}
	}
	return p
}

// tasks returns a task with several levels of subtasks, and a second task without subtasks.
func tasks() []progress.Status {
	doing := []string{"rtl", "3 of 100 parts", "count_2", "verilator, running", "640 of 1000 samples"}
	return []progress.Status{
		{Name: "synthesized", Elapsed: 3725 * time.Second, Doing: doing, Done: 640, Of: 1000},
		{Name: "nextpnr, seed 2"},
	}
}

// TestFit checks that a narrow terminal shows the most important parts of a line, and that a wide terminal shows more
// parts.
func TestFit(t *testing.T) {
	finished := &epochs{test: accuracies(epochOf(600, true))}
	for _, c := range []struct {
		columns int
		parts   func(columns int) []screen.Part
		want    string
	}{
		{39, func(int) []screen.Part { return finished.parts(epochOf(600, true), "") }, "epoch  137/1000  test 90.12 %"},
		{
			79, func(int) []screen.Part { return finished.parts(epochOf(600, true), "") },
			"epoch  137/1000  loss 0.1234  train 98.77 %  test 90.12 %  3h25m45s left",
		},
		{
			119, func(int) []screen.Part { return finished.parts(epochOf(600, true), "") },
			"epoch  137/1000  loss 0.1234  train 98.77 %  test 90.12 %  relaxed 91.23 %  validation 33.33 %  3h25m45s left",
		},
		{
			0, func(int) []screen.Part { return finished.parts(epochOf(600, true), "") },
			"epoch  137/1000  loss 0.1234  train 98.77 %  test 90.12 %  relaxed 91.23 %  validation 33.33 %  1234.50M gate " +
				"steps/s  3h25m45s left",
		},
	} {
		if got := screen.Fit(c.parts(c.columns), c.columns); got != c.want {
			t.Errorf("in %d columns:\n%s, want\n%s", c.columns, got, c.want)
		}
	}
}

// TestBarsFit draws all bars in terminals of several widths, which change on the way. No line may be wider than the
// terminal, and no bar may be left at the end.
func TestBarsFit(t *testing.T) {
	for _, columns := range []int{1, 3, 12, 40, 80, 120, 400} {
		t.Run(fmt.Sprint(columns), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				v := &teletype{t: t, columns: columns}
				s := v.screen()
				p := &epochs{Screen: s, bar: true}
				k := screen.NewSteps(s, "models/ein-Netz-名前\x1b[2J\n.safetensors", false)
				for batch := range 12 {
					for _, draw := range []func(){
						func() { p.show(epochOf(50*batch, batch == 5)) },
						func() { s.Tell(tasks()) },
						func() { k.Show(batch+1, 12) },
						func() { s.Tell(nil) },
					} {
						draw()
						time.Sleep(screen.Redraw)
					}
					v.columns = max(1, columns-batch)
				}
				p.close()
				if v.wrapped > 0 {
					t.Errorf("%d lines are wider than the terminal:\n%s", v.wrapped, strings.Join(v.frames, "\n"))
				}
				if last := v.rows[len(v.rows)-1]; last != "" {
					t.Errorf("a bar is left: %q", last)
				}
			})
		})
	}
}

// TestBesideBar writes text while a bar is shown. The text must replace the bar, and a warning must be one line.
func TestBesideBar(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := &teletype{t: t, columns: 80}
		s := v.screen()
		tell := func() {
			s.Tell([]progress.Status{{
				Name: "formal", Elapsed: 37 * time.Second,
				Doing: []string{"proving 300 bits of the last layer"},
			}})
			time.Sleep(screen.Redraw)
		}
		time.Sleep(screen.Redraw)
		tell()
		fmt.Fprintln(s, "packing")
		tell()
		warn(s, fmt.Errorf("full disk:\n  tool said:\r\n%w", errors.Join(errors.New("a\x1b[2J"), errors.New("b"))))
		tell()
		s.Tell(nil)
		want := []string{"packing", "ialgn: warning: full disk: tool said: a [2J; b", ""}
		if diff := cmp.Diff(want, v.rows); diff != "" {
			t.Errorf("rows (-want +got):\n%s", diff)
		}
		if bar := "formal: 37 s, proving 300 bits of the last layer"; strings.Count(strings.Join(v.frames, "\n"), bar) != 3 {
			t.Errorf("want the bar three times: %q", v.frames)
		}
	})
}

// TestLinesElsewhere checks the output without a terminal. Progress is printed as lines at growing intervals, without
// characters that move a cursor.
func TestLinesElsewhere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		s := screen.New(&out)
		begin := time.Now()
		p := &epochs{Screen: s, bar: true}
		for range 4 * 5 * 60 { // four minutes
			time.Sleep(screen.Redraw)
			s.Tell([]progress.Status{{Name: "rtl", Elapsed: time.Since(begin)}, {Name: "other", Elapsed: time.Since(begin)}})
		}
		p.show(epochOf(300, false))
		time.Sleep(screen.LastPause)
		p.show(epochOf(300, false))
		p.show(epochOf(600, true))
		want := "rtl: 10 s\nother: 10 s\nrtl: 30 s\nother: 30 s\nrtl: 1 min 10 s\nother: 1 min 10 s\nrtl: 2 min 10 " +
			"s\nother: 2 min 10 s\n" +
			"rtl: 3 min 10 s\nother: 3 min 10 s\n" +
			"epoch  137/1000  batch 300/600  loss 0.1234  train 98.77 %  1234.50M gate steps/s  3h25m45s left\n" +
			"epoch  137/1000  loss 0.1234  train 98.77 %  test 90.12 %  relaxed 91.23 %  validation 33.33 %  1234.50M gate " +
			"steps/s  3h25m45s left\n"
		if diff := cmp.Diff(want, out.String()); diff != "" {
			t.Errorf("lines (-want +got):\n%s", diff)
		}
	})
}

// TestQuiet checks that --quiet hides the progress but not the warnings.
func TestQuiet(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		v := &teletype{t: t, columns: 80}
		for _, s := range []*screen.Screen{screen.New(&out), v.screen()} {
			p, k := &epochs{Screen: s, bar: true, quiet: true}, screen.NewSteps(s, "", true)
			time.Sleep(time.Hour)
			p.show(epochOf(300, false))
			p.show(epochOf(600, true))
			k.Show(1, 2)
			k.End(nil)
			warn(s, errors.New("mind"))
		}
		if want := "ialgn: warning: mind\n"; out.String() != want || strings.Join(v.rows, "\n") != want {
			t.Errorf("%q and %q, want %q", out.String(), v.rows, want)
		}
	})
}

// TestNoTerminal checks that files and dumb terminals get lines.
func TestNoTerminal(t *testing.T) {
	f, err := os.Create(t.TempDir() + "/stderr")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if screen.New(f).Terminal() {
		t.Error("a file was taken for a terminal")
	}
}
