package trainer

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"ialgn/trainer/config"
)

// cifar12k4 is the paper's smallest CIFAR-10 network, whose steps are short beside what
// a batch of 46,080 input bits costs to prepare.
const cifar12k4 = `
name: cifar10-12k-4
data: {set: cifar10}
model: {width: 12000, depth: 4}
train: {epochs: 1, seed: 1}
`

// BenchmarkAround trains epochs on CIFAR-10 and reports the share of the time outside
// optimiser steps: gathering, shuffling and evaluation, but not reading the files. It
// tells apart what an evaluation and a checkpoint take, of which there is one in five
// minutes.
func BenchmarkAround(b *testing.B) {
	s := around(b)
	var whole, evaluation, checkpoint time.Duration
	for b.Loop() {
		begin := time.Now()
		s.at = position{Step: s.at.Step}
		if err := s.epoch(b.Context()); err != nil {
			b.Fatal(err)
		}
		whole += time.Since(begin)
		begin = time.Now()
		if _, err := s.evaluate(b.Context()); err != nil {
			b.Fatal(err)
		}
		evaluation += time.Since(begin)
		begin = time.Now()
		if err := s.save(); err != nil {
			b.Fatal(err)
		}
		checkpoint += time.Since(begin)
	}
	epochs, outside := float64(b.N), (whole - s.inStep).Seconds()
	b.ReportMetric(100*outside/whole.Seconds(), "%outside-steps")
	b.ReportMetric(s.inStep.Seconds()*1e3/float64(s.at.Step), "ms/step")
	b.ReportMetric((outside-evaluation.Seconds())*1e3/float64(s.at.Step), "gather-ms/step")
	b.ReportMetric(evaluation.Seconds()*1e3/epochs, "ms/evaluation")
	b.ReportMetric(checkpoint.Seconds()*1e3/epochs, "ms/checkpoint")
}

// around returns a session before its first epoch.
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
