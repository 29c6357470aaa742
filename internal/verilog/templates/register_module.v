module NAME_register #(
    parameter WIDTH = 1
) (
    input  wire clk,
    input  wire ce,
    input  wire [WIDTH-1:0] d,
    output reg  [WIDTH-1:0] q
);
  always @(posedge clk) if (ce) q <= d;
endmodule
