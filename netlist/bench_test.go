package netlist_test

import (
	"bytes"
	"flag"
	"fmt"
	"runtime"
	"testing"

	"ialgn/internal/diagnose"
	"ialgn/internal/freeze"
	"ialgn/internal/netgen"
	"ialgn/netlist"
)

// large is the flag that makes the benchmarks use the paper's largest network.
var large = flag.Bool("large", false, "benchmark with a network of 128,000 x 80 gates")

func benchmarkSize() (width, depth int) {
	if *large {
		return 128_000, 80
	}
	return 8000, 20
}

// gatesPerSecond reports the throughput in gates per second.
func gatesPerSecond(b *testing.B, gates int) {
	b.ReportMetric(float64(gates)*float64(b.N)/b.Elapsed().Seconds(), "gates/s")
}

// BenchmarkFreeze measures the time to freeze a network, and the memory that the netlist takes.
func BenchmarkFreeze(b *testing.B) {
	width, depth := benchmarkSize()
	f := netgen.Frozen(1, netgen.Paper(width, depth))
	for _, scope := range []netlist.Scope{netlist.Gates, netlist.Full} {
		b.Run(fmt.Sprintf("gates=%dx%d/scope=%v", width, depth, scope), func(b *testing.B) {
			var n *netlist.Netlist
			before := heap()
			for b.Loop() {
				n, _ = freeze.Network(f, scope)
			}
			gatesPerSecond(b, f.Gates())
			b.ReportMetric(float64(heap()-before)/float64(f.Gates()), "B/gate")
			runtime.KeepAlive(n)
		})
	}
}

func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

func BenchmarkValidate(b *testing.B) {
	width, depth := benchmarkSize()
	n, err := freeze.Network(netgen.Frozen(1, netgen.Paper(width, depth)), netlist.Full)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if err := n.Validate(); err != nil {
			b.Fatal(err)
		}
	}
	gatesPerSecond(b, n.Cells())
}

// BenchmarkText measures writing and reading the text form.
func BenchmarkText(b *testing.B) {
	width, depth := benchmarkSize()
	n, err := freeze.Network(netgen.Frozen(1, netgen.Paper(width, depth)), netlist.Full)
	if err != nil {
		b.Fatal(err)
	}
	var text bytes.Buffer
	b.Run("do=write", func(b *testing.B) {
		for b.Loop() {
			text.Reset()
			if err := netlist.WriteText(&text, n); err != nil {
				b.Fatal(err)
			}
		}
		b.SetBytes(int64(text.Len()))
		gatesPerSecond(b, n.Cells())
	})
	b.Run("do=parse", func(b *testing.B) {
		for b.Loop() {
			if _, err := netlist.ParseText("bench", bytes.NewReader(text.Bytes())); err != nil {
				b.Fatal(err)
			}
		}
		b.SetBytes(int64(text.Len()))
		gatesPerSecond(b, n.Cells())
	})
}

// BenchmarkAnalysis measures the time to compute the effective depth and the measures of a netlist.
func BenchmarkAnalysis(b *testing.B) {
	width, depth := benchmarkSize()
	f := netgen.Frozen(1, netgen.Paper(width, depth))
	b.Run("of=depth", func(b *testing.B) {
		for b.Loop() {
			diagnose.EffectiveDepth(f)
		}
		gatesPerSecond(b, f.Gates())
	})
	b.Run("of=measure", func(b *testing.B) {
		n, err := freeze.Network(f, netlist.Full)
		if err != nil {
			b.Fatal(err)
		}
		for b.Loop() {
			netlist.Measure(n)
		}
		gatesPerSecond(b, f.Gates())
	})
}
