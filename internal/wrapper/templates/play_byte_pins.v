
  wire [7:0] out_byte, uio, directions;
  reg [@RESULT@-1:0] earlier = 0;  // bytes of the result before the last
  integer place = 0;  // of the next byte
  wire last_byte = place == @RESULT@ / 8 - 1;
  assign in_ready = uio[1];
  assign out_valid = uio[3] === 1'b1 ? last_byte : uio[3];
  assign error = uio[6];
  assign result = earlier | ({@RESULT@{1'b0}} | out_byte) << (@RESULT@ - 8);
  @TOP@ dut (
    .clk(clk), .rst_n(~rst), .ena(1'b1), .ui_in(in_data), .uo_out(out_byte),
    .uio_in({3'd0, out_ready, 1'b0, in_last, 1'b0, in_valid}), .uio_out(uio), .uio_oe(directions));

  always @(posedge clk)
    if (rst) place <= 0;
    else if (uio[3] === 1'b1) begin
      if (running && uio[5] !== last_byte) broken("another byte than the last is the last");
      if (out_ready) place <= last_byte ? 0 : place + 1;
      if (out_ready && !last_byte) earlier[8*place+:8] <= out_byte;
    end
  always @(posedge clk) if (running && directions !== 8'b01101010) broken("wrong directions of uio");
