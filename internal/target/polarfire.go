package target

import "strings"

// PolarFire is Microchip's PolarFire. yosys 0.23 does not know this family. It knows SmartFusion2, whose look-up
// tables, adders and registers have the same names and functions. If the Verilog consists of primitives, it takes 26 %
// fewer look-up tables than yosys makes from gates (docs/guides/fpga.md).
var PolarFire = &Family{
	Name:       "polarfire",
	LUT:        LUT{"CFG%d", 1, 4, "INIT", []string{"A", "B", "C", "D"}, "Y"},
	Primitives: true,

	Constraints: Constraints{Language: SDC, Suffix: ".sdc"},
	Synthesis:   Synthesis{Command: "synth_sf2 -noiobs", Library: "sf2", Substitute: polarFireCells},
	Project:     Libero,
	Unplaced:    vendorPlaces,
	Takes: func(cell string) (r Resources) {
		switch {
		case strings.HasPrefix(cell, "CFG") && len(cell) == len("CFG4"):
			r.LUTs = 1
		case cell == "ARI1": // an adder occupies a look-up table
			r.LUTs, r.Carries = 1, 1
		case cell == "SLE":
			r.FlipFlops = 1
		}
		return r
	},

	Devices: []Device{{Name: "polarfire", Family: "polarfire", LUTInputs: 4, Source: "a family, no device"}},
}

// polarFireCells has models of the cells that synth_sf2 makes. In yosys's model of SLE, two processes set the same
// register. The model here has neither a latch nor an asynchronous load, which ialgn's Verilog does not use: a netlist
// that uses them gets 0, so that checks fail.
const polarFireCells = `module CFG1 (input A, output Y);
  parameter [1:0] INIT = 0;
  assign Y = A ? INIT[1] : INIT[0];
endmodule
module CFG2 (input A, B, output Y);
  parameter [3:0] INIT = 0;
  wire [1:0] b = B ? INIT[3:2] : INIT[1:0];
  assign Y = A ? b[1] : b[0];
endmodule
module CFG3 (input A, B, C, output Y);
  parameter [7:0] INIT = 0;
  wire [3:0] c = C ? INIT[7:4] : INIT[3:0];
  wire [1:0] b = B ? c[3:2] : c[1:0];
  assign Y = A ? b[1] : b[0];
endmodule
module CFG4 (input A, B, C, D, output Y);
  parameter [15:0] INIT = 0;
  wire [7:0] d = D ? INIT[15:8] : INIT[7:0];
  wire [3:0] c = C ? d[7:4] : d[3:0];
  wire [1:0] b = B ? c[3:2] : c[1:0];
  assign Y = A ? b[1] : b[0];
endmodule
module ARI1 (input A, B, C, D, FCI, output Y, S, FCO);
  parameter [19:0] INIT = 0;
  wire [7:0] t0 = INIT[7:0], t1 = INIT[15:8];
  wire [3:0] d0 = D ? t0[7:4] : t0[3:0], d1 = D ? t1[7:4] : t1[3:0];
  wire [1:0] c0 = C ? d0[3:2] : d0[1:0], c1 = C ? d1[3:2] : d1[1:0];
  wire f0 = B ? c0[1] : c0[0], f1 = B ? c1[1] : c1[0];
  wire g = INIT[16] ? (INIT[17] ? f1 : f0) : INIT[17];
  wire p = INIT[19] ? 1'b1 : INIT[18] ? Y : 1'b0;
  assign Y = A ? f1 : f0;
  assign S = FCI ^ Y;
  assign FCO = p ? FCI : g;
endmodule
module SLE (input ADn, ALn, CLK, D, LAT, SD, EN, SLn, output Q);
  reg q;
  always @(posedge CLK) if (EN) q <= SLn ? D : SD;
  assign Q = LAT | !ALn ? 1'b0 : q;
endmodule
`
