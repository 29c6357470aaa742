// What the primitives in tiny_luts.v do, target polarfire, for simulators; synthesisers define SYNTHESIS and have their own

`default_nettype none

`ifndef SYNTHESIS

// verilator lint_off DECLFILENAME
module CFG1 #(
    parameter [1:0] INIT = 2'h0
) (
    input  wire A,
    output wire Y
);
  assign Y = A ? INIT[1] : INIT[0];
endmodule
// verilator lint_on DECLFILENAME

// verilator lint_off DECLFILENAME
module CFG2 #(
    parameter [3:0] INIT = 4'h0
) (
    input  wire A,
    input  wire B,
    output wire Y
);
  wire [1:0] of1 = B ? INIT[3:2] : INIT[1:0];
  assign Y = A ? of1[1] : of1[0];
endmodule
// verilator lint_on DECLFILENAME
`endif

`default_nettype wire
