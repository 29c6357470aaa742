package netlist

import (
	"fmt"
	"slices"
)

// KindError is a back end's refusal of a netlist: its format, or the back end as it
// is, has no way to say what a cell does.
type KindError struct {
	Format string // "verilog"
	Kind   Kind
	Cell   Cell // the first such cell
}

func (e *KindError) Error() string {
	return fmt.Sprintf("%s: cannot express %v (cell %d): lower it first, choose a scope without it, or another format",
		e.Format, e.Kind, e.Cell)
}

// Refuse returns a [*KindError] for the first cell of n whose kind a format cannot express, and nil if the format can
// express them all. Back ends call it before they write anything.
func Refuse(format string, n *Netlist, can ...Kind) error {
	for c, k := range n.kind {
		if !slices.Contains(can, k) {
			return &KindError{format, k, Cell(c)}
		}
	}
	return nil
}
