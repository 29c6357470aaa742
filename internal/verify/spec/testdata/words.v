// The network of order.v over words of five bits.
module top(input [14:0] x, output [2:0] h);
  wire [4:0] f0 = x[4:0];
  wire [4:0] f1 = x[9:5];
  wire [4:0] f2 = x[14:10];
  assign h[0] = (f1 > 5'd30) | (f0 > 5'd3);
  assign h[1] = ((f0 > 5'd20) & ~(f2 > 5'd7)) ^ (f1 > 5'd2);
  assign h[2] = (~(f0 > 5'd3) & (f2 > 5'd31)) | ~(f1 > 5'd0);
endmodule
