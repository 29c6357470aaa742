package engine_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"ialgn/internal/config"
	"ialgn/internal/engine"
	"ialgn/internal/kernel"
	"ialgn/internal/memory"
	"ialgn/internal/model"
	"ialgn/internal/netgen"
	"ialgn/trainer"
)

// BenchmarkShared times one training step with relaxed values and batches of 128 samples on one thread. It times the
// small network of convolutions in examples/cifar10/conv-s.yaml, a network with fewer convolutions whose other layers
// choose among nodes, and a network in which no gate is shared.
func BenchmarkShared(b *testing.B) {
	for _, estimator := range []string{"soft", "ste", "gumbel"} {
		b.Run("net=conv-s/estimator="+estimator, func(b *testing.B) {
			timeSteps(b, 0, networkOf(b, estimator, func(c *config.Config) {
				c.Model.Topology, c.Model.Image = "conv", "3,32,32"
				c.Model.Kernels, c.Model.Widths = "32,128,512,1024", "40960,20480,10240"
			}))
		})
	}
	for _, v := range []struct {
		hidden    int
		gradients string
		share     float64
	}{{1, "float32", 0}, {8, "float32", 0}, {8, "int8", 0}, {8, "int8", 1}, {8, "int8", 0.125}} {
		name := fmt.Sprintf("net=c64/estimator=ste/hidden=%d/gradients=%s/scored=%v", v.hidden, v.gradients, v.share)
		b.Run(name, func(b *testing.B) {
			timeSteps(b, v.share, networkOf(b, "ste", func(c *config.Config) {
				m := &c.Model
				m.Topology, m.Image, m.Kernels, m.Stride = "conv", "3,32,32", "64,64,256,256", "2,1,2,1"
				m.Levels, m.Pool, m.PatchHidden, m.Hidden, m.Widths = "1", "1", 1, v.hidden, "40000,40000"
				c.Train.Gradients = v.gradients
			}))
		})
	}
	for _, estimator := range []string{"soft", "ste"} {
		b.Run("net=unshared/estimator="+estimator, func(b *testing.B) {
			timeSteps(b, 0, networkOf(b, estimator, func(c *config.Config) {
				c.Model.Topology, c.Model.Width, c.Model.Depth = "rwlgn", 87470, 10
			}))
		})
	}
}

// networkOf returns an untrained network for CIFAR-10 with 4 levels for each feature.
func networkOf(b *testing.B, estimator string, change func(c *config.Config)) *model.Model {
	c := config.Default()
	c.Model.Tau, c.Train.Estimator, c.Train.Batch = 20, estimator, 128
	if estimator == "gumbel" {
		c.Train.Temperature = 1
	}
	change(&c)
	c.Model.Complete(func(key string) bool { return c.Model.Topology == "rwlgn" })
	if fault := c.Model.Check(); fault != nil {
		b.Fatalf("%+v", fault)
	}
	enc := netgen.Encoder(3072, 4, 8)
	return trainer.Initial(c, &enc, []string{"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"}, 2)
}

// timeSteps times steps that score the given share of the sources. As in an epoch, all nodes are scored once, in 48
// windows of 8 batches.
func timeSteps(b *testing.B, share float64, m *model.Model) {
	e, err := engine.New(m, 128, 1)
	if err != nil {
		b.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 1))
	batch := engine.Batch{X: memory.MakeHuge[uint64](m.Encoder.Inputs() * e.Words()), Labels: make([]uint8, 128)}
	var took []time.Duration
	var scores *engine.Scores
	for b.Loop() {
		for i := range batch.X {
			batch.X[i] = r.Uint64() & r.Uint64()
		}
		for i := range batch.Labels {
			batch.Labels[i] = uint8(r.IntN(10))
		}
		begin := time.Now()
		if window := len(took) / 8; share > 0 && len(took)%8 == 0 {
			if scores != nil {
				scores.Replace(engine.Replacement{Count: 4, Gap: 0.5, Batches: 8})
			}
			scores = e.NewScores(engine.Window{Number: window % 48, Windows: 48, Share: share, Seed: 1, Epoch: window / 48})
			e.Score(scores)
		}
		batch.Step = len(took) + 1
		e.Step(batch, kernel.NewAdam(0.01, 0.9, 0.999, 1e-8, batch.Step))
		took = append(took, time.Since(begin))
	}
	slices.Sort(took)
	gates := float64(m.Nodes())
	b.ReportMetric(took[0].Seconds()*1e3, "best-ms/step")
	b.ReportMetric(took[len(took)/2].Seconds()*1e3, "ms/step")
	b.ReportMetric(gates/took[0].Seconds(), "best-gate-steps/s")
	b.ReportMetric(gates, "gates")
}
