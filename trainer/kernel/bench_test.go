package kernel

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// BenchmarkUpdate times the update of a gate (k_x = 32, batch 100) on each path, with
// parameters that stay in the cache and, at learning rate 0, do not drift into subnormals.
func BenchmarkUpdate(b *testing.B) {
	before, _ := Path()
	defer Use(before)
	for _, path := range Paths() {
		for _, layers := range []int{1, 5, 48} {
			b.Run(fmt.Sprintf("path=%s/layers=%d", path, layers), func(b *testing.B) {
				r := rand.New(rand.NewPCG(6, 6))
				sh := shape{k: 32, samples: 100, words: 2, layers: layers}
				st := sh.draw(r)
				for _, l := range []*Logits{&st.s.Logits, &st.s.B.Logits} {
					for i := range l.W {
						l.W[i], l.M[i], l.V[i] = float32(r.NormFloat64()), float32(r.NormFloat64()*1e-4), 1e-7
					}
				}
				st.s.Refresh()
				Use(path)
				delta := make([]float32, 128)
				for i := range delta[:100] {
					delta[i] = float32(r.NormFloat64()) * 1e-3
				}
				p := NewPass(layers, 2, 32)
				p.X, p.Samples = st.x, st.samples
				copy(p.A, st.a)
				copy(p.B, st.b)
				for b.Loop() {
					p.Adam = NewAdam(0, 0.9, 0.999, 1e-8, 1000)
					for c := range p.Delta {
						p.Delta[c] = delta
					}
					p.Update(st.s, 0, 0, Chains)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*layers*Chains), "ns/gate")
			})
		}
	}
}
