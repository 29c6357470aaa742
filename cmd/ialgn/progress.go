package main

import (
	"encoding/json"
	"fmt"
	"os"
	"time"

	"github.com/urfave/cli/v2"

	"ialgn/internal/hint"
	"ialgn/internal/overwrite"
	"ialgn/internal/screen"
	"ialgn/trainer"
)

// epochs shows a training run: a bar on a terminal and a line an epoch, and a log of JSON lines if
// asked for.
type epochs struct {
	*screen.Screen
	bar   bool // while an epoch lasts, on a terminal
	quiet bool
	label string        // begins each line
	test  []screen.Part // accuracies after the last epoch
	seed  *uint64
	log   *os.File
	start time.Time
}

func newEpochs(c *cli.Context, log string) (*epochs, error) {
	p := &epochs{Screen: screenOf(c), bar: true, quiet: c.Bool("quiet"), start: time.Now()}
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

// warn tells of what may be amiss with the run.
func (p *epochs) warn(err error) { warn(p.Screen, err) }

// close ends what is shown.
func (p *epochs) close() {
	p.Clear()
	if p.log != nil {
		p.log.Close()
	}
}

// begin starts the run of one of several seeds.
func (p *epochs) begin(seed uint64) { p.seed, p.test, p.start = &seed, nil, time.Now() }

func (p *epochs) show(s trainer.Progress) {
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

// room returns how many columns a line has, 0 for any.
func (p *epochs) room() int {
	if !p.Terminal() {
		return 0
	}
	return max(1, p.Columns()-screen.Cells(p.label))
}

// parts returns the line about an epoch, with how far it is unless it is done.
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

// accuracies returns those after a finished epoch.
func accuracies(s trainer.Progress) []screen.Part {
	e := s.Finished
	parts := []screen.Part{{Text: "test " + percent(float64(e.TestCorrect)/float64(e.TestSamples)), Rank: 1}}
	if s.Relaxed != nil {
		parts = append(parts, screen.Part{Text: "relaxed " + percent(*s.Relaxed), Rank: 4})
	}
	if v := validationAccuracy(s); v != nil {
		parts = append(parts, screen.Part{Text: "validation " + percent(*v), Rank: 4})
	}
	return parts
}

// logLine appends an epoch to the log.
func (p *epochs) logLine(s trainer.Progress) {
	if p.log == nil {
		return
	}
	line, err := json.Marshal(struct {
		Time       string   `json:"time"`
		Seed       *uint64  `json:"seed,omitempty"` // set with --seeds
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
		time.Now().UTC().Format(time.RFC3339), p.seed, s.Epoch, s.LearningRate, s.Loss, s.TrainAccuracy,
		validationAccuracy(s),
		float64(s.Finished.TestCorrect) / float64(s.Finished.TestSamples), s.Relaxed, time.Since(p.start).Seconds(),
		s.InStep.Seconds(), s.GateStepsRate,
	})
	if err == nil {
		_, err = p.log.Write(append(line, '\n'))
	}
	if err != nil {
		warn(p.Screen, fmt.Errorf("--log: %w", err))
	}
}

// validationAccuracy returns that of a finished epoch, nil without a validation set.
func validationAccuracy(s trainer.Progress) *float64 {
	e := s.Finished
	if e.ValidationSamples == 0 {
		return nil
	}
	v := float64(e.ValidationCorrect) / float64(e.ValidationSamples)
	return &v
}
