// The network of order.v behind the projection onto thermometer codes.
module top(input [8:0] x, output [2:0] h);
  wire [2:0] f0 = {x[2] & x[1] & x[0], x[1] & x[0], x[0]};
  wire [2:0] f1 = {x[5] & x[4] & x[3], x[4] & x[3], x[3]};
  wire [2:0] f2 = {x[8] & x[7] & x[6], x[7] & x[6], x[6]};
  assign h[0] = f1[2] | f0[0];
  assign h[1] = (f0[2] & ~f2[0]) ^ f1[1];
  assign h[2] = (~f0[0] & f2[2]) | ~f1[0];
endmodule
