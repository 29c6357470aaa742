module NAME_register (
    input  wire clk,
    input  wire ce,
    input  wire d,
    output reg  q
);
  always @(posedge clk) if (ce) q <= d;
endmodule
