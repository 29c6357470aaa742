// Light gates: a logit of 0, of either sign, is a 0 in the truth table.
module top(input [1:0] x, output [3:0] h);
  wire a = x[1];
  wire b = x[0];
  assign h[0] = ~(a ^ b);
  assign h[1] = 1'b0;
  assign h[2] = a & ~b;
  assign h[3] = ~a & b;
endmodule
