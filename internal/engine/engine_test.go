package engine

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"ialgn/internal/kernel"
	"ialgn/internal/model"
)

// golden3 returns the network of the golden file whose first pin is relaxed, for use in tests.
func golden3(t *testing.T) *golden {
	return readGolden(t, "testdata/golden/ialgn-first-relaxed.json")
}

// randomBatch returns a batch of n random samples. Each row has the given number of words.
func randomBatch(g *golden, r *rand.Rand, words, n int) Batch {
	b := Batch{X: make([]uint64, g.Config.Inputs*words)}
	for i := range b.X {
		b.X[i] = r.Uint64() // also beyond the last sample, where bits must have no effect
	}
	for range n {
		b.Labels = append(b.Labels, uint8(r.IntN(g.Config.Classes)))
	}
	return b
}

// state returns all parameters and moments.
func state(e Engine) []Moment {
	s := e.Moments()
	for name, data := range arrays(networkOf(e).m) {
		if data != nil {
			s = append(s, Moment{Name: name, Data: data})
		}
	}
	return s
}

func diffState(a, b Engine) string {
	byName := func(e Engine) map[string][]float32 {
		m := map[string][]float32{}
		for _, s := range state(e) {
			m[s.Name] = s.Data
		}
		return m
	}
	return differ(byName(a), byName(b))
}

// TestThreads trains the same batches on 1, 2, 5 and 12 threads. With 12 threads, each thread has one chain, and
// classes are split between threads.
func TestThreads(t *testing.T) {
	for _, gradients := range []string{"float32", "int8"} {
		t.Run(gradients, func(t *testing.T) { sameOnThreads(t, gradients) })
	}
}

func sameOnThreads(t *testing.T, gradients string) {
	g := golden3(t)
	train := func(threads int) (Engine, []Result) {
		m := g.model(g.Start)
		m.Config.Train.Gradients = gradients
		e, err := New(m, 100, threads)
		if err != nil {
			t.Fatal(err)
		}
		r := rand.New(rand.NewPCG(1, 1))
		var rs []Result
		for step := range 20 {
			b := randomBatch(g, r, e.Words(), 100)
			b.Step = step + 1
			rs = append(rs, e.Step(b, g.adam(step+1)))
		}
		return e, rs
	}
	want, wantResults := train(1)
	for _, threads := range []int{2, 5, 12, 99} {
		got, results := train(threads)
		if diff := diffState(want, got); diff != "" {
			t.Errorf("%d threads (-one +these):\n%s", threads, diff)
		}
		if diff := differ(wantResults, results); diff != "" {
			t.Errorf("%d threads: results (-one +these):\n%s", threads, diff)
		}
	}
}

// TestBatchSizes trains batches of many sizes, each in an engine for larger batches and in an engine for exactly its
// size. Both results must be the same.
func TestBatchSizes(t *testing.T) {
	g := golden3(t)
	for _, n := range []int{1, 3, 16, 63, 64, 65, 100} {
		r := rand.New(rand.NewPCG(uint64(n), 1))
		exact, err := New(g.model(g.Start), n, 1)
		if err != nil {
			t.Fatal(err)
		}
		roomy, err := New(g.model(g.Start), 1024, 1)
		if err != nil {
			t.Fatal(err)
		}
		for step := range 3 {
			b := randomBatch(g, r, exact.Words(), n)
			wide := Batch{X: make([]uint64, g.Config.Inputs*roomy.Words()), Labels: b.Labels}
			for i := range wide.X {
				wide.X[i] = r.Uint64()
			}
			for f := range g.Config.Inputs {
				copy(wide.X[f*roomy.Words():], b.X[f*exact.Words():][:exact.Words()])
			}
			x, y := exact.Step(b, g.adam(step+1)), roomy.Step(wide, g.adam(step+1))
			if x != y {
				t.Errorf("batch %d: results %+v and %+v", n, x, y)
			}
		}
		if diff := diffState(exact, roomy); diff != "" {
			t.Errorf("batch %d (-exact +roomy):\n%s", n, diff)
		}
	}
}

// TestWideIndices checks that training with 32-bit wires gives the same results as training with 16-bit wires.
func TestWideIndices(t *testing.T) {
	g := golden3(t)
	narrow, err := New(g.model(g.Start), 100, 1)
	if err != nil {
		t.Fatal(err)
	}
	m := g.model(g.Start)
	for i := range m.Sections {
		for _, p := range []*model.Pin{&m.Sections[i].Pins[0], &m.Sections[i].Pins[1]} {
			var wide model.Indices
			for _, v := range p.Wires.Narrow {
				wide.Wide = append(wide.Wide, uint32(v))
			}
			p.Wires = wide
		}
	}
	wide, err := New(m, 100, 1)
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(2, 2))
	for step := range 5 {
		b := randomBatch(g, r, narrow.Words(), 100)
		narrow.Step(b, g.adam(step+1))
		wide.Step(b, g.adam(step+1))
	}
	if diff := diffState(narrow, wide); diff != "" {
		t.Errorf("(-16 bits +32 bits):\n%s", diff)
	}
}

// TestForwardIsEvaluator compares the forward pass of training steps, layer by layer, with the evaluator of package
// model. The forward pass and the evaluator share no code.
func TestForwardIsEvaluator(t *testing.T) {
	g := golden3(t)
	e, err := New(g.model(g.Start), 100, 2)
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(3, 3))
	var f *model.Frozen
	changed := 0
	for step := range 200 {
		b := randomBatch(g, r, e.Words(), 100)
		f = e.Frozen(f)
		if diff := differ(f, networkOf(e).m.Freeze()); diff != "" {
			t.Fatalf("step %d: running argmaxes (-engine +model):\n%s", step, diff)
		}
		eval := model.NewEvaluator(f)
		eval.Run(b.X, e.Words(), nil)
		want := make([]int32, g.Config.Classes*100)
		eval.Counts(want, 100)
		before := fmt.Sprint(f.Layers)
		e.Step(b, kernel.NewAdam(0.05, 0.9, 0.999, 1e-8, step+1))
		for c := range g.Config.Classes {
			if diff := differ(want[c*100:][:100], countsOf(e, c)); diff != "" {
				t.Fatalf("step %d: counts of class %d (-evaluator +engine):\n%s", step, c, diff)
			}
		}
		if fmt.Sprint(e.Frozen(nil).Layers) != before {
			changed++
		}
	}
	if changed < 20 {
		t.Errorf("the network changed in %d of 200 steps only: the test shows little", changed)
	}
}

// countsOf returns the counts of class c for 100 samples.
func countsOf(e Engine, c int) []int32 {
	var all []int32
	for _, n := range readoutOf(e).counts[c*e.Words()*64:][:100] {
		all = append(all, int32(n))
	}
	return all
}

// TestManyEdges uses a layer with one edge more than 32 bits can number.
func TestManyEdges(t *testing.T) {
	m := golden3(t).model(golden3(t).Start)
	m.Width = 1 << 24
	for i := range m.Sections {
		m.Sections[i].Width = m.Width
	}
	m.Sections[1].Pins[0] = model.Pin{Source: model.Previous, K: 256}
	want := "engine: section 1: 4294967296 edges lead to a layer, want at most 4294967295"
	if _, err := New(m, 100, 1); err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("error %v, want %s", err, want)
	}
	if m.Sections[1].Pins[0].K--; checkEdges(m) != nil {
		t.Error("fewer edges than that are refused")
	}
}

func TestNewRefuses(t *testing.T) {
	g := golden3(t)
	for _, c := range []struct {
		name   string
		change func(m *model.Model)
	}{
		{"hidden pin without wires", func(m *model.Model) { m.Sections[1].Pins[0].Source = model.Previous }},
		{"hidden pin of the first layer", func(m *model.Model) { m.Sections[0].Pins[0].Source = model.Previous }},
		{"pin B on the spine", func(m *model.Model) { m.Sections[1].Pins[1] = model.Pin{Source: model.Spine, K: 1} }},
		{"wire beyond the width", func(m *model.Model) { m.Sections[1].Pins[1].Source = model.Previous }},
		{"wire beyond the inputs", func(m *model.Model) { m.Sections[1].Pins[1].Wires.Set(3, uint32(m.Encoder.Inputs())) }},
		{"wires missing", func(m *model.Model) { m.Sections[0].Pins[1].Wires = m.Sections[0].Pins[1].Wires.Slice(1, 3) }},
		{"no sections", func(m *model.Model) { m.Sections = nil }},
	} {
		m := g.model(g.Start)
		c.change(m)
		if _, err := New(m, 100, 1); err == nil {
			t.Errorf("%s: no error", c.name)
		}
	}
	if _, err := New(g.model(g.Start), 0, 1); err == nil {
		t.Error("batch 0: no error")
	}
}
