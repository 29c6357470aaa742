module NAME_argmax #(
    parameter CLASSES = 2,  // at least 2
    parameter BITS = 1,     // of a count
    parameter INDEX = 1     // bits of the index, enough for CLASSES - 1
) (
    input  wire [CLASSES*BITS-1:0] counts,
    output wire [INDEX-1:0] index
);
  function [INDEX-1:0] largest;
    input [CLASSES*BITS-1:0] words;
    integer i;
    reg [BITS-1:0] best;
    begin
      best = words[BITS-1:0];
      largest = {INDEX{1'b0}};
      for (i = 1; i < CLASSES; i = i + 1)
        if (words[i*BITS+:BITS] > best) begin
          best = words[i*BITS+:BITS];
          largest = i[INDEX-1:0];
        end
    end
  endfunction

  assign index = largest(counts);
endmodule
