package trainer

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"ialgn/internal/config"
	"ialgn/internal/draw"
)

// cifar12k4 is the paper's smallest CIFAR-10 network. An optimiser step of this network is short compared with the
// preparation of a batch of samples of 46,080 input bits.
const cifar12k4 = `
name: cifar10-12k-4
data: {set: cifar10}
model: {width: 12000, depth: 4}
train: {epochs: 1, seed: 1}
`

// BenchmarkAround trains epochs on CIFAR-10 and reports the share of the time that is spent outside optimiser steps.
// This time excludes reading files and writing checkpoints. The benchmark also reports the times of an evaluation, a
// checkpoint, gathering a batch and making a step. For the batch and the step it reports the shortest time measured,
// because this time is least disturbed by other work on the machine.
func BenchmarkAround(b *testing.B) {
	s := around(b)
	var whole, evaluation, checkpoint time.Duration
	gather, step := time.Hour, time.Hour
	timed := func(f func()) time.Duration {
		begin := time.Now()
		f()
		return time.Since(begin)
	}
	for b.Loop() {
		whole += timed(func() {
			draw.New(1, draw.Shuffle, s.at.Epoch, 0).Permutation(s.order)
			for s.at.Batch = 0; s.at.Batch < s.batches(); {
				before := s.inStep
				all := timed(func() {
					if err := s.batch(b.Context()); err != nil {
						b.Fatal(err)
					}
				})
				last := s.inStep - before
				gather, step = min(gather, all-last), min(step, last)
			}
			evaluation += timed(func() {
				if _, err := s.evaluate(b.Context()); err != nil {
					b.Fatal(err)
				}
			})
		})
		checkpoint += timed(func() {
			if err := s.save(); err != nil {
				b.Fatal(err)
			}
		})
	}
	epochs := float64(b.N)
	b.ReportMetric(100*(whole-s.inStep).Seconds()/whole.Seconds(), "%outside-steps")
	b.ReportMetric(step.Seconds()*1e3, "best-ms/step")
	b.ReportMetric(gather.Seconds()*1e3, "best-ms/gathering")
	b.ReportMetric(evaluation.Seconds()*1e3/epochs, "ms/evaluation")
	b.ReportMetric(checkpoint.Seconds()*1e3/epochs, "ms/checkpoint")
}

// around returns a session that is ready for its first epoch.
func around(b *testing.B) *session {
	cfg, err := config.Parse("around", []byte(cifar12k4), nil)
	if err != nil {
		b.Fatal(err)
	}
	r := Run{Config: cfg, Model: filepath.Join(b.TempDir(), "m"), Threads: runtime.GOMAXPROCS(0)}
	data, err := LoadData(b.Context(), cfg, []string{os.Getenv("IALGN_DATA")})
	if errors.Is(err, fs.ErrNotExist) {
		b.Skipf("needs CIFAR-10 in $IALGN_DATA: %v", err)
	} else if err != nil {
		b.Fatal(err)
	}
	s := &session{Run: r, data: data}
	if err := s.prepare(); err != nil {
		b.Fatal(err)
	}
	s.started, s.saved = time.Now(), time.Now()
	return s
}
