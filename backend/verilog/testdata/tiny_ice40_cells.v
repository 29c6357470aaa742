// What the primitives in tiny_luts.v do, target ice40
// (the directives are for verilator -Wall, which wants files called as their modules)

`default_nettype none

`line 7 "SB_LUT4.v" 0
module SB_LUT4 #(
    parameter [15:0] LUT_INIT = 16'h0
) (
    input  wire I0,
    input  wire I1,
    input  wire I2,
    input  wire I3,
    output wire O
);
  assign O = LUT_INIT[{I3, I2, I1, I0}];
endmodule

`default_nettype wire
