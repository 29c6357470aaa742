package encoding

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"ialgn/internal/crew"
)

// TestCompare compares the bits of feature words with value > threshold. The cases are rows of several lengths, words
// wider than the features need, and a batcher on two goroutines.
func TestCompare(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for _, c := range []struct{ features, bits, bitsIn, width, words int }{
		{1, 2, 1, 1, 1}, {70, 4, 8, 8, 2}, {300, 6, 5, 8, 2}, {65, 9, 11, 16, 3}, {129, 3, 16, 16, 1},
	} {
		t.Run(fmt.Sprint(c), func(t *testing.T) {
			e, err := NewUniform(c.features, c.bits, c.bitsIn, 1<<c.bitsIn-1, nil)
			if err != nil {
				t.Fatal(err)
			}
			for _, row := range e.Thresholds {
				for j, low := 0, 0; j < len(row); j++ {
					low += r.IntN((1<<c.bitsIn-1-low)/(len(row)-j) + 1)
					row[j] = uint16(low)
				}
			}
			set, values := NewPacked(c.features, c.width), make([]uint16, c.features)
			for range 200 {
				for f := range values {
					values[f] = uint16(r.UintN(1 << c.bitsIn))
				}
				set.Append(values, 0)
			}
			index := make([]int32, 64*c.words-5)
			for i := range index {
				index[i] = int32(r.IntN(set.Len()))
			}
			dst := make([]uint64, e.Inputs()*c.words)
			for i := range dst {
				dst[i] = r.Uint64()
			}
			NewWordBatcher(e, set, c.words, crew.New(2)).Batch(dst, index)
			for i := range 64 * c.words {
				if i < len(index) {
					set.Values(values, int(index[i]))
				} else {
					clear(values) // all zeros, like the levels after the last sample
				}
				for row := range e.Inputs() {
					want := values[row/(e.Bits-1)] > e.Thresholds[row/(e.Bits-1)][row%(e.Bits-1)]
					if got := dst[row*c.words+i/64]>>(i%64)&1 != 0; got != want {
						t.Fatalf("sample %d of %d, bit %d: %v, want %v", i, len(index), row, got, want)
					}
				}
			}
		})
	}
}
