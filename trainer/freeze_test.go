package trainer

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"testing"

	"ialgn/internal/kernel"
	"ialgn/internal/model"
	"ialgn/internal/testkit"
)

// freezing lists networks whose layers are frozen one after another. There is one network for each engine and
// estimator.
var freezing = []struct {
	name string
	sets []string
}{
	{"chains", nil},
	{"chains-soft", []string{"train.estimator=soft"}},
	{"hidden", []string{"model.hidden=4", "model.parametrization=light"}},
	{"rwlgn", []string{"model.topology=rwlgn", "model.wiring=structured"}},
	{"soft-rwlgn", []string{"model.topology=rwlgn", "train.estimator=soft"}},
	{"gumbel-rwlgn", []string{"model.topology=rwlgn", "train.estimator=gumbel", "train.temperature=0.5"}},
	{"tables", []string{"model.inputs=3", "train.gradients=int8"}},
	{"tables-weighted", []string{"model.inputs=3", "train.class_weights=1=3"}},
	{"tables-soft", []string{"model.inputs=3", "train.estimator=soft"}},
	{"candidates", []string{"train.candidates.kind=gradient", "train.candidates.until=0.2"}},
	{"conv", []string{
		"model.topology=conv", "model.kernels=10", "model.levels=2", "model.widths=40,20", "model.width=20",
		"train.estimator=soft", "model.hidden=2",
	}},
	{"conv-gumbel", []string{
		"model.topology=conv", "model.kernels=10", "model.levels=2", "model.widths=40,20", "model.width=20",
		"train.estimator=gumbel",
	}},
}

// byLayers holds overrides that freeze four layers during four epochs. The first layer is frozen after epoch 1, the
// next two layers after epoch 2 and the last layer after epoch 3.
var byLayers = []string{
	"train.epochs=4", "train.freeze.kind=layerwise", "train.freeze.from=0.25", "train.freeze.until=0.75",
	"train.optimizer.lr=0.05",
}

// TestFreeze freezes layers of networks of every engine. It interrupts each run at several times: before a layer is
// frozen, right after a layer is frozen, and between two such times. It resumes the run on another SIMD path with
// another number of threads. The resulting model must have the same bytes as without interruption. At the end, a
// frozen layer must have the logits from the time when it was frozen, and the other layers must have changed. By
// default, each network is interrupted at two of the four times.
func TestFreeze(t *testing.T) {
	before, err := kernel.Path()
	if err != nil {
		t.Fatal(err)
	}
	defer kernel.Use(before)
	few := fewDigits(t)
	paths := kernel.Paths()
	for number, n := range freezing {
		t.Run(n.name, func(t *testing.T) {
			dir := t.TempDir()
			file := filepath.Join(dir, "m")
			cfg := parse(t, append(few(n.sets...), byLayers...)...)
			train(t, Run{Config: cfg, Model: file, Threads: 3})
			done := loadModel(t, file)
			for i, at := range []struct{ epoch, batch, frozen int }{{1, 0, 1}, {2, 7, 1}, {2, 0, 3}, {4, 3, 3}} {
				if i%2 != number%2 && !testkit.Whole() {
					continue
				}
				if err := kernel.Use(paths[(number+i/2)%len(paths)]); err != nil {
					t.Fatal(err)
				}
				state := filepath.Join(dir, "interrupted")
				interruptedAt(t, Run{Config: cfg, Model: state, Threads: 2}, at.epoch, at.batch)
				m := loadModel(t, CheckpointPath(state))
				for l := range 4 {
					if same := slices.Equal(layerLogits(m, l), layerLogits(done, l)); same != (l < at.frozen) {
						t.Errorf("%+v: layer %d has its last logits: %v, and %d layers are frozen", at, l, same, at.frozen)
					}
				}
				train(t, Run{Config: cfg, Model: state, Threads: 1, Resume: true})
				if string(read(t, state)) != string(read(t, file)) {
					t.Errorf("%+v: the resumed model differs from the uninterrupted one", at)
				}
			}
		})
	}
}

// interruptedAt trains until the given epoch and batch and is interrupted there. With batch 0, the interruption comes
// after the epoch's evaluation.
func interruptedAt(t *testing.T, r Run, epoch, batch int) {
	t.Helper()
	if batch > 0 {
		interrupted(t, r, epoch, batch)
		return
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	r.Progress = func(p Progress) {
		if p.Finished != nil && p.Epoch == epoch {
			cancel()
		}
	}
	if _, err := r.Train(ctx); !errors.Is(err, ErrInterrupted) {
		t.Fatalf("error %v, want interrupted", err)
	}
}

// layerLogits returns all logits of a layer.
func layerLogits(m *model.Model, layer int) (all []float32) {
	for i := range m.Sections {
		s := &m.Sections[i]
		if layer >= s.Layers {
			layer -= s.Layers
			continue
		}
		for node := range s.Width {
			g := node*s.Layers + layer
			all = append(all, s.Ops[g*s.Arity:][:s.Arity]...)
			for k := range s.Pins {
				if p := &s.Pins[k]; p.K > 1 {
					all = append(all, p.Logits[g*p.K:][:p.K]...)
				}
			}
		}
		return all
	}
	return all
}

// TestFreezeGap trains relaxed networks with and without frozen layers. Once all layers are frozen, the relaxed
// network equals the frozen network, so there is no discretisation gap. The last layer goes on learning.
func TestFreezeGap(t *testing.T) {
	for _, network := range [][]string{{"model.topology=rwlgn"}, nil, {"model.inputs=3", "model.depth=2"}, {
		"model.topology=conv", "model.kernels=10", "model.levels=2", "model.widths=40,20", "model.width=20", "model.tau=1",
	}} {
		run := func(sets ...string) (*Summary, []model.Epoch) {
			sets = slices.Concat(network, []string{"train.estimator=soft", "train.epochs=6", "model.init=random"}, sets)
			file := filepath.Join(t.TempDir(), "m")
			return train(t, Run{Config: parse(t, sets...), Model: file}), loadModel(t, file).Record.Epochs
		}
		open, _ := run()
		closed, epochs := run("train.freeze.kind=layerwise", "train.freeze.from=0.3", "train.freeze.until=0.5")
		if *open.Gap < 0.01 || *closed.Gap != 0 {
			t.Errorf("%v: the gap is %v, and %v with frozen layers", network, *open.Gap, *closed.Gap)
		}
		if epochs[5].Loss >= epochs[3].Loss || epochs[5].TestCorrect == epochs[3].TestCorrect {
			t.Errorf("%v: the last layer does not learn: %+v, %+v", network, epochs[3], epochs[5])
		}
	}
}

// TestFreezeEpochs checks that a run with freezing cannot be resumed with another number of epochs. The number of
// epochs decides when layers are frozen.
func TestFreezeEpochs(t *testing.T) {
	r := Run{Config: parse(t, "train.epochs=2", "train.freeze.kind=layerwise"), Model: filepath.Join(t.TempDir(), "m")}
	train(t, r)
	r.Config, r.Resume = parse(t, "train.epochs=3", "train.freeze.kind=layerwise"), true
	refused(t, r, "train.freeze freezes layers after shares of train.epochs = 2, and 3 would change the course of training")
}
