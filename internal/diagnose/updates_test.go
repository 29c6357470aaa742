package diagnose

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ialgn/internal/config"
	"ialgn/internal/model"
	"ialgn/trainer"
)

// small trains quickly: an epoch of the digits has 39 steps.
const small = `
name: small
data: {set: digits}
encoder: {bits: 4}
model: {width: 60, depth: 4, anchors: 8, tau: 2, skip_logit: 1, init_noise: 0.1}
train: {epochs: 2, batch: 100, seed: 7, checkpoint: {minutes: 0}}
`

func parse(t *testing.T, sets ...string) config.Config {
	t.Helper()
	cfg, err := config.Parse("small.yaml", []byte(small), sets)
	if err != nil {
		t.Fatal(err)
	}
	return cfg
}

// bruteUpdates is a watcher that copies all parameters before and after each step, and lists all changes of each
// layer in the step. It also passes each step to the meter.
type bruteUpdates struct {
	*Meter
	net   *model.Model
	steps []map[place][]float64
}

type place struct {
	kind  UpdateKind
	layer int
}

func (b *bruteUpdates) Begin(m *model.Model, steps int, state string) error {
	b.net = m
	return b.Meter.Begin(m, steps, state)
}

func (b *bruteUpdates) Step(number int, do func()) {
	before := parameters(b.net)
	b.Meter.Step(number, do)
	after := parameters(b.net)
	changes := map[place][]float64{}
	for at, x := range after {
		for i, v := range x {
			changes[at] = append(changes[at], math.Abs(v-before[at][i]))
		}
	}
	b.steps = append(b.steps, changes)
}

// parameters returns a copy of all parameters.
func parameters(m *model.Model) map[place][]float64 {
	all := map[place][]float64{}
	first := 0
	for _, s := range m.Sections {
		add := func(kind UpdateKind, x []float32) {
			k := len(x) / m.Width / s.Layers
			for i, v := range x {
				at := place{kind, first + i/k%s.Layers}
				all[at] = append(all[at], float64(v))
			}
		}
		add(Operations, s.Ops)
		for _, p := range []model.Pin{s.Pins[0], s.Pins[1]} {
			if p.Source == model.Previous {
				add(Hidden, p.Logits)
			} else {
				add(Anchors, p.Logits)
			}
		}
		first += s.Layers
	}
	return all
}

// means returns the mean change of each layer in a window. It averages the changes within each step first, and then
// over the steps. Steps are counted from 1.
func (b *bruteUpdates) means(kind UpdateKind, w Window) []*float64 {
	var means []*float64
	for l := range b.net.Depth() {
		sum, n := 0.0, 0
		for _, changes := range b.steps[w.First-1 : w.Last] {
			x := changes[place{kind, l}]
			for _, v := range x {
				sum += v / float64(len(x))
			}
			n = len(x)
		}
		var mean *float64
		if n > 0 {
			sum /= float64(w.Last - w.First + 1)
			mean = &sum
		}
		means = append(means, mean)
	}
	return means
}

var nearly = cmp.Comparer(func(a, b float64) bool {
	return a == b || a != 0 && b != 0 &&
		math.Abs(a-b) <= 1e-12*math.Abs(a)
})

// TestUpdatesBruteForce compares the meter with copies of all parameters, on every form of network.
func TestUpdatesBruteForce(t *testing.T) {
	for name, sets := range map[string][]string{
		"ialgn":           nil,
		"ialgn soft":      {"train.estimator=soft"},
		"fixed first pin": {"model.first_pin=fixed"},
		"hidden":          {"model.hidden=3"},
		"light":           {"model.parametrization=light"},
		"rwlgn":           {"model.topology=rwlgn"},
		"rwlgn soft":      {"model.topology=rwlgn", "train.estimator=soft"},
		"rwlgn random":    {"model.topology=rwlgn", "model.init=random"},
		"one layer":       {"model.depth=1"},
		"many chains":     {"model.width=1030", "train.epochs=1"},
	} {
		t.Run(name, func(t *testing.T) {
			b := &bruteUpdates{Meter: NewMeter(7, 2)}
			run(t, b, filepath.Join(t.TempDir(), "m"), sets...)
			r := b.Result()
			steps := len(b.steps)
			if r.Steps != steps || r.Initial != (Window{1, 7}) || r.Final != (Window{steps - 6, steps}) {
				t.Errorf("of %d steps, measured %+v and %+v of %d", steps, r.Initial, r.Final, r.Steps)
			}
			for kind, got := range map[UpdateKind]UpdateMeans{Operations: r.Operations, Anchors: r.Anchors, Hidden: r.Hidden} {
				want := UpdateMeans{b.means(kind, r.Initial), b.means(kind, r.Final)}
				if diff := cmp.Diff(want, got, nearly); diff != "" {
					t.Errorf("kind %d (-want +got):\n%s", kind, diff)
				}
			}
		})
	}
}

// TestExactZero measures the first step from the exact skip start. At this start, no gate depends on pin B. Therefore
// only the anchors of pins A in the first layer have a gradient.
func TestExactZero(t *testing.T) {
	m := NewMeter(1, 1)
	run(t, m, filepath.Join(t.TempDir(), "m"), "model.init_noise=0", "train.epochs=1")
	r := m.Result()
	for l := range r.Anchors.Initial {
		if first, last := *r.Anchors.Initial[l], *r.Anchors.Final[l]; (first == 0) != (l > 0) || last == 0 {
			t.Errorf("anchors of layer %d change by %v in the first step, and by %v in the last", l+1, first, last)
		}
	}
}

// TestKinds counts the layers that have parameters of a kind.
func TestKinds(t *testing.T) {
	for name, c := range map[string]struct {
		sets            []string
		anchors, hidden string
	}{
		"ialgn":           {nil, "++++", "----"},
		"fixed first pin": {[]string{"model.first_pin=fixed"}, "++++", "----"},
		"hidden":          {[]string{"model.hidden=3"}, "++++", "-+++"},
		"one candidate":   {[]string{"model.anchors=1"}, "----", "----"},
		"rwlgn":           {[]string{"model.topology=rwlgn"}, "----", "----"},
	} {
		m := NewMeter(1, 1)
		run(t, m, filepath.Join(t.TempDir(), "m"), append(c.sets, "train.epochs=1")...)
		r := m.Result()
		if a, h := signs(r.Anchors.Final), signs(r.Hidden.Final); a != c.anchors || h != c.hidden {
			t.Errorf("%s: layers with anchors %s, want %s; with hidden candidates %s, want %s", name, a, c.anchors, h, c.hidden)
		}
		if r.Anchors.Any() != strings.Contains(c.anchors, "+") || signs(r.Operations.Initial) != "++++" {
			t.Errorf("%s: any anchors: %v; operations %s", name, r.Anchors.Any(), signs(r.Operations.Initial))
		}
	}
}

func signs(means []*float64) string {
	s := ""
	for _, x := range means {
		if x == nil {
			s += "-"
		} else {
			s += "+"
		}
	}
	return s
}

// run trains under a watcher.
func run(t *testing.T, w trainer.Watcher, path string, sets ...string) {
	t.Helper()
	if _, err := (trainer.Run{
		Config: parse(t, sets...), Model: path, Threads: 2,
		Watch: w,
	}).Train(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// TestSameModel trains with and without a meter, and with several numbers of threads. The models must be equal.
func TestSameModel(t *testing.T) {
	for _, estimator := range []string{"ste", "soft"} {
		dir := t.TempDir()
		var models []string
		var results []UpdateResult
		for _, threads := range []int{0, 1, 3} {
			path := filepath.Join(dir, "m")
			r := trainer.Run{Config: parse(t, "train.estimator="+estimator), Model: path, Threads: max(1, threads)}
			m := NewMeter(20, max(1, threads))
			if threads > 0 {
				r.Watch = m
			}
			if _, err := r.Train(t.Context()); err != nil {
				t.Fatal(err)
			}
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			models = append(models, string(text))
			if threads > 0 {
				results = append(results, m.Result())
			}
		}
		if models[0] != models[1] || models[0] != models[2] {
			t.Errorf("%s: a measured run trains another model", estimator)
		}
		if diff := cmp.Diff(results[0], results[1]); diff != "" {
			t.Errorf("%s: three threads measure another change than one thread:\n%s", estimator, diff)
		}
	}
}

// stopAt ends a run after a step.
type stopAt struct {
	*Meter
	step   int
	cancel func()
}

func (s stopAt) Step(number int, do func()) {
	s.Meter.Step(number, do)
	if number == s.step {
		s.cancel()
	}
}

// TestResume interrupts a run within the first window, between both windows, and within the last window. The
// measurements must be the same as in an uninterrupted run, to the bit.
func TestResume(t *testing.T) {
	dir := t.TempDir()
	whole := NewMeter(15, 2)
	run(t, whole, filepath.Join(dir, "whole"))
	for _, step := range []int{1, 9, 15, 40, 63, 64, 70, 78} {
		path := filepath.Join(dir, "m")
		ctx, cancel := context.WithCancel(t.Context())
		part := NewMeter(15, 1)
		_, err := (trainer.Run{Config: parse(t), Model: path, Watch: stopAt{part, step, cancel}}).Train(ctx)
		if !errors.Is(err, trainer.ErrInterrupted) {
			t.Fatalf("step %d: error %v, want interrupted", step, err)
		}
		if r := part.Result(); r.Initial.Last != min(step, 15) || r.Final.Last != max(step, 63) {
			t.Errorf("step %d: measured up to %d and %d", step, r.Initial.Last, r.Final.Last)
		}
		rest := NewMeter(15, 1)
		if _, err := (trainer.Run{Config: parse(t), Model: path, Watch: rest, Resume: true}).Train(t.Context()); err != nil {
			t.Fatalf("step %d: %v", step, err)
		}
		if diff := cmp.Diff(whole.Result(), rest.Result()); diff != "" {
			t.Errorf("step %d: the resumed run was measured otherwise (-want +got):\n%s", step, diff)
		}
	}
}

// TestResumeRefuses checks that a checkpoint is refused if its measurement is not the requested measurement.
func TestResumeRefuses(t *testing.T) {
	dir := t.TempDir()
	plain, measured := filepath.Join(dir, "plain"), filepath.Join(dir, "measured")
	run(t, nil, plain)
	run(t, NewMeter(15, 1), measured)
	for _, c := range []struct {
		path  string
		steps int
		sets  []string
		want  string
	}{
		{plain, 15, nil, "was not measured from its first step on"},
		{measured, 14, nil, "steps 1 to 15 and 64 to 78 were to be measured, and now 1 to 14 and 65 to 78 are"},
		{measured, 15, []string{"train.epochs=3"}, "resume with the same number of epochs"},
	} {
		r := trainer.Run{Config: parse(t, c.sets...), Model: c.path, Watch: NewMeter(c.steps, 1), Resume: true}
		if _, err := r.Train(t.Context()); err == nil || !strings.Contains(err.Error(), c.want) ||
			!strings.HasPrefix(err.Error(), c.path) {
			t.Errorf("%s, %d steps, %q: error %v, want %q", filepath.Base(c.path), c.steps, c.sets, err, c.want)
		}
	}
}

// TestBeginRefuses checks that states that no meter wrote are refused.
func TestBeginRefuses(t *testing.T) {
	net := &model.Model{Width: 2, Sections: []model.Section{{Layers: 1, Ops: make([]float32, 32)}}}
	good := NewMeter(3, 1)
	if err := good.Begin(net, 10, ""); err != nil {
		t.Fatal(err)
	}
	if err := NewMeter(3, 1).Begin(net, 10, good.State()); err != nil {
		t.Errorf("its own state: %v", err)
	}
	for _, c := range []struct{ from, to, want string }{
		{`{`, ``, "what was measured: "},
		{`"done":0`, `"done":4`, "not of 1 layers"},
		{`"done":0`, `"done":-1`, "not of 1 layers"},
		{`[0]`, `[0,0]`, "not of 1 layers"},
		{`[[0],`, `[`, "not of 1 layers"},
		{`"first":8`, `"first":7`, "were to be measured"},
	} {
		state := strings.Replace(good.State(), c.from, c.to, 1)
		if err := NewMeter(3, 1).Begin(net, 10, state); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s for %s: error %v, want %q", c.to, c.from, err, c.want)
		}
	}
}

// TestShortRun trains a run that has fewer steps than a window.
func TestShortRun(t *testing.T) {
	m := NewMeter(1000, 1)
	run(t, m, filepath.Join(t.TempDir(), "m"))
	r := m.Result()
	if whole := (Window{1, 78}); r.Initial != whole || r.Final != whole ||
		!slices.EqualFunc(r.Anchors.Initial, r.Anchors.Final, func(a, b *float64) bool { return *a == *b }) {
		t.Errorf("a run of 78 steps was measured from %+v to %+v, %v and %v", r.Initial, r.Final, r.Anchors.Initial,
			r.Anchors.Final)
	}
}
