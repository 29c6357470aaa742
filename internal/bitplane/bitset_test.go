package bitplane

import (
	"math/rand/v2"
	"testing"
)

// TestSet compares a set with a map. It adds random integers, up to the largest that the set can contain.
func TestSet(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for _, n := range []int{1, 63, 64, 65, 1000} {
		s, want := NewSet(n), map[int]bool{}
		for range n {
			i := r.IntN(n)
			if s.Add(i) == want[i] {
				t.Fatalf("of %d: adding %d says the wrong thing", n, i)
			}
			want[i] = true
		}
		for i := range n {
			if s.Has(i) != want[i] {
				t.Fatalf("of %d: has %d: %v", n, i, s.Has(i))
			}
		}
	}
}
