package kernel

import (
	"math/rand/v2"
	"testing"

	"ialgn/internal/testkit"
)

// TestRelaxedGuarded runs passes with relaxed values on arrays between pages that must not be accessed, and compares
// the results with the plain path.
func TestRelaxedGuarded(t *testing.T) {
	onVectorPaths(t, func(t *testing.T, path string) {
		r := rand.New(rand.NewPCG(16, 16))
		for _, sh := range relaxedShapes(r) {
			for _, end := range []bool{false, true} {
				t.Run("", func(t *testing.T) { // the end of the subtest removes the guards
					st := sh.draw(r)
					keep := func(v []float32) []float32 {
						if len(v) == 0 {
							return v
						}
						return testkit.GuardedCopy(t, v, end)
					}
					st.compare(t, path, keep, testkit.GuardedCopy(t, st.x, end))
				})
			}
		}
	})
}
