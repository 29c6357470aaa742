package trainer

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"ialgn/internal/config"
	"ialgn/internal/testkit"
)

// FuzzCheckpoint resumes from a checkpoint file that consists of the fuzzed bytes. Resuming must not panic, and its
// memory must be in proportion to the size of the file. If the checkpoint is accepted, training must reach the end of
// a batch, and saving must write the same contents again.
func FuzzCheckpoint(f *testing.F) { fuzzCheckpoints(f, 0) }

// FuzzLearnedCheckpoint is [FuzzCheckpoint] with checkpoints that hold the gradient sums of learned thresholds.
func FuzzLearnedCheckpoint(f *testing.F) { fuzzCheckpoints(f, 8, "encoder.thresholds=learned") }

// FuzzConvolutionCheckpoint is [FuzzCheckpoint] with kernels that positions share.
func FuzzConvolutionCheckpoint(f *testing.F) {
	fuzzCheckpoints(f, 0, "model.topology=conv", "model.kernels=2,3", "model.levels=1", "model.widths=10", "model.width=10",
		"model.depth=3", "model.anchored=1")
}

// FuzzRecurrentCheckpoint is [FuzzCheckpoint] with layers that steps share.
func FuzzRecurrentCheckpoint(f *testing.F) {
	fuzzCheckpoints(f, 0, "model.topology=recurrent", "model.widths=10,10", "model.hidden=2")
}

// fuzzCheckpoints adds two checkpoints to the corpus, the first after the given number of batches and the second one
// batch later.
func fuzzCheckpoints(f *testing.F, batches int, sets ...string) {
	path := filepath.Join(f.TempDir(), "m")
	cfg, err := config.Parse("tiny.yaml", []byte(small), append([]string{
		"model.width=10", "model.depth=2", "model.anchors=2",
		"model.tau=1", "encoder.bits=2",
	}, sets...))
	if err != nil {
		f.Fatal(err)
	}
	data, err := LoadData(f.Context(), cfg, nil)
	if err != nil {
		f.Fatal(err)
	}
	run := Run{Config: cfg, Model: path, Threads: 1}
	first := &session{Run: run, data: data}
	if err := first.prepare(); err != nil {
		f.Fatal(err)
	}
	batch := func() {
		if err := first.batch(f.Context()); err != nil {
			f.Fatal(err)
		}
	}
	for range batches {
		batch() // all samples are the first sample, because the order is not drawn
	}
	for range 2 {
		if err := first.save(); err != nil {
			f.Fatal(err)
		}
		text, err := os.ReadFile(CheckpointPath(path))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
		f.Add(text[:len(text)/2])
		batch()
	}
	run.Resume = true
	f.Fuzz(func(t *testing.T, text []byte) {
		fuzzCheckpoint(t, run, data, text)
		fuzzCheckpoint(t, run, data, testkit.ResignModel(text)) // with a valid checksum, to reach the later checks
	})
}

func fuzzCheckpoint(t *testing.T, run Run, data *Data, text []byte) {
	if err := os.WriteFile(CheckpointPath(run.Model), text, 0o666); err != nil {
		t.Fatal(err)
	}
	var begin, end runtime.MemStats
	runtime.ReadMemStats(&begin)
	s := &session{Run: run, data: data}
	err := s.prepare()
	runtime.ReadMemStats(&end)
	if grown := end.TotalAlloc - begin.TotalAlloc; grown > 8<<20+400*uint64(len(text)) {
		t.Errorf("%d bytes took %d bytes of memory", len(text), grown)
	}
	if err != nil {
		return
	}
	if s.at.Epoch != len(s.m.Record.Epochs) || s.at.Step != s.at.Epoch*39+s.at.Batch || s.at.Batch > 39 {
		t.Errorf("accepted %+v", s.at)
	}
	if err := s.save(); err != nil {
		t.Errorf("accepted, but not saved: %v", err)
	}
	again := &session{Run: run, data: data}
	if err := again.prepare(); err != nil || again.at != s.at {
		t.Errorf("saved, but not accepted: %v", err)
	}
}
