package head

import (
	"math/rand/v2"
	"testing"
)

// TestAnneal compares the best tree and the last accepted tree with complete runs of their genes. The search builds
// these two trees from parts of earlier trees.
func TestAnneal(t *testing.T) {
	for seed := range uint64(10) {
		r := rand.New(rand.NewPCG(seed, 8))
		in := make(profile, 1+r.IntN(8))
		for level := range in {
			in[level][r.IntN(3)] = r.Int32N(20)
		}
		k, w := 3+int(seed)%4, worth{level: float64(seed % 3), maxLevels: int(seed % 2 * 8)}
		s := newAnnealing(k, 9, in, w)
		s.strategies()
		s.anneal()
		if luts, levels, _ := s.run(nil); luts != s.accepted.luts || levels != s.accepted.levels {
			t.Errorf("seed %d: accepted are %d LUTs, %d levels, want %d, %d",
				seed, s.accepted.luts, s.accepted.levels, luts, levels)
		}
		s.genes = s.bestGenes
		if luts, levels, _ := s.run(nil); w.cost(luts, levels) != s.best {
			t.Errorf("seed %d: the best tree costs %v, want %v", seed, s.best, w.cost(luts, levels))
		}
	}
}
