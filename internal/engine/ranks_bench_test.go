package engine

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"ialgn/internal/kernel"
	"ialgn/internal/memory"
	"ialgn/internal/netgen"
	"ialgn/internal/ranks"
)

// BenchmarkRanks times steps of the paper's smaller networks in four variants. The variants are a process with one
// thread, a single rank with one thread, two ranks with one thread each, and a process with two threads. The ranks
// are goroutines that exchange counts through memory. The four variants take turns, so that other work on the machine
// disturbs all of them equally.
func BenchmarkRanks(b *testing.B) {
	for _, net := range []struct {
		name    string
		options netgen.ModelOptions
	}{
		{"mnist-8k-6", netgen.ModelOptions{Width: 8000, Depth: 6, Features: 784, Bits: 4}},
		{"cifar10-12k-10", netgen.ModelOptions{Width: 12000, Depth: 10, Features: 3072, Bits: 16}},
	} {
		b.Run("net="+net.name, func(b *testing.B) {
			o := net.options
			o.Classes, o.Fixed, o.Tau, o.Seed, o.Anchors = 10, true, 10, 1, 32
			kinds := []struct {
				name    string
				engines []Engine
				took    []time.Duration
			}{
				{"alone", rankEngines(b, o, 0, 1), nil},
				{"1-rank", rankEngines(b, o, 1, 1), nil},
				{"2-threads", rankEngines(b, o, 0, 2), nil},
				{"2-ranks", rankEngines(b, o, 2, 1), nil},
			}
			r := rand.New(rand.NewPCG(1, 1))
			e := kinds[0].engines[0]
			batch := Batch{X: memory.MakeHuge[uint64](net.options.Features * (o.Bits - 1) * e.Words()), Labels: make([]uint8, 100)}
			for step := 1; b.Loop(); step++ {
				for i := range batch.X {
					batch.X[i] = r.Uint64() & r.Uint64()
				}
				for i := range batch.Labels {
					batch.Labels[i] = uint8(r.IntN(10))
				}
				adam := kernel.NewAdam(0.01, 0.9, 0.999, 1e-8, step)
				for i := range kinds {
					k := &kinds[(i+step)%len(kinds)]
					begin := time.Now()
					stepAll(k.engines, batch, adam)
					k.took = append(k.took, time.Since(begin))
				}
			}
			for _, k := range kinds {
				slices.Sort(k.took)
				b.ReportMetric(float64(k.took[len(k.took)/2].Microseconds()), k.name+"-us/step")
				b.ReportMetric(float64(k.took[len(k.took)/10].Microseconds()), k.name+"-tenth-us/step")
			}
		})
	}
}

// rankEngines returns an engine for each rank, where size is the number of ranks. If size is 0, it returns the engine
// of one process.
func rankEngines(b *testing.B, o netgen.ModelOptions, size, threads int) (all []Engine) {
	b.Helper()
	whole := o.Width
	comms := []ranks.Comm{nil}
	if size > 0 {
		comms, _ = ranks.Local(size)
		o.Width /= size
	}
	for rank, comm := range comms {
		m := netgen.Model(o)
		skipBias(m)
		if size > 0 {
			part := ranks.ShareOf(rank, size, o.Classes, whole/o.Classes)
			m.Part, m.Config.Model.Width = &part, whole
		}
		e, err := NewRank(m, 100, threads, comm)
		if err != nil {
			b.Fatal(fmt.Errorf("rank %d of %d: %w", rank, size, err))
		}
		all = append(all, e)
	}
	return all
}

// stepAll makes one step in all ranks.
func stepAll(engines []Engine, batch Batch, adam kernel.Adam) {
	var others sync.WaitGroup
	for _, e := range engines[1:] {
		others.Go(func() { e.Step(batch, adam) })
	}
	engines[0].Step(batch, adam)
	others.Wait()
}
