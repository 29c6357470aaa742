package kernel

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// told is a sink that wants the gradients of some pins and records the arguments of Take.
type told struct {
	wants func(pin int) bool
	wires map[[2]int]uint32 // by node and pin
	betas map[[2]int][]float32
}

func newTold(wants func(pin int) bool) *told {
	return &told{wants, map[[2]int]uint32{}, map[[2]int][]float32{}}
}

// Wants implements [Sink].
func (s *told) Wants(_, _, pin int) bool { return s.wants(pin) }

// Take implements [Sink].
func (s *told) Take(_, _, node, pin int, wire uint32, beta []float32) {
	s.wires[[2]int{node, pin}], s.betas[[2]int{node, pin}] = wire, slices.Clone(beta)
}

// sinkLayer returns a layer of nodes of four pins on input bits. Pin 1 has a single wire.
func sinkLayer(width, inputs int) *NodeLayer {
	r := rand.New(rand.NewPCG(4, 4))
	normal := func(n int) Logits {
		l := Logits{W: make([]float32, n), M: make([]float32, n), V: make([]float32, n), Top: make([]float32, n)}
		for i := range l.W {
			l.W[i] = float32(r.NormFloat64())
		}
		return l
	}
	n := &Nodes{Layers: 1, Width: width, Arity: 16, Logits: normal(16 * width), Table: make([]uint64, width)}
	for k := range 4 {
		pin := &Pin{K: 16, Bit: make([]uint32, width)}
		if k == 1 {
			pin.K = 1
		} else {
			pin.Logits = normal(16 * width)
		}
		for range width * pin.K {
			pin.Narrow = append(pin.Narrow, uint16(r.IntN(inputs)))
		}
		n.Pins = append(n.Pins, pin)
	}
	n.Refresh()
	return &NodeLayer{Nodes: n}
}

// TestSinks checks that each of two sinks receives the gradients of the pins that it wants. The pins have one or
// several candidates. The test runs on every SIMD path, with and without fused kernels, and with noise. A sink must
// receive the wire that the pin reads during the step, although the step may make the pin choose another wire.
func TestSinks(t *testing.T) {
	before, err := Path()
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := Use(before); err != nil {
			t.Error(err)
		}
	}()
	const width, inputs, samples = 9, 40, 128
	for _, o := range []NodeOptions{{}, {Integer: true}, {Noise: &Noise{Seed: 3, Temperature: 1}}} {
		var want *told
		for _, path := range Paths() {
			if err := Use(path); err != nil {
				t.Fatal(err)
			}
			name := fmt.Sprintf("path %s, integer %v, noise %v", path, o.Integer, o.Noise != nil)
			l, r := sinkLayer(width, inputs), rand.New(rand.NewPCG(5, 5))
			p := NewNodePass(o, 2, 16)
			p.X, p.Samples, p.Number = make([]uint64, 2*inputs), samples, 1
			for i := range p.X {
				p.X[i] = r.Uint64()
			}
			delta := make([]float32, samples)
			for i := range delta {
				delta[i] = float32(r.NormFloat64())
			}
			p.Adam = NewAdam(10, 0.9, 0.999, 1e-8, 1) // a learning rate so large that choices change
			even, all := newTold(func(pin int) bool { return pin%2 == 0 }), newTold(func(int) bool { return true })
			p.Sink = Sinks{even, all}
			read := map[[2]int][]uint64{}
			for i := range width {
				for k, row := range p.sources(l, i) {
					read[[2]int{i, k}] = slices.Clone(row)
				}
			}
			p.Update(l, &Trace{}, nil, func(int) []float32 { return delta }, 0, width)
			if len(even.wires) != 2*width || len(all.wires) != 4*width {
				t.Fatalf("%s: sinks got %d and %d pins, want %d and %d", name, len(even.wires), len(all.wires), 2*width, 4*width)
			}
			moved := 0
			for at, wire := range all.wires {
				if !slices.Equal(p.X[2*wire:][:2], read[at]) {
					t.Errorf("%s: node and pin %v: the sink got wire %d, which the pin did not read", name, at, wire)
				}
				if l.Pins[at[1]].Bit[at[0]] != wire {
					moved++
				}
			}
			if moved == 0 {
				t.Errorf("%s: all pins read the same after the step: the test shows nothing", name)
			}
			if want == nil {
				want = all
			}
			for at, beta := range all.betas {
				if want.wires[at] != all.wires[at] || !slices.Equal(want.betas[at], beta) {
					t.Errorf("%s: node and pin %v: other than on path %s", name, at, Paths()[0])
				}
			}
		}
	}
}
