package target

import "strings"

// Xilinx7 is AMD's 7 series. If the Verilog consists of primitives, it takes 13 to 50 % fewer LUTs than yosys makes
// from gates. The reason is that yosys looks for additions in the head, although the head has no additions
// (docs/guides/fpga.md).
var Xilinx7 = &Family{
	Name:       "xilinx7",
	LUT:        LUT{"LUT%d", 1, 6, "INIT", []string{"I0", "I1", "I2", "I3", "I4", "I5"}, "O"},
	Primitives: true,

	Constraints: Constraints{
		Language: XDC, Suffix: ".xdc",
		PinLine: "set_property -dict {PACKAGE_PIN PIN IOSTANDARD LVCMOS33} [get_ports PORT]",
	},
	Synthesis: Synthesis{Command: "synth_xilinx -flatten -family xc7 -noiopad -noclkbuf", Library: "xilinx"},
	Placement: &Placement{Placer: Vivado, Program: "vivado", Bits: ".bit", Seedless: true},
	Unplaced:  "Debian has nothing that places it; the vendor's tool takes netlist.v, or the Verilog of compile",
	BlockBits: 36864,
	Takes: func(cell string) (r Resources) {
		switch {
		case strings.HasPrefix(cell, "LUT") && len(cell) == len("LUT6"), cell == "INV":
			r.LUTs = 1
		case cell == "CARRY4":
			r.Carries = 4
		case cell == "RAMB18E1":
			r.RAMBits = 18432
		case cell == "RAMB36E1":
			r.RAMBits = 36864
		case cell == "FDRE", cell == "FDSE", cell == "FDCE", cell == "FDPE":
			r.FlipFlops = 1
		case xilinxRAM[cell] > 0:
			return inLUTRAM(xilinxRAM[cell])
		}
		return r
	},

	Devices: []Device{
		{"xilinx7-a35t", "xilinx7", "xc7a35tcpg236-1", "cpg236", "", 6, 20800, 20800, 41600, 106, 50 * 36864, artix7},
		{Name: "xilinx7", Family: "xilinx7", LUTInputs: 6, Source: "a family, no device"},
	},
}

// xilinxRAM lists the forms of memory in LUTs, with the number of LUTs that they take.
var xilinxRAM = map[string]int{
	"RAM32M": 4, "RAM64M": 4, "RAM32X1D": 2, "RAM64X1D": 2, "RAM128X1D": 4, "RAM32X1S": 1, "RAM64X1S": 1, "RAM128X1S": 2,
	"RAM256X1S": 4,
}

const artix7 = "AMD DS180 (7 Series FPGAs), Artix-7 tables; not checked here"
