package main

import (
	"fmt"
	"time"

	"ialgn"

	"github.com/urfave/cli/v2"

	"ialgn/internal/runlog"
	"ialgn/internal/screen"
	"ialgn/trainer"
)

// epochs shows the progress of a training run. It shows a bar on a terminal and a line for each epoch, and may write
// a log.
type epochs struct {
	*screen.Screen
	bar   bool // show a bar during an epoch, on a terminal
	quiet bool
	begun bool          // some batch was trained
	label string        // prefix of each line
	test  []screen.Part // accuracies after the last epoch
	run   string        // the configuration's name
	seed  uint64
	seeds bool // there are several seeds
	fold  *int // the fold of a cross-validation, from 1; nil: none
	log   *runlog.Writer
	table bool // the log has columns for run and seed
	start time.Time
}

// newEpochs returns the display of a run. If the argument log is not empty, the display also writes this file.
func newEpochs(c *cli.Context, cfg *ialgn.Config, log string) (*epochs, error) {
	p := &epochs{
		Screen: screenOf(c), bar: true, quiet: c.Bool("quiet"), start: time.Now(),
		run: cfg.Name, seed: cfg.Train.Seed, table: runlog.IsCSV(log),
	}
	if log == "" {
		return p, nil
	}
	var err error
	if p.log, err = runlog.Append(log, guard(c)); err != nil {
		return nil, fmt.Errorf("--log: %w", err)
	}
	return p, nil
}

// warn writes a warning about the run.
func (p *epochs) warn(err error) { warn(p.Screen, err) }

// close ends the display and closes the log.
func (p *epochs) close() {
	p.Clear()
	if p.log != nil {
		p.log.Close()
	}
}

// beginSeed resets the display for the run of a seed.
func (p *epochs) beginSeed(seed uint64) {
	p.seed, p.seeds, p.begun, p.test, p.start = seed, true, false, nil, time.Now()
}

// beginFold resets the display for the run of a fold.
func (p *epochs) beginFold(fold int) {
	p.fold, p.begun, p.test, p.start = &fold, false, nil, time.Now()
}

func (p *epochs) show(s trainer.Progress) {
	p.begun = true
	if s.Finished != nil {
		p.logLine(s)
		p.test = accuracies(s)
	}
	switch {
	case p.quiet:
	case s.Finished != nil:
		fmt.Fprintln(p, p.label+screen.Fit(p.parts(s, ""), p.room()))
	case p.bar && p.Terminal():
		p.Draw(func(columns int) []screen.Part { return p.parts(s, screen.Gauge(s.Batch, s.Batches, columns)) })
	case p.Due():
		fmt.Fprintln(p, p.label+screen.Join(p.parts(s, fmt.Sprintf("batch %d/%d", s.Batch, s.Batches))))
	}
}

// room returns the number of columns for a line, or 0 if there is no limit.
func (p *epochs) room() int {
	if !p.Terminal() {
		return 0
	}
	return max(1, p.Columns()-screen.Cells(p.label))
}

// parts returns the parts of an epoch's line. The argument within is the text about the progress inside the epoch, or
// "" at the end of the epoch.
func (p *epochs) parts(s trainer.Progress, within string) []screen.Part {
	parts := []screen.Part{{Text: fmt.Sprintf("epoch %*d/%d", len(fmt.Sprint(s.Epochs)), s.Epoch, s.Epochs)}}
	if within != "" {
		parts = append(parts, screen.Part{Text: within, Rank: 5})
	}
	parts = append(parts, screen.Part{Text: fmt.Sprintf("loss %.4f", s.Loss), Rank: 3},
		screen.Part{Text: "train " + percent(s.TrainAccuracy), Rank: 2})
	parts = append(parts, p.test...)
	return append(parts,
		screen.Part{Text: fmt.Sprintf("%.2fM gate steps/s", s.GateStepsRate/1e6), Rank: 6},
		screen.Part{Text: s.Left.Round(time.Second).String() + " left", Rank: 1})
}

// accuracies returns the accuracies after a finished epoch.
func accuracies(s trainer.Progress) []screen.Part {
	e := s.Finished
	parts := []screen.Part{{Text: "test " + percent(float64(e.TestCorrect)/float64(e.TestSamples)), Rank: 1}}
	if s.Relaxed != nil {
		parts = append(parts, screen.Part{Text: "relaxed " + percent(*s.Relaxed), Rank: 4})
	}
	if n := e.ValidationSamples; n > 0 {
		share := float64(e.ValidationCorrect) / float64(n)
		parts = append(parts, screen.Part{Text: "validation " + percent(share), Rank: 4})
	}
	if s.Metric != nil {
		parts = append(parts, screen.Part{Text: fmt.Sprintf("metric %.4f", *s.Metric), Rank: 4})
	}
	return parts
}

// logLine appends an epoch to the log.
func (p *epochs) logLine(s trainer.Progress) {
	if p.log == nil {
		return
	}
	e := runlog.Of(s, p.start)
	if e.Run = p.run; p.seeds || p.table {
		e.Seed = &p.seed
	}
	e.Fold = p.fold
	err := p.log.Write(e)
	if err != nil {
		warn(p.Screen, fmt.Errorf("--log: %w", err))
	}
}
