package kernel

import (
	"math"
	"slices"
	"testing"
)

// TestNoise compares the frequency of each choice with the softmax of the logits, and the frequency of a 1 in each
// truth-table line with the logit's sigmoid. It uses 20,000 draws at several temperatures and allows five standard
// deviations.
func TestNoise(t *testing.T) {
	const steps = 20000
	w := []float32{1, -0.5, 0.3, 2}
	for _, temperature := range []float32{0.2, 1, 3} {
		n := &Noise{Seed: 5, Temperature: temperature}
		wins, ones, dst := make([]float64, len(w)), make([]float64, len(w)), make([]float32, len(w))
		for step := range steps {
			k, _ := Largest(n.choice(dst, w, step, 1, 2, 3))
			wins[k] += 1. / steps
			for i, x := range n.lines(dst, w, step, 1, 2) {
				if x > 0 {
					ones[i] += 1. / steps
				}
			}
		}
		sum := 0.0
		for _, x := range w {
			sum += math.Exp(float64(x))
		}
		for i, x := range w {
			for _, c := range []struct {
				what      string
				got, want float64
			}{
				{"choice", wins[i], math.Exp(float64(x)) / sum}, {"line", ones[i], 1 / (1 + math.Exp(-float64(x)))},
			} {
				if math.Abs(c.got-c.want) > 5*math.Sqrt(c.want*(1-c.want)/steps) {
					t.Errorf("temperature %v: %s %d: %.4f of the draws, want %.4f", temperature, c.what, i, c.got, c.want)
				}
			}
		}
	}
}

// TestNoiseKeys checks that each part of the key changes the noise, and that the same key gives the same noise.
func TestNoiseKeys(t *testing.T) {
	draw := func(seed uint64, step, layer, node, which int) []float32 {
		n := &Noise{Seed: seed, Temperature: 1}
		return slices.Clone(n.choice(make([]float32, 4), make([]float32, 4), step, layer, node, which))
	}
	first := draw(1, 2, 3, 4, 5)
	if !slices.Equal(first, draw(1, 2, 3, 4, 5)) {
		t.Error("the same key gave other noise")
	}
	for _, other := range [][]float32{
		draw(2, 2, 3, 4, 5), draw(1, 3, 3, 4, 5), draw(1, 2, 4, 4, 5), draw(1, 2, 3, 5, 5), draw(1, 2, 3, 4, 6),
	} {
		if slices.Equal(first, other) {
			t.Errorf("another key gave the same noise %v", first)
		}
	}
}

// TestNoiseGradient compares two steps on the same node. The first step uses noise. The second step uses no noise,
// but its logits include the noise of the first step. The two gradients must differ by exactly one factor, the
// temperature.
func TestNoiseGradient(t *testing.T) {
	const k, temperature = 5, 0.5
	noise := &Noise{Seed: 9, Temperature: temperature}
	for _, arity := range []int{8, Ops} {
		pins := 3
		if arity == Ops {
			pins = 2
		}
		plain, noisy := smallNodes(pins, arity, k), smallNodes(pins, arity, k)
		if arity == Ops {
			noise.choice(plain.W, noisy.W, 1, 0, 0, 0)
		} else {
			noise.lines(plain.W, noisy.W, 1, 0, 0)
		}
		for i := range plain.Pins {
			noise.choice(plain.Pins[i].W, noisy.Pins[i].W, 1, 0, 0, i+1)
		}
		plain.Refresh()
		delta := make([]float32, 128)
		for s := range 100 {
			delta[s] = float32(math.Sin(float64(s)))
		}
		for _, n := range []struct {
			nodes *Nodes
			noise *Noise
		}{{plain, nil}, {noisy, noise}} {
			p := NewNodePass(NodeOptions{Noise: n.noise}, 2, k)
			p.X, p.Samples, p.Number, p.Adam = smallRows(), 100, 1, NewAdam(0.01, 0.9, 0.999, 1e-8, 1)
			layer := &NodeLayer{Nodes: n.nodes}
			p.Update(layer, &Trace{}, nil, func(int) []float32 { return delta }, 0, 1)
		}
		compare := func(what string, got, want []float32) {
			for i := range got {
				if math.Abs(float64(got[i]*temperature-want[i])) > 1e-5*math.Abs(float64(want[i]))+1e-7 {
					t.Errorf("arity %d, %s %d: gradient %v, want %v", arity, what, i, got[i], want[i]/temperature)
				}
			}
		}
		compare("function", noisy.M, plain.M)
		for i := range noisy.Pins {
			compare("pin", noisy.Pins[i].M, plain.Pins[i].M)
		}
	}
}

// smallRows returns 12 rows of two words.
func smallRows() []uint64 {
	x := make([]uint64, 24)
	for i := range x {
		x[i] = uint64(i+1) * 0x9e3779b97f4a7c15
	}
	return x
}

// smallNodes returns one node whose pins choose among k of 12 inputs.
func smallNodes(pins, arity, k int) *Nodes {
	logits := func(n int, shift float64) Logits {
		l := Logits{W: make([]float32, n), M: make([]float32, n), V: make([]float32, n), Top: make([]float32, 1)}
		for i := range l.W {
			l.W[i] = float32(math.Cos(float64(3*i) + shift))
		}
		return l
	}
	n := &Nodes{Layers: 1, Width: 1, Arity: arity, Logits: logits(arity, 0), Table: make([]uint64, 1)}
	for i := range pins {
		p := &Pin{K: k, Logits: logits(k, float64(i+1)), Bit: make([]uint32, 1)}
		for j := range k {
			p.Narrow = append(p.Narrow, uint16((2*i+j*2)%12))
		}
		n.Pins = append(n.Pins, p)
	}
	n.Refresh()
	return n
}
