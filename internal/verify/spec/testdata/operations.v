// The sixteen operations of the paper in the order of their numbers.
module top(input [1:0] x, output [15:0] h);
  wire a = x[0];
  wire b = x[1];
  assign h[0] = 1'b0;
  assign h[1] = a & b;
  assign h[2] = a & ~b;
  assign h[3] = a;
  assign h[4] = ~a & b;
  assign h[5] = b;
  assign h[6] = a ^ b;
  assign h[7] = a | b;
  assign h[8] = ~(a | b);
  assign h[9] = ~(a ^ b);
  assign h[10] = ~b;
  assign h[11] = a | ~b;
  assign h[12] = ~a;
  assign h[13] = ~a | b;
  assign h[14] = ~(a & b);
  assign h[15] = 1'b1;
endmodule
