package lut

import (
	"math/rand/v2"
	"testing"
)

// leastByCosts returns the same result as leastLevels, but by the dynamic programme that counts LUTs.
func (s *solver) leastByCosts(enough int) int {
	s.band = s.n
	for d := range enough {
		if s.addLevel(d); s.levels[d].first[s.n] < never {
			return d
		}
	}
	return enough
}

// TestLeastLevels compares the results of leastLevels and leastByCosts. Chains have all lengths up to more than two
// words of bits, long and short runs, and early and late bases.
func TestLeastLevels(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var s solver // all cases share a solver, because its old state must not matter
	for i := range 200 {
		steps, run := r.IntN(200), 1+r.IntN(12)
		if i < 100 {
			steps = r.IntN(70)
		}
		ops := make([]byte, steps)
		for j := range ops {
			if ops[j] = byte(r.IntN(3)); j > 0 && r.IntN(run) > 0 {
				ops[j] = ops[j-1]
			}
		}
		k, late := 2+r.IntN(5), r.IntN(3)*r.IntN(6)
		s.start(k, string(ops), late)
		enough := s.serialDepth()
		s.start(k, string(ops), late)
		got := s.leastLevels(enough)
		s.start(k, string(ops), late)
		if want := s.leastByCosts(enough); got != want {
			t.Fatalf("K %d, base at level %d, steps %v: %d levels, want %d", k, late, ops, got, want)
		}
	}
}

// BenchmarkLeastLevels measures chains of 80 mixed steps.
func BenchmarkLeastLevels(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	ops := make([]byte, 80)
	for j := range ops {
		ops[j] = byte(r.IntN(3))
	}
	for _, by := range []struct {
		name string
		run  func(*solver, int) int
	}{{"bits", (*solver).leastLevels}, {"costs", (*solver).leastByCosts}} {
		b.Run("by="+by.name, func(b *testing.B) {
			var s solver
			for b.Loop() {
				s.start(6, string(ops), 0)
				by.run(&s, s.n)
			}
		})
	}
}
