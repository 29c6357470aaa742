package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/urfave/cli/v2"
	"golang.org/x/term"

	"ialgn/internal/hint"
	"ialgn/internal/overwrite"
	"ialgn/internal/plural"
	"ialgn/trainer"
)

// progress shows a training run: a bar on a terminal, else a line an epoch, and a log
// of JSON lines if asked for.
type progress struct {
	w     io.Writer
	bar   bool
	quiet bool
	drawn time.Time
	label string // begins each line
	test  string // accuracies after the last epoch
	seed  *uint64
	log   *os.File
	start time.Time
}

func newProgress(c *cli.Context, log string) (*progress, error) {
	p := &progress{w: c.App.ErrWriter, quiet: c.Bool("quiet"), start: time.Now()}
	if f, ok := p.w.(*os.File); ok {
		p.bar = term.IsTerminal(int(f.Fd()))
	}
	if log == "" {
		return p, nil
	}
	if err := guard(c).Check(log, overwrite.Log); err != nil {
		return nil, fmt.Errorf("--log: %w", err)
	}
	f, err := os.OpenFile(log, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	if err != nil {
		return nil, hint.With(fmt.Errorf("--log: %w", err), "name a file in a folder that is there and can be written")
	}
	p.log = f
	return p, nil
}

func (p *progress) close() {
	if p.log != nil {
		p.log.Close()
	}
}

// begin starts the run of one of several seeds.
func (p *progress) begin(seed uint64) { p.seed, p.test, p.start = &seed, "", time.Now() }

// redraw is the time between two states of the bar.
const redraw = 200 * time.Millisecond

func (p *progress) show(s trainer.Progress) {
	if s.Finished != nil {
		p.logLine(s)
	}
	if p.quiet {
		return
	}
	if s.Finished != nil {
		p.test = "test " + percent(float64(s.Finished.TestCorrect)/float64(s.Finished.TestSamples)) + "  "
		if s.Relaxed != nil {
			p.test += "relaxed " + percent(*s.Relaxed) + "  "
		}
		if v := validationAccuracy(s); v != nil {
			p.test += "validation " + percent(*v) + "  "
		}
		if p.bar {
			fmt.Fprint(p.w, "\r\x1b[K")
		}
		fmt.Fprintf(p.w, "%sepoch %*d/%d  loss %.4f  train %s  %s%.2fM gate steps/s  %s left\n",
			p.label, len(fmt.Sprint(s.Epochs)), s.Epoch, s.Epochs, s.Loss, percent(s.TrainAccuracy), p.test, s.GateStepsRate/1e6, s.Left.Round(time.Second))
		return
	}
	if p.bar && time.Since(p.drawn) > redraw {
		p.drawn = time.Now()
		const width = 24
		done := width * s.Batch / max(1, s.Batches)
		fmt.Fprintf(p.w, "\r\x1b[Kepoch %d/%d [%s%s] loss %.4f  train %s  %s%.2fM gate steps/s  %s left", s.Epoch, s.Epochs,
			strings.Repeat("#", done), strings.Repeat(".", width-done), s.Loss, percent(s.TrainAccuracy), p.test, s.GateStepsRate/1e6, s.Left.Round(time.Second))
	}
}

// logLine appends an epoch to the log.
func (p *progress) logLine(s trainer.Progress) {
	if p.log == nil {
		return
	}
	line, err := json.Marshal(struct {
		Time       string   `json:"time"`
		Seed       *uint64  `json:"seed,omitempty"` // with --seeds
		Epoch      int      `json:"epoch"`
		Rate       float64  `json:"learning_rate"`
		Loss       float64  `json:"loss"`
		Train      float64  `json:"train_accuracy"`
		Validation *float64 `json:"validation_accuracy,omitempty"`
		Test       float64  `json:"test_accuracy"`
		Relaxed    *float64 `json:"relaxed_test_accuracy,omitempty"`
		Seconds    float64  `json:"seconds"`
		InStep     float64  `json:"step_seconds"`
		GateRate   float64  `json:"gate_steps_per_second"`
	}{
		time.Now().UTC().Format(time.RFC3339), p.seed, s.Epoch, s.LearningRate, s.Loss, s.TrainAccuracy, validationAccuracy(s),
		float64(s.Finished.TestCorrect) / float64(s.Finished.TestSamples), s.Relaxed, time.Since(p.start).Seconds(), s.InStep.Seconds(), s.GateStepsRate,
	})
	if err == nil {
		_, err = p.log.Write(append(line, '\n'))
	}
	if err != nil {
		p.warn(fmt.Errorf("--log: %w", err))
	}
}

// warn tells of something that went wrong while the run goes on, with --quiet too.
func (p *progress) warn(err error) { fmt.Fprintf(p.w, "ialgn: warning: %v\n", err) }

// validationAccuracy returns that of a finished epoch, nil without a validation set.
func validationAccuracy(s trainer.Progress) *float64 {
	e := s.Finished
	if e.ValidationSamples == 0 {
		return nil
	}
	v := float64(e.ValidationCorrect) / float64(e.ValidationSamples)
	return &v
}

// stepProgress shows how far a calculation of many equal steps is: on a terminal a line that
// changes, else nothing until it ends.
type stepProgress struct {
	w            io.Writer
	what         string
	bar, quiet   bool
	start, drawn time.Time
	steps        int
}

func newStepProgress(c *cli.Context, what string) *stepProgress {
	p := &stepProgress{w: c.App.ErrWriter, what: what, quiet: c.Bool("quiet"), start: time.Now()}
	if f, ok := p.w.(*os.File); ok {
		p.bar = term.IsTerminal(int(f.Fd()))
	}
	return p
}

// show tells that so many steps are done.
func (p *stepProgress) show(done, steps int) {
	p.steps = done
	if p.quiet || !p.bar || time.Since(p.drawn) < redraw {
		return
	}
	p.drawn = time.Now()
	const width = 24
	at := width * done / steps
	left := time.Since(p.start) / time.Duration(done) * time.Duration(steps-done)
	fmt.Fprintf(p.w, "\r\x1b[K%s [%s%s] %d/%d  %s left", p.what, strings.Repeat("#", at), strings.Repeat(".", width-at), done, steps, left.Round(time.Second))
}

// end clears the line, and says how long it took unless an error ended it.
func (p *stepProgress) end(err error) {
	if p.quiet {
		return
	}
	if p.bar {
		fmt.Fprint(p.w, "\r\x1b[K")
	}
	if err != nil {
		return
	}
	fmt.Fprintf(p.w, "%s: %s in %.1f s\n", p.what, plural.Of(p.steps, "step", "steps"), time.Since(p.start).Seconds())
}
