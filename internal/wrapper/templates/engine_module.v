module @MODULE@ #(
    parameter BEAT = 1  // bytes of a clock: no other number will do
) (
    input  wire clk,
    input  wire rst,
    input  wire in_valid,
    output wire in_ready,
    input  wire [8*BEAT-1:0] in_data,
    input  wire in_last,
@DROP@    output wire out_valid,
    input  wire out_ready,
@PORTS@    output wire error
);
  generate
    if (BEAT != 1) begin : refused
      the_engine_takes_a_byte_in_a_beat wrong ();
    end
  endgenerate

@UNUSED@  @ENGINE@ engine (
      .clk(clk),
      .rst(rst),
      .in_valid(in_valid),
      .in_ready(in_ready),
      .in_data(in_data[@HIGH@:0]),
      .in_last(in_last),
@DROPPIN@      .out_valid(out_valid),
      .out_ready(out_ready),
@CONNECTIONS@      .error(error)
  );
endmodule
