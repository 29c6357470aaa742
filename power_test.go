package ialgn

import (
	"testing"

	"ialgn/internal/synth"
)

// TestPowerClass compares classes with a netlist of cells in which bit 0 of the class is a constant.
func TestPowerClass(t *testing.T) {
	for constant, bit := range map[int]uint16{synth.ConstantOne: 1, -1: 0} {
		for class := range uint16(4) {
			r := powerRun{ctx: t.Context(), class: []int{constant, 0}, classes: []uint16{class}}
			r.compare(0, []bool{true})
			if same := class == 2+bit; same != (r.err == nil) {
				t.Errorf("class %d, the netlist has %d: %v", class, 2+bit, r.err)
			}
		}
	}
}
