package netlist

import "testing"

// TestTable holds the one conversion between the paper's numbering and LUT INIT order
// against the definition of both, for all sixteen operations.
func TestTable(t *testing.T) {
	for op := range uint8(16) {
		for a := range uint8(2) {
			for b := range uint8(2) {
				paper := op >> (3 - (2*a + b)) & 1 // f(0,0) is bit 3, f(1,1) bit 0
				if got := uint8(Table(op) >> (a + 2*b) & 1); got != paper {
					t.Errorf("operation %d at A=%d B=%d: table gives %d, want %d", op, a, b, got, paper)
				}
			}
		}
	}
	if got := Table(1); got != 0b1000 {
		t.Errorf("AND: table %#b, want 0b1000", got)
	}
}
