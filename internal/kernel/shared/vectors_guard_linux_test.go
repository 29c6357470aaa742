package shared

import (
	"math/rand/v2"
	"testing"

	"ialgn/internal/testkit"
)

// TestGuarded runs all functions on arrays between pages that must not be accessed, and compares the results with the
// plain path.
func TestGuarded(t *testing.T) {
	onPaths(t, func(t *testing.T, path string) {
		r := rand.New(rand.NewPCG(20, 20))
		for trial := range 120 {
			end, positions := trial%2 == 0, 1+r.IntN(9)
			if trial%3 == 0 {
				positions = 1
			}
			a := draw(r, pinsOf(trial), 1+r.IntN(40), positions)
			for _, call := range calls {
				t.Run(call.name, func(t *testing.T) { // the end of the subtest removes the guards
					want := a.copied(inHeap, inHeap)
					on(t, "none", func() { call.do(want) })
					got := a.copied(func(v []float32) []float32 { return testkit.GuardedCopy(t, v, end) },
						func(v []uint32) []uint32 { return testkit.GuardedCopy(t, v, end) })
					on(t, path, func() { call.do(got) })
					got.check(t, want)
				})
			}
			t.Run("choice", func(t *testing.T) {
				c := drawChoice(r)
				want := c.copied(inHeap, inHeap)
				on(t, "none", want.run)
				got := c.copied(func(v []float32) []float32 { return testkit.GuardedCopy(t, v, end) },
					func(v []uint32) []uint32 { return testkit.GuardedCopy(t, v, end) })
				on(t, path, got.run)
				got.check(t, want)
			})
			t.Run("pool", func(t *testing.T) {
				p, x, g, from := drawPool(r)
				wantX, wantG := inHeap(x), inHeap(g)
				on(t, "none", func() { p.Forward(wantX); p.Backward(x, wantG, from) })
				gotX, gotG := testkit.GuardedCopy(t, x, end), testkit.GuardedCopy(t, g, end)
				on(t, path, func() { p.Backward(gotX, gotG, testkit.GuardedCopy(t, from, end)); p.Forward(gotX) })
				same(t, "x", gotX, wantX)
				same(t, "g", gotG, wantG)
			})
		}
	})
}
