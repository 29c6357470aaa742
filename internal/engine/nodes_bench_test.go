package engine

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"ialgn/internal/config"
	"ialgn/internal/kernel"
	"ialgn/internal/model"
	"ialgn/internal/netgen"
)

// BenchmarkNodes times steps of networks of look-up tables over the bits of MNIST with n_b = 4. The pins have 16
// candidates, and the batches have 128 samples. It uses one thread. The variants differ in whether gradients are
// rounded to 8 bits and in whether look-up tables have a cost. The benchmark times plain steps and steps that also
// compute scores. As in an epoch, all nodes are scored once, in 58 windows of 8 batches.
func BenchmarkNodes(b *testing.B) {
	for _, c := range []struct {
		name      string
		gradients string
		cost      config.Cost
		options   netgen.ModelOptions
	}{
		{"single-K6", "int8", config.Cost{}, netgen.ModelOptions{Width: 2000, Depth: 1, Inputs: 6}},
		{"single-K6-float32", "float32", config.Cost{}, netgen.ModelOptions{Width: 2000, Depth: 1, Inputs: 6}},
		{
			"single-K6-float32-cost", "float32",
			config.Cost{Target: "xilinx7", Pressure: 1e-5},
			netgen.ModelOptions{Width: 2000, Depth: 1, Inputs: 6},
		},
		{"chains-K6", "int8", config.Cost{}, netgen.ModelOptions{Width: 1000, Depth: 2, Inputs: 6}},
		{"chains-K4", "int8", config.Cost{}, netgen.ModelOptions{Width: 1000, Depth: 2, Inputs: 4}},
		{"tree-K6", "int8", config.Cost{}, netgen.ModelOptions{Topology: "tree", Width: 500, Depth: 2, Inputs: 6, Leaves: 3}},
	} {
		for _, scored := range []bool{false, true} {
			b.Run(fmt.Sprintf("%s/scored=%v", c.name, scored), func(b *testing.B) {
				o := c.options
				o.Features, o.Bits, o.Classes, o.Anchors, o.Tau = 784, 4, 10, 16, 4.7
				m := netgen.Model(o)
				m.Config.Train.Gradients, m.Config.Train.Cost = c.gradients, c.cost
				benchmarkNodes(b, m, scored)
			})
		}
	}
}

func benchmarkNodes(b *testing.B, m *model.Model, scored bool) {
	e, err := New(m, 128, 1)
	if err != nil {
		b.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 1))
	batch := Batch{X: make([]uint64, m.Encoder.Inputs()*e.Words()), Labels: make([]uint8, 128)}
	for i := range batch.X {
		batch.X[i] = r.Uint64() & r.Uint64()
	}
	for i := range batch.Labels {
		batch.Labels[i] = uint8(r.IntN(10))
	}
	step := 0
	for b.Loop() {
		if scored && step%8 == 0 {
			s := e.NewScores(Window{Number: step / 8 % 58, Windows: 58})
			if step > 0 {
				baseOf(e).scores.Replace(Replacement{4, 0.5, 8})
			}
			e.Score(s)
		}
		step++
		batch.Step = step
		e.Step(batch, kernel.NewAdam(0.01, 0.9, 0.999, 1e-8, step))
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(m.Nodes()), "ns/node")
}
