package engine

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"ialgn/internal/hugepage"
	"ialgn/internal/modelgen"
	"ialgn/trainer/kernel"
)

// BenchmarkStep times one exact training step at batch 100 and k_x = 32 with a fixed
// first pin, on the sizes of the paper's smaller networks: the median of the steps and
// the best. tools/prototype.sh runs it in turns with the C prototype.
func BenchmarkStep(b *testing.B) {
	for _, size := range []struct {
		name                         string
		width, depth, features, bits int
	}{
		{"mnist-8k-6", 8000, 6, 784, 4},
		{"mnist-8k-100", 8000, 100, 784, 4},
		{"cifar10-12k-4", 12000, 4, 3072, 16},
	} {
		for _, threads := range []int{1, 2} {
			b.Run(fmt.Sprintf("net=%s/threads=%d", size.name, threads), func(b *testing.B) {
				m := modelgen.New(modelgen.Options{
					Width: size.width, Depth: size.depth, Features: size.features, Bits: size.bits,
					Classes: 10, Anchors: 32, Fixed: true, Tau: 10, Seed: 1,
				})
				for i := range m.Sections { // skip-biased, as training starts
					ops := m.Sections[i].Ops
					for k := range ops {
						ops[k] = 0
						if k%kernel.Ops == 3 {
							ops[k] = 5
						}
					}
				}
				e, err := New(m, 100, threads)
				if err != nil {
					b.Fatal(err)
				}
				// New random batches all the time, as in the C prototype's benchmark: a
				// batch learnt by heart has subnormal gradients, which cost more.
				r := rand.New(rand.NewPCG(1, 1))
				batch := Batch{X: hugepage.Make[uint64](m.Encoder.Inputs() * e.Words()), Labels: make([]uint8, 100)}
				var took []time.Duration
				for b.Loop() {
					for i := range batch.X {
						batch.X[i] = r.Uint64() & r.Uint64()
					}
					for i := range batch.Labels {
						batch.Labels[i] = uint8(r.IntN(10))
					}
					adam := kernel.NewAdam(0.01, 0.9, 0.999, 1e-8, len(took)+1)
					begin := time.Now()
					e.Step(batch, adam)
					took = append(took, time.Since(begin))
				}
				slices.Sort(took)
				gates := float64(size.width * size.depth)
				b.ReportMetric(float64(took[0].Nanoseconds())/gates, "best-ns/gate-step")
				b.ReportMetric(float64(took[len(took)/2].Nanoseconds())/gates, "ns/gate-step")
				b.ReportMetric(gates/took[len(took)/2].Seconds(), "gate-steps/s")
			})
		}
	}
}
