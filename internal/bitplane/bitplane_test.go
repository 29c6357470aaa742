package bitplane

import (
	"math/rand/v2"
	"testing"
)

func TestTranspose(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var m, want [64]uint64
	for i := range m {
		m[i] = r.Uint64()
	}
	for i := range 64 {
		for j := range 64 {
			want[j] |= m[i] >> j & 1 << i
		}
	}
	Transpose(&m)
	if m != want {
		t.Error("transposed matrix differs from the definition")
	}
}

func TestCounter(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	var c Counter
	for range 3 {
		c.Reset()
		var want, got [64]int32
		for range 800 {
			w := r.Uint64() | r.Uint64()
			c.Add(w)
			for s := range want {
				want[s] += int32(w >> s & 1)
			}
		}
		c.Store(got[:])
		if got != want {
			t.Fatalf("counts %v, want %v", got, want)
		}
	}
}

// TestAddRows compares adding rows at once with adding them one by one. The counts do not start at zero, and the
// words to add are not adjacent.
func TestAddRows(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for _, stride := range []int{1, 2, 16} {
		var all, single Counter
		for n := range 40 {
			rows := make([]uint64, n*stride)
			for i := range rows {
				rows[i] = r.Uint64() | r.Uint64()
			}
			if n%3 == 1 {
				rows = rows[:(n-1)*stride+1] // nothing after the last bits
			}
			all.AddRows(rows, stride)
			for i := 0; i < len(rows); i += stride {
				single.Add(rows[i])
			}
			var got, want [64]int32
			all.Store(got[:])
			single.Store(want[:])
			if got != want {
				t.Fatalf("stride %d, %d rows: counts %v, want %v", stride, n, got, want)
			}
		}
	}
}

func BenchmarkTranspose(b *testing.B) {
	var m [64]uint64
	m[3] = 5
	for b.Loop() {
		Transpose(&m)
	}
}
