// The wrapper DUT on the pins of a shared chip, with the ports that axis_tb.v plays to. A beat of
// a result is a byte, with out_last above it.
`default_nettype none

module byte_pins #(
    parameter BYTES = 1
) (
    input  wire aclk,
    input  wire aresetn,
    input  wire s_axis_tvalid,
    output wire s_axis_tready,
    input  wire [8*BYTES-1:0] s_axis_tdata,
    input  wire s_axis_tlast,
    output wire m_axis_tvalid,
    input  wire m_axis_tready,
    output wire [8:0] m_axis_tdata,
    output wire m_axis_tlast,
    output wire error
);
  // Bits that are no inputs of the wrapper change all the time, as foreign pins do. A reset comes by
  // rst_n and by ena in turn.
  reg [7:0] foreign = 8'h5a;
  reg turn = 0;
  always @(posedge aclk) foreign <= {foreign[6:0], foreign[7] ^ foreign[5] ^ foreign[4] ^ foreign[3]};
  always @(posedge aresetn) turn <= ~turn;
  wire [7:0] uio, directions;
  assign s_axis_tready = uio[1];
  assign m_axis_tvalid = uio[3];
  assign m_axis_tdata[8] = uio[5];
  assign m_axis_tlast = directions === 8'b01101010 && uio[0] === 1'b0 && uio[2] === 1'b0 && uio[4] === 1'b0 && uio[7] === 1'b0;
  assign error = uio[6];
  `DUT dut (
      .clk(aclk), .rst_n(aresetn | turn), .ena(aresetn | ~turn), .ui_in(s_axis_tdata), .uo_out(m_axis_tdata[7:0]),
      .uio_in({foreign[7:5], m_axis_tready, foreign[3], s_axis_tlast, foreign[1], s_axis_tvalid}), .uio_out(uio),
      .uio_oe(directions));
endmodule

`default_nettype wire
