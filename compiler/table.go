package compiler

import "ialgn/netlist"

// Function tables are in the order of a LUT's INIT parameter: bit i of a table with k inputs is the output if each
// input j equals bit j of i.

// These are the tables of functions with one input.
const (
	tableNot  = 0b01
	tableCopy = 0b10
)

// invertInput returns the table of the same function with input p inverted. The table has k inputs.
func invertInput(table uint64, k, p int) uint64 {
	shift, high := 1<<p, netlist.PinTable(p)
	return (table&high>>shift | table&^high<<shift) & netlist.TableMask(k)
}
