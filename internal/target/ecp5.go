package target

// ECP5 is Lattice's ECP5. A slice has two LUTs, two flip-flops and two bits of a carry chain. If the Verilog consists
// of primitives, it takes 8 to 13 % fewer LUTs than yosys makes from gates. If yosys may use wide multiplexers, it
// makes 1.3 times the LUTs (docs/guides/fpga.md).
var ECP5 = &Family{
	Name:       "ecp5",
	LUT:        LUT{"LUT4", 4, 4, "INIT", []string{"A", "B", "C", "D"}, "Z"},
	Primitives: true,

	Constraints: Constraints{Language: LPF, Suffix: ".lpf", PinLine: `LOCATE COMP "PORT" SITE "PIN";`},
	Synthesis:   Synthesis{Command: "synth_ecp5 -nowidelut", Library: "ecp5"},
	Placement: &Placement{
		Program: "nextpnr-ecp5", Others: []string{"ecppack"}, Routed: ".config", Bits: ".bit",
		Arguments: func(d Device) []string { return []string{"--" + d.Die, "--package", d.Package} },
		Output:    func(routed, _ string) []string { return []string{"--textcfg", routed, "--lpf-allow-unconstrained"} },
		Pins:      func(path string) []string { return []string{"--lpf", path} },
		Pack:      func(_ Device, routed, bitstream string) []string { return []string{routed, bitstream} },
	},
	BlockBits: 18432,
	Takes: func(cell string) (r Resources) {
		switch cell {
		case "LUT4":
			r.LUTs = 1
		case "CCU2C": // includes the two LUTs before its carries
			r.LUTs, r.Carries = 2, 2
		case "DP16KD":
			r.RAMBits = 18432
		case "TRELLIS_FF":
			r.FlipFlops = 1
		case "TRELLIS_DPR16X4": // four LUTs, and two LUTs whose slice holds the write port
			return inLUTRAM(6)
		}
		return r
	},

	Devices: []Device{
		{"ecp5-25k", "ecp5", "LFE5U-25F-CABGA381", "CABGA381", "25k", 4, 24288, 24288, 24288, 197, 56 * 18432, trellis},
		{"ecp5-45k", "ecp5", "LFE5U-45F-CABGA381", "CABGA381", "45k", 4, 43848, 43848, 43848, 203, 108 * 18432, trellis},
		{"ecp5-85k", "ecp5", "LFE5U-85F-CABGA381", "CABGA381", "85k", 4, 83640, 83640, 83640, 205, 208 * 18432, trellis},
	},
}

// trellis is the source of the figures. The data sheet gives the numbers of LUTs in thousands, and Project Trellis
// gives the exact numbers.
const trellis = "Lattice FPGA-DS-02012 (ECP5 and ECP5-5G Family), selection guide; LUTs as nextpnr-ecp5 reports " +
	"them; not checked against either here"
