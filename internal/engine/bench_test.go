package engine

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"ialgn/internal/kernel"
	"ialgn/internal/memory"
	"ialgn/internal/model"
	"ialgn/internal/netgen"
)

// BenchmarkStep times one exact training step of networks of private chains. The batch has 100 samples, each pin has
// 32 candidates (k_x), and the first pin is fixed. The networks have the sizes of the paper's smaller networks, and
// gradients of pins are summed as they are or rounded to 8 bits. The benchmark reports the median and the shortest time
// of a step.
func BenchmarkStep(b *testing.B) {
	mnist := netgen.ModelOptions{Width: 8000, Depth: 6, Features: 784, Bits: 4}
	cifar := netgen.ModelOptions{Width: 12000, Depth: 4, Features: 3072, Bits: 16}
	deep := mnist
	deep.Depth = 100
	for _, gradients := range []string{"", "int8"} {
		benchmark(b, "mnist-8k-6", mnist, gradients)
		benchmark(b, "mnist-8k-100", deep, gradients)
		benchmark(b, "cifar10-12k-4", cifar, gradients)
	}
}

// BenchmarkCandidates is like BenchmarkStep, but varies the number of candidates of an anchor.
func BenchmarkCandidates(b *testing.B) {
	for _, k := range []int{4, 8, 16, 32, 64} {
		benchmark(b, fmt.Sprintf("cifar10-12k-4-k%d", k), netgen.ModelOptions{
			Width: 12000, Depth: 4, Features: 3072, Bits: 4,
			Anchors: k,
		}, "")
	}
}

// BenchmarkLayers is like BenchmarkStep, but with networks that the layer engine trains.
func BenchmarkLayers(b *testing.B) {
	for _, net := range []struct {
		name    string
		options netgen.ModelOptions
	}{
		{"rwlgn-8k-6", netgen.ModelOptions{Topology: "rwlgn", Width: 8000, Depth: 6}},
		{"rwlgn-8k-100", netgen.ModelOptions{Topology: "rwlgn", Width: 8000, Depth: 100}},
		{"rwlgn-spine-8k-6", netgen.ModelOptions{Topology: "rwlgn-spine", Width: 8000, Depth: 6}},
		{"rwlgn-classwise-8k-6", netgen.ModelOptions{Topology: "rwlgn-classwise", Width: 8000, Depth: 6}},
		{"ldlgn-8k-6", netgen.ModelOptions{Topology: "rwlgn", Width: 8000, Depth: 6, Light: true}},
		{"ialgn-12k-20-kh8", netgen.ModelOptions{Width: 12000, Depth: 20, Hidden: 8}},
		{"ialgn-12k-20-kh32", netgen.ModelOptions{Width: 12000, Depth: 20, Hidden: 32}},
	} {
		net.options.Features, net.options.Bits = 784, 4
		benchmark(b, net.name, net.options, "")
	}
}

// benchmark times a step of the network on one thread and on two threads. The argument gradients is the value of
// train.gradients, or empty for float32.
func benchmark(b *testing.B, name string, o netgen.ModelOptions, gradients string) {
	if gradients != "" {
		name += "-" + gradients
	}
	for _, threads := range []int{1, 2} {
		b.Run(fmt.Sprintf("net=%s/threads=%d", name, threads), func(b *testing.B) {
			o.Classes, o.Fixed, o.Tau, o.Seed = 10, true, 10, 1
			o.Anchors = cmp.Or(o.Anchors, 32)
			m := netgen.Model(o)
			m.Config.Train.Gradients = gradients
			skipBias(m)
			e, err := New(m, 100, threads)
			if err != nil {
				b.Fatal(err)
			}
			took := timeSteps(b, e, m)
			gates := float64(o.Width * o.Depth)
			b.ReportMetric(float64(took[0].Nanoseconds())/gates, "best-ns/gate-step")
			b.ReportMetric(float64(took[len(took)/2].Nanoseconds())/gates, "ns/gate-step")
			b.ReportMetric(gates/took[len(took)/2].Seconds(), "gate-steps/s")
		})
	}
}

// skipBias sets the operation logits to the values at the start of training.
func skipBias(m *model.Model) {
	start := [kernel.Ops]float32{3: 5}
	if m.Sections[0].Arity == kernel.LightOps {
		start = [kernel.Ops]float32{-5, -5, 5, 5}
	}
	for i := range m.Sections {
		for ops := range slices.Chunk(m.Sections[i].Ops, m.Sections[0].Arity) {
			copy(ops, start[:])
		}
	}
}

// timeSteps returns the times of steps in ascending order. As in the C prototype's benchmark, every batch is new and
// random. If the network had learnt a batch by heart, the gradients would be subnormal numbers, which take longer.
func timeSteps(b *testing.B, e Engine, m *model.Model) (took []time.Duration) {
	r := rand.New(rand.NewPCG(1, 1))
	batch := Batch{X: memory.MakeHuge[uint64](m.Encoder.Inputs() * e.Words()), Labels: make([]uint8, 100)}
	for b.Loop() {
		for i := range batch.X {
			batch.X[i] = r.Uint64() & r.Uint64()
		}
		for i := range batch.Labels {
			batch.Labels[i] = uint8(r.IntN(10))
		}
		batch.Step++
		adam := kernel.NewAdam(0.01, 0.9, 0.999, 1e-8, len(took)+1)
		begin := time.Now()
		e.Step(batch, adam)
		took = append(took, time.Since(begin))
	}
	slices.Sort(took)
	return took
}
