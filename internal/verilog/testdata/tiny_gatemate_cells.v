// What the primitives in tiny_luts.v do, target gatemate, for simulators; synthesisers define SYNTHESIS and have their own

`default_nettype none

`ifndef SYNTHESIS

// verilator lint_off DECLFILENAME
module CC_LUT1 #(
    parameter [1:0] INIT = 2'h0
) (
    input  wire I0,
    output wire O
);
  assign O = I0 ? INIT[1] : INIT[0];
endmodule
// verilator lint_on DECLFILENAME

// verilator lint_off DECLFILENAME
module CC_LUT2 #(
    parameter [3:0] INIT = 4'h0
) (
    input  wire I0,
    input  wire I1,
    output wire O
);
  wire [1:0] of1 = I1 ? INIT[3:2] : INIT[1:0];
  assign O = I0 ? of1[1] : of1[0];
endmodule
// verilator lint_on DECLFILENAME
`endif

`default_nettype wire
