package bitplane

import (
	"math/rand/v2"
	"testing"
)

// TestAddEvery compares the adder tree with adding one word at a time. It tries several strides, and numbers of words
// around eight, because the tree adds eight words at a time. The counts do not start at zero.
func TestAddEvery(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for _, rows := range []int{0, 1, 7, 8, 9, 16, 23, 800} {
		for _, stride := range []int{1, 2, 5} {
			x := make([]uint64, rows*stride)
			for i := range x {
				x[i] = r.Uint64() | r.Uint64()
			}
			for offset := range min(stride, len(x)) {
				var fast, slow Counter
				fast.Add(^uint64(0))
				slow.Add(^uint64(0))
				for range 2 {
					fast.AddEvery(x[offset:], stride)
					for i := offset; i < len(x); i += stride {
						slow.Add(x[i])
					}
				}
				var got, want [64]int32
				fast.Store(got[:])
				slow.Store(want[:])
				if got != want {
					t.Fatalf("%d rows of %d words from word %d: counts %v, want %v", rows, stride, offset, got, want)
				}
			}
		}
	}
}

// BenchmarkCounter compares the two ways of counting 800 rows of 8 words.
func BenchmarkCounter(b *testing.B) {
	r := rand.New(rand.NewPCG(7, 8))
	x := make([]uint64, 800*8)
	for i := range x {
		x[i] = r.Uint64()
	}
	var c Counter
	for _, way := range []struct {
		name string
		add  func(x []uint64)
	}{
		{"each", func(x []uint64) {
			for i := 0; i < len(x); i += 8 {
				c.Add(x[i])
			}
		}},
		{"every", func(x []uint64) { c.AddEvery(x, 8) }},
	} {
		b.Run("add="+way.name, func(b *testing.B) {
			for b.Loop() {
				for w := range 8 {
					c.Reset()
					way.add(x[w:])
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(x)), "ns/word")
		})
	}
}
