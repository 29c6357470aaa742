package trainer

import (
	"context"
	"errors"
	"math"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ialgn/trainer/kernel"
	"ialgn/trainer/model"
)

// pruned are networks from which something is removed after two of four epochs: of each engine and estimator one, and
// with candidates that are replaced meanwhile.
var pruned = []struct {
	name string
	sets []string
}{
	{"gates", nil},
	{"light", []string{"model.parametrization=light"}},
	{"hidden", []string{"model.hidden=4"}},
	{"soft", []string{"train.estimator=soft", "model.hidden=4"}},
	{"rwlgn", []string{"model.topology=rwlgn", "train.candidates.kind=fixed"}},
	{"six-pins", []string{"model.inputs=6", "model.depth=2", "train.gradients=int8"}},
	{"four-pins-random", []string{"model.inputs=4", "model.depth=2", "train.candidates.kind=random"}},
	{"layered", []string{"model.topology=layered", "model.depth=2", "model.widths=70,60", "model.hidden=6"}},
	{"tree", []string{"model.topology=tree", "model.inputs=6", "model.leaves=3", "model.depth=2"}},
	{"gumbel", []string{"model.inputs=4", "model.depth=2", "train.estimator=gumbel", "train.temperature=0.3"}},
	{"soft-nodes", []string{"model.inputs=3", "train.estimator=soft", "model.depth=2"}},
	{"learned-cost", []string{
		"model.inputs=6", "model.depth=2", "encoder.thresholds=learned", "train.cost.target=ice40", "train.cost.pressure=0.0003",
	}},
}

// removing are the overrides of a removal, and of a validation set and tables refilled at the end.
var removing = []string{
	"train.epochs=4", "train.candidates.kind=gradient", "train.optimizer.lr=0.05",
	"train.prune.bits=0.2", "train.prune.nodes=0.1", "train.prune.at=0.5", "train.refill=true",
	"train.validation.share=0.2",
}

// TestPrune removes a part of networks of every kind in the middle of a run, on each path and with several numbers of
// threads, and interrupts right before the removal, while it is being chosen, right after it and later: all give the
// same bytes. What was removed stays constant through the epochs that follow, and the best epoch is one of these.
func TestPrune(t *testing.T) {
	before, err := kernel.Path()
	if err != nil {
		t.Fatal(err)
	}
	defer kernel.Use(before)
	for i, n := range pruned {
		t.Run(n.name, func(t *testing.T) {
			dir := t.TempDir()
			cfg := parse(t, slices.Concat(removing, n.sets)...)
			var want []byte
			for i, path := range slices.Concat(kernel.Paths(), kernel.Paths()[:1]) {
				if err := kernel.Use(path); err != nil {
					t.Fatal(err)
				}
				file := filepath.Join(dir, "m")
				train(t, Run{Config: cfg, Model: file, Threads: 1 + i})
				if got := read(t, file); want == nil {
					want = got
					checkPruned(t, file)
				} else if string(got) != string(want) {
					t.Errorf("path %s, %d threads: another model", path, 1+i)
				}
			}
			places := []struct{ epoch, batch int }{{2, 31}, {2, 0}, {3, 1}, {3, 12}}
			if i%3 > 0 { // a third of the networks in every place, the others in two
				places = places[i%2*2:][:2]
			}
			for _, at := range places {
				file := filepath.Join(dir, "interrupted")
				interruptedAt(t, Run{Config: cfg, Model: file, Threads: 2}, at.epoch, at.batch)
				removed := loadModel(t, CheckpointPath(file)).Record.Pruned != nil
				if removed != (at.epoch > 2) {
					t.Errorf("%+v: the checkpoint is of a network with a removal: %v", at, removed)
				}
				train(t, Run{Config: cfg, Model: file, Threads: 1, Resume: true})
				if string(read(t, file)) != string(want) {
					t.Errorf("%+v: the resumed model differs from the uninterrupted one", at)
				}
			}
		})
	}
}

// interruptedAt is interrupted; batch 0 is after the epoch was evaluated.
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

// checkPruned holds a model to the record of what was removed from it.
func checkPruned(t *testing.T, file string) {
	t.Helper()
	m := loadModel(t, file)
	p := m.Record.Pruned
	if p == nil || p.Epoch != 2 || p.Bits != 12 || p.Nodes < 1 || !(p.LossBefore > 0) || !(p.LossAfter > 0) {
		t.Fatalf("record of the removal: %+v", p)
	}
	if m.Record.Kept <= p.Epoch {
		t.Errorf("epoch %d was kept, of before the removal", m.Record.Kept)
	}
	f, zeros, constant := m.Freeze(), 0, 0
	for l := range f.Layers {
		layer := &f.Layers[l]
		for i := range layer.Width() {
			switch table := layer.Op.At(i); {
			case l == f.Depth()-1 && table == 0:
				zeros++
			case l < f.Depth()-1 && (table == 0 || table == model.LastTable(len(layer.Pins))):
				constant++
			}
		}
	}
	if zeros < p.Bits || constant < p.Nodes {
		t.Errorf("%d bits are 0 and %d nodes constant, but %d and %d were removed", zeros, constant, p.Bits, p.Nodes)
	}
	if locked := locked(m); locked != p.Bits+p.Nodes {
		t.Errorf("%d nodes have locked logits, want %d", locked, p.Bits+p.Nodes)
	}
}

// locked returns the number of nodes all of whose function logits are far beyond what training reaches.
func locked(m *model.Model) (n int) {
	for i := range m.Sections {
		s := &m.Sections[i]
		for ops := range slices.Chunk(s.Ops, s.Arity) {
			if !slices.ContainsFunc(ops, func(w float32) bool { return math.Abs(float64(w)) != 1<<40 }) {
				n++
			}
		}
	}
	return n
}

// TestPruneCounts removes bits alone and nodes alone, and nothing.
func TestPruneCounts(t *testing.T) {
	for _, c := range []struct {
		set         string
		bits, nodes bool
	}{{"train.prune.bits=0.1", true, false}, {"train.prune.nodes=0.1", false, true}, {"train.prune.bits=0", false, false}} {
		s := train(t, Run{Config: parse(t, "train.epochs=2", c.set), Model: filepath.Join(t.TempDir(), "m")})
		switch p := s.Pruned; {
		case !c.bits && !c.nodes:
			if p != nil {
				t.Errorf("%s: %+v", c.set, p)
			}
		case p == nil || p.Epoch != 1 || (p.Bits > 0) != c.bits || (p.Nodes > 0) != c.nodes || s.BestEpoch != 2:
			t.Errorf("%s: %+v, best epoch %d", c.set, p, s.BestEpoch)
		}
	}
}

// TestPruneEpochs refuses to resume with another number of epochs, on which the time of the removal depends.
func TestPruneEpochs(t *testing.T) {
	r := Run{Config: parse(t, "train.epochs=2", "train.prune.bits=0.1"), Model: filepath.Join(t.TempDir(), "m")}
	train(t, r)
	r.Config, r.Resume = parse(t, "train.epochs=3", "train.prune.bits=0.1"), true
	refused(t, r, "train.prune removes bits or nodes after a share of train.epochs = 2, and 3 would be another course")
}

// TestPatienceAfterRemoval loses patience with the epochs after a removal alone.
func TestPatienceAfterRemoval(t *testing.T) {
	s := train(t, Run{
		Config: parse(t, "train.epochs=20", "train.optimizer.lr=0.3", "train.validation.share=0.2",
			"train.validation.patience=1", "train.prune.bits=0.5", "train.prune.at=0.4"),
		Model: filepath.Join(t.TempDir(), "m"),
	})
	if s.KeptEpoch <= 8 || s.Epochs <= 9 || s.Epochs != s.KeptEpoch+1 || !s.Stopped || s.BestEpoch <= 8 {
		t.Errorf("%d epochs, kept %d, best %d; something was removed after 8", s.Epochs, s.KeptEpoch, s.BestEpoch)
	}
}

// TestRefill refills the tables of the model at the end of a run, not those of its checkpoint: both say the same of
// every training sample, the accuracies are those of the model, and a run that goes on from the checkpoint is as if
// nothing had been refilled.
func TestRefill(t *testing.T) {
	dir := t.TempDir()
	file, longer, plain := filepath.Join(dir, "m"), filepath.Join(dir, "longer"), filepath.Join(dir, "plain")
	sets := []string{"model.inputs=6", "model.depth=2"}
	r := Run{Config: parse(t, append(sets, "train.epochs=1", "train.refill=true")...), Model: file}
	s := train(t, r)
	m, state := loadModel(t, file), loadModel(t, CheckpointPath(file))
	is := m.Record.Refilled
	if is == nil || state.Record.Refilled != nil || is.Nodes < 10 || is.Pins < is.Nodes || s.Refilled == nil {
		t.Fatalf("record %+v, of the checkpoint %+v", is, state.Record.Refilled)
	}
	was := m.Record.Epochs[0].TestCorrect
	want := &Refilled{is.Nodes, is.Pins, share(was, m.Record.Epochs[0].TestSamples), nil}
	if diff := cmp.Diff(want, s.Refilled); diff != "" {
		t.Errorf("summary (-want +got):\n%s", diff)
	}
	data, err := LoadData(t.Context(), r.Config, nil)
	if err != nil {
		t.Fatal(err)
	}
	frozen, before := m.Freeze(), state.Freeze()
	a, err := before.Evaluate(t.Context(), data.Train, 0)
	if err != nil {
		t.Fatal(err)
	}
	b, err := frozen.Evaluate(t.Context(), data.Train, 0)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(a.Counts, b.Counts) {
		t.Error("class counts of training samples are others")
	}
	test, err := frozen.Evaluate(t.Context(), data.Test, 0)
	if err != nil {
		t.Fatal(err)
	}
	if n := test.Correct(data.Test.Labels); n != is.TestCorrect || s.TestAccuracy != share(n, data.Test.Len()) {
		t.Errorf("%d test samples are correct, recorded %d, summary %v", n, is.TestCorrect, s.TestAccuracy)
	}
	if slices.Equal(frozen.Layers[0].Op.Wide, before.Layers[0].Op.Wide) {
		t.Error("the tables are those of the checkpoint")
	}
	r.Config, r.Resume = parse(t, append(sets, "train.epochs=2", "train.refill=true")...), true
	train(t, r)
	train(t, Run{Config: r.Config, Model: longer})
	train(t, Run{Config: parse(t, append(sets, "train.epochs=2")...), Model: plain})
	if string(read(t, file)) != string(read(t, longer)) {
		t.Error("the resumed model differs from that of a longer run")
	}
	sameParameters(t, loadModel(t, plain), loadModel(t, CheckpointPath(file)))
}

// TestRefillLearned refills tables of a network whose thresholds were learned by what these make of the samples:
// nothing changes for a training sample, and the recorded accuracies are those of the model, whichever epoch was kept and
// however the run went on.
func TestRefillLearned(t *testing.T) {
	for _, sets := range [][]string{nil, {"train.validation.share=0.2", "train.optimizer.lr=0.2"}} {
		dir := t.TempDir()
		file, plain := filepath.Join(dir, "m"), filepath.Join(dir, "plain")
		sets = append(sets, "model.inputs=6", "model.depth=2", "train.epochs=6", "encoder.thresholds=learned")
		train(t, Run{Config: parse(t, sets...), Model: plain})
		r := Run{Config: parse(t, append(sets, "train.refill=true")...), Model: file}
		train(t, r)
		whole := read(t, file)
		m, before := loadModel(t, file), loadModel(t, plain)
		data, err := LoadData(t.Context(), r.Config, nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := data.Use(&m.Encoder); err != nil {
			t.Fatal(err)
		}
		if len(sets) > 4 { // samples held out may change
			if _, _, err := data.holdOut(0.2, r.Config.Train.Seed); err != nil {
				t.Fatal(err)
			}
		}
		a, err := before.Freeze().Evaluate(t.Context(), data.Train, 0)
		if err != nil {
			t.Fatal(err)
		}
		b, err := m.Freeze().Evaluate(t.Context(), data.Train, 0)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(a.Counts, b.Counts) || m.Record.Refilled.Nodes == 0 {
			t.Errorf("%v: class counts of training samples are others, or nothing was refilled", sets)
		}
		if got, want := correct(t, m, data.Test), m.Record.Refilled.TestCorrect; got != want {
			t.Errorf("%v: %d correct, recorded %d", sets, got, want)
		}
		if kept := m.Record.Kept; kept == 6 {
			t.Errorf("%v: the last epoch was kept", sets)
		}
		r.Resume = true
		train(t, r)
		if string(read(t, file)) != string(whole) {
			t.Errorf("%v: a run that is resumed after its end gives another model", sets)
		}
	}
}
