package chain

import (
	"testing"

	"ialgn/netlist"
)

// TestRepeatedThreshold checks that bits with the same threshold, which quantile encoders produce, are treated as
// ordered but not as equal, because thermometer codes in general guarantee only the order.
func TestRepeatedThreshold(t *testing.T) {
	b := netlist.NewBuilder("n")
	x := b.Input("x", 4, 1, []string{"f > 3", "f > 3", "f > 3", "f > 4"})
	b.Output("y", 1, nil, x)
	o := NewOrder(b.Netlist(), true)
	for i := range x[1:] {
		low, high := o.of(x[i]), o.of(x[i+1])
		if low.feature == 0 || low.feature != high.feature || low.threshold >= high.threshold {
			t.Errorf("bits %d and %d: %+v and %+v", i, i+1, low, high)
		}
	}
}
