package kernel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// onePin is a pin of one gate and the data of its update, in arrays of the minimum length.
type onePin struct {
	w, m, v, grad []float32
	top           float32
	wires         Wires
	batch         Batch
}

// drawPin draws a pin of k candidates. One of them is the last row of the batch.
func drawPin(r *rand.Rand, k, samples, words, inputs int, wide bool) *onePin {
	p := &onePin{w: normals(r, k, 1), m: normals(r, k, 1e-4), v: make([]float32, k)}
	for i := range p.v {
		p.v[i] = 1e-7 * r.Float32()
	}
	_, p.top = Largest(p.w)
	p.grad = normals(r, (samples+Lanes-1)/Lanes*Lanes, 1e-3)
	clear(p.grad[samples:])
	p.batch = Batch{X: make([]uint64, inputs*words), Words: words, Samples: samples}
	for i := range p.batch.X {
		p.batch.X[i] = r.Uint64()
	}
	for j := range k {
		wire := r.IntN(inputs)
		if j%5 == 0 || j == k-1 {
			wire = inputs - 1
		}
		if wide {
			p.wires.Wide = append(p.wires.Wide, uint32(wire))
		} else {
			p.wires.Narrow = append(p.wires.Narrow, uint16(wire))
		}
	}
	return p
}

// update makes a step on copies of the logits and returns all results.
func (p *onePin) update(s *Steps) []uint32 {
	w, m, v := append([]float32(nil), p.w...), append([]float32(nil), p.m...), append([]float32(nil), p.v...)
	return p.updateIn(s, w, m, v)
}

// updateSelection makes a step on selection logits.
func (s *Steps) updateSelection(c *Adam, w, m, v []float32, top float32, wires Wires, batch *Batch, grad []float32) (
	arg int, newTop float32,
) {
	s.grow(len(w), batch.Words)
	s.sumCandidates(w, top, wires, batch, grad)
	return s.stepSelection(c, w, m, v, batch)
}

func (p *onePin) updateIn(s *Steps, w, m, v []float32) (bits []uint32) {
	c := NewAdam(0.01, 0.9, 0.999, 1e-8, 2)
	arg, top := s.updateSelection(&c, w, m, v, p.top, p.wires, &p.batch, p.grad)
	for _, x := range [][]float32{w, m, v, {float32(arg), top}} {
		for _, f := range x {
			bits = append(bits, math.Float32bits(f))
		}
	}
	return bits
}

// onPaths runs a test on each SIMD path. The plain path comes last.
func onPaths(t *testing.T, test func(t *testing.T, path string)) {
	onThese(t, Paths(), test)
}

// onVectorPaths runs a test on every SIMD path except the plain path. The test compares the path with the plain path.
func onVectorPaths(t *testing.T, test func(t *testing.T, path string)) {
	onThese(t, Paths()[:len(Paths())-1], test)
}

func onThese(t *testing.T, paths []string, test func(t *testing.T, path string)) {
	before, _ := Path()
	defer Use(before)
	for _, path := range paths {
		if err := Use(path); err != nil {
			t.Fatal(err)
		}
		t.Run("path="+path, func(t *testing.T) { test(t, path) })
	}
}

// TestStepsGrow uses one Steps, initially zero, for pins and batches of all sizes in random order. Data left by an
// earlier use must not change a result.
func TestStepsGrow(t *testing.T) {
	onPaths(t, func(t *testing.T, path string) {
		r := rand.New(rand.NewPCG(8, 8))
		var one Steps
		for range 200 {
			k, samples, wide := 1+r.IntN(256), 1+r.IntN(300), r.IntN(2) == 0
			p := drawPin(r, k, samples, (samples+63)/64+r.IntN(3), 1+r.IntN(300), wide)
			if got, want := p.update(&one), p.update(&Steps{}); firstDifference(want, got) >= 0 {
				t.Fatalf("k=%d samples=%d: a Steps in use gives %x, a new one %x", k, samples, got, want)
			}
		}
	})
}

// TestStepsLook passes invalid arguments, which must not reach the assembly. Each SIMD path must panic.
func TestStepsLook(t *testing.T) {
	panics := func(f func()) (yes bool) {
		defer func() { yes = recover() != nil }()
		f()
		return false
	}
	onPaths(t, func(t *testing.T, path string) {
		r := rand.New(rand.NewPCG(9, 9))
		for _, k := range []int{1, 7, 8, 9, 16, 17, 33, 100} {
			for _, wide := range []bool{false, true} {
				for _, j := range []int{0, k / 2, k - 1} {
					p := drawPin(r, k, 100, 2, 50, wide)
					if panics(func() { p.update(&Steps{}) }) {
						t.Fatalf("k=%d wide=%v: panic without a reason", k, wide)
					}
					if wide {
						p.wires.Wide[j] = []uint32{50, 1 << 31, 1<<32 - 1}[r.IntN(3)]
					} else {
						p.wires.Narrow[j] = []uint16{50, 1<<16 - 1}[r.IntN(2)]
					}
					if !panics(func() { p.update(&Steps{}) }) {
						t.Errorf("k=%d wide=%v: no panic although wire %d leads beyond the rows", k, wide, j)
					}
				}
			}
		}
		for name, spoil := range map[string]func(p *onePin){
			"wires":   func(p *onePin) { p.wires.Narrow = p.wires.Narrow[:6:6] },
			"moments": func(p *onePin) { p.m = p.m[:6:6] },
			"rows":    func(p *onePin) { p.batch.X = p.batch.X[:98:98] },
		} {
			p := drawPin(r, 7, 100, 2, 50, false)
			spoil(p)
			if !panics(func() { p.update(&Steps{}) }) {
				t.Errorf("no panic although %s is too short", name)
			}
		}
		var s Steps
		d, row := make([]float32, 112), make([]uint64, 2)
		if !panics(func() { s.Bins(d, d[:96:96], row, row) }) || !panics(func() { s.Bins(d, nil, row, row[:1:1]) }) {
			t.Error("Bins: no panic although rows or gradients are too short")
		}
	})
}

// ExampleSteps updates one gate whose pin B chooses among three rows.
func ExampleSteps() {
	adam := NewAdam(0.1, 0.9, 0.999, 1e-8, 1)
	var w, m, v [Ops]float32
	u, um, uv := make([]float32, 3), make([]float32, 3), make([]float32, 3)
	w[1] = 2 // AND, at first
	batch := Batch{X: []uint64{0b0011, 0, 0b0101, 0, 0b1001, 0}, Words: 2, Samples: 4}
	a, b := []uint64{0b0111, 0}, batch.X[:2] // the values of pins A and B; B has chosen row 0
	delta, beta := make([]float32, Lanes), make([]float32, Lanes)
	copy(delta, []float32{-1, 1, -1, 1}) // the output should be 0101

	var s Steps
	s.Operations(&w, w[1])
	s.Bins(delta, beta, a, b)
	op, _ := s.UpdateOperations(&adam, &w, &m, &v)
	row, _ := s.updateSelection(&adam, u, um, uv, 0, Wires{Narrow: []uint16{0, 1, 2}}, &batch, beta)
	fmt.Printf("operation %d, row %d\n", op, row)
	// Output: operation 1, row 1
}
