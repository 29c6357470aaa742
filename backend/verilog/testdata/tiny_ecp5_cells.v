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
  wire [7:0] of3 = D ? INIT[15:8] : INIT[7:0];
  wire [3:0] of2 = C ? of3[7:4] : of3[3:0];
  wire [1:0] of1 = B ? of2[3:2] : of2[1:0];
  assign Z = A ? of1[1] : of1[0];
endmodule

`default_nettype wire
