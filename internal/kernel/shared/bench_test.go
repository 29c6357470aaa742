package shared

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"ialgn/internal/kernel"
)

// eachPath runs a benchmark on each SIMD path, and reports the time per position and node.
func eachPath(b *testing.B, positions int, do func()) {
	before, err := kernel.Path()
	if err != nil {
		b.Fatal(err)
	}
	defer kernel.Use(before)
	for _, path := range kernel.Paths() {
		b.Run("path="+path, func(b *testing.B) {
			on(b, path, func() {
				for b.Loop() {
					do()
				}
			})
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(positions), "ns/position")
		})
	}
}

// BenchmarkConvolution evaluates a list of a few nodes at consecutive positions. All data fit in the fastest caches.
func BenchmarkConvolution(b *testing.B) {
	for _, nodes := range []int{4, 1} {
		for _, positions := range []int{24, 64} {
			r := rand.New(rand.NewPCG(21, 21))
			a := &arrays{list: List{Pins: 2}, positions: positions}
			for i := range nodes {
				for pin := range 2 {
					a.list.Wires = append(a.list.Wires, uint32((r.IntN(3)*positions+pin)*Lanes))
				}
				a.list.Out = append(a.list.Out, uint32((4+i)*positions*Lanes))
			}
			a.run(b, fmt.Sprintf("nodes=%d/positions=%d", nodes, positions), r, (4+nodes)*positions*Lanes)
		}
	}
}

// BenchmarkLayer evaluates a layer at one position. The wires lead to random nodes of the previous layer.
func BenchmarkLayer(b *testing.B) {
	const nodes, rows = 32000, 48000
	r := rand.New(rand.NewPCG(22, 22))
	a := &arrays{list: List{Pins: 2}, positions: 1}
	for i := range nodes {
		for range 2 {
			a.list.Wires = append(a.list.Wires, uint32(r.IntN(rows)*Lanes))
		}
		a.list.Out = append(a.list.Out, uint32((rows+i)*Lanes))
	}
	a.run(b, fmt.Sprintf("nodes=%d", nodes), r, (rows+nodes)*Lanes)
}

// run draws the arrays and benchmarks the forward and the backward pass. The gradients of pins are at the same
// offsets as the rows of pins.
func (a *arrays) run(b *testing.B, name string, r *rand.Rand, arena int) {
	a.to = a.list.Wires
	a.x, a.g = make([]float32, arena), make([]float32, arena)
	for i := range a.x {
		a.x[i] = r.Float32()
	}
	a.tables, a.sums = make([]float32, 4*a.list.Len()), make([]float32, 4*a.list.Len())
	for i := range a.tables {
		a.tables[i] = r.Float32()
	}
	for _, call := range calls {
		b.Run(call.name+"/"+name, func(b *testing.B) {
			eachPath(b, a.positions*a.list.Len(), func() { call.do(a) })
		})
	}
}
