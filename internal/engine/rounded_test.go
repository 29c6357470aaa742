package engine

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"ialgn/internal/kernel"
	"ialgn/internal/model"
	"ialgn/internal/netgen"
)

// TestRoundedEnginesAgree makes a step with gradients of 8 bits in the chain engine and in the node engine, which adds
// sample by sample. The moments of selection logits must be equal to the bit. The gradients of operations are sums of
// floats, which the engines add in another order.
func TestRoundedEnginesAgree(t *testing.T) {
	for i, o := range []netgen.ModelOptions{
		{Anchors: 32},
		{Anchors: 32, Fixed: true},
		{Anchors: 32, Features: 2100, Bits: 33},
		{Anchors: 7},
		{Anchors: 32, Light: true, Depth: 1},
	} {
		for _, batch := range []int{100, 37, 128, 200} {
			t.Run(fmt.Sprintf("net=%d/batch=%d", i, batch), func(t *testing.T) {
				onPaths(t, func(t *testing.T) { agreeRounded(t, o, batch) })
			})
		}
	}
}

func agreeRounded(t *testing.T, o netgen.ModelOptions, batch int) {
	o.Width, o.Seed = 66, 3
	m, n := netgen.Model(o), netgen.Model(o)
	m.Config.Train.Gradients, n.Config.Train.Gradients = "int8", "int8"
	chained, err := New(m, batch, 2)
	if err != nil {
		t.Fatal(err)
	}
	b, err := newBase(n, batch, 1)
	if err != nil {
		t.Fatal(err)
	}
	nodes := newNodeEngine(b)
	r := rand.New(rand.NewPCG(4, 4))
	data := Batch{X: make([]uint64, m.Encoder.Inputs()*b.words), Labels: make([]uint8, batch), Step: 1 + r.IntN(1e6)}
	for i := range data.X {
		data.X[i] = r.Uint64()
	}
	for i := range data.Labels {
		data.Labels[i] = uint8(r.IntN(3))
	}
	adam := kernel.NewAdam(0.05, 0.9, 0.999, 1e-8, 1)
	if x, y := chained.Step(data, adam), nodes.Step(data, adam); x != y {
		t.Fatalf("%+v by chains, %+v by nodes", x, y)
	}
	want := map[string][]float32{}
	for _, m := range nodes.Moments() {
		want[m.Name] = m.Data
	}
	for _, m := range chained.Moments() {
		tolerance, moved := 0.0, 0.0
		if strings.Contains(m.Name, ".ops.") {
			tolerance = 1e-5
		}
		for i, x := range m.Data {
			y := want[m.Name][i]
			moved = max(moved, math.Abs(float64(x)))
			if math.Abs(float64(x-y)) > tolerance*(1e-3+math.Abs(float64(y))) {
				t.Fatalf("%s[%d] = %g by chains, %g by nodes", m.Name, i, x, y)
			}
		}
		if moved == 0 {
			t.Errorf("%s: all moments are 0", m.Name)
		}
	}
}

// TestNothingToRound makes steps with gradients of 8 bits for networks without choices of pins. Such networks have
// nothing to round, so they must have the engine and the bits of ordinary gradients.
func TestNothingToRound(t *testing.T) {
	tried := 0
	six := netgen.Form{Name: "six-pins-fixed", Options: netgen.ModelOptions{Inputs: 6, Anchors: 1, Depth: 3}}
	for _, form := range append(netgen.Unshared(), six) {
		m, plain := form.Model(), form.Model()
		if m.Config.Train.Gradients = "int8"; rounds(m) {
			continue
		}
		tried++
		t.Run(form.Name, func(t *testing.T) {
			e, other := threeSteps(t, m), threeSteps(t, plain)
			if reflect.TypeOf(e) != reflect.TypeOf(other) || !slices.Equal(logitsOf(m), logitsOf(plain)) {
				t.Errorf("%T with 8 bits, %T without; are logits equal: %v", e, other,
					slices.Equal(logitsOf(m), logitsOf(plain)))
			}
		})
	}
	if tried < 6 {
		t.Errorf("only %d networks have no choices", tried)
	}
}

// threeSteps trains m in an engine of its own, and returns the engine.
func threeSteps(t *testing.T, m *model.Model) Engine {
	e, err := New(m, 100, 2)
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(6, 6))
	for step := range 3 {
		e.Step(randomBits(r, m, e.Words(), 1+step), kernel.NewAdam(0.05, 0.9, 0.999, 1e-8, 1+step))
	}
	return e
}
