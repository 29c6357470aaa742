  reg closing, close;  // a class
  reg [@COUNT@:0] ones_read, ones_seen, ones;  // of its chains that are always 1
  always @(posedge clk)
    if (rst) begin
      closing <= 1'b0;
      close <= 1'b0;
    end else begin
      closing <= valid_bit & (do_0[2:0] == 3'b111);
      close <= closing;
    end
  always @(posedge clk) begin
    ones_read <= step_0[@COUNT@:0];
    ones_seen <= ones_read;
    ones <= ones_seen;
  end

