package target

import (
	"regexp"
	"strings"
)

// Gowin is Gowin's LittleBee. A LUT can instead be one bit of a carry chain. Three of four LUTs have a flip-flop and
// a chain. If the Verilog consists of primitives, it takes 8 to 13 % fewer LUTs than yosys makes from gates. If yosys
// may use wide multiplexers, it makes 1.4 times the LUTs (docs/guides/fpga.md). The netlist includes the pads,
// because nextpnr expects them there.
var Gowin = &Family{
	Name:       "gowin",
	LUT:        LUT{"LUT%d", 1, 4, "INIT", []string{"I0", "I1", "I2", "I3"}, "F"},
	Primitives: true,

	Constraints: Constraints{Language: SDC, Suffix: ".sdc", PinLine: `IO_LOC "PORT" PIN;`},
	Synthesis:   Synthesis{Command: "synth_gowin -nowidelut", Library: "gowin", Zeroes: "map_cells"},
	Placement: &Placement{
		Program: "nextpnr-himbaechel", Others: []string{"gowin_pack"}, Routed: ".json", Bits: ".fs", AllPins: true,
		Arguments: func(d Device) []string { return []string{"--device", d.Part, "--vopt", "family=" + d.Die} },
		Output:    func(routed, _ string) []string { return []string{"--write", routed} },
		Pins:      func(path string) []string { return []string{"--vopt", "cst=" + path} },
		Pack: func(d Device, routed, bitstream string) []string {
			return []string{"-d", d.Die, "-o", bitstream, routed}
		},
	},
	BlockBits: 18432,
	Takes: func(cell string) (r Resources) {
		switch {
		case strings.HasPrefix(cell, "LUT") && len(cell) == len("LUT4"), cell == "INV":
			r.LUTs = 1
		case cell == "ALU": // an ALU occupies a LUT
			r.LUTs, r.Carries = 1, 1
		case gowinRAM.MatchString(cell):
			r.RAMBits = 18432
		case strings.HasPrefix(cell, "RAM16S"): // such as RAM16SDP4
			return inLUTRAM(4)
		case strings.HasPrefix(cell, "DFF"):
			r.FlipFlops = 1
		}
		return r
	},

	Devices: []Device{
		{"gowin-gw1n9", "gowin", "GW1NR-LV9QN88PC6/I5", "QN88P", "GW1N-9C", 4, 8640, 6480, 6480, 71, 26 * 18432, gowin1N9},
	},
}

// gowinRAM matches the forms of block RAM, by the names that yosys 0.23 and later versions use.
var gowinRAM = regexp.MustCompile(`^(SP|SDP|DP|pROM)(X9)?B?$`)

const gowin1N9 = "Gowin DS117 (GW1NR series); flip-flops and carries as nextpnr-himbaechel reports them; not " +
	"checked against either here"
