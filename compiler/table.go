package compiler

import "ialgn/netlist"

// Function tables are in LUT INIT order: bit i of a table of k inputs is the output
// where input j equals bit j of i. Bits from 1<<k on are 0 in all results here but
// that of [swapInputs].

// The tables of one input.
const (
	tableNot  = 0b01
	tableCopy = 0b10
)

// tableMask returns the bits that a table of k inputs uses.
func tableMask(k int) uint64 { return ^uint64(0) >> (64 - 1<<k) }

// project returns the table over the supporting inputs alone, in their order, of a
// function of an extended table that depends on no other.
func project(extended uint64, support uint8) (table uint64) {
	at := uint8(0)
	for i := 0; ; i++ {
		table |= extended >> at & 1 << i
		if at = (at - support) & support; at == 0 { // the next subset of the support
			return table
		}
	}
}

// invertInput returns the table of k inputs that gives the same with input p inverted.
func invertInput(table uint64, k, p int) uint64 {
	shift, high := 1<<p, netlist.PinTable(p)
	return (table&high>>shift | table&^high<<shift) & tableMask(k)
}

// swapInputs returns the table that gives the same with inputs p < q exchanged.
func swapInputs(table uint64, p, q int) uint64 {
	shift := 1<<q - 1<<p
	low := netlist.PinTable(p) &^ netlist.PinTable(q)
	return table&^(low|low<<shift) | table&low<<shift | table>>shift&low
}
