package target

// Efinix is Efinix's Trion. A logic element is a look-up table or a bit of a carry chain. If the Verilog consists of
// primitives, it takes 26 % fewer look-up tables than yosys makes from gates (docs/guides/fpga.md).
var Efinix = &Family{
	Name:       "efinix",
	LUT:        LUT{"EFX_LUT4", 4, 4, "LUTMASK", []string{"I0", "I1", "I2", "I3"}, "O"},
	Primitives: true,

	Constraints: Constraints{Language: SDC, Suffix: ".sdc"},
	Synthesis:   Synthesis{Command: "synth_efinix", Library: "efinix"},
	Project:     Efinity,
	Unplaced:    vendorPlaces,
	BlockBits:   5120,
	Takes: func(cell string) (r Resources) {
		switch cell {
		case "EFX_LUT4":
			r.LUTs = 1
		case "EFX_ADD": // an adder occupies a logic element
			r.LUTs, r.Carries = 1, 1
		case "EFX_RAM_5K":
			r.RAMBits = 5120
		case "EFX_FF":
			r.FlipFlops = 1
		}
		return r
	},

	Devices: []Device{{Name: "efinix", Family: "efinix", LUTInputs: 4, Source: "a family, no device"}},
}

// vendorPlaces is the reason why nothing here places designs of families with a vendor's tool alone.
const vendorPlaces = "Debian has nothing that places it; the vendor's tool takes netlist.v, or the Verilog of compile"
