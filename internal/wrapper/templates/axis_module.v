module @MODULE@ #(
    parameter BYTES = @BYTES@  // of s_axis_tdata
) (
    input  wire aclk,
    input  wire aresetn,
    input  wire s_axis_tvalid,
    output wire s_axis_tready,
    input  wire [8*BYTES-1:0] s_axis_tdata,
    input  wire s_axis_tlast,
@TAGIN@    output wire m_axis_tvalid,
    input  wire m_axis_tready,
    output wire [@HIGH@:0] m_axis_tdata,
    output wire m_axis_tlast,
@TAGOUT@    output wire error
);
@WIRES@
  assign m_axis_tdata = @RESULT@;
  assign m_axis_tlast = 1'b1;

  @STREAM@ #(
      .BEAT(BYTES)
  ) stream (
      .clk(aclk),
      .rst(~aresetn),
      .in_valid(s_axis_tvalid),
      .in_ready(s_axis_tready),
      .in_data(s_axis_tdata),
      .in_last(s_axis_tlast),
@TAGPINS@      .out_valid(m_axis_tvalid),
      .out_ready(m_axis_tready),
@CONNECTIONS@      .error(error)
  );
endmodule
