package engine

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ialgn/internal/modelgen"
	"ialgn/trainer/kernel"
)

// TestEnginesAgree trains the same networks of private chains in both engines, with odd
// batches, and compares parameters, moments, losses and what freezing would select.
func TestEnginesAgree(t *testing.T) {
	for i, o := range []modelgen.Options{
		{Anchors: 32},
		{Anchors: 32, Fixed: true},
		{Anchors: 7, Features: 2100, Bits: 33},
		{Anchors: 32, Depth: 1},
		{Anchors: 1},
		{Anchors: 32, Light: true},
		{Anchors: 9, Fixed: true, Light: true},
	} {
		for _, batch := range []int{100, 37, 129} {
			t.Run(fmt.Sprintf("net=%d/batch=%d", i, batch), func(t *testing.T) {
				onPaths(t, func(t *testing.T) { agree(t, o, batch) })
			})
		}
	}
}

func agree(t *testing.T, o modelgen.Options, batch int) {
	o.Width, o.Seed = 66, 3
	chained, err := newChains(modelgen.New(o), batch, 2)
	if err != nil {
		t.Fatal(err)
	}
	layered, err := newLayers(modelgen.New(o), batch, 3)
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(4, 4))
	for step := 1; step <= 6; step++ {
		b := Batch{X: make([]uint64, chained.m.Encoder.Inputs()*chained.Words()), Labels: make([]uint8, batch-step%3)}
		for i := range b.X {
			b.X[i] = r.Uint64()
		}
		for i := range b.Labels {
			b.Labels[i] = uint8(r.IntN(3))
		}
		adam := kernel.NewAdam(0.05, 0.9, 0.999, 1e-8, step)
		if x, y := chained.Step(b, adam), layered.Step(b, adam); x != y {
			t.Fatalf("step %d: %+v by chains, %+v by layers", step, x, y)
		}
	}
	if diff := diffState(chained, layered); diff != "" {
		t.Errorf("parameters and moments (-chains +layers):\n%s", diff)
	}
	if diff := cmp.Diff(chained.Frozen(nil), layered.Frozen(nil)); diff != "" {
		t.Errorf("frozen (-chains +layers):\n%s", diff)
	}
}

// TestLayerThreads trains networks of layers on 1, 2, 5 and 66 threads: one gate of a layer
// each at last.
func TestLayerThreads(t *testing.T) {
	for _, o := range []modelgen.Options{{Topology: "rwlgn"}, {Topology: "rwlgn-spine", Light: true}, {Hidden: 4}} {
		o.Width = 66
		train := func(threads int) (Engine, []Result) {
			e, err := newLayers(modelgen.New(o), 100, threads)
			if err != nil {
				t.Fatal(err)
			}
			r := rand.New(rand.NewPCG(2, 2))
			b := Batch{X: make([]uint64, networkOf(e).m.Encoder.Inputs()*e.Words()), Labels: make([]uint8, 100)}
			var results []Result
			for step := range 5 {
				for i := range b.X {
					b.X[i] = r.Uint64()
				}
				for i := range b.Labels {
					b.Labels[i] = uint8(r.IntN(3))
				}
				results = append(results, e.Step(b, kernel.NewAdam(0.05, 0.9, 0.999, 1e-8, step+1)))
			}
			return e, results
		}
		want, wantResults := train(1)
		for _, threads := range []int{2, 5, 66} {
			got, results := train(threads)
			if diff := diffState(want, got); diff != "" {
				t.Errorf("%+v: %d threads (-one +these):\n%s", o, threads, diff)
			}
			if diff := cmp.Diff(wantResults, results); diff != "" {
				t.Errorf("%+v: %d threads: results (-one +these):\n%s", o, threads, diff)
			}
		}
	}
}
