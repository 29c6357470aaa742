package sim

import (
	"context"
	"fmt"
	"testing"

	"ialgn/internal/freeze"
	"ialgn/internal/netgen"
	"ialgn/netlist"
)

// ialgn returns a random network of the paper's form. Half of its gates are binary.
func ialgn(b *testing.B, width, depth int) *netlist.Netlist {
	b.Helper()
	o := netgen.Paper(width, depth)
	o.ShareA, o.ShareBinary = 0.5, 0.5
	n, err := freeze.Network(netgen.Frozen(1, o), netlist.Gates)
	if err != nil {
		b.Fatal(err)
	}
	return n
}

// BenchmarkRun measures one run of a block. It reports gate-words, that is, gates times words.
func BenchmarkRun(b *testing.B) {
	for _, size := range []struct{ width, depth int }{{8000, 6}, {12800, 80}, {128000, 80}} {
		for _, block := range []int{1, 2, 4, 16} {
			if size.width*size.depth*block > 25e6 {
				continue
			}
			b.Run(fmt.Sprintf("gates=%dx%d/words=%d", size.width, size.depth, block), func(b *testing.B) {
				n := ialgn(b, size.width, size.depth)
				s, err := NewBlock(n, block)
				if err != nil {
					b.Fatal(err)
				}
				rows := make([]uint64, inputBits(n)*block)
				for b.Loop() {
					if err := s.Run(block, rows); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(n.Cells()*block)*float64(b.N)/b.Elapsed().Seconds(), "gates/s")
			})
		}
	}
}

// BenchmarkClassify measures a whole set of samples of the paper's MNIST network.
func BenchmarkClassify(b *testing.B) {
	const samples = 10000
	for _, threads := range []int{1, 2} {
		b.Run(fmt.Sprintf("gates=8000x6/threads=%d", threads), func(b *testing.B) {
			c, err := NewClassifier(ialgn(b, 8000, 6), threads)
			if err != nil {
				b.Fatal(err)
			}
			rows := make([]uint64, c.Inputs()*((samples+63)/64))
			for b.Loop() {
				if _, err := c.Classify(context.Background(), rows, samples); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(samples*float64(b.N)/b.Elapsed().Seconds(), "images/s")
		})
	}
}
