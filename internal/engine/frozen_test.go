package engine

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ialgn/internal/config"
	"ialgn/internal/kernel"
	"ialgn/internal/model"
	"ialgn/internal/netgen"
	"ialgn/internal/testkit"
)

// TestFrozenLayers freezes the first layers of every form of network and trains the rest. Frozen layers must keep
// their parameters and moments to the bit. A second network serves for comparison. The first layers of this network
// are trained, but their logits are so far apart that no choice can change. In every step, both networks must have
// the same loss. If all layers are frozen, the last layer is trained as with the estimator ste. By default, each
// network is tested with one SIMD path and one number of frozen layers, which take turns. The long test tier uses all
// numbers of frozen layers.
func TestFrozenLayers(t *testing.T) {
	for i, form := range netgen.Unshared() {
		for j, how := range estimates {
			layers := len(form.Model().Blank().Layers)
			if layers < 2 {
				continue
			}
			t.Run(form.Name+"-"+how.name, func(t *testing.T) {
				onPathInTurn(t, i+j, func(t *testing.T) {
					fresh := func() *model.Model {
						m := form.Model()
						how.change(m)
						m.Config.Train.Freeze.Kind = "layerwise"
						return m
					}
					for k, frozen := range []int{1, layers - 1, layers} {
						if k == (i/2+j)%3 || testkit.Whole() {
							testFrozen(t, fresh, frozen)
						}
					}
				})
			})
		}
	}
}

func testFrozen(t *testing.T, fresh func() *model.Model, frozen int) {
	t.Helper()
	m, sure := fresh(), fresh()
	e, err := New(m, 100, 2)
	if err != nil {
		t.Fatal(err)
	}
	batches := rand.New(rand.NewPCG(5, 5))
	for n := range 3 { // these steps give the logits momentum
		e.Step(randomBits(batches, m, e.Words(), n+1), kernel.NewAdam(0.05, 0.9, 0.999, 1e-8, n+1))
	}
	copyLogits(sure, m)
	layers := len(m.Blank().Layers)
	still := min(frozen, layers-1) // the last layer is always trained
	low, high := nodesOf(m, 0, still), nodesOf(m, still, layers)
	if makeSure(sure, still); frozen == layers {
		sure.Config.Train.Estimator = "ste"
	}
	other, err := New(sure, 100, 3)
	if err != nil {
		t.Fatal(err)
	}
	for i, moment := range other.Moments() {
		copy(moment.Data, e.Moments()[i].Data)
	}
	before, first, last := e.Frozen(nil), ofNodes(m, low), ofNodes(m, high)
	moments := momentsOf(e, m, still)
	for n := 3; n < 8; n++ {
		b, adam := randomBits(batches, m, e.Words(), n+1), kernel.NewAdam(0.05, 0.9, 0.999, 1e-8, n+1)
		want := other.Step(b, adam)
		b.Frozen = frozen
		if got := e.Measure(b); math.Abs(got.Loss-want.Loss) > 1e-3*want.Loss {
			t.Fatalf("step %d with %d frozen layers: loss %v, want %v", n+1, frozen, got.Loss, want.Loss)
		}
		e.Step(b, adam)
	}
	if diff := differ(first, ofNodes(m, low)); diff != "" {
		t.Errorf("logits of frozen layers (-before +after training):\n%s", diff)
	}
	if !slices.Equal(moments, momentsOf(e, m, still)) {
		t.Error("moments of frozen layers have changed")
	}
	if diff := differ(before.Layers[:still], e.Frozen(nil).Layers[:still]); diff != "" {
		t.Errorf("what frozen layers select (-before +after training):\n%s", diff)
	}
	if len(m.Classes) > 1 && reflect.DeepEqual(last, ofNodes(m, high)) {
		t.Error("the layers that are not frozen do not learn")
	}
}

// randomBits returns a batch of random bits and labels.
func randomBits(r *rand.Rand, m *model.Model, words, step int) Batch {
	b := Batch{X: make([]uint64, m.Encoder.Inputs()*words), Labels: make([]uint8, 100), Step: step}
	for i := range b.X {
		b.X[i] = r.Uint64()
	}
	for i := range b.Labels {
		b.Labels[i] = uint8(r.IntN(len(m.Classes)))
	}
	return b
}

// nodesOf returns all nodes of the layers in the range [from, to), and no nodes of the other layers.
func nodesOf(m *model.Model, from, to int) (all []map[int]bool) {
	blank := m.Blank()
	for l := range blank.Layers {
		nodes := map[int]bool{}
		for i := 0; i < blank.Layers[l].Width() && l >= from && l < to; i++ {
			nodes[i] = true
		}
		all = append(all, nodes)
	}
	return all
}

func copyLogits(to, from *model.Model) {
	for i := range to.Sections {
		copy(to.Sections[i].Ops, from.Sections[i].Ops)
		for k := range to.Sections[i].Pins {
			copy(to.Sections[i].Pins[k].Logits, from.Sections[i].Pins[k].Logits)
		}
	}
}

// makeSure makes the logits of the first layers so large that steps and noise do not matter.
func makeSure(m *model.Model, layers int) {
	const far = 1 << 40
	largest := func(w []float32) {
		best, _ := kernel.Largest(w)
		for i := range w {
			w[i] = -far
		}
		w[best] = far
	}
	layer := 0
	for i := range m.Sections {
		s := &m.Sections[i]
		for l := range s.Layers {
			for node := 0; node < s.Width && layer < layers; node++ {
				g := node*s.Layers + l
				if w := s.Ops[g*s.Arity:][:s.Arity]; s.Arity == model.Operations && len(s.Pins) == 2 {
					largest(w)
				} else {
					for a, x := range w {
						if w[a] = -far; x > 0 {
							w[a] = far
						}
					}
				}
				for k := range s.Pins {
					if p := &s.Pins[k]; p.K > 1 {
						largest(p.Logits[g*p.K:][:p.K])
					}
				}
			}
			layer++
		}
	}
}

// momentsOf returns the moments of the given number of first layers.
func momentsOf(e Engine, m *model.Model, frozen int) (all []float32) {
	layer := 0
	for i := range m.Sections {
		s := &m.Sections[i]
		for l := range s.Layers {
			if layer++; layer > frozen {
				return all
			}
			for _, moment := range e.Moments() {
				if k := moment.Shape[2]; strings.HasPrefix(moment.Name, fmt.Sprintf("section%d.", i)) {
					for node := range s.Width {
						all = append(all, moment.Data[(node*s.Layers+l)*k:][:k]...)
					}
				}
			}
		}
	}
	return all
}

// estimates lists the estimators with which frozen layers are tested.
var estimates = []struct {
	name   string
	change func(m *model.Model)
}{
	{"ste", func(*model.Model) {}},
	{"soft", func(m *model.Model) { m.Config.Train.Estimator = "soft" }},
	{"gumbel", func(m *model.Model) { m.Config.Train.Estimator, m.Config.Train.Temperature = "gumbel", 0.01 }},
	{"int8", func(m *model.Model) { m.Config.Train.Gradients = "int8" }},
	{"cost", func(m *model.Model) { m.Config.Train.Cost = config.Cost{Target: "ice40", Pressure: 0.1} }},
}

// ofNodes returns the logits of the given nodes. The key consists of section, layer, node and pin.
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

// differ is like [cmp.Diff], but fast for equal networks, for which cmp.Diff is slow.
func differ(a, b any) string {
	if reflect.DeepEqual(a, b) {
		return ""
	}
	return cmp.Diff(a, b)
}
