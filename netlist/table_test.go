package netlist

import (
	"math/rand/v2"
	"testing"
)

// TestTable checks the conversion from the paper's numbering to LUT INIT order against the definitions of the two. It
// converts all sixteen operations of two pins, and random tables of every fan-in.
func TestTable(t *testing.T) {
	check := func(op uint64, pins int) {
		lines := 1 << pins
		for i := range lines {
			line := 0 // the pin values as binary digits, pin 0 first
			for pin := range pins {
				line = 2*line + i>>pin&1
			}
			paper := op >> (lines - 1 - line) & 1 // the line for all-zero pins is the highest digit
			if got := Table(op, pins) >> i & 1; got != paper {
				t.Errorf("operation %#x of %d pins at %b: table gives %d, want %d", op, pins, i, got, paper)
			}
		}
	}
	for op := range uint64(16) {
		check(op, 2)
	}
	r := rand.New(rand.NewPCG(1, 1))
	for pins := 1; pins <= MaxFunctionInputs; pins++ {
		for range 50 {
			check(r.Uint64()&TableMask(pins), pins)
		}
	}
	if got := Table(1, 2); got != 0b1000 {
		t.Errorf("AND: table %#b, want 0b1000", got)
	}
}
