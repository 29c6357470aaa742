package compiler

import (
	"fmt"

	"ialgn/netlist"
)

// PassThrough removes function cells that copy their only input. The readers of such a cell then read the input
// directly.
//
// Requires: [Constants], so that gates that ignore all inputs but one appear as copies.
// Ensures:  no function cell is a copy of its input.
// Cost:     O(cells + pins).
//
// PassThrough runs before all passes that look at drivers and readers. Most trained gates only copy their spine
// input, and such a copy hides the driver from the reader.
func PassThrough(n *netlist.Netlist) *netlist.Netlist {
	s := sizeOf(n)
	for i := range netlist.Cell(n.Cells()) {
		if isUnary(n, i, tableCopy) {
			s.cells--
			s.pins--
		}
	}
	c := copier(n, s)
	for i := range netlist.Cell(n.Cells()) {
		if isUnary(n, i, tableCopy) {
			c.Set(n.Output(i), c.To(n.Inputs(i)[0]))
			continue
		}
		c.Copy(i)
	}
	return c.Finish()
}

// isUnary reports whether cell i is a function of one input with the given table.
func isUnary(n *netlist.Netlist, i netlist.Cell, table uint64) bool {
	return n.Kind(i) == netlist.Function && len(n.Inputs(i)) == 1 && n.Param(i)&0b11 == table
}

// noCopies returns an error for the first function that copies its input.
func noCopies(n *netlist.Netlist) error {
	for i := range netlist.Cell(n.Cells()) {
		if isUnary(n, i, tableCopy) {
			return fmt.Errorf("cell %d copies its input", i)
		}
	}
	return nil
}
