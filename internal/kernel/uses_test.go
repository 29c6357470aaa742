package kernel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// drawTrace returns a random trace of a layer of the given width. It also returns the edges of len(numbers) gates to
// this layer, where gate i has numbers[i] edges.
func drawTrace(r *rand.Rand, width, words, samples int, numbers []int) (*Trace, *Uses) {
	t := &Trace{Bits: make([]uint64, width*2*words), Coef: odds(r, width*2*2, 1)}
	for range width {
		row := odds(r, words*64, []float64{1e-3, 1e-30, 1e-42}[r.IntN(3)])
		clear(row[samples:])
		t.Delta = append(t.Delta, row...)
	}
	for i := range t.Bits {
		t.Bits[i] = r.Uint64()
	}
	u := &Uses{start: []uint32{0}}
	for _, n := range numbers {
		for range n {
			u.edges = append(u.edges, Edge{uint32(r.IntN(2 * width)), uint32(r.IntN(2 * width))})
		}
		u.start = append(u.start, uint32(len(u.edges)))
	}
	u.edges = append(u.edges, make([]Edge, edgesAhead)...)[:len(u.edges)]
	return t, u
}

// TestGather compares the sums along edges with the plain sums. The gates have different numbers of edges, including
// none, and the rows have all lengths.
func TestGather(t *testing.T) {
	onPaths(t, func(t *testing.T, path string) {
		r := rand.New(rand.NewPCG(12, 12))
		for _, samples := range []int{1, 16, 17, 64, 65, 99, 100, 112, 113, 128, 129, 300, 1000, 1024} {
			words := (samples+63)/64 + r.IntN(2)
			trace, uses := drawTrace(r, 30, words, samples, []int{0, 1, 2, 3, 0, 9, 70})
			n := (samples + Lanes - 1) / Lanes * Lanes
			for i := range len(uses.start) - 1 {
				var s Steps
				want, got := odds(r, n, 1), odds(r, n, 1) // random contents, which must be overwritten
				trace.gather(want, uses.Of(i), words)
				s.gather(trace, got, uses.Of(i), words)
				for k := range want {
					if math.Float32bits(want[k]) != math.Float32bits(got[k]) {
						t.Fatalf("%d samples, %d edges: sample %d is %v, want %v", samples, len(uses.Of(i)), k, got[k], want[k])
					}
				}
			}
		}
	})
}

// TestUses compares the edges of a small layer with its wires.
func TestUses(t *testing.T) {
	s := &Gates{
		Layers: 1,
		A:      &Pin{K: 2, Hidden: true, Narrow: []uint16{0, 1, 1, 2, 2, 0}},
		B:      &Pin{K: 1, Hidden: true, Narrow: []uint16{2, 2, 2}},
	}
	u := NewUses(s, 0, 3)
	want := []string{"[{0 0} {4 7}]", "[{0 1} {2 3}]", "[{1 2} {2 4} {3 5} {4 6} {5 8}]"}
	for i := range 3 {
		if got := fmt.Sprint(u.Of(i)); got != want[i] {
			t.Errorf("gate %d is read along %s, want %s", i, got, want[i])
		}
	}
	s.A = nil // pin A is on the spine
	if got := fmt.Sprint(NewUses(s, 0, 3).Of(2)); got != "[{1 1} {3 3} {4 4} {5 5}]" {
		t.Errorf("spine: gate 2 is read along %s", got)
	}
}
