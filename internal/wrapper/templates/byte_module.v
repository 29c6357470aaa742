module @MODULE@ (
    input  wire clk,
    input  wire rst_n,
    input  wire ena,
    input  wire [7:0] ui_in,
    output wire [7:0] uo_out,
    input  wire [7:0] uio_in,
    output wire [7:0] uio_out,
    output wire [7:0] uio_oe
);
  localparam [@TO@-1:0] ANSWER = @TO@'d@LASTOUT@;  // its last byte

  wire rst = ~(rst_n & ena);
  wire unused_pins = &{1'b0, uio_in[7:5], uio_in[3], uio_in[1]};

@WIRES@  wire in_ready, out_valid, error;
  wire [8*(1<<@TO@)-1:0] result = @RESULT@;

  reg [@TO@-1:0] to;  // the byte of the result that is given
  wire out_last = to == ANSWER;
  always @(posedge clk)
    if (rst) to <= @TO@'d0;
    else if (out_valid & uio_in[4]) to <= out_last ? @TO@'d0 : to + @TO@'d1;

  assign uo_out = result[{to, 3'd0}+:8];
  assign uio_out = {1'b0, error, out_last, 1'b0, out_valid, 1'b0, in_ready, 1'b0};
  assign uio_oe = 8'b01101010;

  @STREAM@ stream (
      .clk(clk),
      .rst(rst),
      .in_valid(uio_in[0]),
      .in_ready(in_ready),
      .in_data(ui_in),
      .in_last(uio_in[2]),
      .out_valid(out_valid),
      .out_ready(uio_in[4] & out_last),
@CONNECTIONS@      .error(error)
  );
endmodule
