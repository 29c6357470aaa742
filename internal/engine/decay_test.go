package engine

import (
	"math"
	"math/rand/v2"
	"testing"

	"ialgn/internal/kernel"
	"ialgn/internal/model"
	"ialgn/internal/netgen"
)

// TestDecay checks that a step with weight decay changes each logit as the same step without it, and takes away the
// share of the old logit. Adam's part of a step does not depend on the logits themselves.
func TestDecay(t *testing.T) {
	const keep = 0.75
	for i, form := range netgen.Forms() {
		for j, how := range estimates {
			m, plain := form.Model(), form.Model()
			how.change(m)
			how.change(plain)
			if gates(m) {
				continue
			}
			t.Run(form.Name+"-"+how.name, func(t *testing.T) {
				onPathInTurn(t, i+j, func(t *testing.T) { testDecay(t, m, plain, keep) })
			})
		}
	}
}

func testDecay(t *testing.T, m, plain *model.Model, keep float32) {
	before := logitsOf(m)
	for _, one := range []struct {
		m    *model.Model
		keep float32
	}{{m, keep}, {plain, 0}} {
		e, err := New(one.m, 100, 2)
		if err != nil {
			t.Fatal(err)
		}
		adam := kernel.NewAdam(0.05, 0.9, 0.999, 1e-8, 1)
		adam.Keep = one.keep
		e.Step(randomBits(rand.New(rand.NewPCG(5, 5)), one.m, e.Words(), 1), adam)
	}
	after, want := logitsOf(m), logitsOf(plain)
	for i, old := range before {
		w := float64(want[i]) + float64(old)*(float64(keep)-1)
		if math.Abs(float64(after[i])-w) > 1e-5*(1+math.Abs(float64(old))) {
			t.Fatalf("logit %d of %d: %v after a step from %v, want %v", i, len(before), after[i], old, w)
		}
	}
}

// logitsOf returns all logits that are trained.
func logitsOf(m *model.Model) (all []float32) {
	for i := range m.Sections {
		s := &m.Sections[i]
		all = append(all, s.Ops...)
		for k := range s.Pins {
			if s.Pins[k].K > 1 {
				all = append(all, s.Pins[k].Logits...)
			}
		}
	}
	return all
}
