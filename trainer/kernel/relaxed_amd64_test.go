package kernel

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestRelaxedWithoutTurning takes the AVX-512 path as on a processor that lacks what
// meanBits wants there beyond it.
func TestRelaxedWithoutTurning(t *testing.T) {
	onPaths(t, func(t *testing.T, path string) {
		if path != "avx512" {
			t.Skip("not the AVX-512 path")
		}
		defer func(turns bool) { turnsBits = turns }(turnsBits)
		turnsBits = false
		r := rand.New(rand.NewPCG(18, 18))
		for _, sh := range relaxedShapes(r) {
			st := sh.draw(r)
			st.compare(t, path, slices.Clone[[]float32], st.x)
		}
	})
}
