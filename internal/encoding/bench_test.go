package encoding

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"ialgn/internal/crew"
)

// benchSizes are the shapes of the paper's image sets with their thermometer codes.
var benchSizes = []struct {
	name           string
	features, bits int
}{
	{"mnist", 784, 4},
	{"cifar10", 3072, 16},
}

func benchPacked(e *Encoder, samples int) *Packed {
	r := rand.New(rand.NewPCG(1, 2))
	p := NewPacked(e.Features(), e.LevelBits())
	levels := make([]uint16, e.Features())
	for range samples {
		for f := range levels {
			levels[f] = uint16(r.IntN(e.Bits))
		}
		p.Append(levels, 0)
	}
	return p
}

func BenchmarkGather(b *testing.B) {
	for _, size := range benchSizes {
		e, err := NewUniform(size.features, size.bits, 8, 255, nil)
		if err != nil {
			b.Fatal(err)
		}
		p := benchPacked(e, 20000)
		for _, batch := range []int{100, 1000} {
			b.Run(fmt.Sprintf("set=%s/batch=%d", size.name, batch), func(b *testing.B) {
				r := rand.New(rand.NewPCG(3, 4))
				order := r.Perm(p.Len())
				index := make([]int32, batch)
				words := (batch + 63) / 64
				dst := make([]uint64, p.Rows()*words)
				at := 0
				b.ReportAllocs()
				for b.Loop() {
					for i := range index {
						index[i] = int32(order[at])
						at = (at + 1) % len(order)
					}
					p.Gather(dst, words, index)
				}
				b.ReportMetric(float64(batch)*float64(b.N)/b.Elapsed().Seconds(), "images/s")
			})
		}
	}
}

func BenchmarkThermometer(b *testing.B) {
	for _, size := range benchSizes {
		e, err := NewUniform(size.features, size.bits, 8, 255, nil)
		if err != nil {
			b.Fatal(err)
		}
		for _, batch := range []int{100, 1000} {
			b.Run(fmt.Sprintf("set=%s/batch=%d", size.name, batch), func(b *testing.B) {
				words := (batch + 63) / 64
				planes := make([]uint64, e.Features()*e.LevelBits()*words)
				r := rand.New(rand.NewPCG(5, 6))
				for i := range planes {
					planes[i] = r.Uint64()
				}
				dst := make([]uint64, e.Inputs()*words)
				b.ReportAllocs()
				for b.Loop() {
					e.Thermometer(dst, planes, words)
				}
				b.ReportMetric(float64(batch)*float64(b.N)/b.Elapsed().Seconds(), "images/s")
			})
		}
	}
}

// BenchmarkBatcher measures the time that a training step waits for its batch. Batches are in random order and come
// from a set that is larger than any cache.
func BenchmarkBatcher(b *testing.B) {
	for _, size := range benchSizes {
		e, err := NewUniform(size.features, size.bits, 8, 255, nil)
		if err != nil {
			b.Fatal(err)
		}
		p := benchPacked(e, 50000)
		for _, threads := range []int{1, 2} {
			b.Run(fmt.Sprintf("set=%s/batch=100/threads=%d", size.name, threads), func(b *testing.B) {
				r := rand.New(rand.NewPCG(3, 4))
				index := make([]int32, 100)
				batcher, dst := NewBatcher(e, p, 2, crew.New(threads)), make([]uint64, e.Inputs()*2)
				for b.Loop() {
					for i := range index {
						index[i] = int32(r.IntN(p.Len()))
					}
					batcher.Batch(dst, index)
				}
				b.ReportMetric(float64(len(index))*float64(b.N)/b.Elapsed().Seconds(), "images/s")
			})
		}
	}
}

func BenchmarkLevels(b *testing.B) {
	for _, size := range benchSizes {
		e, err := NewUniform(size.features, size.bits, 8, 255, nil)
		if err != nil {
			b.Fatal(err)
		}
		b.Run("set="+size.name, func(b *testing.B) {
			r := rand.New(rand.NewPCG(7, 8))
			values, levels := make([]uint16, size.features), make([]uint16, size.features)
			for f := range values {
				values[f] = uint16(r.IntN(256))
			}
			for b.Loop() {
				e.Levels(levels, values)
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "images/s")
		})
	}
}
