package netlist

import (
	"fmt"
	"slices"
)

// KindError says that a back end cannot express a kind of cell in its format.
type KindError struct {
	Format string // name of the format, such as "verilog"
	Kind   Kind
	Cell   Cell // the first cell of this kind
}

func (e *KindError) Error() string {
	return fmt.Sprintf("%s: cannot express %v (cell %d): lower it first, choose a scope without it, or another format",
		e.Format, e.Kind, e.Cell)
}

// Refuse returns a [*KindError] for the first cell of n that the format cannot express, or nil if there is none. The
// argument can lists the kinds that the format can express. Back ends call Refuse before they write anything.
func Refuse(format string, n *Netlist, can ...Kind) error {
	for c, k := range n.kind {
		if !slices.Contains(can, k) {
			return &KindError{format, k, Cell(c)}
		}
	}
	return nil
}
