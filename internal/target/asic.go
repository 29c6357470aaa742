package target

import "strings"

// ASIC is a chip of standard cells. The cells come from the user's Liberty file. The netlist is mapped to functions of
// at most three inputs, because a full adder computes two of them, and because cells of more inputs gain nothing
// (docs/guides/chips.md). Verilog consists of gates, which yosys and abc map to the cells.
var ASIC = &Family{
	Name:     "asic",
	LUT:      Generic.LUT,
	UsualLUT: 3,
	Cells:    true,
	Modelled: true,

	Constraints: Generic.Constraints,
	Synthesis:   Generic.Synthesis,
	Unplaced:    "ialgn drives no program that places standard cells; such a program takes netlist.v",
	Takes: func(cell string) (r Resources) {
		if cell == "$lut" || strings.HasPrefix(cell, "LUT") {
			r.LUTs = 1
		}
		return r
	},

	Devices: []Device{{Name: "asic", Family: "asic", LUTInputs: 3, Source: "the Liberty file, no device"}},
}
