// What the primitives in tiny_luts.v do, target efinix, for simulators; synthesisers define SYNTHESIS and have their own

`default_nettype none

`ifndef SYNTHESIS

// verilator lint_off DECLFILENAME
module EFX_LUT4 #(
    parameter [15:0] LUTMASK = 16'h0
) (
    input  wire I0,
    input  wire I1,
    input  wire I2,
    input  wire I3,
    output wire O
);
  wire [7:0] of3 = I3 ? LUTMASK[15:8] : LUTMASK[7:0];
  wire [3:0] of2 = I2 ? of3[7:4] : of3[3:0];
  wire [1:0] of1 = I1 ? of2[3:2] : of2[1:0];
  assign O = I0 ? of1[1] : of1[0];
endmodule
// verilator lint_on DECLFILENAME
`endif

`default_nettype wire
