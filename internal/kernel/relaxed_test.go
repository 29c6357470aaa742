package kernel

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// pinShape describes a random pin. The pin has k candidates, or reads the spine if k is 0.
type pinShape struct {
	k      int
	hidden bool
}

// relaxedShape describes a random layer and the layer above it.
type relaxedShape struct {
	a, b, above         pinShape // above is each pin of the layer above; if above.k is 0, the tested layer is the last
	samples, words      int
	layers              int // number of layers in the section
	wide, light, spread bool
}

const relaxedWidth = 23

// relaxedState is a random layer with all arrays that a pass reads.
type relaxedState struct {
	sh     relaxedShape
	l      *Layer
	x      []uint64
	below  []float32
	out    []float32
	traces [2]Trace // the traces of this layer and of the layer above
	tops   [][]float32
}

func (sh relaxedShape) draw(r *rand.Rand) *relaxedState {
	t := &relaxedState{sh: sh, x: make([]uint64, testInputs*sh.words)}
	for i := range t.x {
		t.x[i] = r.Uint64()
	}
	row := 64 * sh.words
	t.below, t.out = odds(r, relaxedWidth*row, 1), odds(r, relaxedWidth*row, 1)
	scale := []float64{1e-3, 1e-30, 1e-42}[r.IntN(3)]
	t.l = &Layer{Gates: sh.gates(r, sh.a, sh.b), Index: r.IntN(sh.layers)}
	layers := []*Layer{t.l}
	if sh.above.k > 0 {
		layers = append(layers, &Layer{Gates: sh.gates(r, sh.above, sh.above)})
		t.l.Uses = NewUses(layers[1].Gates, 0, relaxedWidth)
	}
	var pins []float32
	for range Settle(layers, []int{0, relaxedWidth}) {
		pins = append(pins, sh.gradient(r, scale)...)
	}
	for i := range t.traces {
		share := odds(r, relaxedWidth*2*max(sh.a.k, sh.b.k, sh.above.k, 1), 1)
		t.traces[i] = Trace{Pins: pins, Share: share}
	}
	for range relaxedWidth {
		t.tops = append(t.tops, sh.gradient(r, scale))
	}
	return t
}

// gradient returns a random row, with zeros after the last sample.
func (sh relaxedShape) gradient(r *rand.Rand, scale float64) []float32 {
	return append(odds(r, sh.samples, scale), make([]float32, 64*sh.words-sh.samples)...)
}

// gates returns a random section. If the shape's wires are not spread, the gates read only a few gates of the
// previous layer, and several gates often read the same gate.
func (sh relaxedShape) gates(r *rand.Rand, a, b pinShape) *Gates {
	n := relaxedWidth * sh.layers
	draw := func(p pinShape) *Pin {
		if p.k == 0 {
			return nil
		}
		pin := shape{wide: sh.wide}.pin(r, n, p.k)
		pin.Hidden = p.hidden
		for i := range n * p.k * btoi(p.hidden) {
			w := r.IntN(relaxedWidth)
			if !sh.spread && r.IntN(4) > 0 {
				w = relaxedWidth - 1 - r.IntN(2)
			}
			if sh.wide {
				pin.Wide[i] = uint32(w)
			} else {
				pin.Narrow[i] = uint16(w)
			}
		}
		return pin
	}
	s := &Gates{Layers: sh.layers, Light: sh.light, Op: make([]uint8, n), A: draw(a), B: draw(b)}
	s.Logits = shape{}.logits(r, n, s.Arity())
	s.Refresh()
	return s
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// run computes and updates copies of the layer's gates, in two parts, and returns all changed arrays. The function
// keep makes the copies.
func (t *relaxedState) run(path string, keep func(v []float32) []float32, x []uint64) map[string][]uint32 {
	if err := Use(path); err != nil {
		panic(err)
	}
	s := *t.l.Gates
	logits := func(l Logits) Logits { return Logits{keep(l.W), keep(l.M), keep(l.V), slices.Clone(l.Top)} }
	s.Logits, s.Op = logits(s.Logits), slices.Clone(s.Op)
	for _, p := range []**Pin{&s.A, &s.B} {
		if *p != nil {
			c := (*p).clone()
			c.Logits = logits(c.Logits)
			*p = c
		}
	}
	l := *t.l
	l.Gates = &s
	p := NewRelaxedPass(t.sh.words, max(1, t.sh.a.k, t.sh.b.k))
	p.X, p.Below, p.Samples, p.Adam = x, keep(t.below), t.sh.samples, NewAdam(0.01, 0.9, 0.999, 1e-8, 2)
	out, pins := keep(t.out), keep(t.traces[0].Pins)
	own, next := &Trace{Pins: pins, Share: keep(t.traces[0].Share)}, &Trace{Pins: pins, Share: keep(t.traces[1].Share)}
	if t.sh.above.k == 0 {
		next = nil
	}
	for _, part := range [][2]int{{0, 9}, {9, relaxedWidth}} {
		p.Forward(&l, out, part[0], part[1])
	}
	p.Update(&l, own, next, func(i int) []float32 { return t.tops[i] }, 0, relaxedWidth)
	bits := map[string][]uint32{}
	add(bits, "out", out)
	add(bits, "gradients", pins)
	add(bits, "share", own.Share)
	for _, op := range s.Op {
		bits["op"] = append(bits["op"], uint32(op))
	}
	s.add(bits, "ops")
	for name, pin := range map[string]*Pin{"a": s.A, "b": s.B} {
		if pin != nil {
			bits[name] = pin.Bit
			pin.add(bits, name)
		}
	}
	return bits
}

// relaxedShapes draws shapes of all kinds of layers.
func relaxedShapes(r *rand.Rand) (all []relaxedShape) {
	for _, k := range []int{1, 2, 3, 5, 8, 9, 16, 17, 32, 33, 100} {
		for _, pins := range [][2]pinShape{
			{{0, true}, {k, false}},
			{{k, true}, {k, false}},
			{{k, true}, {k, true}},
			{{k, false}, {k, false}},
			{{1, false}, {k, true}},
		} {
			for _, samples := range []int{1 + r.IntN(64), 100, 1 + r.IntN(500)} {
				all = append(all, relaxedShape{
					a: pins[0], b: pins[1], above: pinShape{[]int{0, 1, 1, 3, k}[r.IntN(5)], true},
					samples: samples, words: max(LeastWords, (samples+63)/64) + r.IntN(2), layers: 1 + r.IntN(2),
					wide: r.IntN(2) == 0, light: r.IntN(3) == 0, spread: r.IntN(2) == 0,
				})
			}
		}
	}
	return all
}

// TestRelaxedPaths compares each vector path with the plain path, to the bit, on random layers.
func TestRelaxedPaths(t *testing.T) {
	onVectorPaths(t, func(t *testing.T, path string) {
		r := rand.New(rand.NewPCG(12, 12))
		for _, sh := range relaxedShapes(r) {
			st := sh.draw(r)
			st.compare(t, path, slices.Clone[[]float32], st.x)
		}
	})
}

// compare compares a path with the plain path.
func (t *relaxedState) compare(tb testing.TB, path string, keep func(v []float32) []float32, x []uint64) {
	tb.Helper()
	want := t.run("none", slices.Clone[[]float32], t.x)
	got := t.run(path, keep, x)
	for name, w := range want {
		if i := firstDifference(w, got[name]); i >= 0 {
			tb.Fatalf("%+v: %s[%d] = %x, want %x", t.sh, name, i, got[name][i], w[i])
		}
	}
}

// TestMean compares the mean of bits with its definition, to the bit.
func TestMean(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 13))
	for k := 1; k <= 40; k++ {
		batch := Batch{X: make([]uint64, 50*3), Words: 3, Samples: 130}
		for i := range batch.X {
			batch.X[i] = r.Uint64()
		}
		q, got, wires := make([]float32, k), make([]float32, 144), Wires{}
		for j := range q {
			q[j], wires.Wide = r.Float32(), append(wires.Wide, uint32(r.IntN(50)))
		}
		meanBits(got, q, &batch, wires)
		for s, x := range got {
			v := make([]float32, k+3)
			for j := range q {
				if batch.X[wires.at(j)*3+s/64]>>(s%64)&1 == 1 {
					v[j] = q[j]
				}
			}
			var want float32
			for j := 0; j < k; j += 4 {
				want += (v[j] + v[j+1]) + (v[j+2] + v[j+3])
			}
			if x != want {
				t.Fatalf("k=%d: sample %d: %v, want %v", k, s, x, want)
			}
		}
	}
}

// TestRelaxedBins compares outputs, gradients and sums with their definitions, computed in double precision.
func TestRelaxedBins(t *testing.T) {
	r := rand.New(rand.NewPCG(14, 14))
	delta, a, b := normals(r, 112, 1e-3), normals(r, 112, 1), normals(r, 112, 1)
	alpha, beta, out := make([]float32, 112), make([]float32, 112), make([]float32, 112)
	tv := Quad{0.1, 0.7, 0.4, 0.2}
	got := relaxedBins(alpha, beta, delta, a, b, &tv)
	mix(out, a, b, &tv)
	var want [4]float64
	near := func(what string, got float32, want float64) {
		if d := float64(got) - want; d > 1e-6 || d < -1e-6 {
			t.Errorf("%s = %v, want %v", what, got, want)
		}
	}
	for s, d := range delta {
		x, y, d := float64(a[s]), float64(b[s]), float64(d)
		for i, weight := range []float64{(1 - x) * (1 - y), (1 - x) * y, x * (1 - y), x * y} {
			want[i] += d * weight
		}
		near("output", out[s], 0.1*(1-x)*(1-y)+0.7*(1-x)*y+0.4*x*(1-y)+0.2*x*y)
		near("alpha", alpha[s], d*((0.4-0.1)*(1-y)+(0.2-0.7)*y))
		near("beta", beta[s], d*((0.7-0.1)*(1-x)+(0.2-0.4)*x))
	}
	for i, s := range got {
		near(fmt.Sprintf("S[%02b]", i), s, want[i])
	}
}

// TestRelaxedLooks passes invalid arguments, which must not reach the assembly. Each SIMD path must panic.
func TestRelaxedLooks(t *testing.T) {
	panics := func(f func()) (yes bool) {
		defer func() { yes = recover() != nil }()
		f()
		return false
	}
	sh := relaxedShape{
		a: pinShape{3, true}, b: pinShape{3, false}, above: pinShape{1, true}, samples: 100, words: 2,
		layers: 1, wide: true,
	}
	for name, spoil := range map[string]func(s *relaxedState){
		"nothing":       func(*relaxedState) {},
		"a hidden wire": func(s *relaxedState) { s.l.A.Wide[5] = 1 << 20 },
		"a wire":        func(s *relaxedState) { s.l.B.Wide[5] = 1 << 20 },
		"an edge":       func(s *relaxedState) { s.l.Uses.edges[3].Pin = 1 << 20 },
		"a slot":        func(s *relaxedState) { s.l.Uses.edges[3].Slot = 1 << 20 },
		"rows":          func(s *relaxedState) { s.out = s.out[:5*128] },
		"moments":       func(s *relaxedState) { s.l.B.M = s.l.B.M[:7:7] },
	} {
		onPaths(t, func(t *testing.T, path string) {
			s := sh.draw(rand.New(rand.NewPCG(15, 15)))
			spoil(s)
			if got := panics(func() { s.run(path, slices.Clone[[]float32], s.x) }); got != (name != "nothing") {
				t.Errorf("%s spoilt: panic %v", name, got)
			}
		})
	}
}
