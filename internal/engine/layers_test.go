package engine

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"ialgn/internal/kernel"
	"ialgn/internal/netgen"
)

// TestEnginesAgree trains the same networks of private chains in the chain engine and the layer engine. The batches
// have odd sizes. The test compares the parameters, the moments, the losses and the choices of the frozen networks.
func TestEnginesAgree(t *testing.T) {
	for i, o := range []netgen.ModelOptions{
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

func agree(t *testing.T, o netgen.ModelOptions, batch int) {
	o.Width, o.Seed = 66, 3
	chained, err := newChains(netgen.Model(o), batch, 2)
	if err != nil {
		t.Fatal(err)
	}
	layered, err := newLayers(netgen.Model(o), batch, 3)
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
	if diff := differ(chained.Frozen(nil), layered.Frozen(nil)); diff != "" {
		t.Errorf("frozen (-chains +layers):\n%s", diff)
	}
}

// TestInputsAlone trains a network whose gates read only inputs, with hard and with relaxed values. The last layer
// must learn, and the other layers must get no gradient. Every SIMD path must give the same bits.
func TestInputsAlone(t *testing.T) {
	for _, estimator := range []string{"ste", "soft"} {
		var want []byte
		onPaths(t, func(t *testing.T) {
			m := netgen.Model(netgen.ModelOptions{Topology: "rwlgn", Width: 66, Depth: 3})
			m.Config.Train.Estimator = estimator
			for i := range m.Sections[1:] {
				m.Sections[1+i].Pins[0], m.Sections[1+i].Pins[1] = m.Sections[0].Pins[0], m.Sections[0].Pins[1]
			}
			e, err := New(m, 100, 2)
			if err != nil {
				t.Fatal(err)
			}
			r := rand.New(rand.NewPCG(2, 2))
			b := Batch{X: make([]uint64, m.Encoder.Inputs()*e.Words()), Labels: make([]uint8, 100)}
			for i := range b.X {
				b.X[i] = r.Uint64()
			}
			for i := range b.Labels {
				b.Labels[i] = uint8(r.IntN(3))
			}
			for step := range 3 {
				e.Step(b, kernel.NewAdam(0.05, 0.9, 0.999, 1e-8, step+1))
			}
			var got []byte
			for _, mo := range e.Moments() {
				still := !slices.ContainsFunc(mo.Data, func(x float32) bool { return x != 0 })
				if last := strings.HasPrefix(mo.Name, "section2."); still == last {
					t.Errorf("%s: %s: all zero: %v", estimator, mo.Name, still)
				}
				got, _ = binary.Append(got, binary.LittleEndian, mo.Data)
			}
			if want == nil {
				want = got
			}
			if !bytes.Equal(got, want) {
				t.Errorf("%s: other moments than on the first path", estimator)
			}
		})
	}
}

// TestLayerThreads trains networks of layers on 1, 2, 5 and 66 threads. With 66 threads, each thread has one gate of
// a layer.
func TestLayerThreads(t *testing.T) {
	for i, o := range []netgen.ModelOptions{
		{Topology: "rwlgn"},
		{Topology: "rwlgn-spine", Light: true},
		{Hidden: 4},
		{},
		{Topology: "rwlgn-classwise"},
		{Hidden: 4, Light: true}, // with relaxed values
	} {
		o.Width = 66
		train := func(threads int) (Engine, []Result) {
			m := netgen.Model(o)
			if i >= 3 {
				m.Config.Train.Estimator = "soft"
			}
			e, err := newLayers(m, 100, threads)
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
			if diff := differ(wantResults, results); diff != "" {
				t.Errorf("%+v: %d threads: results (-one +these):\n%s", o, threads, diff)
			}
		}
	}
}
