module NAME_margin #(
    parameter CLASSES = 2,  // at least 2
    parameter BITS = 1,     // of a count
    parameter INDEX = 1,    // bits of the index, enough for CLASSES - 1
    parameter MARGIN = 1    // below 2^BITS
) (
    input  wire [CLASSES*BITS-1:0] counts,
    output wire [INDEX:0] result
);
  function [INDEX:0] judge;
    input [CLASSES*BITS-1:0] words;
    integer i;
    reg [BITS-1:0] best;
    reg [INDEX-1:0] largest;
    reg one, two;
    begin
      best = words[BITS-1:0];
      largest = {INDEX{1'b0}};
      for (i = 1; i < CLASSES; i = i + 1)
        if (words[i*BITS+:BITS] > best) begin
          best = words[i*BITS+:BITS];
          largest = i[INDEX-1:0];
        end
      one = 1'b0;
      two = 1'b0;
      for (i = 0; i < CLASSES; i = i + 1)
        if (best - words[i*BITS+:BITS] < MARGIN[BITS-1:0]) begin
          two = one;
          one = 1'b1;
        end
      judge = {two, largest};
    end
  endfunction

  assign result = judge(counts);
endmodule
