package kernel

import (
	"math/rand/v2"
	"testing"
)

// TestSettle checks on random networks that a gradient is not overwritten before it is read. The goroutines may run
// in any order.
func TestSettle(t *testing.T) {
	r := rand.New(rand.NewPCG(17, 17))
	for range 200 {
		bounds := []int{0, relaxedWidth}
		for range r.IntN(4) {
			bounds = append(bounds[:len(bounds)-1], bounds[len(bounds)-2]+r.IntN(6), relaxedWidth)
		}
		layers := []*Layer{{Gates: relaxedShape{layers: 1}.gates(r, pinShape{1, false}, pinShape{1, false})}}
		spines := true
		for range 1 + r.IntN(6) {
			k := []int{0, 0, 1, 3}[r.IntN(4)]
			above := &Layer{Gates: relaxedShape{layers: 1}.gates(r, pinShape{k, true}, pinShape{1 + r.IntN(2), r.IntN(2) > 0})}
			spines = spines && k == 0 && !above.B.Hidden
			layers[len(layers)-1].Uses = NewUses(above.Gates, 0, relaxedWidth)
			layers = append(layers, above)
		}
		pins := make([][]Edge, len(layers)) // before Settle
		for i, l := range layers[:len(layers)-1] {
			pins[i] = append([]Edge(nil), l.Uses.edges...)
		}
		rows := Settle(layers, bounds)
		if rows > 4*relaxedWidth || spines && rows != relaxedWidth {
			t.Errorf("%d rows for %d gates, spines alone %v", rows, relaxedWidth, spines)
		}
		for i, l := range layers[:len(layers)-1] {
			checkSettled(t, l, layers[i+1], pins[i], bounds, rows)
		}
	}
}

// checkSettled checks layer l and the layer above it. The argument pins holds the edges between the two layers as
// they were before the call of Settle.
func checkSettled(t *testing.T, l, above *Layer, pins []Edge, bounds []int, rows int) {
	t.Helper()
	type use struct{ goroutine, gate int }
	last := map[uint32]use{} // the last reader of each row; the goroutine is -1 if several goroutines read the row
	for g := range len(bounds) - 1 {
		for i := bounds[g]; i < bounds[g+1]; i++ {
			for j, e := range l.Uses.Of(i) {
				if was := pins[int(l.Uses.start[i])+j]; e.Pin != above.Rows[was.Pin] || e.Slot != was.Slot || int(e.Pin) >= rows {
					t.Fatalf("edge %+v became %+v", was, e)
				}
				if u, ok := last[e.Pin]; ok && u.goroutine != g {
					last[e.Pin] = use{-1, relaxedWidth}
				} else {
					last[e.Pin] = use{g, i}
				}
			}
		}
	}
	written := map[uint32]bool{}
	slotsA, slotsB := l.Slots()
	for g := range len(bounds) - 1 {
		for i := bounds[g]; i < bounds[g+1]; i++ {
			for pin, slots := range [2]int{slotsA, slotsB} {
				if slots == 0 {
					continue
				}
				row := l.Rows[2*i+pin]
				if u, ok := last[row]; ok && (u.goroutine != g || u.gate > i) {
					t.Fatalf("gate %d of goroutine %d writes to row %d, which %+v reads", i, g, row, u)
				}
				if written[row] {
					t.Fatalf("two pins write to row %d", row)
				}
				written[row] = true
			}
		}
	}
}
