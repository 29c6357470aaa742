// What the primitives in tiny_luts.v do, target intel, for simulators; synthesisers define SYNTHESIS and have their own

`default_nettype none

`ifndef SYNTHESIS

// verilator lint_off DECLFILENAME
module MISTRAL_ALUT2 #(
    parameter [3:0] LUT = 4'h0
) (
    input  wire A,
    input  wire B,
    output wire Q
);
  wire [1:0] of1 = B ? LUT[3:2] : LUT[1:0];
  assign Q = A ? of1[1] : of1[0];
endmodule
// verilator lint_on DECLFILENAME
`endif

`default_nettype wire
