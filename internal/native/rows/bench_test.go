//go:build linux && (amd64 || arm64)

package rows

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"
)

// mnistPairs draws pairs similar to the pairs that a network with three thresholds reads from MNIST. It draws about
// 1,500 pairs. Few of these pairs belong to pixels near the border of the image.
func mnistPairs(r *rand.Rand) (pairs []Pair) {
	for f := range 28 * 28 {
		y, x := f/28, f%28
		share := 0.98
		switch border := min(y, x, 27-y, 27-x); {
		case border < 2:
			share = 0.02
		case border < 4:
			share = 0.6
		}
		for _, threshold := range []uint16{63, 127, 191} {
			if r.Float64() < share {
				pairs = append(pairs, Pair{f, threshold})
			}
		}
	}
	return pairs
}

// BenchmarkInput has two parts. The first part makes the rows of the same block of images again and again, so that
// the images are in the caches. The second part makes the rows of all blocks of a whole set.
func BenchmarkInput(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	pairs := mnistPairs(r)
	in := NewInput(28*28, false, pairs)
	for _, source := range []struct {
		name   string
		blocks int
	}{{"block", 1}, {"set", 120}} {
		eachInProcess(b, "from="+source.name, func(b *testing.B, i isa) {
			run := i.compile(b, i.input(in))
			size := i.bytes * 8 * in.features
			x := make([]byte, source.blocks*size)
			fill(r, x, false, pairs)
			out, temp := make([]byte, len(pairs)*i.bytes), make([]byte, in.Temp())
			for block := 0; b.Loop(); block++ {
				run(b, x[block%source.blocks*size:][:size], i.bytes*8, out, temp)
			}
		})
	}
}

// BenchmarkWideInput makes the rows of many features and thresholds, from samples in memory.
func BenchmarkWideInput(b *testing.B) {
	const memory = 64 << 20
	for _, c := range []struct{ features, thresholds int }{{784, 3}, {784, 63}, {3072, 3}, {3072, 15}, {30000, 3}} {
		pairs := everyPair(c.features, c.thresholds)
		in := NewInput(c.features, false, pairs)
		eachInProcess(b, fmt.Sprintf("input=%dx%d", c.features, c.thresholds), func(b *testing.B, i isa) {
			code := i.input(in)
			run := i.compile(b, code)
			size := i.bytes * 8 * in.features
			x := make([]byte, memory/size*size)
			fill(rand.New(rand.NewPCG(1, 2)), x, false, pairs)
			out, temp := make([]byte, len(pairs)*i.bytes), make([]byte, in.Temp())
			for block := 0; b.Loop(); block++ {
				run(b, x[block*size%len(x):][:size], i.bytes*8, out, temp)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(code.starts)), "ns/call")
		})
	}
}

// BenchmarkOutput makes class indices, with and without the counts of ten classes. A count has ten binary digits.
func BenchmarkOutput(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	o := &Output{}
	for c := range 10 {
		digits := make([]Row, 10)
		for i := range digits {
			digits[i] = Row(10*c + i)
		}
		o.Counts = append(o.Counts, digits)
	}
	o.Class = []Row{100, 101, 102, 103}
	for _, result := range []string{"class", "counts"} {
		eachInProcess(b, "result="+result, func(b *testing.B, i isa) {
			run := i.compile(b, i.output(o))
			samples := i.bytes * 8
			state, classes, counts := make([]byte, 104*i.bytes), make([]byte, 2*samples), make([]byte, 40*samples)
			fill(r, state, false, []Pair{{0, 85}})
			if result == "class" {
				counts = nil
			}
			arguments := []any{state, samples, classes, counts}
			for b.Loop() {
				run(b, arguments...)
			}
		})
	}
}

// eachInProcess runs a benchmark for the kinds of code that this processor supports. Each iteration processes one
// block of images.
func eachInProcess(b *testing.B, name string, benchmark func(b *testing.B, i isa)) {
	for _, i := range isas {
		if i.name == "neon" && runtime.GOARCH != "arm64" {
			continue // the emulator's time has no meaning
		}
		b.Run("isa="+i.name+"/"+name, func(b *testing.B) {
			if !i.has {
				b.Skip("this processor has no", i.name)
			}
			benchmark(b, i)
			b.ReportMetric(float64(i.bytes*8)*float64(b.N)/b.Elapsed().Seconds(), "images/s")
		})
	}
}
