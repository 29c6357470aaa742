package model_test

import (
	"context"
	"flag"
	"fmt"
	"path/filepath"
	"runtime"
	"testing"

	"ialgn/internal/model"
	"ialgn/internal/netgen"
	"ialgn/internal/topology"
)

// large makes the benchmarks use the paper's largest network, 128,000 x 80 with 32 candidates. The network's file has
// 2.6 GB.
var large = flag.Bool("large", false, "benchmark with a network of 128,000 x 80 gates")

func benchmarkOptions() netgen.ModelOptions {
	o := netgen.ModelOptions{
		Width: 8000, Depth: 20, Features: 784, Classes: 10, Anchors: 32,
		ShareA: 0.884, ShareBinary: 0.114,
	}
	if *large {
		o.Width, o.Depth = 128_000, 80
	}
	return o
}

// BenchmarkEvaluator measures the forward pass over rows of several lengths. It reports the number of gates per
// second, and the time for one gate and one word of 64 samples.
func BenchmarkEvaluator(b *testing.B) {
	for _, ops := range []string{"paper", "random"} {
		o := benchmarkOptions()
		if ops == "random" {
			o.ShareA, o.ShareBinary = 0, 0
		}
		o.Anchors = 1
		f := netgen.Model(o).Freeze()
		p := netgen.Samples(&f.Encoder, 1024, 10, 1)
		for _, words := range []int{1, 4, 8, 16} {
			b.Run(fmt.Sprintf("ops=%s/words=%d", ops, words), func(b *testing.B) {
				e, in := model.NewEvaluator(f), thermometer(f, p, 16)
				for b.Loop() {
					e.Run(in, words, nil)
				}
				per := b.Elapsed().Seconds() / float64(b.N)
				b.ReportMetric(float64(f.Gates()*words*64)/per, "gates/s")
				b.ReportMetric(per*1e9/float64(f.Gates()*words), "ns/gate-word")
			})
		}
	}
}

// BenchmarkEvaluate measures the evaluation of a whole set, from packed levels to classes.
func BenchmarkEvaluate(b *testing.B) {
	o := benchmarkOptions()
	o.Depth, o.Anchors = 6, 1
	f := netgen.Model(o).Freeze()
	p := netgen.Samples(&f.Encoder, 10_000, 10, 1)
	for _, threads := range []int{1, 2} {
		b.Run(fmt.Sprintf("threads=%d", threads), func(b *testing.B) {
			for b.Loop() {
				if _, err := f.Evaluate(context.Background(), p, threads); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(p.Len())*float64(b.N)/b.Elapsed().Seconds(), "images/s")
		})
	}
}

func BenchmarkFreeze(b *testing.B) {
	m := netgen.Model(benchmarkOptions())
	for b.Loop() {
		m.Freeze()
	}
	b.ReportMetric(float64(m.Width*m.Depth())*float64(b.N)/b.Elapsed().Seconds(), "gates/s")
}

// BenchmarkFile measures how long it takes to write a file with its checksum, to load it, and to read it as a frozen
// network. The file stays in the page cache.
func BenchmarkFile(b *testing.B) {
	path := filepath.Join(b.TempDir(), "m.safetensors")
	gates := float64(benchmarkOptions().Width * benchmarkOptions().Depth)
	b.Run("do=save", func(b *testing.B) {
		m := netgen.Model(benchmarkOptions())
		for b.Loop() {
			if _, err := m.Save(path); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(gates*float64(b.N)/b.Elapsed().Seconds(), "gates/s")
	})
	runtime.GC()
	for _, do := range []struct {
		name string
		read func() error
	}{
		{"load", func() error { _, err := model.Load(path); return err }},
		{"frozen", func() error { _, err := model.ReadFrozen(path); return err }},
	} {
		b.Run("do="+do.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := do.read(); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(gates*float64(b.N)/b.Elapsed().Seconds(), "gates/s")
		})
	}
}

// BenchmarkUnroll measures freezing the small convolutional network of "Convolutional Differentiable Logic Gate
// Networks" (Petersen et al., NeurIPS 2024). One benchmark measures all of Freeze, which mostly writes the nodes of
// all positions. The other measures unrolling alone.
func BenchmarkUnroll(b *testing.B) {
	m := netgen.Model(netgen.ModelOptions{
		Topology: topology.Conv, Image: "3,32,32", Kernels: "32,128,512,1024", Widths: "40960,20480,10240", Classes: 10,
	})
	b.Run("freeze", func(b *testing.B) {
		for b.Loop() {
			m.Freeze()
		}
		b.ReportMetric(float64(m.FrozenNodes()*b.N)/b.Elapsed().Seconds(), "nodes/s")
	})
	b.Run("unroll", func(b *testing.B) {
		c := m.Compact()
		for b.Loop() {
			if _, err := c.Unroll(); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(m.FrozenNodes()), "nodes")
	})
}
