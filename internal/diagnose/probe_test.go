package diagnose

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"ialgn/internal/kernel"
)

// random returns samples whose first bits are correlated with the class.
func random(r *rand.Rand, samples, inputs, classes int) *Bits {
	b := NewBits(inputs, make([]uint8, samples))
	for s := range samples {
		b.Labels[s] = uint8(r.IntN(classes))
		for i := range inputs {
			if r.Float64() < 0.5 || i == int(b.Labels[s]) && r.Float64() < 0.7 {
				b.Sample(s)[i/64] |= 1 << (i % 64)
			}
		}
	}
	return b
}

// slowProbe is a probe with one start, computed in float64. Weights are indexed [class][input], and the bias is the
// last input.
type slowProbe struct{ w, m, v [][]float64 }

func newSlow(f *fit, start int) *slowProbe {
	s := &slowProbe{}
	for class := range f.classes {
		k := start*f.classes + class
		var w []float64
		for i := range f.inputs + 1 {
			w = append(w, float64(f.blocks[k/columns].w[i][k%columns]))
		}
		s.w, s.m, s.v = append(s.w, w), append(s.m, make([]float64, len(w))), append(s.v, make([]float64, len(w)))
	}
	return s
}

// input returns the inputs of a sample, and 1 for the bias.
func input(set *Bits, i int) []float64 {
	var x []float64
	for b := range set.Width {
		x = append(x, float64(set.Sample(i)[b/64]>>(b%64)&1))
	}
	return append(x, 1)
}

func (s *slowProbe) probabilities(x []float64) []float64 {
	var p []float64
	sum := 0.0
	for _, w := range s.w {
		z := 0.0
		for i, v := range x {
			z += v * w[i]
		}
		p = append(p, math.Exp(z))
		sum += math.Exp(z)
	}
	for c := range p {
		p[c] /= sum
	}
	return p
}

// loss returns the mean cross-entropy.
func (s *slowProbe) loss(set *Bits, index []int32) float64 {
	sum := 0.0
	for _, i := range index {
		sum -= math.Log(s.probabilities(input(set, int(i)))[set.Labels[i]])
	}
	return sum / float64(len(index))
}

// step makes step number t of Adam as described in the paper on Adam.
func (s *slowProbe) step(set *Bits, index []int32, rate float64, t int) {
	gradient := make([][]float64, len(s.w))
	for c := range gradient {
		gradient[c] = make([]float64, set.Width+1)
	}
	for _, i := range index {
		x := input(set, int(i))
		for c, p := range s.probabilities(x) {
			if c == int(set.Labels[i]) {
				p--
			}
			for j, v := range x {
				gradient[c][j] += p * v / float64(len(index))
			}
		}
	}
	for c := range gradient {
		for i, g := range gradient[c] {
			s.m[c][i] = 0.9*s.m[c][i] + 0.1*g
			s.v[c][i] = 0.999*s.v[c][i] + 0.001*g*g
			mean, variance := s.m[c][i]/(1-math.Pow(0.9, float64(t))), s.v[c][i]/(1-math.Pow(0.999, float64(t)))
			s.w[c][i] -= rate * mean / (math.Sqrt(variance) + 1e-8)
		}
	}
}

// probeCases lists sizes that are just above the sizes of a word, a row and a table.
var probeCases = []struct{ inputs, classes, starts, samples, batch int }{
	{5, 3, 1, 40, 16},
	{70, 3, 2, 130, 100},
	{63, 10, 7, 60, 33},
	{128, 4, 5, 300, 130},
}

// TestProbeBruteForce compares training with float64 arithmetic on single weights.
func TestProbeBruteForce(t *testing.T) {
	for _, c := range probeCases {
		t.Run(fmt.Sprint(c), func(t *testing.T) {
			r := rand.New(rand.NewPCG(1, 2))
			set := random(r, c.samples, c.inputs, c.classes)
			f := newFit(c.inputs, c.classes, Protocol{Batch: c.batch, Starts: c.starts, Seed: 3})
			var want []*slowProbe
			for start := range c.starts {
				want = append(want, newSlow(f, start))
			}
			for step := 1; step <= 12; step++ {
				index := make([]int32, 1+r.IntN(c.batch))
				for i := range index {
					index[i] = int32(r.IntN(c.samples))
				}
				adam := kernel.NewAdam(0.01, beta1, beta2, eps, step)
				f.step(set, index, &adam)
				for _, s := range want {
					s.step(set, index, 0.01, step)
				}
			}
			for start, s := range want {
				got := newSlow(f, start)
				for class := range s.w {
					for i, w := range s.w[class] {
						if math.Abs(got.w[class][i]-w) > 2e-5 {
							t.Fatalf("start %d: weight %d of class %d is %v after 12 steps, want %v", start, i, class, got.w[class][i], w)
						}
					}
				}
			}
			checkPadding(t, f)
		})
	}
}

// checkPadding fails the test if a weight that belongs to no input, class or start is not 0.
func checkPadding(t *testing.T, f *fit) {
	t.Helper()
	for b := range f.blocks {
		for r := range f.blocks[b].w {
			for c, x := range &f.blocks[b].w[r] {
				if used := r <= f.inputs && columns*b+c < f.classes*f.starts; !used && x != 0 {
					t.Fatalf("row %d, column %d is padding and has the weight %v", r, columns*b+c, x)
				}
			}
		}
	}
}

// TestGradient compares the gradient of the first step with differences of the loss.
func TestGradient(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	set := random(r, 50, 40, 3)
	index := []int32{3, 1, 4, 15, 9, 2, 6}
	f := newFit(40, 3, Protocol{Batch: 10, Starts: 2, Seed: 3})
	before := newSlow(f, 1)
	adam := kernel.NewAdam(0.01, beta1, beta2, eps, 1)
	f.step(set, index, &adam)
	for class := range 3 {
		for i := range 41 {
			const h = 1e-4
			w := &before.w[class][i]
			*w += h
			high := before.loss(set, index)
			*w -= 2 * h
			low := before.loss(set, index)
			*w += h
			want, got := (high-low)/(2*h), float64(f.blocks[0].m[i][3+class])/(1-beta1)
			if math.Abs(got-want) > 1e-6 {
				t.Errorf("class %d, input %d: gradient %v, want %v", class, i, got, want)
			}
		}
	}
}

// TestStart draws the weights of a start. They must be within their bounds, fill the range, and differ from the
// weights of the next start.
func TestStart(t *testing.T) {
	f := newFit(400, 4, Protocol{Batch: 10, Starts: 2, Seed: 3})
	bound, sum, largest, same := 0.05, 0.0, 0.0, 0
	for i := range 401 {
		for k := range 4 {
			w := float64(f.blocks[0].w[i][k])
			sum, largest = sum+w*w, max(largest, math.Abs(w))
			if f.blocks[0].w[i][k] == f.blocks[0].w[i][4+k] {
				same++
			}
		}
	}
	if deviation := math.Sqrt(3 * sum / 1604); largest > bound || largest < 0.99*bound ||
		math.Abs(deviation-bound) > 0.05*bound || same > 2 {
		t.Errorf("weights up to %v with deviation %v, want uniform to %v; %d equal the next start's", largest, deviation,
			bound, same)
	}
}

// TestTrain trains probes for two classes of labels. Probes must learn labels that are linear in the bits. They
// cannot learn the parity of the bits.
func TestTrain(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	label := map[string]func(x uint64) uint8{
		"majority": func(x uint64) uint8 { return uint8((x&1 + x>>1&1 + x>>2&1) / 2) },
		"parity":   func(x uint64) uint8 { return uint8((x ^ x>>1 ^ x>>2) & 1) },
	}
	for name, f := range label {
		var sets [2]*Bits
		for i := range sets {
			sets[i] = NewBits(8, make([]uint8, 1000))
			for s := range sets[i].Labels {
				x := r.Uint64() & (1<<8 - 1)
				sets[i].Sample(s)[0], sets[i].Labels[s] = x, f(x)
			}
		}
		steps := 0
		got, err := Train(t.Context(), sets[0], sets[1], 2, Protocol{Epochs: 30, Batch: 100, Rate: 0.05, Starts: 3, Seed: 1},
			func() { steps++ })
		if err != nil || len(got) != 3 || steps != 30 {
			t.Fatalf("%v, %d starts after %d epochs", err, len(got), steps)
		}
		for _, share := range got {
			if good := share > 0.99; good != (name == "majority") || !good && share > 0.6 {
				t.Errorf("%s of three bits: accuracies %v", name, got)
			}
		}
	}
}

// TestPaths compares the vector kernels with plain Go, to the bit, including the signs of zeros.
func TestPaths(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	rows := func(n int) []row {
		x := make([]row, n)
		for i := range x {
			for c := range x[i] {
				switch x[i][c] = float32(r.NormFloat64()); r.IntN(8) {
				case 0:
					x[i][c] = 0
				case 1:
					x[i][c] = float32(math.Copysign(0, -1))
				}
			}
		}
		return x
	}
	weights, sums, moments, squares, gradients := rows(tableBits), rows(9), rows(9), rows(9), rows(9)
	for i := range squares {
		for c, x := range &squares[i] {
			squares[i][c] = x * x
		}
	}
	words := make([]uint64, 27)
	for i := range words {
		words[i] = r.Uint64()
	}
	adam := kernel.NewAdam(0.01, beta1, beta2, eps, 3)
	results := func(k kernels) string {
		text := ""
		for n := range 10 {
			var t probeTable
			sums, w, m, v := slices.Clone(sums[:n]), slices.Clone(sums[:n]), slices.Clone(moments[:n]), slices.Clone(squares[:n])
			k.subsets(&t, weights)
			k.addSelected(sums, &t, words, 3, n%2*tableBits)
			k.updateRows(&adam, w, m, v, gradients[:n])
			text += fmt.Sprint(t, sums, w, m, v)
		}
		return text
	}
	want := results(plain)
	for _, path := range kernel.Paths() {
		use(t, path)
		if results(choose()) != want {
			t.Errorf("%s: the kernels have other bits than plain Go", path)
		}
	}
}

// use switches to a path until the end of the test.
func use(t *testing.T, path string) {
	t.Helper()
	was, err := kernel.Path()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = kernel.Use(was) })
	if err := kernel.Use(path); err != nil {
		t.Fatal(err)
	}
}

func TestInterrupted(t *testing.T) {
	set := random(rand.New(rand.NewPCG(1, 2)), 50, 40, 3)
	ctx, cancel := context.WithCancel(t.Context())
	if _, err := Train(ctx, set, set, 3, Protocol{Epochs: 9, Batch: 10, Starts: 1}, cancel); !errors.Is(err,
		context.Canceled) {
		t.Errorf("error %v, want canceled", err)
	}
}

func BenchmarkStep(b *testing.B) {
	const inputs, classes, batch = 12000, 10, 100
	set := random(rand.New(rand.NewPCG(1, 2)), batch, inputs, classes)
	index := make([]int32, batch)
	for i := range index {
		index[i] = int32(i)
	}
	for _, path := range kernel.Paths() {
		b.Run("simd="+path, func(b *testing.B) {
			if err := kernel.Use(path); err != nil {
				b.Fatal(err)
			}
			f := newFit(inputs, classes, Paper)
			adam := kernel.NewAdam(0.01, beta1, beta2, eps, 1)
			for b.Loop() {
				f.step(set, index, &adam)
			}
			b.ReportMetric(batch*float64(b.N)/b.Elapsed().Seconds(), "samples/s")
		})
	}
}
