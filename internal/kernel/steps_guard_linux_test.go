package kernel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"ialgn/internal/testkit"
)

// TestGuarded runs all steps on arrays between pages that must not be accessed, and compares the results with the
// plain path.
func TestGuarded(t *testing.T) {
	onPaths(t, func(t *testing.T, path string) {
		r := rand.New(rand.NewPCG(10, 10))
		for _, k := range []int{1, 2, 3, 5, 8, 15, 16, 17, 31, 33, 40, 64, 100, 255, 256} {
			for _, samples := range []int{1, 64, 65, 99, 100, 128, 129, 192, 300, 1024} {
				for _, end := range []bool{false, true} {
					words, wide := max(LeastWords, (samples+63)/64), r.IntN(2) == 0
					inputs := 20
					if wide && words == 2 {
						inputs = 1<<16 + 20
					}
					name := fmt.Sprintf("k=%d/samples=%d/wide=%v/end=%v", k, samples, wide, end)
					t.Run(name, func(t *testing.T) {
						comparePin(t, path, drawPin(r, k, samples, words, inputs, wide), end)
					})
				}
			}
		}
		for _, samples := range []int{1, 64, 65, 100, 128, 300, 1024} {
			for _, end := range []bool{false, true} {
				compareGate(t, path, r, samples, end)
				compareGather(t, r, samples, end)
			}
		}
	})
}

// compareGather compares the sums along edges, including edges to the first and the last rows.
func compareGather(t *testing.T, r *rand.Rand, samples int, end bool) {
	const width = 9
	words := (samples + 63) / 64
	trace, uses := drawTrace(r, width, words, samples, []int{4})
	uses.edges[0], uses.edges[3] = Edge{0, 0}, Edge{2*width - 1, 2*width - 1}
	want := make([]float32, (samples+Lanes-1)/Lanes*Lanes)
	trace.gather(want, uses.Of(0), words)
	got := testkit.GuardedCopy(t, want, end)
	clear(got)
	for i := range uses.edges[:4+edgesAhead][4:] { // these edges may lead to any row
		uses.edges[:4+edgesAhead][4+i] = Edge{r.Uint32(), r.Uint32()}
	}
	edges := testkit.GuardedCopy(t, uses.edges[:4+edgesAhead], end)[:4]
	var s Steps
	s.gather(&Trace{
		Delta: testkit.GuardedCopy(t, trace.Delta, end), Bits: testkit.GuardedCopy(t, trace.Bits, end),
		Coef: testkit.GuardedCopy(t, trace.Coef, end),
	}, got, edges, words)
	for i := range want {
		if math.Float32bits(want[i]) != math.Float32bits(got[i]) {
			t.Errorf("samples=%d: sum of sample %d is %v, want %v", samples, i, got[i], want[i])
		}
	}
}

// TestLayersGuarded updates layers in arrays between pages that must not be accessed.
func TestLayersGuarded(t *testing.T) {
	before, _ := Path()
	defer Use(before)
	r := rand.New(rand.NewPCG(14, 14))
	wire := onePinOf{"hidden", 1, false}
	for _, sh := range []layerShape{
		{a: wire, b: wire, samples: 100},
		{a: wire, b: wire, samples: 128},
		{a: onePinOf{"spine", 1, false}, b: wire, samples: 100},
		{a: onePinOf{"input", 1, false}, b: onePinOf{"input", 1, false}, samples: 100},
		{a: wire, b: wire, samples: 100, light: true},
	} {
		sh.words, sh.layers = fusedWords, 1
		for _, end := range []bool{false, true} {
			t.Run(fmt.Sprintf("%v/end=%v", sh, end), func(t *testing.T) {
				sh.draw(r).compare(t, places{
					func(v []float32) []float32 { return testkit.GuardedCopy(t, v, end) },
					func(v []uint64) []uint64 { return testkit.GuardedCopy(t, v, end) },
					func(v []uint32) []uint32 { return testkit.GuardedCopy(t, v, end) },
					func(v []uint8) []uint8 { return testkit.GuardedCopy(t, v, end) },
					func(v []Edge) []Edge { return testkit.GuardedCopy(t, v[:len(v)+edgesAhead], end)[:len(v)] },
				})
			})
		}
	}
}

// comparePin compares the update of a guarded pin with the update on the plain path.
func comparePin(t *testing.T, path string, p *onePin, end bool) {
	Use("none")
	want := p.update(&Steps{})
	Use(path)
	g := *p
	g.batch.X, g.grad = testkit.GuardedCopy(t, p.batch.X, end), testkit.GuardedCopy(t, p.grad, end)
	if p.wires.Wide != nil {
		g.wires.Wide = testkit.GuardedCopy(t, p.wires.Wide, end)
	} else {
		g.wires.Narrow = testkit.GuardedCopy(t, p.wires.Narrow, end)
	}
	var s Steps
	s.grow(len(p.w), p.batch.Words)
	x := &s.vector
	for _, scratch := range []*[]float32{&s.q, &s.r, &x.values, &x.pairs} {
		if *scratch != nil {
			*scratch = testkit.GuardedCopy(t, *scratch, end)
		}
	}
	if x.bits != nil {
		x.bits, x.offsets = testkit.GuardedCopy(t, x.bits, end), testkit.GuardedCopy(t, x.offsets, end)
	}
	got := g.updateIn(&s, testkit.GuardedCopy(t, p.w, end), testkit.GuardedCopy(t, p.m, end), testkit.GuardedCopy(t, p.v, end))
	if i := firstDifference(want, got); i >= 0 {
		t.Errorf("float %d: %x, want %x", i, got[i], want[i])
	}
}

// compareGate compares the steps that do not involve a pin.
func compareGate(t *testing.T, path string, r *rand.Rand, samples int, end bool) {
	n := (samples + Lanes - 1) / Lanes * Lanes
	words := (n + 63) / 64
	w, m, v, delta := odds(r, Ops, 3), odds(r, Ops, 1e-4), odds(r, Ops, 1e-8), odds(r, n, 1e-3)
	for i, x := range v {
		v[i] = max(x, -x)
	}
	a, b := make([]uint64, words), make([]uint64, words)
	for i := range a {
		a[i], b[i] = r.Uint64(), r.Uint64()
	}
	_, top := Largest(w)
	for _, alone := range []bool{false, true} {
		run := func(path string, w, m, v, delta, beta []float32, a, b []uint64) map[string][]uint32 {
			Use(path)
			var s Steps
			c := NewAdam(0.01, 0.9, 0.999, 1e-8, 2)
			s.Operations((*[Ops]float32)(w), top)
			if alone {
				s.Bins(delta, nil, a, b)
			} else {
				s.Bins(delta, beta, a, b)
			}
			arg, top := s.UpdateOperations(&c, (*[Ops]float32)(w), (*[Ops]float32)(m), (*[Ops]float32)(v))
			bits := map[string][]uint32{}
			for name, x := range map[string][]float32{
				"w": w, "m": m, "v": v, "delta": delta, "beta": beta,
				"top": {float32(arg), top},
			} {
				add(bits, name, x)
			}
			return bits
		}
		floats := func(v []float32) []float32 { return testkit.GuardedCopy(t, v, end) }
		want := run("none", slices.Clone(w), slices.Clone(m), slices.Clone(v), slices.Clone(delta), make([]float32, n), a, b)
		got := run(path, floats(w), floats(m), floats(v), floats(delta), floats(make([]float32, n)), testkit.GuardedCopy(t, a, end),
			testkit.GuardedCopy(t, b, end))
		for name, x := range want {
			if i := firstDifference(x, got[name]); i >= 0 {
				t.Errorf("samples=%d alone=%v: %s[%d] = %x, want %x", samples, alone, name, i, got[name][i], x[i])
			}
		}
	}
}
