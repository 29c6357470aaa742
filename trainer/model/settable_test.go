package model_test

import (
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ialgn/internal/modelgen"
	"ialgn/trainer/model"
)

// TestSetTable gives nodes of every form of network random tables, and finds that they select these and that the others
// stay.
func TestSetTable(t *testing.T) {
	for _, form := range modelgen.Unshared() {
		t.Run(form.Name, func(t *testing.T) {
			m := form.Model()
			for i := range m.Sections[0].Ops { // equal logits, and zeros
				m.Sections[0].Ops[i] = float32(i % 2)
			}
			want := m.Freeze()
			r := rand.New(rand.NewPCG(1, 1))
			for range 60 {
				l := r.IntN(len(want.Layers))
				layer := &want.Layers[l]
				i, table := r.IntN(layer.Width()), r.Uint64()&model.LastTable(len(layer.Pins))
				m.SetTable(l, i, table)
				layer.Op.Set(i, table)
				if diff := cmp.Diff(want.Layers, m.Freeze().Layers); diff != "" {
					t.Fatalf("layer %d, node %d, table %#x (-want +got):\n%s", l, i, table, diff)
				}
			}
			if err := m.Validate(); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestRestrict holds restricted tables to the lines of the given ones.
func TestRestrict(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	for pins := 1; pins <= model.MaxPins; pins++ {
		table, lines := r.Uint64()&model.LastTable(pins), 1<<pins
		for pin := range pins {
			for _, value := range []bool{false, true} {
				got := model.Restrict(table, pins, pin, value)
				for line := range lines {
					bit := 1 << (pins - 1 - pin)
					from := line &^ bit
					if value {
						from |= bit
					}
					if got>>(lines-1-line)&1 != table>>(lines-1-from)&1 {
						t.Errorf("%d pins, pin %d is %v: line %d of %#x is not line %d of %#x", pins, pin, value, line, got, from, table)
					}
				}
			}
		}
	}
}
