package target

import "strings"

// ICE40 is Lattice's iCE40. A logic cell is one LUT, one flip-flop and one bit of a carry chain.
//
// Its Verilog consists of gates, unless nodes of the network have five or six inputs. The gates of such nodes can
// keep abc busy for many minutes (docs/guides/fpga.md). Primitives take a tenth fewer logic cells, but with some
// seeds nextpnr 0.4 does not route pipelines of primitives, although it routes the same pipelines as gates. If an
// enable has few flip-flops, such as the enable of a word in a loader, the LUT before each flip-flop becomes a
// multiplexer. These LUTs exist anyway. A real enable would take an additional LUT and its own tile of eight logic
// cells. With real enables, a loader of 784 words that took 61 % of an hx8k was not routed.
var ICE40 = &Family{
	Name:  "ice40",
	LUT:   LUT{"SB_LUT4", 4, 4, "LUT_INIT", []string{"I0", "I1", "I2", "I3"}, "O"},
	Carry: true,

	WidestGate: 4,

	Constraints: Constraints{Language: PCF, Suffix: ".pcf", PinLine: "set_io PORT PIN"},
	Synthesis: Synthesis{
		Command: "synth_ice40 -dffe_min_ce_use 8",
		Library: "ice40", Defines: []string{"NO_ICE40_DEFAULT_ASSIGNMENTS"},
	},
	Placement: &Placement{
		Program: "nextpnr-ice40", Others: []string{"icepack", "icetime"}, Routed: ".asc", Bits: ".bin", Icestorm: true,
		Arguments: func(d Device) []string { return []string{"--" + d.Die, "--package", d.Package} },
		Output:    func(routed, placed string) []string { return []string{"--asc", routed, "--write", placed} },
		Pins:      func(path string) []string { return []string{"--pcf", path, "--pcf-allow-unconstrained"} },
	},
	BlockBits: 4096,
	Static: &Static{
		Volts: 1.2, Core: map[string]float64{"ice40-hx8k": 1140, "ice40-hx1k": 296, "ice40-lp8k": 250},
		Source: "Lattice DS1040 (iCE40 LP/HX Family), static supply current: typical, blank pattern, 0 MHz, 25 C",
	},
	Takes: func(cell string) (r Resources) {
		switch {
		case cell == "SB_LUT4":
			r.LUTs = 1
		case cell == "SB_CARRY":
			r.Carries = 1
		case strings.HasPrefix(cell, "SB_RAM40_4K"): // also with inverted clocks, which add a suffix
			r.RAMBits = 4096
		case strings.HasPrefix(cell, "SB_DFF"):
			r.FlipFlops = 1
		}
		return r
	},

	// UltraPlus also has 1 Mbit of single-port RAM and DSP blocks, which our designs do not use.
	Devices: []Device{
		{"ice40-hx8k", "ice40", "iCE40HX8K-CT256", "ct256", "hx8k", 4, 7680, 7680, 7680, 206, 32 * 4096, lpHX},
		{"ice40-hx1k", "ice40", "iCE40HX1K-TQ144", "tq144", "hx1k", 4, 1280, 1280, 1280, 95, 16 * 4096, lpHX},
		{"ice40-lp8k", "ice40", "iCE40LP8K-CM81", "cm81", "lp8k", 4, 7680, 7680, 7680, 63, 32 * 4096, lpHX},
		{"ice40-up5k", "ice40", "iCE40UP5K-SG48", "sg48", "up5k", 4, 5280, 5280, 5280, 39, 30 * 4096, ultraPlus},
	},
}

// These constants name the data sheets.
const (
	lpHX      = "Lattice FPGA-DS-02029 (iCE40 LP/HX Family), selection guide"
	ultraPlus = "Lattice FPGA-DS-02008 (iCE40 UltraPlus Family), selection guide"
)
