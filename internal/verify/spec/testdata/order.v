// Three features with three thresholds each: bit j of a feature, from 0, is its
// threshold j+1.
module top(input [8:0] x, output [2:0] h);
  wire [2:0] f0 = x[2:0];
  wire [2:0] f1 = x[5:3];
  wire [2:0] f2 = x[8:6];
  assign h[0] = f1[2] | f0[0];
  assign h[1] = (f0[2] & ~f2[0]) ^ f1[1];
  assign h[2] = (~f0[0] & f2[2]) | ~f1[0];
endmodule
