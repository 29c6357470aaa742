// What the primitives in tiny_luts.v do, target ecp5
// (the directives are for verilator -Wall, which wants files called as their modules)

`default_nettype none

`line 7 "LUT4.v" 0
module LUT4 #(
    parameter [15:0] INIT = 16'h0
) (
    input  wire A,
    input  wire B,
    input  wire C,
    input  wire D,
    output wire Z
);
  assign Z = INIT[{D, C, B, A}];
endmodule

`default_nettype wire
