// Three classes of two chains: the class with the largest count, of equal ones the first.
module top(input [5:0] x, output [1:0] class_index, output [1:0] count_0, count_1, count_2);
  wire [5:0] h = {x[3], x[4], x[0], x[2], x[1], x[5]};
  assign count_0 = {1'b0, h[0]} + h[1];
  assign count_1 = {1'b0, h[2]} + h[3];
  assign count_2 = {1'b0, h[4]} + h[5];
  wire later = count_1 > count_0;
  wire [1:0] first = later ? 2'd1 : 2'd0;
  wire [1:0] best = later ? count_1 : count_0;
  assign class_index = count_2 > best ? 2'd2 : first;
endmodule
