package diagnose_test

import (
	"math/bits"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ialgn/internal/diagnose"
	"ialgn/internal/model"
	"ialgn/internal/netgen"
)

// tables returns a network of one layer, whose nodes have three pins and the given truth tables. A truth table is
// written as the values of its lines, beginning with line 000.
func tables(t *testing.T, lines ...string) *model.Frozen {
	t.Helper()
	layer := model.FrozenLayer{Op: model.MakeTables(len(lines), 3), Pins: make([]model.FrozenPin, 3)}
	for i, text := range lines {
		table := uint64(0)
		for _, c := range text {
			table = table<<1 | uint64(c-'0')
		}
		layer.Op.Set(i, table)
	}
	for k := range layer.Pins {
		layer.Pins[k].Index = make([]uint32, len(lines))
	}
	return network(t, layer)
}

// TestTables has one table of each kind and support. The kinds were worked out by hand.
func TestTables(t *testing.T) {
	got := diagnose.TakeTables(tables(
		t,
		"00000000", "11111111", // constants
		"00001111", "10101010", // A, NOT C
		"00000001", "00000011", "11110111", "11001111", // ABC, AB, one line is 0, A OR NOT B
		"01101001", "10010110", "01011010", // parities of three and of two pins
		"00010111", "01010011", "00011110", // majority, a multiplexer, A XOR BC
	))
	n := 14.0
	want := &diagnose.Tables{
		Nodes:   14,
		Support: [7]float64{2 / n, 2 / n, 3 / n, 7 / n},
		Kinds: diagnose.TableKinds{
			Constants: 2 / n, SingleInput: 2 / n, AndLike: 4 / n, XorLike: 3 / n, Other: 3 / n,
		},
	}
	if diff := cmp.Diff(want, got, approx); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := diagnose.TakeTables(network(t, first(1, 2))); got != nil {
		t.Errorf("gates have tables: %+v", got)
	}
}

// TestTablesSlowly computes supports line by line for random networks, and compares them with the counts of
// TakeTables.
func TestTablesSlowly(t *testing.T) {
	for _, form := range netgen.Forms() {
		f := form.Model().Freeze()
		got := diagnose.TakeTables(f)
		if got == nil {
			continue
		}
		var support [model.MaxPins + 1]float64
		for l := range f.Layers {
			pins := len(f.Layers[l].Pins)
			if pins == 2 {
				continue // a layer of two-pin gates, or a pooling layer, whose nodes are ORs
			}
			for i := range f.Layers[l].Width() {
				reversed := bits.Reverse64(f.Layers[l].Op.At(i)) >> (64 - 1<<pins) // bit n is the value of line n
				depends := 0
				for k := range pins {
					for line := range 1 << pins {
						if other := line ^ 1<<(pins-1-k); reversed>>line&1 != reversed>>other&1 {
							depends++
							break
						}
					}
				}
				support[depends] += 1 / float64(got.Nodes)
			}
		}
		if diff := cmp.Diff(support, got.Support, approx); diff != "" {
			t.Errorf("%s (-want +got):\n%s", form.Name, diff)
		}
	}
}
