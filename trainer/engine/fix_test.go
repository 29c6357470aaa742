package engine

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ialgn/internal/modelgen"
	"ialgn/trainer/config"
	"ialgn/trainer/kernel"
	"ialgn/trainer/model"
)

// fixing is how networks are trained in which nodes are constant.
var fixing = []struct {
	name   string
	change func(m *model.Model)
}{
	{"ste", func(*model.Model) {}},
	{"soft", func(m *model.Model) { m.Config.Train.Estimator = "soft" }},
	{"gumbel", func(m *model.Model) { m.Config.Train.Estimator, m.Config.Train.Temperature = "gumbel", 0.01 }},
	{"int8", func(m *model.Model) { m.Config.Train.Gradients = "int8" }},
	{"cost", func(m *model.Model) { m.Config.Train.Cost = config.Cost{Target: "ice40", Pressure: 0.1} }},
}

// fixSome makes every third node of each layer a constant, 1 and 0 in turn, and returns their values by layer and node.
func fixSome(m *model.Model, e Engine) []map[int]bool {
	var all []map[int]bool
	for l := range m.Blank().Layers {
		nodes, width := map[int]bool{}, m.Blank().Layers[l].Width()
		for i := l % 3; i < width; i += 3 {
			nodes[i] = i/3%2 == 0
			e.Fix(l, i, nodes[i])
		}
		all = append(all, nodes)
	}
	return all
}

// ofNodes returns the logits of nodes, as numbers by section, layer, node and pin.
func ofNodes(m *model.Model, nodes []map[int]bool) map[string][]float32 {
	all, layer := map[string][]float32{}, 0
	for k := range m.Sections {
		s := &m.Sections[k]
		for l := range s.Layers {
			for i := range nodes[layer] {
				g := i*s.Layers + l
				at := fmt.Sprintf("layer %d node %d", layer, i)
				all[at] = slices.Clone(s.Ops[g*s.Arity:][:s.Arity])
				for p := range s.Pins {
					if pin := &s.Pins[p]; pin.K > 1 {
						all[at+model.PinName(p)] = slices.Clone(pin.Logits[g*pin.K:][:pin.K])
					}
				}
			}
			layer++
		}
	}
	return all
}

// TestFix makes nodes of every form of network constant, trains it on each path with steps that would move any logit
// that has a gradient, and finds that theirs and those of their pins do not, that they are the constant, and that an
// engine made anew from the model goes on the same way. The rest of the network learns.
func TestFix(t *testing.T) {
	for _, form := range modelgen.Unshared() {
		for _, how := range fixing {
			t.Run(form.Name+"-"+how.name, func(t *testing.T) {
				onPaths(t, func(t *testing.T) {
					m := form.Model()
					how.change(m)
					testFix(t, m)
				})
			})
		}
	}
}

func testFix(t *testing.T, m *model.Model) {
	t.Helper()
	e, err := New(m, 100, 2)
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(5, 5))
	b := Batch{X: make([]uint64, m.Encoder.Inputs()*e.Words()), Labels: make([]uint8, 100)}
	step := func(n int, on ...Engine) (results []Result) {
		for i := range b.X {
			b.X[i] = r.Uint64()
		}
		for i := range b.Labels {
			b.Labels[i] = uint8(r.IntN(len(m.Classes)))
		}
		b.Step = n
		for _, e := range on {
			results = append(results, e.Step(b, kernel.NewAdam(1, 0.9, 0.999, 1e-30, n)))
		}
		return results
	}
	for n := range 3 { // gives the logits momentum
		step(n+1, e)
	}
	nodes := fixSome(m, e)
	if diff := cmp.Diff(m.Freeze().Layers, e.Frozen(nil).Layers); diff != "" {
		t.Errorf("what is selected before a step (-model +engine):\n%s", diff)
	}
	want := ofNodes(m, nodes)
	before := fmt.Sprint(m.Sections)
	for n := range 20 {
		step(n+4, e)
	}
	if diff := cmp.Diff(want, ofNodes(m, nodes)); diff != "" {
		t.Errorf("logits of constant nodes and their pins (-before +after training):\n%s", diff)
	}
	f := e.Frozen(nil)
	if diff := cmp.Diff(m.Freeze().Layers, f.Layers); diff != "" {
		t.Errorf("what is selected (-model +engine):\n%s", diff)
	}
	for l := range f.Layers {
		for i, value := range nodes[l] {
			if want := constant(value, len(f.Layers[l].Pins)); f.Layers[l].Op.At(i) != want {
				t.Errorf("layer %d, node %d computes %#x, want %#x", l, i, f.Layers[l].Op.At(i), want)
			}
		}
	}
	if len(m.Classes) > 1 && fmt.Sprint(m.Sections) == before {
		t.Error("the other nodes do not learn")
	}
	if err := m.Validate(); err != nil {
		t.Error(err)
	}
	again, err := New(m, 100, 1)
	if err != nil {
		t.Fatal(err)
	}
	if x, y := e.Measure(b), again.Measure(b); x != y {
		t.Errorf("a batch gives %v, and %v by a new engine", x, y)
	}
}

// constant returns the table of a constant.
func constant(value bool, pins int) uint64 {
	if value {
		return model.LastTable(pins)
	}
	return 0
}
