package kernel

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"
)

// BenchmarkUpdate times the update of a gate (k_x = 32, batch 100) on each SIMD path. The parameters stay in the
// cache. The learning rate is 0, so the parameters do not drift into subnormals.
func BenchmarkUpdate(b *testing.B) {
	for _, layers := range []int{1, 5, 48} {
		for _, rounded := range []bool{false, true} {
			benchmark(b, fmt.Sprintf("layers=%d/rounded=%v", layers, rounded),
				shape{k: 32, samples: 100, words: 2, layers: layers, rounded: rounded})
		}
	}
}

// BenchmarkShapes is BenchmarkUpdate for shapes without a fused kernel.
func BenchmarkShapes(b *testing.B) {
	for _, sh := range []shape{
		{k: 64, samples: 100, words: 2},
		{k: 32, samples: 256, words: 4},
		{k: 32, samples: 1024, words: 16},
	} {
		sh.layers = 5
		benchmark(b, fmt.Sprintf("k=%d/batch=%d", sh.k, sh.samples), sh)
	}
}

// benchmark times the update of gates with the given shape on each SIMD path.
func benchmark(b *testing.B, name string, sh shape) {
	before, _ := Path()
	defer Use(before)
	for _, path := range Paths() {
		b.Run("path="+path+"/"+name, func(b *testing.B) {
			r := rand.New(rand.NewPCG(6, 6))
			st := sh.draw(r)
			for _, l := range []*Logits{&st.s.Logits, &st.s.B.Logits} {
				for i := range l.W {
					l.W[i], l.M[i], l.V[i] = float32(r.NormFloat64()), float32(r.NormFloat64()*1e-4), 1e-7
				}
			}
			st.s.Refresh()
			Use(path)
			delta := make([]float32, 64*sh.words)
			for i := range delta[:sh.samples] {
				delta[i] = float32(r.NormFloat64()) * 1e-3
			}
			p := NewPass(sh.layers, sh.words, sh.k)
			chains := min(p.Group, sh.chains())
			p.X, p.Samples, p.Integer, p.Number = st.x, st.samples, st.rounded, 1
			copy(p.A, st.a)
			copy(p.B, st.b)
			best := time.Hour // the shortest time, since other work on the machine distorts the mean
			for b.Loop() {
				p.Adam = NewAdam(0, 0.9, 0.999, 1e-8, 1000)
				for c := range p.Delta {
					p.Delta[c] = delta
				}
				start := time.Now()
				p.Update(st.s, 0, 0, chains)
				best = min(best, time.Since(start))
			}
			gates := float64(sh.layers * chains)
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/gates, "ns/gate")
			b.ReportMetric(float64(best.Nanoseconds())/gates, "best-ns/gate")
		})
	}
}
