package engine

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"ialgn/internal/kernel"
	"ialgn/internal/memory"
	"ialgn/internal/netgen"
)

// BenchmarkRelaxed times one training step with relaxed values and batches of 100 samples. The networks of 12,000 x
// 20 read CIFAR-10 in 16 levels and have the logits of the start of training. The benchmark reports the shortest and
// the median time of a step, and the shortest time of a forward pass.
func BenchmarkRelaxed(b *testing.B) {
	for _, net := range []netgen.ModelOptions{
		{Topology: "ialgn", Anchors: 32, Fixed: true},
		{Topology: "rwlgn"},
		{Topology: "ialgn", Anchors: 32, Fixed: true, Hidden: 4},
		{Topology: "rwlgn", Light: true},
	} {
		net.Width, net.Depth, net.Features, net.Bits, net.Classes, net.Tau, net.Seed = 12000, 20, 3072, 16, 10, 10, 1
		b.Run(fmt.Sprintf("net=%s/hidden=%d/light=%v", net.Topology, net.Hidden, net.Light), func(b *testing.B) {
			timeRelaxed(b, net)
		})
	}
}

func timeRelaxed(b *testing.B, o netgen.ModelOptions) {
	m := netgen.Model(o)
	m.Config.Train.Estimator = "soft"
	for i := range m.Sections { // logits as at the start of training, when gates pass a pin on
		skip := []float32{0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}
		if o.Light {
			skip = []float32{-3, -3, 3, 3}
		}
		ops := m.Sections[i].Ops
		for k := range ops {
			ops[k] = skip[k%len(skip)]
		}
	}
	e, err := New(m, 100, 1)
	if err != nil {
		b.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 1))
	batch := Batch{X: memory.MakeHuge[uint64](m.Encoder.Inputs() * e.Words()), Labels: make([]uint8, 100)}
	var took, forward []time.Duration
	for b.Loop() {
		for i := range batch.X {
			batch.X[i] = r.Uint64() & r.Uint64()
		}
		for i := range batch.Labels {
			batch.Labels[i] = uint8(r.IntN(10))
		}
		begin := time.Now()
		e.Measure(batch)
		forward = append(forward, time.Since(begin))
		begin = time.Now()
		e.Step(batch, kernel.NewAdam(0.01, 0.9, 0.999, 1e-8, len(took)+1))
		took = append(took, time.Since(begin))
	}
	slices.Sort(took)
	gates := float64(o.Width * o.Depth)
	b.ReportMetric(float64(took[0].Nanoseconds())/gates, "best-ns/gate-step")
	b.ReportMetric(float64(took[len(took)/2].Nanoseconds())/gates, "ns/gate-step")
	b.ReportMetric(float64(slices.Min(forward).Nanoseconds())/gates, "best-forward-ns/gate")
	b.ReportMetric(gates/took[len(took)/2].Seconds(), "gate-steps/s")
}
