// What the primitives in tiny_luts.v do, target ecp5, for simulators; synthesisers define SYNTHESIS and have their own

`default_nettype none

`ifndef SYNTHESIS

// verilator lint_off DECLFILENAME
module LUT4 #(
    parameter [15:0] INIT = 16'h0
) (
    input  wire A,
    input  wire B,
    input  wire C,
    input  wire D,
    output wire Z
);
  wire [7:0] of3 = D ? INIT[15:8] : INIT[7:0];
  wire [3:0] of2 = C ? of3[7:4] : of3[3:0];
  wire [1:0] of1 = B ? of2[3:2] : of2[1:0];
  assign Z = A ? of1[1] : of1[0];
endmodule
// verilator lint_on DECLFILENAME
`endif

`default_nettype wire
