// What the primitives in tiny_luts.v do, target gowin
// (the directives are for verilator -Wall, which wants files called as their modules)

`default_nettype none

`line 7 "LUT1.v" 0
module LUT1 #(
    parameter [1:0] INIT = 2'h0
) (
    input  wire I0,
    output wire F
);
  assign F = I0 ? INIT[1] : INIT[0];
endmodule

`line 17 "LUT2.v" 0
module LUT2 #(
    parameter [3:0] INIT = 4'h0
) (
    input  wire I0,
    input  wire I1,
    output wire F
);
  wire [1:0] of1 = I1 ? INIT[3:2] : INIT[1:0];
  assign F = I0 ? of1[1] : of1[0];
endmodule

`default_nettype wire
