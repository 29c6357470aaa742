
  reg rst, in_valid, in_last, out_ready;
  reg [@UNIT@-1:0] in_data;
  wire in_ready, out_valid;
@PORTS@
  @TOP@ dut (.clk(clk), .rst(rst), .in_valid(in_valid), .in_ready(in_ready), .in_data(in_data), .in_last(in_last), .out_valid(out_valid), .out_ready(out_ready), .error(error)@PINS@);

  // takes the result at the outputs
  task tb_result;
    begin
@CAPTURE@    end
  endtask
