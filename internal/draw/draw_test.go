package draw

import (
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestPinned checks that the streams still have the values with which the first models were trained. Other values
// would change every trained model.
func TestPinned(t *testing.T) {
	s := New(1, AnchorWires, 2, 3)
	got := make([]uint32, 5)
	s.Distinct(got, 1000)
	if diff := cmp.Diff([]uint32{80, 65, 829, 904, 919}, got); diff != "" {
		t.Errorf("first draws of (1, AnchorWires, 2, 3) (-want +got):\n%s", diff)
	}
	if got, want := math.Float32bits(New(1, AnchorLogits, 2, 3).Normal()), uint32(0xbf84511d); got != want {
		t.Errorf("first normal has the bits %#x, want %#x", got, want)
	}
}

func TestKeysAreApart(t *testing.T) {
	seen := map[uint64]bool{}
	for _, seed := range []uint64{0, 1, 2} {
		for p := FirstWires; p <= Shuffle; p++ {
			for layer := range 3 {
				for gate := range 3 {
					v := New(seed, p, layer, gate).src.Uint64()
					if seen[v] {
						t.Fatalf("stream (%d, %d, %d, %d) repeats another's first number", seed, p, layer, gate)
					}
					seen[v] = true
				}
			}
		}
	}
}

func TestDistinct(t *testing.T) {
	for _, c := range []struct{ k, n int }{{1, 1}, {5, 5}, {32, 40}, {32, 2352}, {3, 100}} {
		s := New(7, AnchorWires, 0, c.n)
		count := make([]int, c.n)
		const rounds = 4000
		for range rounds {
			dst := make([]uint32, c.k)
			s.Distinct(dst, c.n)
			slices.Sort(dst)
			if len(slices.Compact(slices.Clone(dst))) != c.k {
				t.Fatalf("k=%d n=%d: repeated value in %v", c.k, c.n, dst)
			}
			for _, v := range dst {
				count[v]++
			}
		}
		mean := float64(rounds*c.k) / float64(c.n)
		for v, m := range count {
			if math.Abs(float64(m)-mean) > 6*math.Sqrt(mean) {
				t.Errorf("k=%d n=%d: value %d drawn %d times, mean %.0f", c.k, c.n, v, m, mean)
			}
		}
	}
}

func TestPermutation(t *testing.T) {
	p := make([]int32, 1000)
	New(3, Shuffle, 1, 0).Permutation(p)
	fixed := 0
	for i, v := range p {
		if int(v) == i {
			fixed++
		}
	}
	slices.Sort(p)
	for i, v := range p {
		if int(v) != i {
			t.Fatalf("not a permutation: %d at place %d after sorting", v, i)
		}
	}
	if fixed > 10 {
		t.Errorf("%d fixed points among 1000, about 1 expected", fixed)
	}
}

func TestNormal(t *testing.T) {
	s := New(5, AnchorLogits, 0, 0)
	const n = 200_000
	var sum, sq, fourth float64
	for range n {
		x := float64(s.Normal())
		sum += x
		sq += x * x
		fourth += x * x * x * x
	}
	if m := sum / n; math.Abs(m) > 0.01 {
		t.Errorf("mean %v, want 0", m)
	}
	if v := sq / n; math.Abs(v-1) > 0.02 {
		t.Errorf("variance %v, want 1", v)
	}
	if k := fourth / n; math.Abs(k-3) > 0.15 {
		t.Errorf("fourth moment %v, want 3", k)
	}
}
