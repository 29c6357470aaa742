package kernel

import (
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ialgn/internal/testkit"
)

// TestSparseGuarded multiplies arrays between pages that must not be accessed. It compares the product with the plain
// path to the bit, and the plain path with sums that are computed differently.
func TestSparseGuarded(t *testing.T) {
	onPaths(t, func(t *testing.T, _ string) {
		r := rand.New(rand.NewPCG(17, 17))
		for trial := range 60 {
			rows, most := 1+r.IntN(40), r.IntN(5)
			src := make([][SparseLanes]float64, 1+r.IntN(40))
			for i := range src {
				for j := range src[i] {
					src[i][j] = r.NormFloat64()
				}
			}
			start, from, factor := []uint32{0}, []uint32{0}, []float64{0}
			for range rows {
				for range r.IntN(most + 1) {
					from = append(from, uint32(r.IntN(len(src))))
					factor = append(factor, r.NormFloat64())
				}
				start = append(start, uint32(len(from)-1))
			}
			if from, factor = from[1:], factor[1:]; len(from) == 0 {
				continue
			}
			want := make([][SparseLanes]float64, rows)
			sparse(want, src, start, from, factor)
			end := trial%2 == 0
			got := testkit.GuardedCopy(t, make([][SparseLanes]float64, rows), end)
			Sparse(got, testkit.GuardedCopy(t, src, end), testkit.GuardedCopy(t, start, end), testkit.GuardedCopy(t, from, end), testkit.GuardedCopy(t, factor, end))
			if diff := cmp.Diff(want, got); diff != "" {
				t.Fatalf("(-plain +path):\n%s", diff)
			}
			if diff := cmp.Diff(dense(src, start, from, factor, rows), got); diff != "" {
				t.Fatalf("(-dense +path):\n%s", diff)
			}
		}
	})
}

// dense is Sparse, computed lane by lane.
func dense(src [][SparseLanes]float64, start, from []uint32, factor []float64, rows int) [][SparseLanes]float64 {
	dst := make([][SparseLanes]float64, rows)
	for lane := range SparseLanes {
		for i := range dst {
			for e := start[i]; e < start[i+1]; e++ {
				dst[i][lane] += float64(factor[e] * src[from[e]][lane])
			}
		}
	}
	return dst
}
