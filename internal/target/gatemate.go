package target

import "strings"

// GateMate is CologneChip's GateMate. Its cells are trees of small look-up tables. CologneChip's placer packs functions
// of up to four inputs into them, so the counts here are of functions, not of cells. If the Verilog consists of
// primitives, it takes 24 % fewer functions than yosys makes from gates (docs/guides/fpga.md).
var GateMate = &Family{
	Name:       "gatemate",
	LUT:        LUT{"CC_LUT%d", 1, 4, "INIT", []string{"I0", "I1", "I2", "I3"}, "O"},
	Primitives: true,

	Constraints: Constraints{Language: SDC, Suffix: ".sdc"},
	Synthesis:   Synthesis{Command: "synth_gatemate -noiopad", Library: "gatemate"},
	Project:     PeppeR,
	Unplaced:    vendorPlaces,
	BlockBits:   20480,
	Takes: func(cell string) (r Resources) {
		switch {
		case strings.HasPrefix(cell, "CC_LUT") && len(cell) == len("CC_LUT4"):
			r.LUTs = 1
		case cell == "CC_MX2", cell == "CC_MX4", cell == "CC_MX8": // multiplexers, as the functions that they replace
			r.LUTs = gateMateMultiplexers[cell]
		case cell == "CC_ADDF": // an adder occupies a cell's trees
			r.LUTs, r.Carries = 1, 1
		case cell == "CC_BRAM_20K":
			r.RAMBits = 20480
		case cell == "CC_BRAM_40K":
			r.RAMBits = 40960
		case cell == "CC_DFF":
			r.FlipFlops = 1
		}
		return r
	},

	Devices: []Device{{Name: "gatemate", Family: "gatemate", LUTInputs: 4, Source: "a family, no device"}},
}

// gateMateMultiplexers lists the multiplexers, with the number of functions of up to four inputs that replace them.
var gateMateMultiplexers = map[string]int{"CC_MX2": 1, "CC_MX4": 2, "CC_MX8": 5}
