//go:build linux && amd64

package rows

import (
	"math/rand/v2"
	"runtime"
	"testing"
	"unsafe"

	"ialgn/backend/native/x86"
	"ialgn/internal/nativecall"
)

// mnistPairs draws pairs like those that a network reads of MNIST with three thresholds: about 1,500, few at the
// border of the image.
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

// BenchmarkInput makes the rows of a block of images again and again, which then come from the caches, and of the
// blocks of a whole set.
func BenchmarkInput(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	pairs := mnistPairs(r)
	in := NewInput(28*28, false, pairs)
	for _, isa := range isas {
		for _, source := range []struct {
			name   string
			blocks int
		}{{"block", 1}, {"set", 120}} {
			b.Run("isa="+isa.name+"/from="+source.name, func(b *testing.B) {
				if !isa.has {
					b.Skip("this processor has no", isa.name)
				}
				function := compile(b, func(a *x86.Asm) x86.Label { return isa.input(in, a) })
				samples := isa.bytes * 8
				x := make([]byte, source.blocks*samples*in.features)
				fill(r, x, false, pairs)
				out, temp := make([]byte, len(pairs)*isa.bytes), make([]byte, in.Temp())
				for i := 0; b.Loop(); i++ {
					nativecall.Call(function, uintptr(unsafe.Pointer(&x[i%source.blocks*samples*in.features])),
						uintptr(samples), uintptr(unsafe.Pointer(&out[0])), uintptr(unsafe.Pointer(&temp[0])))
				}
				b.ReportMetric(float64(samples)*float64(b.N)/b.Elapsed().Seconds(), "images/s")
			})
		}
	}
}

// BenchmarkOutput makes class indices, with and without the counts of ten classes of ten digits.
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
	for _, isa := range isas {
		for _, result := range []string{"class", "counts"} {
			b.Run("isa="+isa.name+"/result="+result, func(b *testing.B) {
				if !isa.has {
					b.Skip("this processor has no", isa.name)
				}
				function := compile(b, func(a *x86.Asm) x86.Label { return isa.output(o, a) })
				samples := isa.bytes * 8
				state, classes, counts := make([]byte, 104*isa.bytes), make([]uint16, samples), make([]uint32, 10*samples)
				fill(r, state, false, []Pair{{0, 85}})
				address := uintptr(0)
				if result == "counts" {
					address = uintptr(unsafe.Pointer(&counts[0]))
				}
				for b.Loop() {
					nativecall.Call(function, uintptr(unsafe.Pointer(&state[0])), uintptr(samples),
						uintptr(unsafe.Pointer(&classes[0])), address)
				}
				runtime.KeepAlive(counts)
				b.ReportMetric(float64(samples)*float64(b.N)/b.Elapsed().Seconds(), "images/s")
			})
		}
	}
}
