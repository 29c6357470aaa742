
  reg rst, in_valid, in_last, out_ready;
  reg [7:0] in_data;
  wire [7:0] tb_out, tb_uio, tb_oe;
  reg [8*@RESULTBYTES@-1:0] tb_bytes;
  integer tb_place;  // of the next byte of the result
  wire tb_last = tb_place == @RESULTBYTES@ - 1;
  wire in_ready = tb_uio[1];
  wire out_valid = tb_uio[3] === 1'b1 ? tb_last : tb_uio[3];  // of a result, with its last byte
  assign error = tb_uio[6];

  @TOP@ dut (.clk(clk), .rst_n(~rst), .ena(1'b1), .ui_in(in_data), .uo_out(tb_out), .uio_in({3'd0, out_ready, 1'b0, in_last, 1'b0, in_valid}), .uio_out(tb_uio), .uio_oe(tb_oe));

  // takes the bytes before the last
  always @(posedge clk)
    if (rst) tb_place <= 0;
    else if (tb_uio[3] === 1'b1) begin
      if (tb_uio[5] !== tb_last) tb_broken("uio[5] is not the last byte");
      if (out_ready) tb_place <= tb_last ? 0 : tb_place + 1;
      if (out_ready && !tb_last) tb_bytes[tb_place*8+:8] <= tb_out;
    end
  always @(posedge clk) if (tb_oe !== 8'b01101010) tb_broken("the directions of uio");

  // takes the result whose last byte is at the outputs
  task tb_result;
    begin
      tb_bytes[8*@RESULTBYTES@-1-:8] = tb_out;
@UNPACK@    end
  endtask
