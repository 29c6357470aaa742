package metrics

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestLead compares leads with the two last of the sorted counts.
func TestLead(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 2000 {
		counts := make([]int32, 2+r.IntN(5))
		for i := range counts {
			counts[i] = r.Int32N(6) - 2
		}
		sorted := slices.Sorted(slices.Values(counts))
		want := sorted[len(sorted)-1] - sorted[len(sorted)-2]
		if got := Lead(counts); got != want {
			t.Fatalf("counts %v: lead %d, want %d", counts, got, want)
		}
	}
	if got := Lead([]int{7}); got != 7 {
		t.Errorf("one count of 7: lead %d", got)
	}
}
