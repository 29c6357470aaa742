
  reg rst, in_valid, in_last, out_ready;
  reg [@UNIT@-1:0] in_data;
  wire in_ready, out_valid, out_last;
  wire [8*@RESULTBYTES@-1:0] tb_bytes;
@TAGWIRE@
  @TOP@ dut (.aclk(clk), .aresetn(~rst), .s_axis_tvalid(in_valid), .s_axis_tready(in_ready), .s_axis_tdata(in_data), .s_axis_tlast(in_last), .m_axis_tvalid(out_valid), .m_axis_tready(out_ready), .m_axis_tdata(tb_bytes), .m_axis_tlast(out_last)@TAGPINS@, .error(error));

  // takes the result at the outputs
  task tb_result;
    begin
      if (out_last !== 1'b1) tb_broken("a result without tlast");
@UNPACK@    end
  endtask
