package diagnose

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"ialgn/internal/crew"
	"ialgn/internal/netgen"
	"ialgn/trainer"
)

// BenchmarkSample computes the credit of 300 outputs in the paper's network for one sample. Measuring a topology
// takes 2,000 samples.
func BenchmarkSample(b *testing.B) {
	for _, topology := range CreditTopologies {
		for _, noise := range []float64{0, 1} {
			b.Run(fmt.Sprintf("topology=%s/noise=%v", topology, noise), func(b *testing.B) {
				base := netgen.Model(netgen.ModelOptions{Topology: topology, Width: 10, Classes: 10, Depth: 2, Features: 100})
				c := &base.Config.Model
				c.Width, c.Depth, c.Init, c.SkipLogit, c.InitNoise = 12000, 100, "skip", 5, noise
				m := trainer.Initial(base.Config, &base.Encoder, base.Classes, 2)
				members := crew.New(2)
				p := newPass(newNetwork(m, 1), SampleGates(1, c.Width, 10, PaperSampled), members)
				r := rand.New(rand.NewPCG(1, 1))
				for i := range p.n.inputs() {
					p.n.inputs()[i] = r.Uint64()
				}
				delta := p.n.loss(p.n.forward(1), 0, 1, 3)
				edges := 0
				for _, g := range p.groups {
					for _, s := range g.stages {
						edges += len(s.reader) * ((g.last - g.first + lanes - 1) / lanes)
					}
				}
				for b.Loop() {
					p.sample(0, delta)
				}
				b.ReportMetric(float64(edges*lanes)*float64(b.N)/b.Elapsed().Seconds(), "products/s")
			})
		}
	}
}
