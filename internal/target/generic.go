package target

import "strings"

// Generic is the target for look-up tables without a family, with up to six inputs. They have the names and the form
// of the look-up tables of [Xilinx7], but synthesisers must be given their definition. By default, Verilog for
// Generic consists of gates, because a synthesiser that does not map for a device would map look-up tables again.
var Generic = &Family{
	Name:     "generic",
	LUT:      LUT{"LUT%d", 1, 6, "INIT", []string{"I0", "I1", "I2", "I3", "I4", "I5"}, "O"},
	Modelled: true,

	Constraints: Constraints{Language: SDC, Suffix: ".sdc"},
	Synthesis:   Synthesis{Command: "synth -flatten"},
	Takes: func(cell string) (r Resources) {
		switch {
		case cell == "$lut", strings.HasPrefix(cell, "LUT"):
			r.LUTs = 1
		case strings.HasPrefix(cell, "$_DFF"), strings.HasPrefix(cell, "$_SDFF"):
			r.FlipFlops = 1
		}
		return r
	},

	Devices: []Device{
		{Name: "generic-lut4", Family: "generic", LUTInputs: 4},
		{Name: "generic-lut6", Family: "generic", LUTInputs: 6},
	},
}
