
  wire out_last;
  @TOP@ dut (
    .aclk(clk), .aresetn(~rst), .s_axis_tvalid(in_valid), .s_axis_tready(in_ready), .s_axis_tdata(in_data),
    .s_axis_tlast(in_last), .m_axis_tvalid(out_valid), .m_axis_tready(out_ready), .m_axis_tdata(result[@LOW@:0]),
    .m_axis_tlast(out_last), @TUSER@.error(error));

  always @(posedge clk) if (running && out_valid !== 1'b0 && out_last !== 1'b1) broken("a result without tlast");
