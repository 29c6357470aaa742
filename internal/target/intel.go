package target

import "strings"

// Intel is Intel's Cyclone V. An adaptive logic module holds one function of six inputs, or two of up to five inputs
// that share inputs. The counts here are of functions, of which a module holds one or two. The primitives are yosys's,
// which Quartus does not know, so the Verilog consists of gates by default. If it consists of primitives, yosys makes
// 34 % fewer functions of it (docs/guides/fpga.md).
var Intel = &Family{
	Name: "intel",
	LUT:  LUT{"MISTRAL_ALUT%d", 2, 6, "LUT", []string{"A", "B", "C", "D", "E", "F"}, "Q"},

	Constraints: Constraints{Language: SDC, Suffix: ".sdc"},
	Synthesis: Synthesis{
		Command: "synth_intel_alm -family cyclonev -noiopad -noclkbuf -nolutram", Library: "intel_alm/common",
		Models: []string{"alm_sim.v", "dff_sim.v"},
	},
	Project:   Quartus,
	Unplaced:  vendorPlaces,
	BlockBits: 10240,
	Takes: func(cell string) (r Resources) {
		switch {
		case strings.HasPrefix(cell, "MISTRAL_ALUT") && len(cell) == len("MISTRAL_ALUT6"), cell == "MISTRAL_NOT":
			r.LUTs = 1
		case cell == "MISTRAL_ALUT_ARITH":
			r.LUTs, r.Carries = 1, 1
		case cell == "MISTRAL_M10K":
			r.RAMBits = 10240
		case cell == "MISTRAL_FF":
			r.FlipFlops = 1
		}
		return r
	},

	Devices: []Device{{Name: "intel", Family: "intel", LUTInputs: 6, Source: "a family, no device"}},
}
