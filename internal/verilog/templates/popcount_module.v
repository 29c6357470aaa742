module NAME_popcount #(
    parameter WIDTH = 2,  // at least 2
    parameter BITS = 2    // enough for WIDTH
) (
    input  wire [WIDTH-1:0] bits,
    output wire [BITS-1:0] count
);
  function [BITS-1:0] ones;
    input [WIDTH-1:0] word;
    integer i;
    begin
      ones = {BITS{1'b0}};
      for (i = 0; i < WIDTH; i = i + 1) ones = ones + {{(BITS - 1) {1'b0}}, word[i]};
    end
  endfunction

  assign count = ones(bits);
endmodule
