package engine

import (
	"math/rand/v2"
	"reflect"
	"testing"

	"ialgn/internal/kernel"
	"ialgn/internal/model"
	"ialgn/internal/netgen"
)

// TestConstantNodes trains every form of network. Function logits of 2^40 make some nodes constant. Models of earlier
// versions have such nodes, and a run may start from such a model. The steps are so large that any logit with a
// gradient would move. The logits of constant nodes and of their pins must not move. All other nodes must learn.
func TestConstantNodes(t *testing.T) {
	for i, form := range netgen.Unshared() {
		for j, how := range estimates {
			t.Run(form.Name+"-"+how.name, func(t *testing.T) {
				onPathInTurn(t, i+j, func(t *testing.T) {
					m := form.Model()
					how.change(m)
					testConstant(t, m)
				})
			})
		}
	}
}

func testConstant(t *testing.T, m *model.Model) {
	t.Helper()
	nodes := nodesOf(m, 0, len(m.Blank().Layers))
	for l := range nodes {
		for i := range nodes[l] {
			if i%3 != l%3 {
				delete(nodes[l], i)
			}
		}
	}
	makeConstant(m, nodes)
	all := nodesOf(m, 0, len(nodes))
	want, before := ofNodes(m, nodes), ofNodes(m, all)
	e, err := New(m, 100, 2)
	if err != nil {
		t.Fatal(err)
	}
	selected, r := e.Frozen(nil), rand.New(rand.NewPCG(5, 5))
	for n := range 5 {
		e.Step(randomBits(r, m, e.Words(), n+1), kernel.NewAdam(1, 0.9, 0.999, 1e-30, n+1))
	}
	if diff := differ(want, ofNodes(m, nodes)); diff != "" {
		t.Errorf("%T: logits of constant nodes and their pins (-before +after training):\n%s", e, diff)
	}
	f := e.Frozen(nil)
	for l := range nodes {
		for i := range nodes[l] {
			if got, want := f.Layers[l].Op.At(i), selected.Layers[l].Op.At(i); got != want {
				t.Errorf("%T: layer %d, node %d computes %#x, want %#x", e, l, i, got, want)
			}
		}
	}
	if len(m.Classes) > 1 && reflect.DeepEqual(ofNodes(m, all), before) {
		t.Errorf("%T: the other nodes do not learn", e)
	}
}

// makeConstant turns nodes into constants, alternately 1 and 0.
func makeConstant(m *model.Model, nodes []map[int]bool) {
	const far = 1 << 40
	layer := 0
	for k := range m.Sections {
		s := &m.Sections[k]
		for l := range s.Layers {
			for i := range nodes[layer] {
				w, value := s.Ops[(i*s.Layers+l)*s.Arity:][:s.Arity], i/3%2 == 0
				operations := s.Arity == model.Operations && len(s.Pins) == 2
				for a := range w {
					if w[a] = -far; value && (!operations || a == model.Operations-1) || !value && operations && a == 0 {
						w[a] = far
					}
				}
			}
			layer++
		}
	}
}
